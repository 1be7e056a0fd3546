package record

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"edgelingua/wasmtest/host"
)

// tape gathers a body. It belongs to its recording, whose mutex it needs.
type tape struct {
	bytes  []byte
	size   int64 // how long the body is, also where bytes is not all of it
	over   bool  // there was no room for the body: bytes is nil
	ended  bool  // the body was read, or written, to its end
	chunks []chunk
	more   int    // how many chunks are not in chunks
	broken string // why the body broke off; "": it did not
}

// chunk is a piece of a stream as it came: when, in time since the request, and how long it is.
type chunk struct {
	at   time.Duration
	size int
}

// maxChunks bounds how many chunks of a stream are noted.
const maxChunks = 10_000

// text returns the whole body, without its compression, as headers say it, or why it is not there.
func (t *tape) text(head http.Header, most int64) (text string, missing string) {
	if t.over {
		return "", fmt.Sprintf("%d bytes, for which there was no room", t.size)
	}
	body, coding := string(t.bytes), strings.ToLower(head.Get("Content-Encoding"))
	switch coding {
	case "", "identity":
		return body, ""
	case "gzip", "br":
	default:
		return "", fmt.Sprintf("%d bytes of %q, which is not read here", t.size, inHead(coding))
	}
	// What is in a body that stays compressed can't be masked.
	if body == "" {
		return "", ""
	}
	plain, err := io.ReadAll(io.LimitReader(host.Decompressed(coding, strings.NewReader(body)), most+1))
	switch {
	case err != nil && t.ended:
		return "", fmt.Sprintf("%d bytes of %q, which could not be read", t.size, inHead(coding))
	case int64(len(plain)) > most:
		return "", fmt.Sprintf("%d bytes of %q, which are too many once they are read", t.size,
			inHead(coding))
	}
	return string(plain), ""
}

func inHead(s string) string { return strings.Map(inLine, s[:min(len(s), 40)]) }

// times returns the chunks of a stream, a line each.
func (t *tape) times() string {
	var lines strings.Builder
	lines.WriteString("# milliseconds since the request, bytes as they came\n")
	for _, c := range t.chunks {
		fmt.Fprintf(&lines, "%.1f %d\n", float64(c.at)/float64(time.Millisecond), c.size)
	}
	if t.more > 0 {
		fmt.Fprintf(&lines, "# and %d more\n", t.more)
	}
	return lines.String()
}
