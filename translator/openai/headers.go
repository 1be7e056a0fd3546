package openai

// ClientHeaders are the request headers that an upstream of either API gets from a client of the same one. Codex sends most of them.
var ClientHeaders = [...]string{"openai-beta", "x-client-request-id", "originator", "session-id", "thread-id", "x-codex-*"}

// AccountHeaders name an account at OpenAI, so they pass only with its key.
var AccountHeaders = [...]string{"openai-organization", "openai-project"}

// BodyHeaders say in which form Codex sends a body.
var BodyHeaders = [...]string{"x-openai-internal-codex-*"}

// AnswerHeaders are the headers of answers that OpenAI's clients report, and those that Codex sends back with its next request.
var AnswerHeaders = [...]string{"openai-processing-ms", "openai-version", "openai-model", "x-codex-*"}
