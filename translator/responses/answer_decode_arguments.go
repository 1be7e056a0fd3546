package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// wrapped is what is known of the arguments of a function's call. Servers whose Responses are made
// of Chat Completions, as vLLM's, may encode them twice, as a JSON string that holds the object
// (vllm#54964). Such a string is held until the item ends, and then decoded as in package chat.
type wrapped struct {
	begun bool   // a character other than space has gone out
	held  []byte // the string so far
}

// unheld returns what of new arguments goes out now.
func (d *decoder) unheld(it *item, text ir.Escaped) ir.Escaped {
	a := &it.wrapped
	if len(a.held) == 0 && (a.begun || !strings.HasPrefix(strings.TrimLeft(string(text), " "), `\"`)) {
		a.begun = a.begun || !jsonr.IsBlank(text)
		return text
	}
	if d.out.Keep(len(text), tooMuch) {
		a.held = append(a.held, text...)
	}
	return ""
}

// unwrap takes the arguments that are held, since no more will come.
func (d *decoder) unwrap(it *item) {
	if text := jsonw.View(it.wrapped.held); text != "" {
		it.wrapped = wrapped{begun: true}
		for _, c := range it.parts {
			d.put(it, c, openai.Unwrapped(text))
		}
		d.out.Release(len(text))
	}
}
