// Package gemini speaks Google's Gemini API, generateContent and streamGenerateContent, as Google's
// own service and Vertex AI have it, and its SDKs and gemini-cli ask for it. Client and Upstream
// are the two sides of it.
package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Name is the protocol's name in settings, records, logs and tests.
const Name = "gemini"

// API is the Gemini API.
var API = ir.API{
	Name:     Name,
	Title:    "Google Gemini",
	Client:   Client{},
	Upstream: Upstream{},
	Counter:  Client{},
	Models:   &google.List,
	Routes: []ir.Route{
		{Path: "/v1beta/models/**:generateContent", Operation: ir.Converse},
		{Path: "/v1beta/models/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1beta/models/**:countTokens", Operation: ir.Count},
		{Path: "/v1/models/**:generateContent", Operation: ir.Converse},
		{Path: "/v1/models/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1/models/**:countTokens", Operation: ir.Count},
		// Vertex AI's, as Google's SDKs ask for them:
		// projects/PROJECT/locations/LOCATION/publishers/google/models/MODEL
		{Path: "/v1beta1/**:generateContent", Operation: ir.Converse},
		{Path: "/v1beta1/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1beta1/**:countTokens", Operation: ir.Count},
		{Path: "/v1/projects/**:generateContent", Operation: ir.Converse},
		{Path: "/v1/projects/**" + streamMethod, Operation: ir.Converse},
		{Path: "/v1/projects/**:countTokens", Operation: ir.Count},
		{Path: "/v1beta/models", Operation: ir.ListModels},
		{Path: "/v1/models", Operation: ir.ListModels},
		{Path: "/v1beta/models/**", Operation: ir.ReadModel},
		{Path: "/v1/models/**", Operation: ir.ReadModel},
	},
	Marks:     []string{"x-goog-api-key", "x-goog-api-client"},
	KeyHeader: "x-goog-api-key",
	KeyQuery:  "key",
	// others say what the answer shows, as "fields", by which it would lose what is counted, or
	// hold a token
	Query:       []string{"pageSize", "pageToken"},
	CheckPath:   checkPath,
	Continues:   true,
	Vertex:      &vertex,
	Overloaded:  503,
	MaxToolName: google.MaxName,
	Arguments:   "candidates[0].content.parts[].functionCall.args",
}
