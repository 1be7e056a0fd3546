package smoke

import "encoding/json"

// question is a client's question, independent of the protocol.
type question struct {
	model     string
	words     string
	tools     []tool
	forced    string // the name of the tool in tool_choice; "" for none
	stream    bool
	usage     bool // Chat Completions: asks for usage in a stream
	maxTokens int
	// Chat Completions: the limit is called max_completion_tokens, not max_tokens
	maxCompletionTokens bool
	calls               []call   // calls of an earlier answer; their results are sent with the question
	results             []string // the results of calls
	strict              bool     // the upstream is the demo, whose answers are known exactly
}

// tool is a function offered by the client.
type tool struct {
	name        string
	description string
	schema      object
}

// call is a call of a tool.
type call struct {
	id, name  string
	arguments string
}

// input returns the arguments as raw JSON.
func (c call) input() json.RawMessage { return json.RawMessage(c.arguments) }

// said is the content of an answer, independent of the protocol.
type said struct {
	text          string
	calls         []call
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
	ask     func(q *question) object
	// stream and plain read a successful answer. endsBadly reads a stream that must end with an
	// error, and returns the error's message.
	stream    func(q *question, events []event) *said
	plain     func(q *question, body node) *said
	endsBadly func(events []event) (message string)
	// failure reads the body of an error. If status is 0, the upstream may have written the body in
	// its own form.
	failure func(body node, status int) (message string)
	// at returns the path of a question if the path names the model; nil: the path is always path.
	at func(q *question) string
}

var dialects = []dialect{
	{"anthropic", "/v1/messages", keyHeader, askMessages, streamMessages, plainMessages, messagesEndBadly,
		messagesFailure, nil},
	{"chat", "/v1/chat/completions", bearer, askChat, streamChat, plainChat, chatEndsBadly, openAIFailure,
		nil},
	{"responses", "/v1/responses", bearer, askResponses, streamResponses, plainResponses, responsesEndBadly,
		openAIFailure, nil},
	{"gemini", "/v1beta/models/demo:generateContent", googleKey, askGemini, streamGemini, plainGemini,
		geminiEndsBadly, geminiFailure, geminiPath},
}

// isKeepAlive reports whether an event only keeps the connection open.
func isKeepAlive(e event) bool { return e.name == "ping" || e.name == "keepalive" }
