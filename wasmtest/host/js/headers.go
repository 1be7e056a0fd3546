package host

import (
	"net/http"
	"slices"
	"strings"
)

// headers is a Headers object (https://fetch.spec.whatwg.org/#headers-class): lower-case names, and
// the values of one name joined by ", ", except for set-cookie.
type headers struct{ fields map[string][]string }

func newHeaders(from http.Header) *headers {
	h := &headers{fields: map[string][]string{}}
	for name, values := range from {
		for _, v := range values {
			lower := strings.ToLower(name)
			h.fields[lower] = append(h.fields[lower], decode([]byte(v)))
		}
	}
	return h
}

func (h *headers) kind() string { return "Headers" }

func (h *headers) get(key string) (v value, known bool) {
	switch key {
	case "append":
		return method(key, func(args []value) (value, error) {
			return nil, h.append(text(argument(args, 0)), text(argument(args, 1)))
		}), true
	case "entries":
		return method(key, func([]value) (value, error) { return h.entries(), nil }), true
	}
	return nil, false
}

func (h *headers) append(name, value string) error {
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

// notToken reports whether r may not be in a header's name (RFC 9110, section 5.6.2).
func notToken(r rune) bool {
	switch {
	case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return false
	}
	return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// entries returns [name, value] pairs, sorted by name, as the iterator of Headers does.
func (h *headers) entries() *array {
	entries := &array{}
	for _, name := range h.names() {
		values := h.fields[name]
		if name != "set-cookie" {
			values = []string{strings.Join(values, ", ")}
		}
		for _, v := range values {
			entries.items = append(entries.items, &array{items: []value{name, v}})
		}
	}
	return entries
}

// inLine replaces what would end a value's line in a head: net/http lets some control characters of
// an upstream pass.
var inLine = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ")

// head returns the headers as a head of the bridge: lines "name: value
// ".
func (h *headers) head() string {
	var s strings.Builder
	for _, entry := range h.entries().items {
		pair := entry.(*array).items
		s.WriteString(pair[0].(string) + ": " + inLine.Replace(pair[1].(string)) + "\n")
	}
	return s.String()
}

func (h *headers) names() []string {
	names := make([]string, 0, len(h.fields))
	for name := range h.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var headersClass = &class{
	name: "Headers",
	has:  func(v value) bool { _, ok := v.(*headers); return ok },
	construct: func(args []value) (value, error) {
		if len(args) > 0 {
			stop("new Headers takes no arguments in this host")
		}
		return newHeaders(nil), nil
	},
}
