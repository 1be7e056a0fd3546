package ledger

import (
	"maps"
	"strings"
)

// trial is a body with a value of a member, and the same body without it.
type trial struct {
	label         string
	with, without string
	object        string // the path of what the second body lacks
}

// trials returns bodies with the values of a member. A required member gets another value instead
// of none.
func (s *sampler) trials(m *member) (all []trial) {
	last := m.steps[len(m.steps)-1]
	samples := s.all(last.typ, last.name, m.described, 5)
	for i, one := range samples {
		if frame := s.frameOf(m, one.typ); frame != nil {
			all = append(all, trial{one.label, encode(replaced(frame.with, "@", one.element)),
				encode(frame.without), m.path})
			continue
		}
		with := encode(s.around(m, s.having(&last, one.value)))
		o := s.object(last.typ, 5)
		maps.Copy(o, s.With[last.typ+"."+last.name])
		if m.required || s.needs(last.typ, last.name) {
			other := s.other(last.typ, last.name, samples, i)
			if other == nil {
				all = append(all, s.enclosing(m, one))
				continue
			}
			o[last.name] = other
		} else {
			delete(o, last.name)
		}
		all = append(all, trial{one.label, with, encode(s.around(m, o)), m.path})
	}
	return all
}

// having returns an object with a value of the member that a step is to.
func (s *sampler) having(step *step, value any) object {
	o := s.object(step.typ, 5)
	maps.Copy(o, s.With[step.typ+"."+step.name])
	o[step.name] = value
	for _, name := range strings.Fields(s.Instead[step.typ+"."+step.name]) {
		delete(o, name)
	}
	return o
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
		if frame := s.framed(&step); frame != nil {
			return replaced(frame.with, "@", o)
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

// frameOf returns the frame around an object that is the value of a member, or an element of it, or
// nil.
func (s *sampler) frameOf(m *member, typ string) *frame {
	if typ == "" {
		return nil
	}
	return s.framed(&step{next: typ, path: m.path + "[" + s.tag(typ) + "]", again: m.places[typ] != m.path})
}

// framed returns the frame around the object that a step leads to, or nil.
func (s *sampler) framed(step *step) *frame {
	for _, key := range []string{step.path, step.next, listed(step.path)} {
		if frame := s.frame(key); frame != nil && (!step.again || key != step.next) {
			return frame
		}
	}
	return nil
}

// listed returns the key of frames for the value at a path, or for any element of a list.
func listed(path string) string {
	if strings.HasSuffix(path, "]") {
		path = path[:strings.LastIndex(path, "[")]
	}
	return path + "[*]"
}
