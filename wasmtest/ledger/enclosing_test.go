package ledger

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// enclosing returns the trial of a required member's value without another value: the body with the
// member, and the same body without the nearest value around the member that a valid body can lack.
func (s *sampler) enclosing(m *member, one sample) trial {
	with := encode(s.around(m, s.having(&m.steps[len(m.steps)-1], one.value)))
	without, path := s.leaving(m)
	return trial{one.label, with, encode(without), path}
}

// leaving returns a body without the nearest value around a member that a valid body can lack, and the
// value's path. The value is the object in a frame, the value of an optional member, or a required value
// instead of which the body has null. If there is none, the body lacks the root's member.
func (s *sampler) leaving(m *member) (without any, path string) {
	for i := len(m.steps) - 1; i >= 0; i-- {
		step := &m.steps[i]
		path = m.path
		if i < len(m.steps)-1 {
			path = step.path
			if frame := s.framed(step); frame != nil {
				return frame.without, path
			}
		}
		described, required := s.Types[step.typ][step.name]
		o := s.object(step.typ, 5)
		maps.Copy(o, s.With[step.typ+"."+step.name])
		switch {
		case required && slices.Contains(alternatives(described), "null"):
			o[step.name] = nil
		case required || s.needs(step.typ, step.name):
			continue
		default:
			delete(o, step.name)
		}
		return s.around(&member{steps: m.steps[:i+1]}, o), path
	}
	root := maps.Clone(s.Base.(object))
	delete(root, m.steps[0].name)
	return root, path
}

// removed returns a copy of a value without the elements and members that are the string hole.
func removed(v any, hole string) any {
	switch v := v.(type) {
	case list:
		all := list{}
		for _, element := range v {
			if element != hole {
				all = append(all, removed(element, hole))
			}
		}
		return all
	case object:
		o := object{}
		for key, value := range v {
			if value != hole {
				o[key] = removed(value, hole)
			}
		}
		return o
	}
	return v
}

// TestEnclosing tries members that every object of their types has, with one value.
func TestEnclosing(t *testing.T) {
	s := &sampler{&schemas{Types: map[string]map[string]string{
		"Root":  {"kind": "=root", "tool?": "Tool", "list": "[Item]", "none": "Tool|null", "deep": "Deep"},
		"Tool":  {"type": "=tool"},
		"Item":  {"type": "=item", "role": "=r"},
		"Deep":  {"only": "Plain"},
		"Plain": {"name": "=n"},
	}}, &side{Base: object{"kind": "root", "deep": "x"}}}
	s.Frames = append(s.Frames, struct {
		Types       []string
		Body, Other any
	}{[]string{"Item"}, object{"list": list{"@", "end"}}, nil})
	got := map[string]trial{}
	for _, m := range s.members("Root", nil, nil) {
		all := s.trials(&m)
		require.Len(t, all, 1, m.path)
		got[m.path] = all[0]
	}
	for path, want := range map[string]trial{
		"kind": {"root", `{"deep":"x","kind":"root"}`, `{"deep":"x"}`, "kind"},
		"tool": {"tool", `{"deep":"x","kind":"root","tool":{"type":"tool"}}`, `{"deep":"x","kind":"root"}`,
			"tool"},
		"list": {"item", `{"list":[{"role":"r","type":"item"},"end"]}`, `{"list":["end"]}`, "list"},
		"list[item].role": {"r", `{"list":[{"role":"r","type":"item"},"end"]}`, `{"list":["end"]}`,
			"list[item]"},
		"none": {"tool", `{"deep":"x","kind":"root","none":{"type":"tool"}}`,
			`{"deep":"x","kind":"root","none":null}`, "none"},
		"deep": {"", `{"deep":{"only":{"name":"n"}},"kind":"root"}`, `{"kind":"root"}`, "deep"},
	} {
		require.Equal(t, want, got[path], path)
	}
	require.Equal(t, "none", got["none.type"].object, "the nullable object around the member")
	require.Equal(t, "deep", got["deep.only.name"].object, "the root's member around the member")
}

// TestEveryMember fails for a member of the SDKs' types without a row in the ledger.
func TestEveryMember(t *testing.T) {
	t.Parallel()
	read, bodies := readSchemas(t), readBodies(t)
	rows := map[string]bool{}
	for row := range Rows() {
		rows[row.root()+" "+row.Path] = true
	}
	members := map[string]bool{}
	for root, side := range bodies.sides {
		for _, m := range read.members(read.Roots[root], side.Whole, side.Also) {
			members[root+" "+m.path] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !rows[name] {
			t.Errorf("ledger.tsv has no row for %s", name)
		}
	}
	require.Equal(t, len(members), len(rows), "members and rows")
}
