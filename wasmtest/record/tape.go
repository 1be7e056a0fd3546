package record

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"edgelingua/wasmtest/host"
)

// tape buffers a body. It belongs to a recording, and its fields are guarded by the recording's
// mutex.
type tape struct {
	bytes  []byte
	size   int64 // length of the body, even if bytes has only a part
	over   bool  // there was no room for the body: bytes is nil
	ended  bool  // the body was read or written to its end
	chunks []chunk
	more   int    // how many chunks are not in chunks
	broken string // why the body broke off, or ""
}

// chunk is a piece of a stream as received: its time since the start of the request, and its
// length.
type chunk struct {
	at   time.Duration
	size int
}

// maxChunks bounds how many chunks of a stream are noted.
const maxChunks = 10_000

// text returns the whole body, decompressed as the headers say, or the reason why it is missing. Of a
// body that broke off, text returns what could be decompressed.
func (t *tape) text(head http.Header, most int64) (text string, missing string) {
	if t.over {
		return "", fmt.Sprintf("%d bytes, for which there was no room", t.size)
	}
	coding := strings.Join(head.Values("Content-Encoding"), ", ")
	if len(t.bytes) == 0 || coding == "" {
		return string(t.bytes), ""
	}
	because := func(reason string) string {
		return fmt.Sprintf("%d bytes of %q, %s", t.size, inHead(coding), reason)
	}
	// Secrets in a compressed body can't be masked.
	body, known, err := host.Decoded(head, bytes.NewReader(t.bytes))
	if !known {
		return "", because("which is not read here")
	}
	var plain []byte
	if err == nil {
		defer body.Close()
		plain, err = io.ReadAll(io.LimitReader(body, most+1))
	}
	switch {
	case err != nil && t.ended:
		return "", because("which could not be read")
	case int64(len(plain)) > most:
		return "", because("which are too many once they are read")
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
