package js

import (
	"net/http"
	"slices"
	"strings"
)

// Headers is a Headers object (https://fetch.spec.whatwg.org/#headers-class): lower-case names, and
// the values of a name joined by ", ", except for set-cookie.
type Headers struct{ fields map[string][]string }

func NewHeaders(from http.Header) *Headers {
	h := &Headers{fields: map[string][]string{}}
	for name, values := range from {
		for _, v := range values {
			lower := strings.ToLower(name)
			h.fields[lower] = append(h.fields[lower], Decode([]byte(v)))
		}
	}
	return h
}

func (h *Headers) Kind() string { return "Headers" }

func (h *Headers) Get(key string) (v Value, known bool) {
	switch key {
	case "append":
		return Method(key, func(args []Value) (Value, error) {
			return nil, h.Append(Text(Argument(args, 0)), Text(Argument(args, 1)))
		}), true
	case "entries":
		return Method(key, func([]Value) (Value, error) { return h.entries(), nil }), true
	}
	return nil, false
}

func (h *Headers) Append(name, value string) error {
	value = strings.Trim(value, " \t\r\n")
	if name == "" || strings.ContainsFunc(name, notToken) {
		return throwTypeError("Invalid header name %q", name)
	}
	if strings.ContainsAny(value, "\x00\r\n") {
		return throwTypeError("Invalid value of the header %q", name)
	}
	lower := strings.ToLower(name)
	h.fields[lower] = append(h.fields[lower], value)
	return nil
}

// Set replaces the values of a lower-case name.
func (h *Headers) Set(name, value string) { h.fields[name] = []string{value} }

// All returns the values of a lower-case name.
func (h *Headers) All(name string) []string { return h.fields[name] }

// notToken reports whether r may not be in a header's name (RFC 9110, section 5.6.2).
func notToken(r rune) bool {
	switch {
	case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return false
	}
	return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// entries returns [name, value] pairs, sorted by name, as the iterator of Headers does.
func (h *Headers) entries() *Array {
	entries := &Array{}
	for _, name := range h.Names() {
		values := h.fields[name]
		if name != "set-cookie" {
			values = []string{strings.Join(values, ", ")}
		}
		for _, v := range values {
			entries.Items = append(entries.Items, &Array{Items: []Value{name, v}})
		}
	}
	return entries
}

// inLine replaces characters that would end a value's line in a head: net/http accepts some control
// characters from an upstream.
var inLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")

// Head returns the headers as a head of the bridge: lines "name: value
// ".
func (h *Headers) Head() string {
	var s strings.Builder
	for _, entry := range h.entries().Items {
		pair := entry.(*Array).Items
		s.WriteString(pair[0].(string) + ": " + inLine.Replace(pair[1].(string)) + "\n")
	}
	return s.String()
}

func (h *Headers) Names() []string {
	names := make([]string, 0, len(h.fields))
	for name := range h.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var headersClass = &Class{
	name: "Headers",
	Has:  func(v Value) bool { _, ok := v.(*Headers); return ok },
	Construct: func(args []Value) (Value, error) {
		if len(args) > 0 {
			Stop("new Headers takes no arguments in this host")
		}
		return NewHeaders(nil), nil
	},
}
