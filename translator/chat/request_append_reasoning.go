package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// missing is the reasoning_content of a message without reasoning, such as a message by another
// vendor's model. DeepSeek and Kimi reject a message without reasoning_content ("The
// reasoning_content in the thinking mode must be passed back to the API.", FAULTS 79), and DeepSeek
// treats an empty one as missing. DeepSeek requires reasoning_content only in turns with calls, and
// ignores others (api-docs.deepseek.com/guides/thinking_mode). Each message has the member anyway: a
// message is the same, whether calls follow in the turn or not.
const missing = " "

// reasoning writes the reasoning of an assistant message in the form that the upstream requires.
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
// any. key is the beginning of the member.
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

// echoes reports whether a reasoning block goes back to the upstream. Signatures go back only if
// they came from Chat Completions: as a list of reasoning_details, or as the extra_content of a
// call.
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

// isExtra reports whether a block is the extra_content of the call after it: its signature is a
// JSON object.
func isExtra(c *ir.Content) bool {
	return c.Kind == ir.RedactedContent && c.Origin == Name && strings.HasPrefix(string(c.Signature), "{")
}

// blob writes key and then a signature, which is JSON. If a client has changed the signature into
// something other than JSON, blob notes the reasoning as lost, writes nothing and returns false.
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

// details writes separator and the elements of reasoning_details from a signature. If there are
// none it writes nothing and returns false.
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

// loseReasoning notes the reasoning in content as lost.
func (w *requestWriter) loseReasoning(content []ir.Content) {
	for i := range content {
		if c := &content[i]; c.Kind.IsReasoning() {
			w.LoseReasoning(c)
		}
	}
}
