package vendors

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"

	"edgelingua/wasmtest/vendors/shape"
)

type object = shape.Object

// get returns o[name] if the type is T, otherwise the zero value of T.
func get[T any](o object, name string) T {
	value, _ := o[name].(T)
	return value
}

func text(o object, name string) string { return get[string](o, name) }

// has reports whether an object has a member, even with the value null.
func has(o object, name string) bool {
	_, ok := o[name]
	return ok
}

// objects returns the objects in the array o[name]. Other elements are left out.
func objects(o object, name string) []object {
	var all []object
	for _, element := range get[[]any](o, name) {
		if one, ok := element.(object); ok {
			all = append(all, one)
		}
	}
	return all
}

// walk calls see for each object in a value, at any depth.
func walk(value any, see func(object)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			walk(element, see)
		}
	case object:
		see(value)
		for _, member := range value {
			walk(member, see)
		}
	}
}

// breakpoints counts the cache_control members of a body that are objects.
func breakpoints(body object) (n int) {
	walk(body, func(o object) {
		if get[object](o, "cache_control") != nil {
			n++
		}
	})
	return n
}

// number returns o[name] as a float64, or 0 if o[name] is not a number.
func number(o object, name string) float64 {
	n, _ := get[json.Number](o, name).Float64()
	return n
}

// members is a JSON object that keeps the order of its members.
type members []struct {
	name  string
	value any
}

// fields returns an object made of alternating names and values.
func fields(pairs ...any) (m members) {
	for i := 0; i < len(pairs); i += 2 {
		m = m.with(pairs[i].(string), pairs[i+1])
	}
	return m
}

// with returns a copy of the object with the member set to value. New members go to the end.
func (m members) with(name string, value any) members {
	out := append(members{}, m...)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
			return out
		}
	}
	return append(out, members{{name, value}}...)
}

// withIf is with if the condition holds; otherwise it returns the object unchanged.
func (m members) withIf(condition bool, name string, value any) members {
	if !condition {
		return m
	}
	return m.with(name, value)
}

// get returns the value of a member, or nil if the name does not exist.
func (m members) get(name string) any {
	for _, one := range m {
		if one.name == name {
			return one.value
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler, for encode.
func (m members) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, one := range m {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, encode(one.name)...), ':')
		out = append(out, encode(one.value)...)
	}
	return append(out, '}'), nil
}

// encode returns a value as JSON, without escapes for <, > and &. It panics if encoding/json fails.
func encode(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// halves splits a text in the middle of its UTF-16 units, but never within a character.
func halves(text string) []string {
	units := utf16.Encode([]rune(text))
	i := len(units) / 2
	if i > 0 && units[i]>>10 == 0xdc00>>10 { // the second half of a surrogate pair
		i--
	}
	return []string{string(utf16.Decode(units[:i])), string(utf16.Decode(units[i:]))}
}

// list returns a slice that encodes as [] instead of null if empty.
func list[T any](elements ...T) []T { return append([]T{}, elements...) }
