package ir

import (
	"strconv"
	"strings"
)

// Pos is a position in a client's body: the form of a path, and its indexes. The path itself is
// only built for errors and losses.
//
//	Pos{Form: "messages[].tool_calls[]", Index: Index{3, 0}} is messages[3].tool_calls[0]
//
// The zero value is no position: its owner does not come from the client's body.
type Pos struct {
	Form  string // the path in the client's API, with [] for each index; nearly always a literal
	Index Index
}

// Index holds the indexes of a path from left to right. No path has more than three.
type Index [3]int

// Element returns the nth element of the innermost list of p: p with n as its last index. It panics
// if Form has no index.
func (p Pos) Element(n int) Pos {
	p.Index[strings.Count(p.Form, "[")-1] = n
	return p
}

// List returns the position of the list that p is an element of.
func (p Pos) List() Pos {
	p.Form = strings.TrimSuffix(p.Form, "[]")
	return p
}

// String returns the path, as messages[3].content[1].
//
//go:noinline
func (p Pos) String() string { return p.Path("") }

// Path returns the path of a field of the value at p. field begins with a dot, or is "".
func (p Pos) Path(field string) string {
	path := make([]byte, 0, len(p.Form)+len("20000")*len(p.Index)+len(field))
	n := 0
	for i := range len(p.Form) {
		path = append(path, p.Form[i])
		if p.Form[i] == '[' {
			path = strconv.AppendInt(path, int64(p.Index[n]), 10)
			n++
		}
	}
	return string(append(path, field...))
}
