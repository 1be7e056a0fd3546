package smoke

import "encoding/json"

// question is what a client asks, whatever its protocol.
type question struct {
	model     string
	words     string
	tools     []tool
	forced    string // the tool that must be called; "": none
	stream    bool
	usage     bool // a stream of Chat Completions is to count tokens
	maxTokens int
	inNewWord bool // Chat Completions: the limit is called max_completion_tokens
	calls     []call
	results   []string // of the calls
	strict    bool     // the upstream is the demo: more is known of its answers
}

// tool is a function that a client offers.
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

// input is the arguments as a value.
func (c call) input() json.RawMessage { return json.RawMessage(c.arguments) }

// said is what an answer says, whatever its protocol.
type said struct {
	text          string
	calls         []call
	stop          stop
	input, output int // tokens
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
	name string // as settings call it
	path string
	ask  func(q *question) object
	// stream and plain read a good answer, and endsBadly a stream that must end with an error, whose message it returns.
	stream    func(q *question, events []event) *said
	plain     func(q *question, body node) *said
	endsBadly func(events []event) (message string)
	// failure reads the body of an error. Where status is 0 the upstream may have written it in its own way.
	failure func(body node, status int) (message string)
}

var dialects = []dialect{
	{"anthropic", "/v1/messages", askMessages, streamMessages, plainMessages, messagesEndBadly, messagesFailure},
	{"chat", "/v1/chat/completions", askChat, streamChat, plainChat, chatEndsBadly, openAIFailure},
	{"responses", "/v1/responses", askResponses, streamResponses, plainResponses, responsesEndBadly, openAIFailure},
}

// isKeepAlive reports whether an event only says that the connection lives.
func isKeepAlive(e event) bool { return e.name == "ping" || e.name == "keepalive" }
