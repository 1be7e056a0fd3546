// Package seal seals secrets and hashes texts for the wazero host, as worker/workerd/seal.mjs does
// for workerd. worker/bridge/doc.go defines sealed texts.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

const (
	maxSecret = 64 << 10 // bytes
	maxSealed = 88 << 10
)

// form is the form of a sealed text: the key's id, the nonce, and the ciphertext with its tag, in
// base64url.
var form = regexp.MustCompile(`^v1\.([\w-]{8})\.([\w-]{16})\.([\w-]+)$`)

// ErrUnopened is wrapped by the errors of Open for a text that can't be opened. The rest of such an
// error is only for the owner's log, not for clients.
var ErrUnopened = errors.New("a sealed text does not open")

// Digest returns the SHA-256 of a text in base64url.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Seal seals a secret with SEAL_KEY of env. Open needs the same context.
func Seal(env map[string]string, context, secret []byte) (sealed string, err error) {
	if len(secret) > maxSecret {
		return "", fmt.Errorf("A secret may have up to %d bytes, and this one has %d.", maxSecret,
			len(secret))
	}
	k, err := keyOf(env, current)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, 12)
	rand.Read(nonce)
	return k.seal(context, secret, nonce), nil
}

// Open opens a sealed text with SEAL_KEY or SEAL_KEY_PREVIOUS of env. stale is true if only
// SEAL_KEY_PREVIOUS opened the text. If neither does, the error wraps ErrUnopened.
func Open(env map[string]string, context []byte, sealed string) (secret []byte, stale bool, err error) {
	var parts []string
	if len(sealed) <= maxSealed {
		parts = form.FindStringSubmatch(sealed)
	}
	if parts == nil {
		return nil, false, fmt.Errorf("%w: it is not of their form", ErrUnopened)
	}
	for _, name := range []string{current, previous} {
		k, err := keyOf(env, name)
		if err != nil {
			return nil, false, err
		}
		if k == nil || k.id != parts[1] {
			continue
		}
		secret, err = k.open(context, parts[2], parts[3])
		if err != nil {
			return nil, false, fmt.Errorf("%w: it was changed, or is not where it was sealed for",
				ErrUnopened)
		}
		return secret, name == previous, nil
	}
	return nil, false, fmt.Errorf("%w: its key %s is neither %s nor %s", ErrUnopened, parts[1], current,
		previous)
}

// Foreign reports whether neither SEAL_KEY nor SEAL_KEY_PREVIOUS of env is the key of any of the sealed
// texts. Other texts have no key.
func Foreign(env map[string]string, sealed []string) bool {
	known := map[string]bool{}
	for _, name := range []string{current, previous} {
		if k, err := keyOf(env, name); err == nil && k != nil {
			known[k.id] = true
		}
	}
	return slices.ContainsFunc(sealed, func(text string) bool {
		parts := form.FindStringSubmatch(text)
		return parts != nil && !known[parts[1]]
	})
}

func (k *key) seal(context, secret, nonce []byte) string {
	sealed := k.gcm().Seal(nil, nonce, secret, context)
	return "v1." + k.id + "." + base64.RawURLEncoding.EncodeToString(nonce) + "." +
		base64.RawURLEncoding.EncodeToString(sealed)
}

func (k *key) open(context []byte, nonce, ciphertext string) ([]byte, error) {
	n, err := decode(nonce)
	if err != nil {
		return nil, err
	}
	c, err := decode(ciphertext)
	if err != nil {
		return nil, err
	}
	return k.gcm().Open(nil, n, c, context)
}

func (k *key) gcm() cipher.AEAD {
	block, err := aes.NewCipher(k.bytes)
	if err != nil {
		panic(err) // can't happen: the key has 32 bytes
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // can't happen: AES has blocks of 16 bytes
	}
	return aead
}
