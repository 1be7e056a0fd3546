package openai

import "edgelingua/translator/ir"

// MaxIdentifier is how long a tool's name, a call's id of Responses (FAULTS 62), a schema's name
// and a safety_identifier may be, in characters.
const MaxIdentifier = 64

// ToolName returns the name by which an upstream knows a client's tool: in characters that the APIs
// take, and not too long (FAULTS 61).
func ToolName(name ir.Escaped) ir.Escaped { return ir.Identifier(name, MaxIdentifier) }

// ShortID returns the id by which an upstream knows a call or a user: the client's own, unless it
// has more than max characters.
func ShortID(id ir.Escaped, max int) ir.Escaped {
	if len(id) <= max {
		return id
	}
	return ir.Identifier(id, max)
}
