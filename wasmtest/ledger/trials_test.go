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
	samples := s.all(last.typ, last.name, m.described, 5)
	for i, one := range samples {
		frame := s.frame(one.typ)
		if m.again {
			frame = nil
		}
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
			other := s.other(last.typ, last.name, samples, i)
			if other == nil {
				continue
			}
			o[last.name] = other
		} else {
			delete(o, last.name)
		}
		all = append(all, trial{one.label, with, encode(s.around(m, o))})
	}
	return all
}

// other returns another value for a required member, or nil if the value of sample i is the member's
// only one, or an object whose members have trials of their own.
func (s *sampler) other(typ, name string, samples []sample, i int) any {
	if _, known := s.known(typ, name); known != nil {
		return known
	}
	for n := 1; n < len(samples) && samples[i].typ == ""; n++ {
		next := samples[(i+n)%len(samples)]
		if next.typ == "" && next.label != samples[i].label {
			return next.value
		}
	}
	return another(samples[i])
}

// another returns a value like a sample's, or nil.
func another(one sample) any {
	switch v := one.value.(type) {
	case string:
		if one.label == "" {
			return v + "2"
		}
	case float64:
		return 4*v + 1
	case object:
		if v[mark] != nil {
			return object{mark + "2": mark}
		}
	case list:
		if one.typ != "" {
			return nil
		}
		switch element := v[0].(type) {
		case string:
			if one.label == "" {
				return list{element + "2"}
			}
		case float64:
			return list{4*element + 1}
		case object:
			return list{element, element}
		}
	}
	return nil
}

// around returns a body around the object that has a member.
func (s *sampler) around(m *member, o object) any {
	for i := len(m.steps) - 2; i >= 0; i-- {
		step := m.steps[i]
		for _, key := range []string{step.next, listed(step.path)} {
			if frame := s.frame(key); frame != nil && (!step.again || key != step.next) {
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
