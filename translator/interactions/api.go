// Package interactions speaks Google's Interactions API, which Google recommends instead of
// generateContent (ai.google.dev/gemini-api/docs/interactions-overview). Client and Upstream are its two
// sides.
//
// The API can store conversations, and then needs only the new part of each turn. Requests to an
// upstream have the whole conversation and ask Google to store nothing: "store" is false. For clients,
// endpoints with a store keep conversations themselves (worker/stored).
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
	// the stateless mode; an interaction then has no id.
	//
	// No document says whether generateContent accepts signatures of this API. So each API is an
	// origin of its own (ir.Envelope), and a session that moves between the two loses its thoughts
	// once.
	Name:     Name,
	Title:    "Google Interactions",
	Client:   Client{},
	Upstream: Upstream{},
	Models:   &google.List,
	Routes: []ir.Route{
		{Path: basePath, Operation: ir.Converse},
		{Path: basePath + "/", Operation: ir.Unserved},
		{Path: basePath + "/*", Operation: ir.StoredResponse},
		{Path: basePath + "/*/cancel", Operation: ir.StoredCancel},
		// @google/genai since 3.0
		{Path: stablePath, Operation: ir.Converse},
		{Path: stablePath + "/", Operation: ir.Unserved},
		{Path: stablePath + "/*", Operation: ir.StoredResponse},
		{Path: stablePath + "/*/cancel", Operation: ir.StoredCancel},
	},
	KeyHeader:     "x-goog-api-key",
	KeyQuery:      "key",
	Query:         []string{},
	Headers:       []ir.Header{{Name: "api-revision", Value: revision}},
	ClientHeaders: []string{"api-revision"},
	Overloaded:    503,
	MaxToolName:   google.MaxName,
	TierPath:      "service_tier",
	Tiers:         1<<ir.DefaultTier | 1<<ir.FlexTier | 1<<ir.PriorityTier,
	Arguments:     "steps[].arguments",
	Continues:     true,
	Stored:        &storedAnswers,
	ReadStoring:   readStoring,
}

// The paths of the API: in its first version, and in the stable one.
const (
	basePath   = "/v1beta/interactions"
	stablePath = "/v1/interactions"
)

// revision is the version of the API, with steps instead of "outputs"
// (ai.google.dev/gemini-api/docs/interactions/quickstart, and "Breaking changes May 2026").
const revision = "2026-05-20"
