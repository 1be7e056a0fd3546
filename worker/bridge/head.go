package bridge

import "strings"

// HeaderOf returns the value of a header in the lines of a head, "" if there is none. name is in
// lower case.
func HeaderOf(lines, name string) string {
	for len(lines) > 0 {
		line, rest, _ := strings.Cut(lines, "\n")
		if len(line) > len(name)+1 && line[:len(name)] == name && line[len(name)] == ':' {
			return strings.TrimSpace(line[len(name)+1:])
		}
		lines = rest
	}
	return ""
}

// WithoutHeader returns a head without the lines of a header. name is in lower case.
func WithoutHeader(lines, name string) (rest string) {
	for lines != "" {
		end := strings.IndexByte(lines, '\n') + 1
		if !strings.HasPrefix(lines, name+": ") {
			rest += lines[:end]
		}
		lines = lines[end:]
	}
	return rest
}

// AppendHeader appends a line to a head. value is cut at its first line break or NUL, so no value
// can add a line.
func AppendHeader(lines, name, value string) string {
	if i := strings.IndexAny(value, "\r\n\x00"); i >= 0 {
		value = value[:i]
	}
	return lines + name + ": " + value + "\n"
}
