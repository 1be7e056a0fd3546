package sse

// AppendHead appends the beginning of an event up to its data; the name "" is left out. The caller
// appends the data next, which must be one line, and ends the event with AppendTail.
func AppendHead(dst []byte, name string) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	return append(dst, "data: "...)
}

// AppendTyped appends the beginning of an event whose data are an object that names the event
// again: {"type":NAME, without a comma behind it.
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
