package responses

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// Upstream is the Responses API on the upstream's side: OpenAI's own service and the servers that
// imitate it. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of POST /v1/responses.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Dst: dst, Request: r, Target: t, Lost: lost}}}
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.Dst, nil
}

// NewDecoder returns a decoder of one answer, streamed or plain.
func (Upstream) NewDecoder(r *ir.Request, t *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	return newDecoder(r, lost, sink)
}

// DecodeError reads an answer with an HTTP status of 400 or more.
func (Upstream) DecodeError(status int, body string) *ir.Error {
	return failure.Decode(status, body)
}

// Path returns the path of Responses.
func (Upstream) Path(string, bool) string { return "/responses" }

// CountPath returns the path of the question for tokens.
func (Upstream) CountPath(string) string { return "/responses/input_tokens" }

// Runs reports whether the upstream has the tool web_search, which opens pages by itself: it has no
// tool that fetches what a client names.
func (Upstream) Runs(kind ir.ToolKind, t *ir.Target) bool {
	return kind == ir.WebSearchTool && t.WebSearch
}

// TakesFormat returns whether the upstream takes a schema. All take "json_object".
func (Upstream) TakesFormat(f *ir.Format, t *ir.Target) bool { return f.Schema == "" || !t.NoFormat }

// TakesStop returns false: the API has no stop sequences.
func (Upstream) TakesStop(ir.Escaped) bool { return false }
