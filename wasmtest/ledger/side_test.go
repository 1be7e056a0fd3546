package ledger

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// side completes the types of an API's requests or answers (bodies.json): with valid bodies around
// an object, and with valid values.
type side struct {
	Base   any // the smallest valid body
	Frames []struct {
		Types []string // of the object, or PATH[*] for any object there
		Body  any      // "@" stands for the object
		Other any      // instead of the object in the body without it, if a valid body needs one
	}
	// by member, or by type and member: the valid value, and another one for a required member
	Values map[string]list
	More   map[string]struct { // a further value of a member
		Label string
		Value any
	}
	Default map[string]any    // by member: the value while another member is tried
	Alias   map[string]string // the newer name of a member, which reports have
	Needed  []string          // optional members without which an object is not valid
	Instead map[string]string // by member: the members to leave out
	With    map[string]object // by member: the members without which it means nothing
	Also    map[string]string // by member: types that are tried there too, separated by spaces
	// members that repeat the request: the ledger has no members below them
	Whole []string
}

// bodies has the sides by API and direction, and under "asks" a request of each client that asks
// for everything an answer can have.
type bodies struct {
	sides map[string]*side
	asks  map[string]string
}

func readBodies(t *testing.T) (b bodies) {
	t.Helper()
	text, err := os.ReadFile("bodies.json")
	require.NoError(t, err)
	var raw map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &raw))
	b.sides, b.asks = map[string]*side{}, map[string]string{}
	for name, value := range raw {
		if name == "asks" {
			asks := map[string]json.RawMessage{}
			require.NoError(t, json.Unmarshal(value, &asks))
			for client, request := range asks {
				b.asks[client] = string(request)
			}
			continue
		}
		b.sides[name] = &side{}
		require.NoError(t, json.Unmarshal(value, b.sides[name]))
	}
	return b
}

// frame is the body around an object, "@", and the same body without the object.
type frame struct{ with, without any }

// frame returns the frame of a type, or nil.
func (s *side) frame(typ string) *frame {
	for _, f := range s.Frames {
		switch {
		case !slices.Contains(f.Types, typ):
		case f.Other != nil:
			return &frame{f.Body, replaced(f.Body, "@", f.Other)}
		default:
			return &frame{f.Body, removed(f.Body, "@")}
		}
	}
	return nil
}

// reported returns the path of a member in reports of losses.
func (s *side) reported(path string) string {
	for older, newer := range s.Alias {
		if path == older || strings.HasPrefix(path, older+".") {
			return newer + path[len(older):]
		}
	}
	return path
}
