package endpoint

import "strconv"

// Bounds of a size: below, not even an error message would fit; above, an isolate's memory is short.
const (
	minBytes = 1 << 10
	maxBytes = 32 << 20
)

// bytes reads a size in bytes; fallback where it is not set.
func bytes(get Getter, name string, fallback int) (int, *Error) {
	text, ok := get(name)
	if !ok {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < minBytes || n > maxBytes {
		return 0, &Error{name, "must be a whole number of bytes from 1024 to 33554432."}
	}
	return n, nil
}
