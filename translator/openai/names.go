package openai

import "edgelingua/translator/ir"

// MaxIdentifier is the maximum length, in characters, of a tool's name, a call id of Responses
// (FAULTS 62), a schema's name and a safety_identifier.
const MaxIdentifier = 64

// ToolName returns the upstream's name for a client's tool: only characters that the APIs accept,
// and at most MaxIdentifier of them (FAULTS 61).
func ToolName(name ir.Escaped) ir.Escaped { return ir.Identifier(name, MaxIdentifier) }

// ShortID returns the upstream's id for a call or a user: the client's id, or a shorter one if it
// has more than max characters.
func ShortID(id ir.Escaped, max int) ir.Escaped {
	if len(id) <= max {
		return id
	}
	return ir.Identifier(id, max)
}
