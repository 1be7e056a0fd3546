// Package chat speaks the Chat Completions API, as OpenAI and its many imitators understand it.
// Client and Upstream are its two sides: Client reads requests and writes answers, Upstream writes
// requests and reads answers.
package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// Name is the protocol's name in settings, records, logs and tests.
const Name = "chat"

// API is Chat Completions.
var API = ir.API{
	Name:       Name,
	Title:      "OpenAI Chat Completions",
	Client:     Client{},
	Upstream:   Upstream{},
	Models:     &openai.Models,
	Embeddings: &openai.Embeddings,
	Routes: []ir.Route{
		{Path: "/v1/chat/completions", Operation: ir.Converse},
		{Path: "/v1/embeddings", Operation: ir.Embed},
		{Path: "/v1/models", Operation: ir.ListModels},
		{Path: "/v1/models/**", Operation: ir.ReadModel},
	},
	Vertex:         &vertex,
	ClientHeaders:  openai.ClientHeaders[:],
	AnswerHeaders:  openai.AnswerHeaders[:],
	AccountHeaders: openai.AccountHeaders[:],
	BodyHeaders:    openai.BodyHeaders[:],
	Overloaded:     503,
	MaxToolName:    openai.MaxIdentifier,
	TierPath:       "service_tier",
	Tiers:          1<<ir.DefaultTier | 1<<ir.FlexTier | 1<<ir.ScaleTier | 1<<ir.PriorityTier,
	Arguments:      "choices[0].message.tool_calls[0].function.arguments",
	CallIDPrefix:   "call_",
}
