package chat

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
)

// Upstream is the upstream's side of Chat Completions. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of POST /v1/chat/completions to dst and returns the extended slice.
// It adds to lost what the body can't carry. After an error dst is returned unchanged.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Dst: dst, Request: r, Target: t, Lost: lost}}}
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.Dst, nil
}

// NewDecoder returns a decoder of one answer, streamed or plain. The decoder sends events to sink,
// and adds losses to lost.
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

// Runs reports whether a tool is web_search_options and the upstream accepts them. Only OpenAI's
// own service does.
func (Upstream) Runs(kind ir.ToolKind, t *ir.Target) bool {
	return kind == ir.WebSearchTool && t.WebSearch && t.OpenAI
}

// AcceptsFormat reports whether the upstream accepts the schema of f, if f has one. All upstreams accept
// "json_object", and OpenAI's models only objects.
func (Upstream) AcceptsFormat(f *ir.Format, t *ir.Target) bool {
	return f.Schema == "" || !t.NoFormat && (!t.PlainRoot || schema.OfObjects(f.Schema))
}

// AcceptsStop returns true. The ir.Target says how many stop sequences a server accepts.
func (Upstream) AcceptsStop(ir.Escaped) bool { return true }
