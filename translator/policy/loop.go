package policy

import (
	"strings"

	"edgelingua/translator/ir"
)

// repeats is how many times in a row the same call makes a loop. A model may look twice, to see
// whether something has changed.
const repeats = 3

// Loop returns the name of a tool if the last three calls of the history are identical calls of
// this tool, with the same arguments byte for byte. Otherwise it returns "". The name has at most
// 128 characters [a-zA-Z0-9_-], for use as a header value. It is a copy, not a view of the client's
// body, because the caller may replace the model's name in the body.
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

// maxHeader is the maximum length of Loop's result in bytes.
const maxHeader = 128
