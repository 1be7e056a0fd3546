package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"edgelingua/wasmtest/vendors"
)

// UpstreamKey is a key for gateways whose settings need one. A scripted upstream accepts any key except the
// wrong key of the cases, so gateways may also pass the client's key on.
const UpstreamKey = "conform-upstream-key-4d1c"

// Upstreams has the names of the APIs that a scripted upstream can speak.
var Upstreams = []string{"messages", "chat", "responses", "gemini", "interactions"}

// maxBody bounds a request to the upstream, and an answer to a client.
const maxBody = 32 << 20

// Upstream is a scripted upstream: the strict double of one vendor for each conversation. A marker in
// the first text of a conversation says to which probe a request belongs. It is an http.Handler.
type Upstream struct {
	name     string // of the API
	double   string
	mu       sync.Mutex
	sessions map[string]*session
}

// NewUpstream returns an upstream that speaks an API of Upstreams, or the API's name in package vendors.
// The error names the APIs.
func NewUpstream(name string) (*Upstream, error) {
	for _, known := range Upstreams {
		if name == known || name == doubleOf(known) {
			return &Upstream{name: known, double: doubleOf(known), sessions: map[string]*session{}}, nil
		}
	}
	return nil, fmt.Errorf("there is no API %q; the APIs of upstreams are %s", name,
		strings.Join(Upstreams, ", "))
}

func doubleOf(name string) string {
	if name == "messages" {
		return "anthropic"
	}
	return name
}

// Name returns the name of the upstream's API.
func (u *Upstream) Name() string { return u.name }

// Base returns the base URL for gateways, given the address of the listener: the one that the vendor's
// own SDK has.
func (u *Upstream) Base(address string) string {
	if u.name == "chat" || u.name == "responses" {
		return address + "/v1"
	}
	return address
}

// Model is the name of a model that the vendor's double knows.
func (u *Upstream) Model() string {
	return map[string]string{"messages": "claude-sonnet-4-5", "chat": "some-model", "responses": "gpt-5.5",
		"gemini": "gemini-3.1-pro-preview", "interactions": "gemini-3.1-pro-preview"}[u.name]
}

// Got is a request that reached the upstream.
type Got struct {
	Path    string
	Header  http.Header
	Body    []byte
	Refused string // why the double rejected the request
}

// turn is one answer of the upstream.
type turn struct {
	vendors.Turn
	status  int                                // of an error, with message; 0: none
	message string                             // of the error
	head    http.Header                        // further headers
	failing bool                               // the stream fails after some events, with message
	cut     bool                               // the connection breaks in the middle of the answer
	hold    bool                               // the stream stops after some events, until its client leaves
	unended bool                               // the answer is complete, but its connection stays open
	glued   bool                               // the whole stream is one write
	sliced  bool                               // each write has 7 bytes
	change  func(body, upstream string) string // of the whole answer
}

// session is the upstream's side of a probe.
type session struct {
	upstream *Upstream
	vendor   *vendors.Vendor
	turns    []*turn
	mu       sync.Mutex
	got      []*Got
	left     chan struct{} // closed when the client of a turn with hold has left
	began    chan struct{} // closed when a turn with hold has sent its events
	ctx      context.Context
}

var marker = regexp.MustCompile(`\(c:[0-9a-f]{12}\)`)

// begin makes a session, which ends with ctx.
func (u *Upstream) begin(ctx context.Context, mark string, p *Probe) *session {
	options := vendors.Options{}
	if p.options != nil {
		options = p.options(u.name)
	}
	s := &session{upstream: u, vendor: vendors.New(u.double, options, nil), ctx: ctx,
		left:  make(chan struct{}),
		began: make(chan struct{})}
	if p.turns != nil {
		s.turns = p.turns(u.name)
	}
	u.mu.Lock()
	u.sessions[mark] = s
	u.mu.Unlock()
	return s
}

func (u *Upstream) end(mark string) {
	u.mu.Lock()
	delete(u.sessions, mark)
	u.mu.Unlock()
}

// ServeHTTP implements http.Handler.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client left, or sent too much
	}
	u.mu.Lock()
	s := u.sessions[string(marker.Find(body))]
	u.mu.Unlock()
	got := &Got{Path: r.RequestURI, Header: r.Header, Body: body}
	if s != nil {
		s.receive(got)
	}
	if !keyed(r) {
		u.fail(w, http.StatusUnauthorized, "Incorrect API key provided", nil)
		return
	}
	switch method := operation(u.name, r.URL.Path); {
	case method == "":
		u.fail(w, http.StatusNotFound, "Invalid URL ("+r.Method+" "+r.URL.Path+")", nil)
	case method == "models":
		reply(w, http.StatusOK, u.models())
	case method == "talk" && u.name == "responses" && isUpgrade(r):
		u.serveSocket(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		u.fail(w, http.StatusMethodNotAllowed, "Method Not Allowed", nil)
	case method == "count":
		u.count(w, body)
	case method == "compact":
		compact(w)
	case s == nil:
		s = &session{upstream: u, vendor: vendors.New(u.double, vendors.Options{}, nil), ctx: r.Context(),
			turns: []*turn{unscripted(body)}}
		fallthrough
	default:
		u.answer(w, r, s, got)
	}
}

