package stages

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/policy"
	"edgelingua/translator/schema"
)

// answerTool is the name of the answer tool if the client's schema has no name.
const answerTool = "answer"

// Form is how the model is asked for the format of its answer.
type Form uint8

const (
	Plain      Form = iota // by the upstream's own field, or not at all
	ByTool                 // by a tool: the arguments of the only tool are the answer
	Instructed             // by an instruction: the answer may be in a code fence
)

// RequestFormat returns r in a form for an upstream that can't enforce the format of r (see
// ir.Structured), and adds the missing enforcement to lost. AnswerFormat needs form.
func RequestFormat(
	r *ir.Request, t *ir.Target, upstream *ir.API, lost *ir.Lost,
) (sent *ir.Request, form Form) {
	f := &r.Format
	foreign := f.Choice && upstream.Name != r.API.Name || t.FormatOrTools && len(r.Tools) > 0
	if f.Schema == "" && !f.Object ||
		!foreign && (t.Structured == ir.Unstructured || upstream.Upstream.AcceptsFormat(f, t)) {
		return r, Plain
	}
	return unenforced(r, t, upstream, lost)
}

// AnswerFormat returns a sink that passes an answer to sink, with the client's format.
func AnswerFormat(form Form, sink ir.Sink) ir.Sink {
	switch form {
	case ByTool:
		return &toolAnswer{sink: sink}
	case Instructed:
		return &fence{sink: sink}
	}
	return sink
}

// unenforced is RequestFormat for a format that the upstream can't enforce.
//
//go:noinline
func unenforced(r *ir.Request, t *ir.Target, upstream *ir.API, lost *ir.Lost) (*ir.Request, Form) {
	// Without the format, the upstream answers in prose, at which the parse() of SDKs throws. An
	// instruction works with tools, reasoning and streams. A forced tool is stronger, but the model
	// can call no other tool, so by default only Claude gets one.
	f := &r.Format
	switch {
	case f.Enforced:
		lost.Add(f.At)
	case f.Strict == ir.True:
		lost.Add(f.At + ".strict")
	}
	sent := *r
	sent.Format = ir.Format{}
	if t.Structured == ir.ByTool && !f.Choice && allowsAnswerTool(r, t) {
		name := f.Name
		if name == "" {
			name = answerTool
		}
		about := f.Description
		if about == "" {
			about = "Takes the whole answer."
		}
		at := ir.Pos{Form: f.SchemaPath()}
		sent.Tools = []ir.Tool{{At: at, Name: name, Description: about, Schema: f.Schema}}
		sent.ToolChoice = ir.ToolChoice{Mode: ir.ToolsNamed, Name: name}
		return &sent, ByTool
	}
	object := ir.Format{Object: true}
	if f.Schema != "" && !f.Choice && !(t.FormatOrTools && len(r.Tools) > 0) && schema.OfObjects(f.Schema) &&
		upstream.Upstream.AcceptsFormat(&object, t) {
		sent.Format = object
	}
	sent.Messages = append([]ir.Message(nil), r.Messages...)
	policy.Guide(&sent, instruction(f))
	return &sent, Instructed
}

// allowsAnswerTool reports whether a forced tool can replace the answer. A forced tool is
// impossible in these cases: there are other tools, because the model could not call them; the
// history has calls; the model reasons, because Anthropic rejects reasoning with a forced tool
// (FAULTS 81); the schema does not describe objects, as arguments are.
func allowsAnswerTool(r *ir.Request, t *ir.Target) bool {
	if len(r.Tools) > 0 || t.NoForcedTool || t.Thinking == ir.AlwaysThinking || r.Adaptive || r.Budget > 0 ||
		r.Effort != "" && r.Effort != "none" {
		return false
	}
	for i := range r.Messages {
		for c := range r.Messages[i].Content {
			if r.Messages[i].Content[c].Kind.IsCall() {
				return false
			}
		}
	}
	return schema.OfObjects(r.Format.Schema)
}

// instruction returns an instruction for a format. OpenAI and DeepSeek require the word JSON in a
// prompt whose answer must be an object.
func instruction(f *ir.Format) ir.Escaped {
	if f.Choice {
		return ir.Escaped(jsonw.View(jsonw.AppendQuotedRaw([]byte(`Whenever you answer without calling a `+
			`tool, the whole answer must be one of the strings that the JSON Schema below allows: without `+
			`quotes, with no text around it.\n\n`), f.Schema)))
	}
	text := []byte(`Whenever you answer without calling a tool, the whole answer must be one JSON `)
	if f.Schema == "" {
		text = append(text, `object, with no text around it and no code fence.`...)
		return ir.Escaped(jsonw.View(text))
	}
	text = append(text,
		`value that follows the JSON Schema below, with no text around it and no code fence.`...)
	if f.Description != "" {
		text = append(append(text, `\n\n`...), f.Description...)
	}
	return ir.Escaped(jsonw.View(jsonw.AppendQuotedRaw(append(text, `\n\n`...), f.Schema)))
}
