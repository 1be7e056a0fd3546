package openai

import "edgelingua/translator/ir"

// ClientHeaders are request headers that are forwarded if client and upstream speak the same API,
// Chat Completions or Responses. Codex sends most of them (originator, session-id, thread-id and
// x-codex-*).
var ClientHeaders = [...]string{"openai-beta", "x-client-request-id", "originator", "session-id",
	"thread-id", "x-codex-*"}

// AccountHeaders name the client's account at OpenAI. They are forwarded only together with the
// client's key.
var AccountHeaders = [...]string{"openai-organization", "openai-project"}

// BodyHeaders describe the form in which Codex sends a body. They are forwarded only together with
// the unchanged body.
var BodyHeaders = [...]string{"x-openai-internal-codex-*"}

// AnswerHeaders are the answer headers reported by OpenAI's clients, or sent back by Codex with its
// next request.
var AnswerHeaders = [...]ir.AnswerHeader{
	{Name: "openai-processing-ms", Form: ir.Quantity},
	{Name: "openai-version", Form: ir.Quantity},
	{Name: "openai-model", Form: ir.Named},
	{Name: "x-codex-turn-state", Form: ir.Opaque},
	{Name: "x-codex-promo-message", Form: ir.Opaque},
	{Name: "x-codex-*", Form: ir.Named},
}
