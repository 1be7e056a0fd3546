package anthropic

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/schema"
)

// Upstream is the Messages API on the upstream's side. It implements ir.Upstream.
type Upstream struct{}

var _ ir.Upstream = Upstream{}

// AppendRequest appends the body of POST /v1/messages to dst. After an error it returns dst
// unchanged.
func (Upstream) AppendRequest(dst []byte, r *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	w := requestWriter{Writer: ir.Writer{Dst: dst, Request: r, Target: t, Lost: lost},
		own: r.API.Name == Name}
	if err := w.write(); err != nil {
		return dst, err
	}
	return w.Dst, nil
}

// NewDecoder returns a decoder of one answer, streamed or plain.
func (Upstream) NewDecoder(r *ir.Request, t *ir.Target, lost *ir.Lost, sink ir.Sink) ir.Decoder {
	return newDecoder(r, t, lost, sink)
}

// DecodeError reads an answer with an HTTP status of 400 or more.
func (Upstream) DecodeError(status int, body string) *ir.Error {
	return failure.Decode(status, body)
}

// Path returns the path of Messages.
func (Upstream) Path(string, bool) string { return "/v1/messages" }

// CountPath returns the path of count_tokens.
func (Upstream) CountPath(string) string { return "/v1/messages/count_tokens" }

// Runs reports whether the upstream has Anthropic's web search and web fetch tools, which come
// together, its search for tools, its tool that runs programs, or its advisor.
func (Upstream) Runs(kind ir.ToolKind, t *ir.Target) bool {
	switch kind {
	case ir.ToolSearchTool:
		return t.ToolSearch
	case ir.ProgramTool:
		return t.Programs
	case ir.AdvisorTool: // only Anthropic's own API ("Advisor tool"); it has the only StoredFiles
		return t.StoredFiles
	}
	return t.WebSearch
}

// AcceptsFormat reports whether the upstream accepts schemas, and structured outputs can follow the
// schema of f. A schema from a client of this API is the vendor's to judge. The API has no form for
// "any JSON object".
func (Upstream) AcceptsFormat(f *ir.Format, t *ir.Target) bool {
	return f.Schema != "" && !t.NoFormat && (f.Rules == Name || schema.Holds(f.Schema, t))
}

// AcceptsStop reports whether the API accepts a stop sequence: blank sequences are rejected
// ("stop_sequences: each stop sequence must contain non-whitespace", BerriAI/litellm#3286).
func (Upstream) AcceptsStop(sequence ir.Escaped) bool { return !jsonr.IsBlank(sequence) }
