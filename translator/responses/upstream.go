package responses

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
)

// Upstream is the Responses API on the upstream's side: OpenAI's own service and compatible
// servers. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of POST /v1/responses for r, and adds losses to lost. After an
// error it returns dst unchanged.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Dst: dst, Request: r, Target: t, Lost: lost}}}
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.Dst, nil
}

// NewDecoder returns a decoder for one answer, streamed or plain. Its events go to sink, and losses
// to lost.
func (Upstream) NewDecoder(r *ir.Request, t *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	return newDecoder(r, t, lost, sink)
}

// DecodeError reads an answer with an HTTP status of 400 or more.
func (Upstream) DecodeError(status int, body string) *ir.Error {
	return failure.Decode(status, body)
}

// Path returns the path of Responses.
func (Upstream) Path(string, bool) string { return "/responses" }

// CountPath returns the path for token counts.
func (Upstream) CountPath(string) string { return "/responses/input_tokens" }

// Runs reports whether the upstream runs a kind of tool: web_search, which also opens webpages,
// tool_search or programs. The API has no tool that fetches a URL given by the client.
func (Upstream) Runs(kind ir.ToolKind, t *ir.Target) bool {
	return kind == ir.WebSearchTool && t.WebSearch || kind == ir.ToolSearchTool && t.ToolSearch ||
		kind == ir.ProgramTool && t.Programs
}

// AcceptsFormat reports whether the upstream accepts a format. Some accept no schema; all accept
// "json_object". OpenAI's models accept only objects.
func (Upstream) AcceptsFormat(f *ir.Format, t *ir.Target) bool {
	return f.Schema == "" || !t.NoFormat && (!t.PlainRoot || schema.OfObjects(f.Schema))
}

// AcceptsStop returns false: the API has no stop sequences.
func (Upstream) AcceptsStop(ir.Escaped) bool { return false }
