package ledger

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// mark is a text without a meaning for the translator.
const mark = "zqmark"

// sampler makes values of the SDKs' types.
type sampler struct {
	*schemas
	*side
}

// known returns two valid values of a member, or nil if any value is valid.
func (s *sampler) known(typ, name string) (one, other any) {
	v := s.Values[typ+"."+name]
	if v == nil {
		v = s.Values["."+name]
	}
	v = append(slices.Clip(v), nil, nil)
	return v[0], v[1]
}

// needs reports whether an object of a type is valid only with an optional member.
func (s *sampler) needs(typ, name string) bool { return slices.Contains(s.Needed, typ+"."+name) }

// object returns an object of a type with its required members, or else with its first member.
func (s *sampler) object(typ string, depth int) object {
	o := object{}
	for name, described := range s.Types[typ] {
		plain := strings.TrimSuffix(name, "?")
		isTag := plain == "type" && s.tag(typ) != ""
		if name != plain && !isTag && !s.needs(typ, plain) || depth == 0 {
			continue
		}
		if v := s.first(typ, plain, described, depth-1); v != nil {
			o[plain] = v
		}
	}
	if _, ok := o["type"]; len(o) == 0 || len(o) == 1 && ok {
		for _, name := range slices.Sorted(maps.Keys(s.Types[typ])) {
			plain := strings.TrimSuffix(name, "?")
			v := s.first(typ, plain, s.Types[typ][name], depth-1)
			if depth > 1 && plain != "type" && v != nil {
				o[plain] = v
				break
			}
		}
	}
	return o
}

// first returns the value that a member has while another member is tried, or nil.
func (s *sampler) first(typ, name, described string, depth int) any {
	if v, ok := s.Default[typ+"."+name]; ok {
		return v
	}
	if all := s.all(typ, name, described, depth); len(all) > 0 {
		return all[0].value
	}
	return nil
}

// sample is a value of a member. label distinguishes the value from the member's other values.
type sample struct {
	label   string
	value   any
	typ     string // of an object
	element any    // the object
}

// all returns a value for each alternative of a member.
func (s *sampler) all(typ, name, described string, depth int) (all []sample) {
	if more, ok := s.More[typ+"."+name]; ok {
		all = append(all, sample{label: more.Label, value: more.Value})
	}
	if v, _ := s.known(typ, name); v != nil {
		return append([]sample{{value: v}}, all...)
	}
	return append(s.every(typ, name, described, depth), all...)
}

// every returns a value for each alternative of a description.
func (s *sampler) every(typ, name, described string, depth int) (all []sample) {
	for _, alternative := range alternatives(described) {
		elements, isList := inside(alternative)
		if !isList {
			elements = alternative
		}
		for _, one := range alternatives(elements) {
			var v sample
			switch one {
			case "string":
				v.value = mark
			case "number":
				v.value = 7.0
			case "boolean":
				if !isList {
					all = append(all, sample{label: "true", value: true}, sample{label: "false", value: false})
					continue
				}
				v.value = true
			case "null":
				continue
			case "any", "map":
				v.value = object{mark: mark}
			default:
				if word, ok := strings.CutPrefix(one, "="); ok {
					v = sample{label: word, value: word}
					if n, err := strconv.ParseFloat(word, 64); err == nil && name != "ttl" {
						v.value = n
					}
					break
				}
				if depth <= 0 {
					continue
				}
				v = sample{label: s.tag(one), value: s.object(one, depth), typ: one}
				v.element = v.value
			}
			if isList {
				v.value = list{v.value}
			}
			all = append(all, v)
		}
	}
	return all
}

func decode(text string) (v any) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err.Error() + ": " + text)
	}
	return v
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// replaced returns a copy of a value with each string hole replaced.
func replaced(v any, hole string, by any) any {
	switch v := v.(type) {
	case string:
		if v == hole {
			return by
		}
	case list:
		all := make(list, len(v))
		for i := range v {
			all[i] = replaced(v[i], hole, by)
		}
		return all
	case object:
		o := object{}
		for key := range v {
			o[key] = replaced(v[key], hole, by)
		}
		return o
	}
	return v
}
