package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

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
