package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// wrapped is the state of a function call's arguments. Servers with Responses built on Chat
// Completions, such as vLLM, may encode arguments twice, as a JSON string with the object inside
// (vllm#54964). The string is buffered until the item ends, and then decoded as in package chat.
type wrapped struct {
	begun bool   // a non-space character was emitted
	held  []byte // the string so far
}

// unheld returns the part of new arguments that can be emitted now.
func (d *decoder) unheld(it *item, text ir.Escaped) ir.Escaped {
	a := &it.wrapped
	if len(a.held) == 0 && (a.begun || !strings.HasPrefix(strings.TrimLeft(string(text), " "), `\"`)) {
		a.begun = a.begun || !jsonr.IsBlank(text)
		return text
	}
	if d.out.Reserve(len(text), tooMuch) {
		a.held = append(a.held, text...)
	}
	return ""
}

// unwrap emits the buffered arguments, because no more will arrive.
func (d *decoder) unwrap(it *item) {
	if text := jsonw.View(it.wrapped.held); text != "" {
		it.wrapped = wrapped{begun: true}
		for _, c := range it.parts {
			d.put(it, c, openai.Unwrapped(text))
		}
		d.out.Release(len(text))
	}
}
