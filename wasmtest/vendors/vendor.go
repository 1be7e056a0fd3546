// Package vendors has strict doubles of the vendors' APIs: Anthropic's Messages, Chat Completions,
// OpenAI's Responses, Google's Gemini and Google's Interactions.
//
// A double refuses what its vendor refuses, with the vendor's words, and answers every other request
// with the next Turn, streamed or plain as the request asks. It remembers what it has issued
// (signatures, encrypted reasoning, call ids, stored items) and demands it back unchanged.
package vendors

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"edgelingua/wasmtest/vendors/shape"
)

// Options are what differs among the vendors of one protocol.
type Options struct {
	// Of Chat Completions: OpenAI has the rules of OpenAI's own service, else of a server that renders
	// a chat template. Reasoning is the member that must bring reasoning back, "reasoning_content"
	// (DeepSeek) or "reasoning_details" (OpenRouter). With Unions a tool's schema may be a union at its
	// root, as servers other than OpenAI's allow.
	OpenAI    bool   `json:"openAI"`
	Reasoning string `json:"reasoning"`
	Unions    bool   `json:"unions"`

	// Of Responses: answers are stored, and requests may refer to their items.
	Stores bool `json:"stores"`
}

// Request is what the vendor was sent.
type Request struct {
	Path   string // with its query
	Header http.Header
	Body   []byte
}

// parsed is a request whose body is decoded.
type parsed struct {
	*Request
	body object
}

// protocol is what a double knows of its API.
type protocol struct {
	check   func(*Vendor, *parsed)                // refuses by shape.Refuse
	refusal func(*shape.Refusal) any              // the body of the answer with status 400
	play    func(*Vendor, *parsed, *Turn) *Answer // sends a turn
	streams func(*parsed) bool                    // whether the request asks for a stream
}

var protocols = map[string]*protocol{
	"anthropic":    {checkMessages, refuseMessages, playMessages, streamMember},
	"chat":         {checkChat, refuseOpenAI, playChat, streamMember},
	"responses":    {checkResponses, refuseOpenAI, playResponses, streamMember},
	"gemini":       {checkGemini, refuseGemini, playGemini, streamPath},
	"interactions": {checkInteractions, refuseInteractions, playInteractions, streamMember},
}

func streamMember(r *parsed) bool { return get[bool](r.body, "stream") }

// streamPath is for Gemini, whose path says whether to stream.
func streamPath(r *parsed) bool { return strings.Contains(r.Path, ":streamGenerateContent") }

// Asked is a request that was accepted.
type Asked struct {
	Body     []byte
	Streamed bool
}

// Vendor is a double of one vendor. It may be used by several goroutines.
type Vendor struct {
	protocol *protocol
	options  Options
	turns    func() *Turn

	answering sync.Mutex // held from the check of a request to its answer
	mu        sync.Mutex
	issued    issued
	asked     []Asked
	refused   []string
}

// New returns a double of the protocol "anthropic", "chat", "responses", "gemini" or "interactions".
// turns returns the next turn, or nil when there is none (see Queue.Next). While it runs, the last of
// Asked is the request that the turn will answer.
func New(name string, options Options, turns func() *Turn) *Vendor {
	if protocols[name] == nil {
		panic("no such protocol: " + name)
	}
	return &Vendor{protocol: protocols[name], options: options, turns: turns, issued: newIssued()}
}

// Check returns why the vendor refuses a request, as a *shape.Refusal, or nil. The Vendor remembers
// the request either way.
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
	shape.AnyObject(value, "")
	r.body = value.(object)
}

// Refusal returns the answer to a request that Check refuses.
func (v *Vendor) Refusal(err error) *Answer {
	return Plain(http.StatusBadRequest, v.protocol.refusal(err.(*shape.Refusal)))
}

// Play returns the answer with a turn to a request that Check has accepted. The error, a *shape.Refusal,
// says why the turn does not fit the request, such as a call of a tool that it does not offer.
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

// Answer checks a request, and returns the answer with the next turn or the refusal.
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

// ServeHTTP answers a request as Answer does.
func (v *Vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client left
	}
	v.Answer(&Request{r.RequestURI, r.Header, body}).Send(w)
}

// Send writes an answer, one chunk for each piece.
func (a *Answer) Send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.Type)
	w.WriteHeader(a.Status)
	for _, piece := range a.Pieces {
		if _, err := w.Write(piece); err != nil {
			return // the client left
		}
		_ = http.NewResponseController(w).Flush() // a client that left shows at Write
	}
}

// Asked returns the requests so far that were accepted.
func (v *Vendor) Asked() []Asked {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]Asked(nil), v.asked...)
}

// Refused returns why the other requests so far were refused.
func (v *Vendor) Refused() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.refused...)
}
