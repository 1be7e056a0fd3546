package policy

import (
	"strings"

	"edgelingua/translator/ir"
)

// repeats is how many times in a row the same call makes a loop. A model may look twice, to see
// whether something has changed.
const repeats = 3

// Loop returns the name of a tool where the last three calls of the history are the same: this tool
// with the same arguments, byte for byte. Else it returns "". The name has at most 128 characters
// [a-zA-Z0-9_-], for the value of a header. It is a copy and no view of the client's body, in which
// the caller may replace the name of the model.
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
			if last != nil && (c.Kind != last.Kind || c.Name != last.Name || c.Input != last.Input ||
				c.Text != last.Text) {
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

// maxHeader is how long the name may be that Loop returns, in bytes.
const maxHeader = 128
