package seal

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The names of the master keys.
const (
	current  = "SEAL_KEY"
	previous = "SEAL_KEY_PREVIOUS"
)

// Master reports whether name is the name of a master key. The program may not see master keys.
func Master(name string) bool { return strings.HasPrefix(name, current) }

// key is a master key.
type key struct {
	id    string
	bytes []byte
}

// keyOf returns the key called name in env. If SEAL_KEY_PREVIOUS is not set, keyOf returns nil
// without an error.
func keyOf(env map[string]string, name string) (*key, error) {
	text := env[name]
	if text == "" && name == previous {
		return nil, nil
	}
	bytes, err := masterKey(text)
	if err != nil {
		return nil, fmt.Errorf("The secret %s %w. This makes one: openssl rand -base64 32", name, err)
	}
	return &key{Digest(append([]byte("edgelingua SEAL_KEY v1\x00"), bytes...))[:8], bytes}, nil
}

// Check returns an error if a master key in env is invalid. A missing master key is not an error,
// but then nothing can be sealed.
func Check(env map[string]string) error {
	for _, name := range []string{current, previous} {
		if env[name] == "" {
			continue
		}
		if _, err := keyOf(env, name); err != nil {
			return err
		}
	}
	return nil
}

// spellings are the two forms of a master key's 32 bytes: base64url without padding, and standard
// base64 with padding.
var spellings = regexp.MustCompile(`^[\w-]{43}$|^[A-Za-z0-9+/]{43}=$`)

func masterKey(text string) ([]byte, error) {
	if text == "" {
		return nil, errors.New("is missing")
	}
	if spellings.MatchString(text) {
		if bytes, err := decode(strings.NewReplacer("+", "-", "/", "_").Replace(text[:43])); err == nil {
			return bytes, nil
		}
	}
	return nil, errors.New("is not 32 bytes in base64")
}

// decode decodes base64url in strict mode, so each value has only one spelling. Otherwise the last
// character of a sealed text could be changed, and the text would still open.
func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
