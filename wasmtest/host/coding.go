package host

import (
	"compress/gzip"
	"io"
	"net/http"

	"github.com/andybalholm/brotli"
)

// decompressed returns the body of r without its compression, as workerd's fetch does for the same two names. The program asks
// for no coding, which allows any (RFC 9110, section 12.5.3). No LLM API is known to compress unasked; a proxy in front of one
// may, and e2e/faults.test.mjs has one.
func decompressed(r *http.Response) io.Reader {
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		return &gunzip{from: r.Body}
	case "br":
		return brotli.NewReader(r.Body)
	}
	return r.Body
}

// gunzip is a gzip.Reader that reads the head of its source at the first Read, not when it is made.
type gunzip struct {
	from io.Reader
	*gzip.Reader
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	if g.Reader == nil {
		if g.Reader, err = gzip.NewReader(g.from); err != nil {
			return 0, err
		}
	}
	return g.Reader.Read(p)
}
