package pair

import (
	"bytes"
	"mime"
	"net/http"

	"edgelingua/translator"
)

// recorder is the http.ResponseWriter of a vendor. It buffers a copy of each chunk of the answer.
type recorder struct {
	header http.Header
	status int
	chunks [][]byte
}

// Header implements http.ResponseWriter.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write implements http.ResponseWriter.
func (r *recorder) Write(chunk []byte) (int, error) {
	r.chunks = append(r.chunks, bytes.Clone(chunk))
	return len(chunk), nil
}

// Flush implements http.Flusher.
func (r *recorder) Flush() {}

func (r *recorder) body() []byte { return bytes.Join(r.chunks, nil) }

func (r *recorder) isStream() bool {
	kind, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	return kind == "text/event-stream"
}

// through translates the vendor's stream and returns the chunks for the client. Each of the
// vendor's chunks is split in two, so no event arrives whole.
func (r *recorder) through(s *translator.Stream) (out [][]byte) {
	for _, chunk := range r.chunks {
		for _, piece := range [][]byte{chunk[:len(chunk)/2], chunk[len(chunk)/2:]} {
			more, done := s.Push(piece)
			if len(more) > 0 {
				out = append(out, bytes.Clone(more))
			}
			if done {
				return out
			}
		}
	}
	if last := s.Close(nil); len(last) > 0 {
		out = append(out, bytes.Clone(last))
	}
	return out
}
