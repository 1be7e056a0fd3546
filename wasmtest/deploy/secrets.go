package deploy

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"edgelingua/worker/endpoint"
)

// The names of a deployment's secrets.
const (
	clientKey   = "CLIENT_KEY"
	upstreamKey = "UPSTREAM_KEY"
	adminKey    = "ADMIN_KEY"
	sealKey     = "SEAL_KEY"
)

// secretNames are the names of the secrets in the environment.
var secretNames = []string{clientKey, upstreamKey, adminKey, sealKey}

// secrets are the secrets of a worker, as far as this run knows them.
type secrets struct {
	there []string // names of the worker's secrets before this run
	// by name: secrets from the environment, generated, or typed by the person
	known    map[string]string
	set      []string        // names of the secrets set by this run
	doubtful bool            // wrangler failed while setting them: each may be there or not
	keyless  bool            // the upstream is Cloudflare's own models and needs no key
	made     map[string]bool // names of the generated secrets for a person to keep
}

func (s *secrets) has(name string) bool { return slices.Contains(s.there, name) }

// personal reports whether the worker serves personal endpoints.
func (s *secrets) personal() bool { return s.has(adminKey) || s.has(sealKey) }

// missing returns the secrets that the worker lacks: from the environment, generated or asked for.
// left has the names of secrets that stay missing. Without a terminal, keys for a person to keep
// are not generated: either no person would see them, or every reader of the log.
func (s *secrets) missing(ctx context.Context, forward, personal bool,
	t *Terminal) (values map[string]string, left []string, err error) {
	values = map[string]string{}
	for _, name := range secretNames {
		admin := name == adminKey || name == sealKey
		if s.has(name) || forward && !admin || admin && !personal || name == upstreamKey && s.keyless {
			continue
		}
		given := s.known[name]
		switch {
		case given != "":
		case name == sealKey:
			// generated without a terminal too, and never shown: no person needs the key, and a
			// person could only lose it. To keep a key, set SEAL_KEY in the environment of deploy.
			given = base64.StdEncoding.EncodeToString(random())
		case t == nil:
			left = append(left, name)
			continue
		case name == upstreamKey:
			if given, err = t.AskHidden(ctx,
				"Your key at the upstream (UPSTREAM_KEY, hidden; empty where it needs none): "); err != nil {
				return nil, nil, err
			}
			if given == "" {
				continue
			}
		default:
			given = hex.EncodeToString(random()) // without hyphens a double click marks the whole key
			s.made[name] = true
		}
		values[name] = given
	}
	return values, left, nil
}

// took notes that the worker has these secrets now or, if not sure, may have them.
func (s *secrets) took(values map[string]string, sure bool) {
	maps.Copy(s.known, values)
	s.set, s.doubtful = slices.Sorted(maps.Keys(values)), !sure
}

func random() []byte {
	bytes := make([]byte, 32)
	rand.Read(bytes)
	return bytes
}

// minAdminKey is the minimum length of ADMIN_KEY.
const minAdminKey = 16

// checkGiven returns the error for a wrong secret in the environment, before anything is deployed.
func checkGiven(known map[string]string) error {
	if key, ok := known[adminKey]; ok && len([]rune(key)) < minAdminKey {
		return fmt.Errorf("%s in the environment is shorter than %d characters, which the worker refuses",
			adminKey, minAdminKey)
	}
	if key, ok := known[sealKey]; ok {
		if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != 32 {
			return fmt.Errorf("%s in the environment is not 32 bytes in base64; this makes one: openssl "+
				"rand -base64 32", sealKey)
		}
	}
	if endpoint.Placeholder(known[upstreamKey]) {
		return fmt.Errorf("%s in the environment is a placeholder from the documents; put your own key at "+
			"the upstream there, or leave it out to be asked for it", upstreamKey)
	}
	for name, key := range known {
		if strings.TrimSpace(key) != key || strings.ContainsAny(key, "\r\n") {
			return fmt.Errorf("%s in the environment has a space or a line break at an end", name)
		}
	}
	return nil
}
