package smoke

import "edgelingua/wasmtest/conform"

// question is a client's question, independent of the protocol.
type question struct {
	conform.Ask
	// Chat Completions: the limit is called max_completion_tokens, not max_tokens
	maxCompletionTokens bool
	strict              bool // the upstream is the demo, whose answers are known exactly
}

// said is the content of an answer, independent of the protocol.
type said struct {
	text          string
	calls         []conform.Call
	stop          stop
	input, output int // number of tokens
}

// stop is why an answer ended.
type stop string

const (
	stopEnd    stop = "the end of the text"
	stopCalls  stop = "calls"
	stopLength stop = "the limit of tokens"
	stopOther  stop = "something else"
)

// dialect is a protocol as its clients speak it.
type dialect struct {
	name    string // the protocol's name in settings
	path    string
	present func(key string) map[string]string // the key's header as sent by the protocol's own clients
	// stream and plain read a successful answer. endsBadly reads a stream that must end with an
	// error, and returns the error's message.
	stream    func(q *question, events []event) *said
	plain     func(q *question, body node) *said
	endsBadly func(events []event) (message string)
	// failure reads the body of an error. If status is 0, the upstream may have written the body in
	// its own form.
	failure func(body node, status int) (message string)
}

var dialects = []dialect{
	{"anthropic", "/v1/messages", keyHeader, streamMessages, plainMessages, messagesEndBadly,
		messagesFailure},
	{"chat", "/v1/chat/completions", bearer, streamChat, plainChat, chatEndsBadly, openAIFailure},
	{"responses", "/v1/responses", bearer, streamResponses, plainResponses, responsesEndBadly,
		openAIFailure},
	{"gemini", "/v1beta/models/demo:generateContent", googleKey, streamGemini, plainGemini,
		geminiEndsBadly, geminiFailure},
}

// Protocols returns the names of the protocols that the smoke test speaks, as a client and, with the
// demo, as an upstream.
func Protocols() (names []string) {
	for i := range dialects {
		names = append(names, dialects[i].name)
	}
	return names
}

// isKeepAlive reports whether an event only keeps the connection open.
func isKeepAlive(e event) bool { return e.name == "ping" || e.name == "keepalive" }
