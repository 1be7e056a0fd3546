package host

import (
	"compress/gzip"
	"io"
	"net/http"

	"github.com/andybalholm/brotli"
)

// decompressed returns the decompressed body of r. The program requests no coding, so any is
// allowed (RFC 9110, section 12.5.3). No known LLM API compresses without a request, but a proxy
// before the API may, as in e2e/pairs/faults.test.mjs.
func decompressed(r *http.Response) io.Reader {
	return Decompressed(r.Header.Get("Content-Encoding"), r.Body)
}

// Decompressed returns a body without a content-coding, as workerd's fetch does for "gzip" and
// "br". For any other coding it returns the body itself.
func Decompressed(coding string, body io.Reader) io.Reader {
	switch coding {
	case "gzip":
		return &gunzip{from: body}
	case "br":
		return brotli.NewReader(body)
	}
	return body
}

// gunzip is a gzip.Reader that reads the head of its source in the first Read, not when it is made.
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
