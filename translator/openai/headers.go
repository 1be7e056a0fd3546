package openai

import "edgelingua/translator/ir"

// ClientHeaders are the request headers of clients of either API that pass where client and
// upstream speak the same API. Codex sends most of them (originator, session-id, thread-id and
// x-codex-*).
var ClientHeaders = [...]string{"openai-beta", "x-client-request-id", "originator", "session-id",
	"thread-id", "x-codex-*"}

// AccountHeaders name the client's account at OpenAI, so they pass only together with the client's key.
var AccountHeaders = [...]string{"openai-organization", "openai-project"}

// BodyHeaders say in which form Codex sends a body, so they pass only together with that body.
var BodyHeaders = [...]string{"x-openai-internal-codex-*"}

// AnswerHeaders are the headers of answers that OpenAI's clients report, and those that Codex sends
// back with its next request.
var AnswerHeaders = [...]ir.AnswerHeader{
	{Name: "openai-processing-ms", Form: ir.Quantity},
	{Name: "openai-version", Form: ir.Quantity},
	{Name: "openai-model", Form: ir.Named},
	{Name: "x-codex-turn-state", Form: ir.Opaque},
	{Name: "x-codex-promo-message", Form: ir.Opaque},
	{Name: "x-codex-*", Form: ir.Named},
}
