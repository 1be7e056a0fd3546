package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// missing stands for reasoning that another model has kept to itself: DeepSeek and Kimi refuse a message without any ("The
// reasoning_content in the thinking mode must be passed back to the API."), and DeepSeek takes an empty one for none.
const missing = " "

// reasoning writes what an assistant message gives back of its reasoning, in the form that the upstream wants.
func (w *requestWriter) reasoning(content []ir.Content) {
	switch w.Target.ReasoningEcho {
	case ir.EchoContent:
		separator := `,"reasoning_content":"`
		for i := range content {
			if c := &content[i]; w.echoes(c) {
				w.Raw(separator)
				separator = `\n\n`
				w.Raw(string(c.Text))
			}
		}
		if separator != `\n\n` {
			w.Raw(separator + missing)
		}
		w.Raw(`"`)
	case ir.EchoDetails:
		start := len(w.Dst)
		separator := `,"reasoning_details":[`
		for i := range content {
			if c := &content[i]; w.echoes(c) && w.details(separator, c) {
				separator = `,`
			}
		}
		if len(w.Dst) > start {
			w.Raw(`]`)
		}
	}
}

// echoes reports whether a block of reasoning goes back to the upstream. What only a vendor can read goes to Chat Completions
// where it came from there.
func (w *requestWriter) echoes(c *ir.Content) bool {
	switch w.Target.ReasoningEcho {
	case ir.EchoContent:
		return c.Kind == ir.ReasoningContent && c.Text != ""
	case ir.EchoDetails:
		return c.Origin == Name && strings.HasPrefix(string(c.Signature), "[")
	case ir.EchoExtra:
		return isExtra(c)
	}
	return false
}

// isExtra reports whether a block is what came beside a tool call, for an upstream that wants it back there.
func isExtra(c *ir.Content) bool {
	return c.Kind == ir.RedactedContent && c.Origin == Name && strings.HasPrefix(string(c.Signature), "{")
}

// blob writes a signature as the JSON that it was made of, behind key. It is reported, and nothing written, where it is none:
// it has been in a client's hands.
func (w *requestWriter) blob(key string, c *ir.Content) bool {
	start := len(w.Dst)
	w.Raw(key)
	value := len(w.Dst)
	w.Dst = jsonw.AppendUnescaped(w.Dst, c.Signature)
	if jsonr.Check(string(jsonw.View(w.Dst[value:]))) == nil {
		return true
	}
	w.Dst = w.Dst[:start]
	w.loseReasoning([]ir.Content{*c})
	return false
}

// details writes the elements of a list of reasoning_details, if it has any, behind separator.
func (w *requestWriter) details(separator string, c *ir.Content) bool {
	start := len(w.Dst)
	if !w.blob(separator, c) {
		return false
	}
	inside := start + len(separator)
	r := jsonr.NewReader(string(jsonw.View(w.Dst[inside:])))
	if r.Len() == 0 {
		w.Dst = w.Dst[:start]
		return false
	}
	n := len(r.Value()) - len("[]")
	copy(w.Dst[inside:], w.Dst[inside+1:])
	w.Dst = w.Dst[:inside+n]
	return true
}

// loseReasoning notes that the reasoning in content is not given back.
func (w *requestWriter) loseReasoning(content []ir.Content) {
	for i := range content {
		if c := &content[i]; c.Kind.IsReasoning() {
			w.LoseReasoning(c)
		}
	}
}
