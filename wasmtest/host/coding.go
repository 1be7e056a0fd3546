package host

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxCodings is how many codings of a request's body are undone. No known client sends more than
// one.
const maxCodings = 2

// maxWindow bounds, in bytes, the memory for undoing zstd: every decoder should accept windows of
// this size (RFC 8878, section 3.1.1.1.2).
const maxWindow = 8 << 20

// undone returns a request without its content-codings, and the codings to undo when its body is
// read, in this order. A request with an unknown coding is returned unchanged: the program refuses
// it.
func undone(r *http.Request) (*http.Request, []string) {
	given := r.Header.Values("Content-Encoding")
	if len(given) == 0 {
		return r, nil
	}
	var codings []string
	for _, name := range strings.Split(strings.Join(given, ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity":
		case "gzip", "x-gzip", "deflate", "zstd":
			codings = append([]string{name}, codings...)
		default:
			return r, nil
		}
	}
	if len(codings) > maxCodings {
		return r, nil
	}
	plain := *r
	plain.Header = r.Header.Clone()
	plain.Header.Del("Content-Encoding")
	return &plain, codings
}

// decoded returns a client's body without the codings. The caller closes the body.
func decoded(body io.Reader, codings []string) (io.ReadCloser, error) {
	plain := io.NopCloser(body)
	for _, name := range codings {
		var err error
		switch name {
		case "deflate":
			plain, err = zlib.NewReader(plain)
		case "zstd":
			var d *zstd.Decoder
			if d, err = zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
				plain = d.IOReadCloser()
			}
		default:
			plain, err = gzip.NewReader(plain)
		}
		if err != nil {
			return nil, err
		}
	}
	return plain, nil
}

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
