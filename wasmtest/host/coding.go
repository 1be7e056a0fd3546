package host

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"slices"
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

// codingsOf returns the content-codings of a body, in the order in which they are undone. ok is false
// if one of them is unknown, or if there are too many.
func codingsOf(head http.Header) (codings []string, ok bool) {
	for _, name := range strings.Split(strings.Join(head.Values("Content-Encoding"), ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity":
		case "gzip", "x-gzip", "deflate", "zstd", "br":
			codings = append([]string{name}, codings...)
		default:
			return nil, false
		}
	}
	return codings, len(codings) <= maxCodings
}

// undone returns a request without its content-codings, and the codings to undo when its body is
// read, in this order. A request with an unknown coding or br, which workerd does not undo either,
// is returned unchanged: the program refuses it.
func undone(r *http.Request) (*http.Request, []string) {
	codings, ok := codingsOf(r.Header)
	if len(r.Header["Content-Encoding"]) == 0 || !ok || slices.Contains(codings, "br") {
		return r, nil
	}
	plain := *r
	plain.Header = r.Header.Clone()
	plain.Header.Del("Content-Encoding")
	return &plain, codings
}

// Decoded returns a body without the content-codings that its head names. known is false if the
// codings can't be undone. The caller closes the returned body, and bounds what is read.
func Decoded(head http.Header, body io.Reader) (plain io.ReadCloser, known bool, err error) {
	codings, known := codingsOf(head)
	if !known {
		return nil, false, nil
	}
	plain, err = decoded(body, codings)
	return plain, true, err
}

// decoded returns a body without the codings. The caller closes the returned body.
func decoded(body io.Reader, codings []string) (io.ReadCloser, error) {
	plain := io.NopCloser(body)
	for _, name := range codings {
		var err error
		switch name {
		case "br":
			plain = io.NopCloser(brotli.NewReader(plain))
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

// decompressed returns the body of r without a content-coding that workerd's fetch undoes: gzip and
// br. The program requests no coding, so any is allowed (RFC 9110, section 12.5.3). No known LLM API
// compresses without a request, but a proxy before the API may, as in e2e/pairs/faults.test.mjs.
func decompressed(r *http.Response) io.Reader {
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		return &gunzip{from: r.Body}
	case "br":
		return brotli.NewReader(r.Body)
	}
	return r.Body
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
