package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Upstream is the Interactions API on the upstream's side. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of a request to dst. After an error it returns dst unchanged.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{Writer: google.Writer{
		Writer: ir.Writer{Dst: dst, Request: r, Target: t, Lost: lost}, Syntax: &syntax, Validates: true,
		SameAPI: r.API.Name == Name,
	}}
	w.API = &w
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.Dst, nil
}

// NewDecoder returns a decoder of one answer, streamed or plain.
func (Upstream) NewDecoder(r *ir.Request, _ *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	return newDecoder(r, lost, sink)
}

// Path returns the path of a request, after https://generativelanguage.googleapis.com. The body
// contains the model and whether to stream.
func (Upstream) Path(string, bool) string { return basePath }

// CountPath returns "": another Google API counts tokens, and its requests have bodies of
// generateContent.
func (Upstream) CountPath(string) string { return "" }

// Runs reports whether the upstream has Google's search, or reads webpages by the URLs in the
// prompt (url_context).
func (Upstream) Runs(kind ir.ToolKind, t *ir.Target) bool { return google.Runs(kind, t) }

// AcceptsFormat returns true: all models accept a schema, and "any JSON".
func (Upstream) AcceptsFormat(*ir.Format, *ir.Target) bool { return true }

// AcceptsStop returns true. The ir.Target says how many sequences the API accepts.
func (Upstream) AcceptsStop(ir.Escaped) bool { return true }

// DecodeError reads an answer with an HTTP status of 400 or more: {"error":{"code","message"}} with
// a word as the code (ai.google.dev/gemini-api/docs/api-errors), or an error in the form of
// Google's other APIs.
func (Upstream) DecodeError(status int, body string) *ir.Error {
	return google.DecodeError(status, body)
}