// unscripted is the answer to a request without a marker: a call of the tool that the request forces, or a
// text.
func unscripted(body []byte) *turn {
	var v any
	_ = json.Unmarshal(body, &v)
	forces := func(any) bool { return true }
	if (find(v, "tool_choice", forces) || find(v, "toolConfig", forces)) && bytes.Contains(body,
		[]byte(weather.Name)) {
		return &turn{Turn: *oneCall}
	}
	return &turn{Turn: vendors.Turn{Text: "Hello.", Usage: usualUsage}}
}

var usualUsage = vendors.Usage{Input: 11, Output: 7}

// keyed reports whether the upstream accepts the key of a request.
func keyed(r *http.Request) bool {
	keys := []string{r.Header.Get("x-api-key"), r.Header.Get("x-goog-api-key"), r.URL.Query().Get("key"),
		strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}
	return !slices.Contains(keys, wrongKey)
}

// operation returns what a path is for: "talk", "count", "models", or "" for no such path.
func operation(name, path string) string {
	ends := func(suffix string) bool { return strings.HasSuffix(path, suffix) }
	switch {
	case ends("/models"):
		return "models"
	case name == "messages" && ends("/count_tokens"), name == "gemini" && ends(":countTokens"),
		name == "responses" && ends("/responses/input_tokens"):
		return "count"
	case name == "responses" && ends("/responses/compact"):
		return "compact"
	case name == "messages" && ends("/messages"), name == "chat" && ends("/chat/completions"),
		name == "responses" && ends("/responses"), name == "interactions" && ends("/interactions"),
		name == "gemini" && (ends(":generateContent") || ends(":streamGenerateContent")):
		return "talk"
	}
	return ""
}

func (u *Upstream) models() any {
	switch u.name {
	case "messages":
		return object{"data": []any{object{"type": "model", "id": u.Model(), "display_name": "A model",
			"created_at": "2026-01-01T00:00:00Z"}}, "has_more": false, "first_id": u.Model(),
			"last_id": u.Model()}
	case "gemini", "interactions":
		return object{"models": []any{object{"name": "models/" + u.Model(), "displayName": "A model",
			"inputTokenLimit": 1048576, "outputTokenLimit": 65536,
			"supportedGenerationMethods": []any{"generateContent", "countTokens"}}}}
	}
	return object{"object": "list", "data": []any{object{"id": u.Model(), "object": "model",
		"created": 1767225600, "owned_by": "conform"}}}
}

// count counts 1 token for 4 bytes of the request.
func (u *Upstream) count(w http.ResponseWriter, body []byte) {
	if !json.Valid(body) {
		u.fail(w, http.StatusBadRequest, "the body is not JSON", nil)
		return
	}
	n := len(body)/4 + 1
	reply(w, http.StatusOK, map[string]object{"messages": {"input_tokens": n}, "gemini": {"totalTokens": n},
		"responses": {"object": "response.input_tokens", "input_tokens": n}}[u.name])
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, encode(v)) // fails only if the client left
}

// fail sends an error in the vendor's form.
func (u *Upstream) fail(w http.ResponseWriter, status int, message string, head http.Header) {
	for name, values := range head {
		w.Header()[name] = values
	}
	reply(w, status, failure(u.name, status, message))
}

var (
	messagesWords = map[int]string{400: "invalid_request_error", 401: "authentication_error",
		402: "billing_error", 403: "permission_error", 404: "not_found_error", 405: "invalid_request_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 503: "overloaded_error",
		504: "timeout_error", 529: "overloaded_error"}
	googleWords = map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
		404: "NOT_FOUND", 405: "UNIMPLEMENTED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
		503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}
	openAIWords = map[int]string{429: "rate_limit_error", 500: "server_error", 503: "server_error"}
	openAICodes = map[int]string{401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded",
		503: "server_is_overloaded"}
)

