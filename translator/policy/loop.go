package policy

import (
	"strings"

	"edgelingua/translator/ir"
)

// repeats is how many calls in a row make a loop: a model may look twice, to see whether something has changed.
const repeats = 3

// Loop returns the name of the tool that the last calls of the history go to, where these are the same call over and over: the
// same name and the same arguments, byte for byte. It is "" where they are not, and fit for the value of a header: it is no view
// of the body, in which a model's name may yet be replaced.
func Loop(r *ir.Request) string {
	var last *ir.Content
	n := 0
	for m := len(r.Messages) - 1; m >= 0; m-- {
		content := r.Messages[m].Content
		for i := len(content) - 1; i >= 0; i-- {
			c := &content[i]
			if !c.Kind.IsCall() {
				continue
			}
			if last != nil && (c.Kind != last.Kind || c.Name != last.Name || c.Input != last.Input || c.Text != last.Text) {
				return ""
			}
			last = c
			if n++; n == repeats {
				return strings.Clone(string(ir.Identifier(c.Name, maxHeader)))
			}
		}
	}
	return ""
}

// maxHeader bounds the value of the header, in bytes.
const maxHeader = 128
