package usage

import "strings"

// mostWords is how much of an error Words reads, in bytes.
const mostWords = 1024

// mostQuoted is how long a quotation may be that Words keeps, in bytes: the name of a field or of a model.
const mostQuoted = 64

// Words returns what an error says, for the log of requests: without the longer quotations, and those with spaces, since an upstream may quote
// what was said. The secrets of the upstream are none of its words any more.
func Words(message string) string {
	var out strings.Builder
	message = strings.ToValidUTF8(message[:min(len(message), mostWords)], "")
	for message != "" {
		at := strings.IndexAny(message, "\"'`“‘{[")
		if at < 0 {
			break
		}
		out.WriteString(message[:at])
		open := message[at : at+1]
		if strings.HasPrefix(message[at:], "“") || strings.HasPrefix(message[at:], "‘") {
			open = message[at : at+3]
		}
		message = message[at+len(open):]
		if before := out.String(); open == "'" && before != "" && isLetter(before[len(before)-1]) { // an apostrophe
			out.WriteString(open)
			continue
		}
		end := strings.Index(message, closing(open))
		if end < 0 {
			return out.String() + "…"
		}
		quoted := message[:end]
		message = message[end+len(closing(open)):]
		if len(quoted) > mostQuoted || strings.ContainsAny(quoted, " \t\n") {
			quoted = "…"
		}
		out.WriteString(open + quoted + closing(open))
	}
	return out.String() + message
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

// closing returns the mark that closes a quotation.
func closing(open string) string {
	switch open {
	case "“":
		return "”"
	case "‘":
		return "’"
	case "{":
		return "}"
	case "[":
		return "]"
	}
	return open
}
