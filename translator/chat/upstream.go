package chat

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
)

// Upstream is Chat Completions on the upstream's side. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of POST /v1/chat/completions.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{dst: dst, r: r, t: t, lost: lost}
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.dst, nil
}

// NewDecoder returns a decoder of one answer, streamed or plain.
func (Upstream) NewDecoder(r *ir.Request, t *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	return newDecoder(r, t, lost, sink)
}

// DecodeError reads an answer with an HTTP status of 400 or more.
func (Upstream) DecodeError(status int, body string) *ir.Error {
	return failure.Decode(status, body)
}

// Path returns the path of Chat Completions.
func (Upstream) Path(string, bool) string { return "/chat/completions" }

// CountPath returns "": the API does not count tokens.
func (Upstream) CountPath(string) string { return "" }

// TakesStop returns true. How many sequences a server takes is in its ir.Target.
func (Upstream) TakesStop(ir.Escaped) bool { return true }
