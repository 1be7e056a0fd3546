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
	switch w.t.ReasoningEcho {
	case ir.EchoContent:
		separator := `,"reasoning_content":"`
		for i := range content {
			if c := &content[i]; w.echoes(c) {
				w.raw(separator)
				separator = `\n\n`
				w.raw(string(c.Text))
			}
		}
		if separator != `\n\n` {
			w.raw(separator + missing)
		}
		w.raw(`"`)
	case ir.EchoDetails:
		start := len(w.dst)
		separator := `,"reasoning_details":[`
		for i := range content {
			if c := &content[i]; w.echoes(c) && w.details(separator, c) {
				separator = `,`
			}
		}
		if len(w.dst) > start {
			w.raw(`]`)
		}
	}
}

// echoes reports whether a block of reasoning goes back to the upstream. What only a vendor can read goes to Chat Completions
// where it came from there.
func (w *requestWriter) echoes(c *ir.Content) bool {
	switch w.t.ReasoningEcho {
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
	start := len(w.dst)
	w.raw(key)
	value := len(w.dst)
	w.dst = jsonw.AppendUnescaped(w.dst, c.Signature)
	if jsonr.Check(string(jsonw.View(w.dst[value:]))) == nil {
		return true
	}
	w.dst = w.dst[:start]
	w.loseReasoning([]ir.Content{*c})
	return false
}

// details writes the elements of a list of reasoning_details, if it has any, behind separator.
func (w *requestWriter) details(separator string, c *ir.Content) bool {
	start := len(w.dst)
	if !w.blob(separator, c) {
		return false
	}
	inside := start + len(separator)
	r := jsonr.NewReader(string(jsonw.View(w.dst[inside:])))
	if r.Len() == 0 {
		w.dst = w.dst[:start]
		return false
	}
	n := len(r.Value()) - len("[]")
	copy(w.dst[inside:], w.dst[inside+1:])
	w.dst = w.dst[:inside+n]
	return true
}

// loseReasoning notes, once, that reasoning of the history is not given back: a long one would fill the list.
func (w *requestWriter) loseReasoning(content []ir.Content) {
	for i := range content {
		c := &content[i]
		if k := c.Kind; !w.reasons && (k == ir.ReasoningContent || k == ir.RedactedContent) {
			w.reasons = true
			w.lost.Add(c.At.String())
		}
	}
}
