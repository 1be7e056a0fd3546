package ledger

import (
	"maps"
	"strings"
)

// trial is a body with a value of a member, and the same body without it.
type trial struct {
	label         string
	with, without string
}

// trials returns bodies with the values of a member. A required member gets another value instead
// of none.
func (s *sampler) trials(m *member) (all []trial) {
	last := m.steps[len(m.steps)-1]
	for _, one := range s.all(last.typ, last.name, m.described, 5) {
		frame := s.frame(one.typ)
		if frame == nil && one.typ != "" {
			frame = s.frame(listed(m.path))
		}
		if frame != nil {
			without := encode(s.Base)
			if o, ok := frame.(object); ok && o[last.name] == "@" {
				o = maps.Clone(o)
				delete(o, last.name)
				without = encode(o)
			}
			all = append(all, trial{one.label, encode(replaced(frame, "@", one.element)), without})
			continue
		}
		o := s.object(last.typ, 5)
		maps.Copy(o, s.With[last.typ+"."+last.name])
		o[last.name] = one.value
		for _, name := range strings.Fields(s.Instead[last.typ+"."+last.name]) {
			delete(o, name)
		}
		with := encode(s.around(m, o))
		o = s.object(last.typ, 5)
		maps.Copy(o, s.With[last.typ+"."+last.name])
		if m.required || s.needs(last.typ, last.name) {
			text, isText := one.value.(string)
			number, isNumber := one.value.(float64)
			_, other := s.known(last.typ, last.name)
			switch {
			case other != nil:
				o[last.name] = other
			case isText && one.label == "":
				o[last.name] = text + "2"
			case isNumber:
				o[last.name] = 4*number + 1
			default:
				continue
			}
		} else {
			delete(o, last.name)
		}
		all = append(all, trial{one.label, with, encode(s.around(m, o))})
	}
	return all
}

// around returns a body around the object that has a member.
func (s *sampler) around(m *member, o object) any {
	for i := len(m.steps) - 2; i >= 0; i-- {
		step := m.steps[i]
		for _, key := range []string{step.next, listed(step.path)} {
			if frame := s.frame(key); frame != nil {
				return replaced(frame, "@", o)
			}
		}
		outer := s.object(step.typ, 5)
		if i == 0 {
			outer = maps.Clone(s.Base.(object))
		}
		maps.Copy(outer, s.With[step.typ+"."+step.name])
		outer[step.name] = o
		for _, name := range strings.Fields(s.Instead[step.typ+"."+step.name]) {
			delete(outer, name)
		}
		if step.list {
			outer[step.name] = list{o}
		}
		o = outer
	}
	if len(m.steps) > 1 {
		return o
	}
	root, name := maps.Clone(s.Base.(object)), m.steps[0].name
	if v, ok := o[name]; ok {
		root[name] = v
	} else {
		delete(root, name)
	}
	return root
}

// listed returns the key of frames for the value at a path, or for any element of a list.
func listed(path string) string {
	if strings.HasSuffix(path, "]") {
		path = path[:strings.LastIndex(path, "[")]
	}
	return path + "[*]"
}