// failure returns the body of an error of an API.
func failure(name string, status int, message string) any {
	switch name {
	case "messages":
		return object{"type": "error", "error": object{"type": messagesWords[status], "message": message},
			"request_id": "req_conform"}
	case "gemini":
		return object{"error": object{"code": status, "message": message, "status": googleWords[status]}}
	case "interactions":
		return object{"error": object{"code": strings.ToLower(googleWords[status]), "message": message}}
	}
	kind := openAIWords[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	var code any
	if word := openAICodes[status]; word != "" {
		code = word
	}
	return object{"error": object{"message": message, "type": kind, "param": nil, "code": code}}
}

// failingEvents returns the events with which a stream of an API fails. n is the number of events
// before.
func failingEvents(name string, n int, message string) []string {
	event := func(kind string, v any) string { return "event: " + kind + "\ndata: " + encode(v) + "\n\n" }
	switch name {
	case "messages":
		return []string{event("error", failure(name, 529, message))}
	case "responses":
		return []string{event("error", object{"type": "error", "code": "server_error", "message": message,
			"param": nil, "sequence_number": n}), event("response.failed", object{"type": "response.failed",
			"sequence_number": n + 1, "response": object{"id": "resp_e2e_1", "object": "response",
				"created_at": 1, "status": "failed", "model": "upstream-model", "output": []any{},
				"error": object{"code": "server_error", "message": message}, "incomplete_details": nil,
				"usage": nil}})}
	case "interactions":
		return []string{event("error", object{"event_type": "error", "error": object{"code": "internal",
			"message": message}})}
	}
	return []string{"data: " + encode(failure(name, 500, message)) + "\n\n"}
}

// answer sends the answer of the next turn.
func (u *Upstream) answer(w http.ResponseWriter, r *http.Request, s *session, got *Got) {
	request := &vendors.Request{Path: r.RequestURI, Header: r.Header, Body: got.Body}
	if err := s.vendor.Check(request); err != nil {
		s.refuse(got, err)
		s.vendor.Refusal(err).Send(w)
		return
	}
	t := s.next()
	if t == nil {
		t = &turn{status: http.StatusServiceUnavailable, message: "one request more than the probe has turns"}
	}
	for name, values := range t.head {
		w.Header()[name] = values
	}
	if t.status != 0 {
		u.fail(w, t.status, t.message, nil)
		return
	}
	a, err := s.vendor.Play(request, &t.Turn)
	if err != nil {
		s.refuse(got, err)
		s.vendor.Refusal(err).Send(w)
		return
	}
	if t.change != nil {
		a = &vendors.Answer{Status: a.Status, Type: a.Type, Pieces: pieces(t.change(string(a.Body()),
			u.name))}
	}
	u.send(w, r, s, t, a)
}

// pieces cuts a stream into its events.
func pieces(body string) (all [][]byte) {
	for part := range strings.SplitAfterSeq(body, "\n\n") {
		if part != "" {
			all = append(all, []byte(part))
		}
	}
	return all
}

// begun is the number of events of a stream before its failure: they have some text, and no end.
var begun = map[string]int{"messages": 4, "chat": 3, "responses": 5, "gemini": 1, "interactions": 4}

func (u *Upstream) send(w http.ResponseWriter, r *http.Request, s *session, t *turn, a *vendors.Answer) {
	streamed := a.Type == "text/event-stream"
	w.Header().Set("Content-Type", a.Type)
	parts := a.Pieces
	switch {
	case (t.failing || t.cut || t.hold) && streamed:
		parts = parts[:min(begun[u.name], len(parts)-1)]
		if t.failing {
			for _, event := range failingEvents(u.name, len(parts), t.message) {
				parts = append(slices.Clip(parts), []byte(event))
			}
		}
	case t.cut:
		parts = [][]byte{a.Body()[:len(a.Body())/2]}
	case t.glued:
		parts = [][]byte{a.Body()}
	case t.sliced:
		parts = nil
		for slice := range slices.Chunk(a.Body(), 7) {
			parts = append(parts, slice)
		}
	}
	w.WriteHeader(a.Status)
	flush := http.NewResponseController(w).Flush
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			break
		}
		_ = flush() // if the client left, the next Write fails
	}
	switch {
	case t.cut:
		panic(http.ErrAbortHandler)
	case t.hold, t.unended:
		if t.hold {
			close(s.began)
		}
		select {
		case <-r.Context().Done():
		case <-s.ctx.Done():
		case <-time.After(time.Minute):
		}
		if t.hold && r.Context().Err() != nil {
			close(s.left)
		}
	}
}

// receive adds a request.
func (s *session) receive(got *Got) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, got)
}

// next returns the next turn, or nil if there is none.
func (s *session) next() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		return nil
	}
	t := s.turns[0]
	s.turns = s.turns[1:]
	return t
}

// refuse notes why the double rejected a request. Judges may read an earlier request at the same time, so
// the noted request is a new one.
func (s *session) refuse(got *Got, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := *got
	refused.Refused = why.Error()
	if i := slices.Index(s.got, got); i >= 0 {
		s.got[i] = &refused
	}
}

// requests returns the requests so far.
func (s *session) requests() []*Got {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}
