package smoke

import "encoding/json"

// question is what a client asks, in no protocol's words.
type question struct {
	model     string
	words     string
	tools     []tool
	forced    string // the tool that must be called; "" for none
	stream    bool
	usage     bool // Chat Completions: asks for usage in a stream
	maxTokens int
	// Chat Completions: the limit is called max_completion_tokens, not max_tokens
	maxCompletionTokens bool
	calls               []call   // calls of an earlier answer, whose results are sent with the question
	results             []string // the results of calls
	strict              bool     // the upstream is the demo, of whose answers more is known
}

// tool is a function that the client offers.
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

// said is what an answer says, in no protocol's words.
type said struct {
	text          string
	calls         []call
	stop          stop
	input, output int // of tokens
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
	name    string // the name that settings use
	path    string
	present func(key string) map[string]string // the header of the key that the protocol's own clients send
	ask     func(q *question) object
	// stream and plain read a successful answer. endsBadly reads a stream that must end with an
	// error, and returns the error's message.
	stream    func(q *question, events []event) *said
	plain     func(q *question, body node) *said
	endsBadly func(events []event) (message string)
	// failure reads the body of an error. Where status is 0, the upstream may have written it in
	// its own form.
	failure func(body node, status int) (message string)
	// at returns the path of a question, where that names the model; nil: it is path.
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
