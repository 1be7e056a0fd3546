// Package anthropic speaks Anthropic's Messages API. Client and Upstream are the two sides.
package anthropic

import "edgelingua/translator/ir"

// Name is the protocol's name in settings, records, logs and tests.
const Name = "anthropic"

// API is the Messages API.
var API = ir.API{
	Name:     Name,
	Title:    "Anthropic Messages",
	Client:   Client{},
	Upstream: Upstream{},
	Counter:  Client{},
	Models:   &list,
	Routes: []ir.Route{
		{Path: "/v1/messages", Operation: ir.Converse},
		{Path: "/v1/messages/count_tokens", Operation: ir.Count},
		{Path: "/v1/models", Operation: ir.ListModels},
		{Path: "/v1/models/**", Operation: ir.ReadModel},
		{Path: "/", Operation: ir.Greet},          // Claude Code 2.1.197 starts with a HEAD
		{Path: "/api/hello", Operation: ir.Greet}, // Claude Code 2.1.329 starts with a HEAD

		// Not served: errors at these paths have the form of Messages.
		{Path: "/v1/messages/**"},
		{Path: "/api/**"},
	},
	Marks:     []string{"anthropic-version", "x-api-key"},
	KeyHeader: "x-api-key",
	Vertex:    &vertex,
	Headers:   []ir.Header{{Name: "anthropic-version", Value: oldest}},
	Version:   &version,
	Needs:     needs,
	// an open list: Claude Code's releases add headers ("Forward as open lists" of
	// code.claude.com/docs/en/llm-gateway-protocol)
	ClientHeaders: []string{"anthropic-*"},
	AccountHeaders: []string{"anthropic-organization-id", "anthropic-user-profile-id",
		"anthropic-workspace-id"},
	AnswerHeaders: []ir.AnswerHeader{{Name: "anthropic-ratelimit-*", Form: ir.Quantity}},
	Advisor:       true,
	Overloaded:    529,
	MaxToolName:   maxName,
	TierPath:      "usage.service_tier",
	Tiers:         1<<ir.DefaultTier | 1<<ir.PriorityTier,
	Arguments:     "content[].input",
	StartCounts:   true,
	LastIsResult:  true,
	CallIDPrefix:  "toolu_",
	Breakpoints:   true,
	Continues:     true,
}
