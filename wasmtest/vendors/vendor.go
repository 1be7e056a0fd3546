// Package vendors contains strict test doubles of five vendor APIs: Anthropic's Messages, Chat
// Completions, OpenAI's Responses, Google's Gemini and Google's Interactions.
//
// A double rejects the requests that its vendor rejects, with the vendor's error message. An
// accepted request gets the next Turn, as a stream or as one JSON body, depending on the request.
// The double remembers the signatures, encrypted reasoning, call ids and stored items of its
// answers, and requires later requests to return them unchanged.
package vendors

import (
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"edgelingua/wasmtest/vendors/shape"
)

// Options are the differences between vendors of the same protocol.
type Options struct {
	// For Chat Completions. OpenAI selects the rules of OpenAI's own service instead of the rules
	// of a server that renders a chat template. Reasoning names the member in which requests must
	// return reasoning: "reasoning_content" (DeepSeek) or "reasoning_details" (OpenRouter). Unions
	// allows a union at the root of a tool's schema, as servers other than OpenAI's do. Schemas
	// allows any JSON Schema, as vLLM does, which compiles a schema to a grammar. With Groq, the last
	// chunk of a stream has the usage in x_groq (console.groq.com/docs/text-chat). Host selects the rules
	// of a host: api.mistral.ai, api.x.ai (for Responses, too), api.moonshot.ai or api.groq.com.
	OpenAI    bool   `json:"openAI"`
	Reasoning string `json:"reasoning"`
	Unions    bool   `json:"unions"`
	Schemas   bool   `json:"schemas"`
	Groq      bool   `json:"groq"`
	Host      string `json:"host"`

	// For Messages: a server of another vendor, which knows no version since 2023-06-01.
	OldVersion bool `json:"oldVersion"`

	// For Gemini: Vertex AI.
	Vertex bool `json:"vertex"`

	// For Responses. Functions selects a server that accepts only functions from clients, as LM Studio
	// does. The API stores its answers, and requests may refer to stored items.
	Functions bool `json:"functions"`
	Stores    bool `json:"stores"`
}

// Request is a request to the vendor. The Vendor retains Body and does not change it.
type Request struct {
	Path   string // with the query
	Header http.Header
	Body   []byte
}

// parsed is a request and its decoded body.
type parsed struct {
	*Request
	body object
}

// protocol has the rules and the answers of one API.
type protocol struct {
	check   func(*Vendor, *parsed)                // calls shape.Refuse to reject the request
	refusal func(*shape.Refusal) any              // returns the body of a 400 answer
	play    func(*Vendor, *parsed, *Turn) *Answer // returns the answer with a turn
	streams func(*parsed) bool                    // reports whether the request asks for a stream
}

var protocols = map[string]*protocol{
	"anthropic":    {checkMessages, refuseMessages, playMessages, streamMember},
	"chat":         {checkChat, refuseOpenAI, playChat, streamMember},
	"responses":    {checkResponses, refuseOpenAI, playResponses, streamMember},
	"gemini":       {checkGemini, refuseGemini, playGemini, streamPath},
	"interactions": {checkInteractions, refuseInteractions, playInteractions, streamMember},
}

func streamMember(r *parsed) bool { return get[bool](r.body, "stream") }

// streamPath replaces streamMember for Gemini: the method in the path selects streaming.
func streamPath(r *parsed) bool { return strings.Contains(r.Path, ":streamGenerateContent") }

// Asked is an accepted request. Body is the Body of the Request, not a copy.
type Asked struct {
	Body     []byte
	Streamed bool
}

// Vendor is the double of one vendor. Several goroutines may use a Vendor.
type Vendor struct {
	protocol *protocol
	options  Options
	turns    func() *Turn

	answering sync.Mutex // locked from the check of a request to its answer
	mu        sync.Mutex
	issued    issued
	asked     []Asked
	refused   []string
}

// New returns a double of the protocol "anthropic", "chat", "responses", "gemini" or
// "interactions". Any other name panics. turns returns the next turn, or nil if there is none left
// (see Queue.Next). While turns runs, the last element of Asked is the request that the turn will
// answer. turns may be nil if the caller only uses Check, Refusal and Play.
func New(name string, options Options, turns func() *Turn) *Vendor {
	if protocols[name] == nil {
		panic("no such protocol: " + name)
	}
	return &Vendor{protocol: protocols[name], options: options, turns: turns, issued: newIssued()}
}

