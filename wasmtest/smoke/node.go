package smoke

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"edgelingua/wasmtest/conform"
)

// object is a JSON object.
type object = map[string]any

// node is a JSON value in an answer, with its path. Most methods fail the check if the value is not
// as expected.
type node struct {
	at string
	v  any
}

// parse returns the value of a JSON text; at is the path of the value.
func parse(at, text string) node {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		fail(at+" that is JSON", text)
	}
	return node{at, v}
}

// has reports whether the object has a member key.
func (n node) has(key string) bool {
	_, ok := n.object()[key]
	return ok
}

// get returns a required member.
func (n node) get(key string) node {
	v, ok := n.object()[key]
	if !ok {
		fail(n.at+"."+key, n.v)
	}
	return node{n.at + "." + key, v}
}

// opt returns an optional member, or null if the member is missing.
func (n node) opt(key string) node { return node{n.at + "." + key, n.object()[key]} }

func (n node) object() object {
	o, ok := n.v.(object)
	if !ok {
		fail(n.at+" that is an object", n.v)
	}
	return o
}

func (n node) list() []node {
	list, ok := n.v.([]any)
	if !ok {
		fail(n.at+" that is a list", n.v)
	}
	nodes := make([]node, len(list))
	for i, v := range list {
		nodes[i] = node{fmt.Sprintf("%s[%d]", n.at, i), v}
	}
	return nodes
}

// text demands a string and returns the string.
func (n node) text() string {
	s, ok := n.v.(string)
	if !ok {
		fail(n.at+" that is a string", n.v)
	}
	return s
}

// name demands a non-empty string and returns the string.
func (n node) name() string {
	s := n.text()
	if s == "" {
		fail(n.at+" that is not empty", n.v)
	}
	return s
}

// count demands an integer of at least 0 and returns the integer.
func (n node) count() int {
	f, ok := n.v.(float64)
	if !ok || f < 0 || f != float64(int(f)) {
		fail(n.at+" that is a whole number, 0 or more", n.v)
	}
	return int(f)
}

// null reports whether the value is null.
func (n node) null() bool { return n.v == nil }

// is demands that the value equals want.
func (n node) is(want any) {
	if encode(n.v) != encode(want) {
		fail(n.at+" "+encode(want), n.v)
	}
}

// oneOf demands one of the given strings and returns the string.
func (n node) oneOf(names ...string) string {
	s := n.text()
	if !slices.Contains(names, s) {
		fail(n.at+" of "+strings.Join(names, ", "), n.v)
	}
	return s
}

// empty demands an empty list.
func (n node) empty() {
	if len(n.list()) > 0 {
		fail(n.at+" that is empty", n.v)
	}
}

// same demands that the value equals want, a node at another place of this or another answer.
func (n node) same(want node) {
	if encode(n.v) != encode(want.v) {
		fail(n.at+" that is the same as "+want.at+": "+conform.Show(want.v), n.v)
	}
}

// encode returns the JSON of a value.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}
