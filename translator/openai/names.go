package openai

import "edgelingua/translator/ir"

// MaxIdentifier bounds a tool's name, a call's id and a safety_identifier, in characters.
const MaxIdentifier = 64

// ToolName returns the name by which an upstream knows a client's tool.
func ToolName(name ir.Escaped) ir.Escaped { return ir.Identifier(name, MaxIdentifier) }

// ShortID returns the id by which an upstream knows a call or a user: the client's own, unless it is longer than the APIs allow.
func ShortID(id ir.Escaped) ir.Escaped {
	if len(id) <= MaxIdentifier {
		return id
	}
	return ir.Identifier(id, MaxIdentifier)
}
