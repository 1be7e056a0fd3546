package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
)

// framingsOf are the forms of events that the HTML standard, section 9.2.6, allows in a stream.
// Each function rewrites a stream whose lines end with LF.
var framingsOf = map[string]func(stream string) string{
	"CRLF": func(stream string) string { return strings.ReplaceAll(stream, "\n", "\r\n") },
	"CR":   func(stream string) string { return strings.ReplaceAll(stream, "\n", "\r") },
	"line ends that change": func(stream string) string {
		ends, n := []string{"\r\n", "\n", "\r"}, 0
		return rewritten(stream, func(line string) string {
			n++
			if line == "" && n%3 == 2 { // an LF after a CR would belong to the line before
				n++
			}
			return line + ends[n%3]
		})
	},
	"byte order mark": func(stream string) string { return "\xef\xbb\xbf" + stream },
	"comments": func(stream string) string {
		return ": OPENROUTER PROCESSING\n\n" + rewritten(stream,
			func(line string) string { return ":\n" + line + "\n: {\"a\":1}\n" }) + ":\n\n"
	},
	"no space behind the colon": func(stream string) string {
		return rewritten(stream, func(line string) string {
			name, value, ok := strings.Cut(line, ": ")
			if ok && (name == "data" || name == "event") && !strings.HasPrefix(value, " ") {
				line = name + ":" + value
			}
			return line + "\n"
		})
	},
	"other fields": func(stream string) string {
		return rewritten(stream, func(line string) string {
			if line != "" {
				line = "id: 7\n" + line + "\nretry: 100\nretry\nunknown: {\"a\":1}"
			}
			return line + "\n"
		})
	},
	"data in several lines": func(stream string) string {
		return rewritten(stream, func(line string) string {
			inside, ok := strings.CutPrefix(line, `data: {"`)
			inside, ok2 := strings.CutSuffix(inside, "}")
			if ok && ok2 {
				line = "data: {\ndata: \"" + inside + "\ndata: }"
			}
			return line + "\n"
		})
	},
	"blank lines": func(stream string) string {
		return "\n\n" + strings.ReplaceAll(stream, "\n\n", "\n\n\n\n\n")
	},
	"no blank line at the end": func(stream string) string { return strings.TrimRight(stream, "\n") },
}

// rewritten returns a stream with each line, without its LF, replaced by the result of line.
func rewritten(stream string, line func(string) string) string {
	var b strings.Builder
	for l := range strings.Lines(stream) {
		b.WriteString(line(strings.TrimSuffix(l, "\n")))
	}
	return b.String()
}

// checkFramings checks that a client gets the same bytes for each framing of the upstream's events,
// in one piece and cut at every byte. Bytes after the last whole event are left out, since some
// framings would end the unfinished event.
func checkFramings(t *testing.T, x *translator.Exchange, stream []byte) {
	plain := strings.ReplaceAll(strings.ReplaceAll(string(stream), "\r\n", "\n"), "\r", "\n")
	end := strings.LastIndex(plain, "\n\n")
	if end < 0 {
		return
	}
	plain = plain[:end+2]
	whole := string(pushed(again(x), []byte(plain), len(plain)))
	for name, framing := range framingsOf {
		framed := []byte(framing(plain))
		require.Equal(t, whole, string(pushed(again(x), framed, len(framed))), name)
		require.Equal(t, whole, string(pushed(again(x), framed, 1)), "%s, cut at every byte", name)
	}
}
