package http

// Header maps canonical names to values. It is written for TinyGo builds from TinyGo's Go module:
// see http.go.
type Header map[string][]string

// Add appends a value.
func (h Header) Add(name, value string) {
	name = CanonicalHeaderKey(name)
	h[name] = append(h[name], value)
}

// Set replaces all values with a single value.
func (h Header) Set(name, value string) { h[CanonicalHeaderKey(name)] = []string{value} }

// Get returns the first value, or "".
func (h Header) Get(name string) string {
	if v := h[CanonicalHeaderKey(name)]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Values returns all values. The slice belongs to h.
func (h Header) Values(name string) []string { return h[CanonicalHeaderKey(name)] }

// Del removes all values.
func (h Header) Del(name string) { delete(h, CanonicalHeaderKey(name)) }

// CanonicalHeaderKey makes the first letter and each letter after a hyphen upper case, and all
// other letters lower case. As in the standard library, a name with an invalid byte is returned
// unchanged.
func CanonicalHeaderKey(name string) string {
	b := []byte(name)
	upper := true
	for i, c := range b {
		if !isTokenByte(c) {
			return name
		}
		switch {
		case upper && 'a' <= c && c <= 'z':
			b[i] = c - ('a' - 'A')
		case !upper && 'A' <= c && c <= 'Z':
			b[i] = c + ('a' - 'A')
		}
		upper = c == '-'
	}
	return string(b)
}

// isTokenByte reports whether c may be in a header's name (RFC 9110, section 5.6.2).
func isTokenByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	switch c {
	case '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~':
		return true
	}
	return false
}
