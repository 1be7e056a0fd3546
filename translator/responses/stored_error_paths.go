package responses

import (
	"strconv"
	"strings"
)

// OwnPaths returns an error's text with the client's own paths of input items. items is how many
// stored items were inserted before the client's input. With 3 items, input[5] becomes input[2].
// The path of a stored item becomes previous, the member with the id of the stored answer.
//
//go:noinline
func OwnPaths(text string, items int, previous string) string {
	const lead = "input["
	out, rest := "", text
	for {
		before, behind, found := strings.Cut(rest, lead)
		digits, tail, closed := strings.Cut(behind, "]")
		at, err := strconv.Atoi(digits)
		switch {
		case !found:
			return out + rest
		case !closed, err != nil, before != "" && isPath(before[len(before)-1]):
			out, rest = out+before+lead, behind
		case at >= items:
			out, rest = out+before+lead+strconv.Itoa(at-items)+"]", tail
		default:
			for tail != "" && isPath(tail[0]) {
				tail = tail[1:]
			}
			out, rest = out+before+previous, tail
		}
	}
}

// isPath reports whether c may occur in a path.
func isPath(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '[' || c == ']'
}