// Check returns a *shape.Refusal if the vendor rejects the request, otherwise nil. An accepted
// request is added to Asked, the reason for a rejection to Refused.
func (v *Vendor) Check(request *Request) error {
	_, err := v.check(request)
	return err
}

func (v *Vendor) check(request *Request) (*parsed, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := &parsed{Request: request}
	err := shape.Check(func() {
		r.parse()
		v.protocol.check(v, r)
	})
	if err != nil {
		v.refused = append(v.refused, err.Error())
		return nil, err
	}
	v.asked = append(v.asked, Asked{request.Body, v.protocol.streams(r)})
	return r, nil
}

func (r *parsed) parse() {
	value, err := shape.Decode(r.Body)
	if err != nil {
		shape.Refuse("", "the body is not JSON: %v", err)
	}
	if holdsHalf(r.Body) {
		shape.Refuse("", "The request body is not valid JSON: no low surrogate in string")
	}
	shape.AnyObject(value, "")
	r.body = value.(object)
}

// escape matches one escape of JSON, or a whole surrogate pair.
var escape = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.`)

// holdsHalf reports whether a body has the escape of half a surrogate pair, such as \ud83d without
// the other half. Anthropic's words: anthropics/claude-code#2108.
func holdsHalf(body []byte) bool {
	return slices.ContainsFunc(escape.FindAll(body, -1), func(e []byte) bool {
		return len(e) == len(`\ud83d`) && e[2]|0x20 == 'd' && e[3] >= '8'
	})
}

// Refusal returns the answer with status 400 to a rejected request. err is the *shape.Refusal from
// Check or Play; any other error panics.
func (v *Vendor) Refusal(err error) *Answer {
	return Plain(http.StatusBadRequest, v.protocol.refusal(err.(*shape.Refusal)))
}

// Play returns the answer with a turn to a request that Check has accepted. If the turn is nil or
// does not fit the request, for example because of a call of a tool that the request does not
// offer, the error is a *shape.Refusal and is added to Refused. If turn.Answer is set, Play returns
// turn.Answer itself. The Vendor retains turn.Reasoning.
func (v *Vendor) Play(request *Request, turn *Turn) (*Answer, error) {
	r := &parsed{Request: request}
	if err := shape.Check(r.parse); err != nil {
		return nil, err
	}
	return v.play(r, turn)
}

func (v *Vendor) play(r *parsed, turn *Turn) (answer *Answer, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	err = shape.Check(func() {
		if turn == nil {
			shape.Refuse("", "one request more than there are turns")
		}
		if answer = turn.Answer; answer != nil {
			return
		}
		v.issued.note(turn)
		answer = v.protocol.play(v, r, turn)
	})
	if err != nil {
		v.refused = append(v.refused, err.Error())
	}
	return answer, err
}

// Answer checks a request and returns the answer with the next turn. If the vendor rejects the
// request or the turn does not fit, Answer returns the refusal. Concurrent calls wait for each
// other.
func (v *Vendor) Answer(request *Request) *Answer {
	v.answering.Lock()
	defer v.answering.Unlock()
	r, err := v.check(request)
	if err != nil {
		return v.Refusal(err)
	}
	answer, err := v.play(r, v.turns())
	if err != nil {
		return v.Refusal(err)
	}
	return answer
}

// ServeHTTP implements http.Handler: it passes the request to Answer and sends the result.
func (v *Vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client disconnected
	}
	v.Answer(&Request{r.RequestURI, r.Header, body}).Send(w)
}

// Send writes the answer to w and flushes after each piece. It returns early if a write fails.
func (a *Answer) Send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.Type)
	w.WriteHeader(a.Status)
	for _, piece := range a.Pieces {
		if _, err := w.Write(piece); err != nil {
			return // the client disconnected
		}
		_ = http.NewResponseController(w).Flush() // if the client disconnected, the next Write fails
	}
}

// Asked returns the accepted requests so far, in order. The list is a copy, the bodies are not.
func (v *Vendor) Asked() []Asked {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Asked(nil), v.asked...)
}

// Refused returns a copy of the reasons for all rejections so far, of requests and of turns.
func (v *Vendor) Refused() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.refused...)
}
