// Package interactions speaks Google's Interactions API, which Google recommends in place of
// generateContent (ai.google.dev/gemini-api/docs/interactions-overview), towards upstreams. No
// client of it is served.
//
// The API keeps conversations and would be told of a turn only what is new in it. Here each request
// has the whole conversation and asks for nothing to be kept: "store" is false.
package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Name is the protocol's name in settings, records, logs and tests.
const Name = "interactions"

// API is the Interactions API.
var API = ir.API{
	Name:        Name,
	Title:       "Google Interactions",
	Upstream:    Upstream{},
	Models:      &google.List,
	KeyHeader:   "x-goog-api-key",
	Headers:     []ir.Header{{Name: "api-revision", Value: revision}},
	MaxToolName: google.MaxName,
	Arguments:   "steps[].arguments",
}

// revision is the form of the API that is spoken here, with steps in place of "outputs"
// (ai.google.dev/gemini-api/docs/interactions/quickstart, and "Breaking changes May 2026").
const revision = "2026-05-20"
