package vendors

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"

	"edgelingua/wasmtest/vendors/shape"
)

type object = shape.Object

// get returns a member of an object that has the type T, or T's zero value.
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

// objects returns the objects in the array that is a member of an object.
func objects(o object, name string) []object {
	var all []object
	for _, element := range get[[]any](o, name) {
		if one, ok := element.(object); ok {
			all = append(all, one)
		}
	}
	return all
}

// walk calls see for each object in a value, however deep.
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

// breakpoints counts the members cache_control of a body that are set.
func breakpoints(body object) (n int) {
	walk(body, func(o object) {
		if get[object](o, "cache_control") != nil {
			n++
		}
	})
	return n
}

// number returns a member as a number.
func number(o object, name string) float64 {
	n, _ := get[json.Number](o, name).Float64()
	return n
}

// members is a JSON object whose members keep their order.
type members []struct {
	name  string
	value any
}

// fields returns an object of names and values that alternate.
func fields(pairs ...any) (m members) {
	for i := 0; i < len(pairs); i += 2 {
		m = m.with(pairs[i].(string), pairs[i+1])
	}
	return m
}

// with returns the object with one more member, or with another value of one that it has.
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

// withIf is with where a condition holds.
func (m members) withIf(condition bool, name string, value any) members {
	if !condition {
		return m
	}
	return m.with(name, value)
}

// get returns the value of a member, nil if there is none.
func (m members) get(name string) any {
	for _, one := range m {
		if one.name == name {
			return one.value
		}
	}
	return nil
}

// MarshalJSON is for encode.
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

// encode returns a value as JSON, whose characters < > & are not escaped.
func encode(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// halves cuts a text in two, in the middle of its UTF-16 units but in no character.
func halves(text string) []string {
	units := utf16.Encode([]rune(text))
	i := len(units) / 2
	if i > 0 && units[i]>>10 == 0xdc00>>10 { // the second half of a surrogate pair
		i--
	}
	return []string{string(utf16.Decode(units[:i])), string(utf16.Decode(units[i:]))}
}

// list returns a list that JSON shows as [] when it is empty.
func list[T any](elements ...T) []T { return append([]T{}, elements...) }
