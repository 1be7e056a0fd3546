package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// missing is the reasoning_content of a message without reasoning, as one that another vendor's
// model has written. DeepSeek and Kimi refuse a message without any ("The reasoning_content in the
// thinking mode must be passed back to the API.", FAULTS 79), and DeepSeek takes an empty one for
// none.
const missing = " "

// reasoning writes the reasoning of a message of the assistant in the form that the upstream wants
// it back.
func (w *requestWriter) reasoning(content []ir.Content) {
	switch w.Target.ReasoningEcho {
	case ir.EchoContent:
		if !w.thoughts(`,"reasoning_content":"`, content) {
			w.Raw(`,"reasoning_content":"` + missing + `"`)
		}
	case ir.EchoReasoning, ir.EchoBoth:
		w.thoughts(`,"reasoning":"`, content)
		if w.Target.ReasoningEcho == ir.EchoBoth {
			w.thoughts(`,"reasoning_content":"`, content)
		}
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

// thoughts writes a member with the text of all reasoning in content, and reports whether there is
// any. key is its beginning.
func (w *requestWriter) thoughts(key string, content []ir.Content) bool {
	separator := key
	for i := range content {
		if c := &content[i]; w.echoes(c) {
			w.Raw(separator)
			separator = `\n\n`
			w.Raw(string(c.Text))
		}
	}
	if separator == key {
		return false
	}
	w.Raw(`"`)
	return true
}

// echoes reports whether a block of reasoning goes back to the upstream. Signatures go back only
// where they came from Chat Completions: as a list of reasoning_details, or as the extra_content of
// a call.
func (w *requestWriter) echoes(c *ir.Content) bool {
	switch w.Target.ReasoningEcho {
	case ir.EchoContent, ir.EchoReasoning, ir.EchoBoth:
		return c.Kind == ir.ReasoningContent && c.Text != ""
	case ir.EchoDetails:
		return c.Origin == Name && strings.HasPrefix(string(c.Signature), "[")
	case ir.EchoExtra:
		return isExtra(c)
	}
	return false
}

// isExtra reports whether a block is the extra_content of the call behind it: a signature that is a
// JSON object.
func isExtra(c *ir.Content) bool {
	return c.Kind == ir.RedactedContent && c.Origin == Name && strings.HasPrefix(string(c.Signature), "{")
}

// blob writes key and a signature behind it, which is JSON. A client may have changed the
// signature: where it is no JSON any more, the reasoning is noted as lost, nothing is written, and
// blob returns false.
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

// details writes separator and the elements of the list of reasoning_details that a signature is.
// It returns false, and has written nothing, where there are none.
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
