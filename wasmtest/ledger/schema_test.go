package ledger

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// schemas has the types of the SDKs: see e2e/lib/schemas.mjs for the form of a description.
type schemas struct {
	Roots map[string]string
	Types map[string]map[string]string
}

func readSchemas(t *testing.T) (s schemas) {
	t.Helper()
	text, err := os.ReadFile("schemas.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

// alternatives splits a description at its outermost bars.
func alternatives(described string) (all []string) {
	depth, from := 0, 0
	for i, c := range described + "|" {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '|' && depth == 0:
			if i > from {
				all = append(all, described[from:i])
			}
			from = i + 1
		}
	}
	return all
}

// inside returns the description of a list's elements.
func inside(described string) (string, bool) {
	if strings.HasPrefix(described, "[") {
		return described[1 : len(described)-1], true
	}
	return "", false
}

// member is a member of a type, with the way from the root to it.
type member struct {
	path      string // as in reports of losses, with the type of an element instead of its index
	steps     []step
	required  bool
	described string
	again     bool   // the type is at a further place
	role      string // of the message around the member, if several members have the path
	// by type: the path of the first member with this type
	places map[string]string
}

// step is one step of the way: the member name of typ, whose value is an object of the type next, or
// a list of these. path is the object's path.
type step struct {
	typ, name, next, path string
	list, again           bool
}

// tag returns the literal of a type's member "type", or "".
func (s *schemas) tag(typ string) string {
	for _, name := range []string{"type", "type?"} {
		for _, alternative := range alternatives(s.Types[typ][name]) {
			if strings.HasPrefix(alternative, "=") {
				return alternative[1:]
			}
		}
	}
	return ""
}

// members returns the members of all types that a root reaches, but not below the paths in whole. Each
// type is at its shortest way, and also below the members in also, as "Type.member".
func (s *schemas) members(root string, whole []string, also map[string]string) (all []member) {
	type place struct {
		typ, path string
		steps     []step
		again     bool
	}
	places := map[string]string{root: ""}
	for todo := []place{{typ: root}}; len(todo) > 0; todo = todo[1:] {
		here := todo[0]
		for _, name := range slices.Sorted(maps.Keys(s.Types[here.typ])) {
			described, plain := s.Types[here.typ][name], strings.TrimSuffix(name, "?")
			m := member{path: plain, required: name == plain, described: described, again: here.again,
				places: places}
			if here.path != "" {
				m.path = here.path + "." + plain
			}
			m.steps = append(slices.Clone(here.steps), step{typ: here.typ, name: plain})
			all = append(all, m)
			if slices.Contains(whole, m.path) {
				continue
			}
			for _, alternative := range alternatives(described) {
				elements, list := inside(alternative)
				if !list {
					elements = alternative
				}
				for _, next := range alternatives(elements) {
					more := slices.Contains(strings.Fields(also[here.typ+"."+plain]), next)
					isInside := slices.ContainsFunc(m.steps, func(outer step) bool {
						return outer.typ == next
					})
					_, seen := places[next]
					if s.Types[next] == nil || seen && (isInside || !more && !here.again) {
						continue
					}
					below := place{next, m.path, slices.Clone(m.steps), seen}
					if !seen {
						places[next] = m.path
					}
					last := &below.steps[len(below.steps)-1]
					last.next, last.list, last.again = next, list, below.again
					if list {
						below.path += "[" + s.tag(next) + "]"
					}
					last.path = below.path
					todo = append(todo, below)
				}
			}
		}
	}
	s.addRoles(all)
	return all
}

// addRoles adds the roles of messages to members with the same path in messages of several roles.
func (s *schemas) addRoles(all []member) {
	roles := map[string]map[string]bool{} // by path
	for i := range all {
		m := &all[i]
		for _, step := range m.steps {
			one := alternatives(s.Types[step.typ]["role"])
			if len(one) == 1 && strings.HasPrefix(one[0], "=") {
				m.role = one[0][1:]
			}
		}
		if roles[m.path] == nil {
			roles[m.path] = map[string]bool{}
		}
		roles[m.path][m.role] = true
	}
	for i := range all {
		if len(roles[all[i].path]) == 1 {
			all[i].role = ""
		}
	}
}
