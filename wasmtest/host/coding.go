package host

import (
	"compress/gzip"
	"io"
	"net/http"

	"github.com/andybalholm/brotli"
)

// decompressed returns the body of r as a program gets to see it. Where nobody asked for compression, some upstreams use it. The
// names are spelled as workerd knows them.
func decompressed(r *http.Response) io.Reader {
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		return &gunzip{from: r.Body}
	case "br":
		return brotli.NewReader(r.Body)
	}
	return r.Body
}

// gunzip is a gzip.Reader that reads nothing before its first Read.
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
