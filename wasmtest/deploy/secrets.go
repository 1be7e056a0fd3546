package deploy

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Names of the secrets of a deployment.
const (
	clientKey   = "CLIENT_KEY"
	upstreamKey = "UPSTREAM_KEY"
	adminKey    = "ADMIN_KEY"
	sealKey     = "SEAL_KEY"
)

// secretNames are the secrets that may be given in the environment.
var secretNames = []string{clientKey, upstreamKey, adminKey, sealKey}

// secrets are those of a worker, as far as they are known here.
type secrets struct {
	there    []string          // on the worker before
	known    map[string]string // by name: given in the environment, or made or asked for in this run
	set      []string          // names of those that this run has set
	doubtful bool              // wrangler has failed while it set them
	made     map[string]bool   // those of them that a person must keep: they were generated
}

func (s *secrets) has(name string) bool { return slices.Contains(s.there, name) }

// personal says whether the worker serves personal endpoints.
func (s *secrets) personal() bool { return s.has(adminKey) || s.has(sealKey) }

// missing returns what the worker needs and lacks, generated or asked for, and the names of what stays missing. Without a
// terminal keys that a person must keep are not generated: nobody would see them, or everybody who reads the log.
func (s *secrets) missing(ctx context.Context, forward, personal bool, t *Terminal) (values map[string]string, left []string, err error) {
	values = map[string]string{}
	for _, name := range secretNames {
		admin := name == adminKey || name == sealKey
		if s.has(name) || forward && !admin || admin && !personal {
			continue
		}
		given := s.known[name]
		switch {
		case given != "":
		case name == sealKey:
			given = base64.StdEncoding.EncodeToString(random())
		case t == nil:
			left = append(left, name)
			continue
		case name == upstreamKey:
			if given, err = t.AskHidden(ctx, "Your key at the upstream (UPSTREAM_KEY, hidden; empty where it needs none): "); err != nil {
				return nil, nil, err
			}
			if given == "" {
				continue
			}
		default:
			given = base64.RawURLEncoding.EncodeToString(random())
			s.made[name] = true
		}
		values[name] = given
	}
	return values, left, nil
}

// took notes that secrets are on the worker now or, where they are not sure to be, may be there.
func (s *secrets) took(values map[string]string, sure bool) {
	maps.Copy(s.known, values)
	s.set, s.doubtful = slices.Sorted(maps.Keys(values)), !sure
}

func random() []byte {
	bytes := make([]byte, 32)
	rand.Read(bytes)
	return bytes
}

// sharp is the shortest ADMIN_KEY that the worker takes, in characters.
const sharp = 16

// checkGiven says what is wrong with a secret of the environment, before anything is deployed.
func checkGiven(known map[string]string) error {
	if key, ok := known[adminKey]; ok && len([]rune(key)) < sharp {
		return fmt.Errorf("%s in the environment is shorter than %d characters, which the worker refuses", adminKey, sharp)
	}
	if key, ok := known[sealKey]; ok {
		if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != 32 {
			return fmt.Errorf("%s in the environment is not 32 bytes in base64; this makes one: openssl rand -base64 32", sealKey)
		}
	}
	for name, key := range known {
		if strings.TrimSpace(key) != key || strings.ContainsAny(key, "\r\n") {
			return fmt.Errorf("%s in the environment has a space or a line break at an end", name)
		}
	}
	return nil
}
