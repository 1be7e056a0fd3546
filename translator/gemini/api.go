// Package gemini speaks Google's Gemini API, generateContent and streamGenerateContent, as Google's own service and Vertex AI have it.
// Upstream is its side towards upstreams. The protocol is not in translator.APIs yet: that takes a side towards clients, which is to come.
package gemini

import "edgelingua/translator/ir"

// Name is the protocol's name in settings, records, logs and tests.
const Name = "gemini"

// maxName is how long the name of a function may be, in characters (Gemini API, "FunctionDeclaration").
const maxName = 64

// API is the Gemini API.
var API = ir.API{
	Name:        Name,
	Title:       "Google Gemini",
	Upstream:    Upstream{},
	Models:      &list,
	KeyHeader:   "x-goog-api-key",
	KeyQuery:    "key",
	Vertex:      &vertex,
	Overloaded:  503,
	MaxToolName: maxName,
	Arguments:   "candidates[0].content.parts[].functionCall.args",
}
