package conform

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

type object = map[string]any

// fault is the reason why a case failed.
type fault struct{ expected, got string }

// notServed ends a case of an optional feature that the server does not have. skipped ends a case that
// does not apply, with the reason.
type (
	notServed struct{ why string }
	skipped   struct{ why string }
)

// fail ends the running case.
func fail(expected string, got any) { panic(&fault{expected, Show(got)}) }

// demand fails the case unless ok.
func demand(ok bool, expected string, got any) {
	if !ok {
		fail(expected, got)
	}
}

// MaxShown bounds how much of an answer is shown, in characters.
const MaxShown = 240

// Show returns a value in one line.
func Show(v any) string {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		text = encode(v)
	}
	text = Plain(strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " "))
	if runes := []rune(text); len(runes) > MaxShown {
		text = string(runes[:MaxShown]) + " ..."
	}
	return text
}

func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// value is a JSON value of an answer and its path.
type value struct {
	at string
	v  any
}

// decode reads JSON, and fails the case on anything else.
func decode(at string, text []byte) value {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		fail(at+" in JSON", text)
	}
	return value{at, v}
}

// get returns a member that must exist.
func (n value) get(name string) value {
	o, ok := n.v.(object)
	v, found := o[name]
	if !ok || !found {
		fail(n.at+" with the member "+name, n.v)
	}
	return value{n.at + "." + name, v}
}

// opt returns a member, or null.
func (n value) opt(name string) value {
	o, _ := n.v.(object)
	return value{n.at + "." + name, o[name]}
}

func (n value) has(name string) bool {
	o, _ := n.v.(object)
	_, found := o[name]
	return found
}

func (n value) null() bool { return n.v == nil }

func (n value) text() string {
	s, ok := n.v.(string)
	if !ok {
		fail(n.at+" as a string", n.v)
	}
	return s
}

// name demands a string that is not empty.
func (n value) name() string {
	s := n.text()
	demand(s != "", n.at+" that is not empty", s)
	return s
}

// count demands an integer of 0 or more.
func (n value) count() int {
	f, ok := n.v.(float64)
	if !ok || f < 0 || f != math.Trunc(f) {
		fail(n.at+" as an integer of 0 or more", n.v)
	}
	return int(f)
}

func (n value) list() (all []value) {
	elements, ok := n.v.([]any)
	if !ok {
		fail(n.at+" as an array", n.v)
	}
	for i, v := range elements {
		all = append(all, value{fmt.Sprintf("%s[%d]", n.at, i), v})
	}
	return all
}

func (n value) object() object {
	o, ok := n.v.(object)
	if !ok {
		fail(n.at+" as an object", n.v)
	}
	return o
}

func (n value) is(want any) {
	if number, ok := want.(int); ok {
		want = float64(number)
	}
	if encode(n.v) != encode(want) {
		fail(n.at+" = "+encode(want), n.v)
	}
}

func (n value) oneOf(words ...string) string {
	s := n.text()
	demand(slices.Contains(words, s), n.at+" of "+strings.Join(words, ", "), s)
	return s
}

// member returns o[name] if its type is T, otherwise the zero value.
func member[T any](o any, name string) T {
	m, _ := o.(object)
	v, _ := m[name].(T)
	return v
}

// elements returns the objects in the array o[name].
func elements(o any, name string) (all []object) {
	for _, v := range member[[]any](o, name) {
		if e, ok := v.(object); ok {
			all = append(all, e)
		}
	}
	return all
}

func number(o any, name string) int { return int(member[float64](o, name)) }
