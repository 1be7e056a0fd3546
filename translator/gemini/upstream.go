package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Upstream is the Gemini API on the upstream's side. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of generateContent or streamGenerateContent to dst. The bodies are
// the same: the path has the model and whether to stream. After an error AppendRequest returns dst
// unchanged.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{google.Writer{
		Writer: ir.Writer{Dst: dst, Request: r, Target: t, Lost: lost}, Syntax: &syntax,
		SameAPI: r.API.Name == Name, Continues: t.Prefill != ir.NoPrefill,
		Validates: !t.VertexAI, // aiplatform v1, "FunctionCallingConfig.Mode"
	}}
	w.API = &w
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.Dst, nil
}

// NewDecoder returns a decoder of one answer, streamed or plain.
func (Upstream) NewDecoder(r *ir.Request, t *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	return newDecoder(r, t, lost, sink)
}

// version is the version of the Gemini API in its paths, after
// https://generativelanguage.googleapis.com, as in Google's own SDKs.
const version = "/v1beta"

// Path returns the path of generateContent, or of streamGenerateContent. Without alt=sse the latter
// answers with one JSON array.
func (Upstream) Path(model string, stream bool) string { return version + modelPath(model, stream) }

// CountPath returns the path of countTokens.
func (Upstream) CountPath(model string) string { return version + countPath(model) }

func countPath(model string) string { return named(model) + ":countTokens" }

func modelPath(model string, stream bool) string {
	if stream {
		return named(model) + ":streamGenerateContent?alt=sse"
	}
	return named(model) + ":generateContent"
}

// named returns the part of a path with the model. A client's models/NAME, the form in lists,
// counts as another model than NAME: prices and limits go by names.
func named(model string) string { return "/" + google.ModelLead + model }

// Runs reports whether the upstream has Google's search, or reads webpages by the URLs in the
// prompt (urlContext).
func (Upstream) Runs(kind ir.ToolKind, t *ir.Target) bool { return google.Runs(kind, t) }

// AcceptsFormat returns true: all models accept a schema, and "any JSON".
func (Upstream) AcceptsFormat(*ir.Format, *ir.Target) bool { return true }

// Target returns the facts about model at the server host. The caller owns the result.
func (Upstream) Target(host, model string) *ir.Target { return google.Target(host, model) }

// DecodeError reads an answer with an HTTP status of 400 or more.
func (Upstream) DecodeError(status int, body string) *ir.Error {
	return google.DecodeError(status, body)
}

// AcceptsStop returns true. The ir.Target says how many sequences the API accepts.
func (Upstream) AcceptsStop(ir.Escaped) bool { return true }
