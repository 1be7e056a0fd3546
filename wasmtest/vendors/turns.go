package vendors

import (
	"encoding/json"
	"fmt"
)

// Turn is one answer of a vendor's model, in words that fit every protocol.
type Turn struct {
	Reasoning  []Reasoning `json:"reasoning"`
	Search     *Search     `json:"search"` // a web search that the vendor runs first; none in Chat Completions
	Text       string      `json:"text"`
	Refusal    string      `json:"refusal"` // what a model says that refuses
	Calls      []Call      `json:"calls"`
	Stop       string      `json:"stop"`       // "length" when the limit of tokens ended the answer
	Compaction string      `json:"compaction"` // an encrypted summary instead of an answer; only in Responses
	Usage      Usage       `json:"usage"`

	// Answer is what the vendor answers instead of the other fields: an error, or a broken stream.
	Answer *Answer `json:"-"`
}

// Reasoning is a block of reasoning.
type Reasoning struct {
	Text     string `json:"text"`
	Blob     string `json:"blob"`     // what only the vendor can read: a signature, or the encrypted reasoning
	Redacted bool   `json:"redacted"` // Blob is all there is
	ID       string `json:"id"`       // of the item, in Responses
}

// Call is a call of a tool. The vendor makes it in the form in which its request offers the tool.
type Call struct {
	ID        string `json:"id"`
	Namespace string `json:"namespace"` // of the tool, in Responses
	Name      string `json:"name"`

	// Kind is "" for a function, "custom" for a tool whose input is a text, "search" for Codex's
	// tool_search and "shell" for its local_shell, whose input is a list of words.
	Kind  string `json:"kind"`
	Input any    `json:"input"` // a value for encoding/json
}

// UnmarshalJSON keeps the order of the members of Input.
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

// Search is a web search with one result, which the answer's text cites.
type Search struct {
	Query string `json:"query"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Usage counts tokens.
type Usage struct {
	Input  int `json:"input"`  // without Cached
	Cached int `json:"cached"` // read from the vendor's prompt cache
	Output int `json:"output"`
}

func (u Usage) prompt() int { return u.Input + u.Cached }
func (u Usage) total() int  { return u.Input + u.Cached + u.Output }

// Queue is a list of turns, for New: each call of Next removes the first.
type Queue []*Turn

// Next returns the next turn, or nil when none is left.
func (q *Queue) Next() *Turn {
	if len(*q) == 0 {
		return nil
	}
	turn := (*q)[0]
	*q = (*q)[1:]
	return turn
}

// Answer is a vendor's answer.
type Answer struct {
	Status int
	Type   string   // its content type
	Pieces [][]byte // its body, in the pieces in which the vendor sends it
}

// Body returns the whole body.
func (a *Answer) Body() (body []byte) {
	for _, piece := range a.Pieces {
		body = append(body, piece...)
	}
	return body
}

// Plain returns an answer with a value as JSON.
func Plain(status int, value any) *Answer {
	return &Answer{status, "application/json", [][]byte{[]byte(encode(value))}}
}

// Stream returns an answer with server-sent events, one for each piece.
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
