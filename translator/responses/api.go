// Package responses implements the Responses API, for OpenAI and compatible servers. Client is the
// side towards clients, Upstream the side towards upstreams.
package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// Name is the protocol's name in settings, records, logs and tests.
const Name = "responses"

// API describes the Responses API.
var API = ir.API{
	Name:       Name,
	Title:      "OpenAI Responses",
	Client:     Client{},
	Upstream:   Upstream{},
	Counter:    Client{},
	Models:     &openai.Models,
	Embeddings: &openai.Embeddings,
	Routes: []ir.Route{
		{Path: "/v1/responses", Operation: ir.Converse},
		{Path: "/v1/responses/input_tokens", Operation: ir.Count},

		{Path: "/v1/responses/compact", Operation: ir.Compact},

		// The next three paths are not served. They precede patterns matching them.
		{Path: "/v1/responses/"},
		{Path: "/v1/responses//"},
		{Path: "/v1/responses/compact/"},

		{Path: "/v1/responses/*", Operation: ir.StoredResponse},
		{Path: "/v1/responses/*/", Operation: ir.StoredResponse},
		{Path: "/v1/responses/*/input_items", Operation: ir.StoredInput},
		{Path: "/v1/responses/*/submit_tool_outputs", Operation: ir.StoredSubmit},
		{Path: "/v1/responses/*/cancel", Operation: ir.StoredCancel},
		{Path: "/v1/responses/**"},
		{Path: "/v1/models", Operation: ir.ListModels},
		{Path: "/v1/models/**", Operation: ir.ReadModel},
	},
	ClientHeaders: openai.ClientHeaders[:],
	HoldsCustom:   holdsCustom,
	Compactions: []string{`"context_management"`, `"compaction_trigger"`, `"compaction"`,
		`"compaction_summary"`, `"context_compaction"`},
	AnswerHeaders:  openai.AnswerHeaders[:],
	AccountHeaders: openai.AccountHeaders[:],
	BodyHeaders:    openai.BodyHeaders[:],
	Overloaded:     503,
	MaxToolName:    openai.MaxIdentifier,
	TierPath:       "service_tier",
	Tiers:          1<<ir.DefaultTier | 1<<ir.FlexTier | 1<<ir.ScaleTier | 1<<ir.PriorityTier,
	Arguments:      "output[].arguments",
	CallIDPrefix:   "call_",
	Stored:         &storedAnswers,
	ReadStoring:    ReadStoring,
	WebSocket:      true,
	EndHasAnswer:   true,
	CutIsLast:      true,
}
