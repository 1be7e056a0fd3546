package anthropic

import "edgelingua/translator/ir"

// messageID returns the id of the answer, which follows from the upstream's.
func messageID(upstream ir.Escaped) ir.Escaped {
	if upstream == "" {
		return "msg_unnamed"
	}
	if len(upstream) > 4 && upstream[:4] == "msg_" {
		return ir.Identifier(upstream, 0)
	}
	return "msg_" + ir.Identifier(upstream, 0)
}
