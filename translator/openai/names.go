package openai

import "edgelingua/translator/ir"

// MaxIdentifier bounds a tool's name, a call's id in Responses and a safety_identifier, in characters.
const MaxIdentifier = 64

// ToolName returns the name by which an upstream knows a client's tool.
func ToolName(name ir.Escaped) ir.Escaped { return ir.Identifier(name, MaxIdentifier) }

// ShortID returns the id by which an upstream knows a call or a user: the client's own, unless it has more than max characters.
func ShortID(id ir.Escaped, max int) ir.Escaped {
	if len(id) <= max {
		return id
	}
	return ir.Identifier(id, max)
}

// CacheKey returns prompt_cache_key (API reference, "Create a model response"): the client's own, or one of its own for each
// conversation of a client whose API has none. The key says nothing about the conversation
// or the user. It is not inlined for the size of the module.
//
//go:noinline
func CacheKey(r *ir.Request) ir.Escaped {
	if r.CacheKey != "" || r.Session == "" {
		return r.CacheKey
	}
	return ir.Digest(r.Session)
}
