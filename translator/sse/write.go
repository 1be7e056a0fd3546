package sse

// AppendHead appends the beginning of an event up to its data. An empty name is left out. The
// caller then appends the data, which must be a single line, and AppendTail.
func AppendHead(dst []byte, name string) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	return append(dst, "data: "...)
}

// AppendTyped appends the beginning of an event whose data is an object that repeats the event's
// name: {"type":NAME, without a trailing comma.
func AppendTyped(dst []byte, name string) []byte {
	dst = AppendHead(dst, name)
	dst = append(dst, `{"type":"`...)
	dst = append(dst, name...)
	return append(dst, '"')
}

// AppendTail appends the end of an event.
func AppendTail(dst []byte) []byte {
	return append(dst, '\n', '\n')
}
