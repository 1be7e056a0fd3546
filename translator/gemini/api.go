// Package gemini speaks Google's Gemini API, generateContent and streamGenerateContent, in the
// forms of Google's own service and Vertex AI, and of their SDKs and gemini-cli. Client and
// Upstream are its two sides.
package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Name is the protocol's name in settings, records, logs and tests.
const Name = "gemini"

// API is the Gemini API.
var API = ir.API{
	Name:            Name,
	Title:           "Google Gemini",
	Client:          Client{},
	Upstream:        Upstream{},
	Counter:         Client{},
	OptionalCallIDs: true,
	Models:          &google.List,
	Embeddings:      &embeddingForm,
	Routes: []ir.Route{
		{Path: "/v1beta/models/**:generateContent", Operation: ir.Converse},
		{Path: "/v1beta/models/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1beta/models/**:countTokens", Operation: ir.Count},
		{Path: "/v1beta/models/**" + embedMethod, Operation: ir.Embed},
		{Path: "/v1beta/models/**" + batchMethod, Operation: ir.Embed},
		{Path: "/v1/models/**:generateContent", Operation: ir.Converse},
		{Path: "/v1/models/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1/models/**:countTokens", Operation: ir.Count},
		{Path: "/v1/models/**" + embedMethod, Operation: ir.Embed},
		{Path: "/v1/models/**" + batchMethod, Operation: ir.Embed},
		// Vertex AI's paths, in the form of Google's SDKs:
		// projects/PROJECT/locations/LOCATION/publishers/google/models/MODEL
		{Path: "/v1beta1/**:generateContent", Operation: ir.Converse},
		{Path: "/v1beta1/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1beta1/**:countTokens", Operation: ir.Count},
		{Path: "/v1beta1/**" + embedMethod, Operation: ir.Embed},
		{Path: "/v1/projects/**:generateContent", Operation: ir.Converse},
		{Path: "/v1/projects/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1/projects/**:countTokens", Operation: ir.Count},
		{Path: "/v1/projects/**" + embedMethod, Operation: ir.Embed},
		{Path: "/v1beta/models", Operation: ir.ListModels},
		{Path: "/v1/models", Operation: ir.ListModels},
		{Path: "/v1beta/models/**", Operation: ir.ReadModel},
		{Path: "/v1/models/**", Operation: ir.ReadModel},
	},
	Marks:     []string{"x-goog-api-key", "x-goog-api-client"},
	KeyHeader: "x-goog-api-key",
	KeyQuery:  "key",
	// other parameters select the members of the answer, like "fields", and would remove the
	// counts, or contain a token
	Query:       []string{"pageSize", "pageToken"},
	CheckPath:   checkPath,
	Continues:   true,
	Vertex:      &vertex,
	Overloaded:  503,
	MaxToolName: google.MaxName,
	TierPath:    "usageMetadata.serviceTier",
	Tiers:       1<<ir.DefaultTier | 1<<ir.FlexTier | 1<<ir.PriorityTier,
	Arguments:   "candidates[0].content.parts[].functionCall.args",
}
