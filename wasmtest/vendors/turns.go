package vendors

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Turn is one answer of a vendor's model, in a form that is independent of the protocol.
type Turn struct {
	Reasoning  []Reasoning `json:"reasoning"`
	Search     *Search     `json:"search"` // a web search that the vendor runs first; not in Chat Completions
	Text       string      `json:"text"`
	Refusal    string      `json:"refusal"` // the model's text if it refuses
	Calls      []Call      `json:"calls"`
	Stop       string      `json:"stop"`       // "length" if the token limit ended the answer
	Compaction string      `json:"compaction"` // an encrypted summary instead of an answer; only in Responses
	Usage      Usage       `json:"usage"`
	Tier       string      `json:"tier"` // the service tier that the answer names, or "" for the usual one

	// End, if set, is the word that ends the answer instead of the usual one: the stop_reason,
	// finish_reason or finishReason, the status in Interactions, the name of the last event in Responses.
	End string `json:"end"`

	// Answer, if set, replaces the other fields, for example with an error or a broken stream.
	Answer *Answer `json:"-"`
}

// Reasoning is a block of reasoning.
type Reasoning struct {
	Text     string `json:"text"`
	Blob     string `json:"blob"`     // opaque to clients: a signature or the encrypted reasoning
	Redacted bool   `json:"redacted"` // there is a Blob but no Text
	ID       string `json:"id"`       // of the reasoning item, in Responses
}

// Call is a tool call. The double sends a call in the form in which the request offers the tool.
type Call struct {
	ID        string `json:"id"`
	Namespace string `json:"namespace"` // of the tool, in Responses
	Name      string `json:"name"`

	// Kind is "" for a function, "custom" for a tool with a text as input, "search" for Codex's
	// tool_search, and "shell" for Codex's local_shell with a list of words as input.
	Kind  string `json:"kind"`
	Input any    `json:"input"` // any value that encoding/json can encode
}

// UnmarshalJSON implements json.Unmarshaler. Input becomes a string or, for any other JSON value, a
// json.RawMessage, to keep the order of the members. text is not retained.
func (c *Call) UnmarshalJSON(text []byte) error {
	type plain Call
	var input struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(text, (*plain)(c)); err != nil {
		return err
	}
	if err := json.Unmarshal(text, &input); err != nil {
		return err
	}
	if _, isText := c.Input.(string); !isText {
		c.Input = input.Input
	}
	return nil
}

// Search is a web search with one result. The text of the answer cites the result.
type Search struct {
	Query string `json:"query"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Usage counts tokens.
type Usage struct {
	Input  int `json:"input"`  // not counting Cached
	Cached int `json:"cached"` // read from the vendor's prompt cache
	Output int `json:"output"`
}

func (u Usage) prompt() int { return u.Input + u.Cached }
func (u Usage) total() int  { return u.Input + u.Cached + u.Output }

// end returns the word that ends the answer: End, or the usual word.
func (t *Turn) end(usual string) string { return cmp.Or(t.End, usual) }

// Queue is a list of turns. Its method Next can be passed to New. A Queue is not safe for
// concurrent use, but a Vendor asks for one turn at a time.
type Queue []*Turn

// Next removes and returns the first turn, or returns nil if the queue is empty.
func (q *Queue) Next() *Turn {
	if len(*q) == 0 {
		return nil
	}
	turn := (*q)[0]
	*q = (*q)[1:]
	return turn
}

// Answer is an HTTP answer of a vendor.
type Answer struct {
	Status int
	Type   string   // the content type
	Pieces [][]byte // the body, in the pieces that the vendor sends one by one
}

// Body returns the whole body in a new slice.
func (a *Answer) Body() (body []byte) {
	for _, piece := range a.Pieces {
		body = append(body, piece...)
	}
	return body
}

// Plain returns an answer with a value as its JSON body. It panics if JSON cannot encode the value.
func Plain(status int, value any) *Answer {
	return &Answer{status, "application/json", [][]byte{[]byte(encode(value))}}
}

// Stream returns an answer with status 200 and server-sent events, usually one event per piece.
func Stream(pieces ...string) *Answer {
	a := &Answer{Status: 200, Type: "text/event-stream"}
	for _, piece := range pieces {
		a.Pieces = append(a.Pieces, []byte(piece))
	}
	return a
}

func namedEvent(name string, value any) string {
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, encode(value))
}
func dataEvent(value any) string { return fmt.Sprintf("data: %s\n\n", encode(value)) }
