// Package interactions speaks Google's Interactions API towards upstreams. Google recommends this
// API instead of generateContent (ai.google.dev/gemini-api/docs/interactions-overview). No client
// speaks it.
//
// The API can store conversations, and then needs only the new part of each turn. Here each request
// has the whole conversation and asks Google to store nothing: "store" is false.
package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Name is the protocol's name in settings, records, logs and tests.
const Name = "interactions"

// API is the Interactions API.
var API = ir.API{
	// No conversation is stored at Google: clients change their own history, come from another
	// vendor or move on, and a stored conversation would have to be deleted there. Google documents
	// the stateless mode; an interaction then has no id. Clients of this API are not served, since
	// Google's own programs for it store.
	//
	// No document says whether generateContent accepts signatures of this API. So each API is an
	// origin of its own (ir.Envelope), and a session that moves between the two loses its thoughts
	// once.
	Name:        Name,
	Title:       "Google Interactions",
	Upstream:    Upstream{},
	Models:      &google.List,
	KeyHeader:   "x-goog-api-key",
	Headers:     []ir.Header{{Name: "api-revision", Value: revision}},
	MaxToolName: google.MaxName,
	TierPath:    "service_tier",
	Arguments:   "steps[].arguments",
}

// revision is the version of the API, with steps instead of "outputs"
// (ai.google.dev/gemini-api/docs/interactions/quickstart, and "Breaking changes May 2026").
const revision = "2026-05-20"
