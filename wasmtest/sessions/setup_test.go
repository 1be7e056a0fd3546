// Package sessions_test runs whole sessions of clients (wasmtest/clients) with strict doubles of
// vendors (wasmtest/vendors), through the translator in the same process (wasmtest/pair): every
// client with every upstream. Upstreams must accept the translator's requests, and receive the
// content of their own answers back unchanged. End-to-end tests run some of these sessions on each
// runtime.
package sessions_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/pair"
	"edgelingua/wasmtest/vendors"
)

type (
	object = map[string]any
	list   = []any
)

const clientKey = "client-key-of-the-tests"

// upstream is a vendor's API as the upstream of an endpoint.
type upstream struct {
	kind, name, protocol string
	url                  string // "": an unknown server
	models               string // the endpoint's MODELS, as JSON
	options              vendors.Options
}

// The vendors' own services, and an unknown Chat Completions server.
var (
	anthropic = &upstream{
		kind: "anthropic", name: "Anthropic", protocol: "anthropic", url: "https://api.anthropic.com",
		models: `{"claude-sonnet-4-5":"claude-sonnet-4-5","claude-opus-4-8":"claude-opus-4-8",` +
			`"*":"claude-opus-5-5"}`,
	}
	chat   = &upstream{kind: "chat", name: "a Chat server", protocol: "chat", models: `{"*":"some-model"}`}
	openAI = &upstream{
		kind: "openAI", name: "OpenAI's Chat Completions", protocol: "chat", url: "https://api.openai.com/v1",
		models: `{"gpt-4.1":"gpt-4.1","*":"gpt-5.5"}`, options: vendors.Options{OpenAI: true},
	}
	responses = &upstream{
		kind: "responses", name: "OpenAI's Responses", protocol: "responses",
		url: "https://api.openai.com/v1", models: `{"*":"gpt-5.5"}`,
	}
	gemini = &upstream{
		kind: "gemini", name: "Google's Gemini", protocol: "gemini",
		url:    "https://generativelanguage.googleapis.com",
		models: `{"*":"gemini-3.1-pro-preview"}`,
	}
	interactions = &upstream{
		kind: "interactions", name: "Google's Interactions", protocol: "interactions",
		url:    "https://generativelanguage.googleapis.com",
		models: `{"*":"gemini-3.1-pro-preview"}`,
	}
	all = []*upstream{anthropic, chat, openAI, responses, gemini, interactions}
)

// Upstreams for the sessions of the official SDKs.
var (
	sonnet = &upstream{
		kind: "anthropic", name: "anthropic", protocol: "anthropic", url: "https://api.anthropic.com",
		models: `{"adaptive":"claude-opus-4-7","*":"claude-sonnet-4-5"}`,
	}
	anyChat  = &upstream{kind: "chat", name: "chat", protocol: "chat", models: `{}`}
	deepSeek = &upstream{
		kind: "deepSeek", name: "chat with reasoning_content", protocol: "chat",
		url: "https://api.deepseek.com", models: `{}`,
		options: vendors.Options{Reasoning: "reasoning_content"},
	}
	openRouter = &upstream{
		kind: "openRouter", name: "chat with reasoning_details", protocol: "chat",
		url: "https://openrouter.ai/api/v1", models: `{}`,
		options: vendors.Options{Reasoning: "reasoning_details"},
	}
	gpt = &upstream{
		kind:     "responses",
		name:     "responses",
		protocol: "responses",
		url:      "https://api.openai.com/v1",
		models:   `{"*":"gpt-5.5"}`,
	}
)

// served is a strict upstream with its remaining turns.
type served struct {
	*vendors.Vendor
	left   *vendors.Queue
	server clients.Server
}

// serve returns an upstream that plays the turns in order.
func (u *upstream) serve(t *testing.T, turns ...*vendors.Turn) *served {
	queue := vendors.Queue(turns)
	s := u.play(t, queue.Next)
	s.left = &queue
	return s
}

// play returns an upstream that plays the turns returned by next. Each answer of the translator is
// checked against the grammar of its API.
func (u *upstream) play(t *testing.T, next func() *vendors.Turn) *served {
	url := u.url
	if url == "" {
		url = "https://upstream.example/v1"
	}
	s := &served{Vendor: vendors.New(u.protocol, u.options, next)}
	p, err := pair.New(map[string]string{
		"UPSTREAM_PROTOCOL": u.protocol, "UPSTREAM_URL": url, "MODELS": u.models,
		"UPSTREAM_KEY": "upstream-key-of-the-tests", "CLIENT_KEY": clientKey,
	}, s.Vendor)
	require.NoError(t, err)
	p.Look = func(a *pair.Answer) {
		switch {
		case a.Status >= 400:
			answers.CheckErrorBody(t, a.Client.Name, a.Body)
		case a.Streamed:
			answers.CheckStream(t, a.Client.Name, a.Exchange.Request.StreamUsage, a.Body)
		default:
			answers.CheckBody(t, a.Client.Name, a.Own, a.Body)
		}
	}
	s.server = clients.Server{Key: clientKey, Transport: p}
	return s
}

// done checks that all turns were played and no request was refused.
func (s *served) done(t *testing.T) {
	require.Empty(t, *s.left)
	require.Empty(t, s.Refused())
}

// body returns the n-th accepted request; -1 is the last.
func (s *served) body(n int) object {
	asked := s.Asked()
	if n < 0 {
		n += len(asked)
	}
	return decoded(asked[n].Body)
}

// holds checks that a value contains texts, anywhere in its JSON.
func holds(t *testing.T, value any, texts ...string) {
	t.Helper()
	whole := encode(value)
	for _, text := range texts {
		require.Contains(t, whole, inner(text))
	}
}

// inner returns a text as written inside a JSON string.
func inner(text string) string {
	quoted := encode(text)
	return quoted[1 : len(quoted)-1]
}

var usage = vendors.Usage{Input: 11, Output: 7}

// cachedUsage is the usage of a turn with a partly cached prompt.
var cachedUsage = vendors.Usage{Input: 11, Cached: 4, Output: 7}

func said(text string) *vendors.Turn { return &vendors.Turn{Text: text, Usage: usage} }

func calling(text string, calls ...vendors.Call) *vendors.Turn {
	return &vendors.Turn{Text: text, Calls: calls, Usage: usage}
}

func answering(a *vendors.Answer) *vendors.Turn { return &vendors.Turn{Answer: a} }

func call(n int, name string, input any) vendors.Call {
	return vendors.Call{ID: fmt.Sprintf("call_%d", n), Name: name, Input: input}
}

// thoughts returns the reasoning of an upstream before its n-th turn, in the upstream's own form.
func (u *upstream) thoughts(n int) []vendors.Reasoning {
	text := fmt.Sprintf("Thinking %d.", n)
	switch u.kind {
	case "anthropic":
		return []vendors.Reasoning{
			{Text: fmt.Sprintf(`Thinking "hard" \ %d 漢😀.`, n), Blob: fmt.Sprintf("sig+/%d==", n)},
		}
	case "chat":
		return []vendors.Reasoning{{Text: text}}
	case "gemini":
		return []vendors.Reasoning{
			{Text: text, Blob: base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signed %d", n))},
		}
	case "interactions":
		return []vendors.Reasoning{
			{Text: text, Blob: base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signed so %d", n))},
		}
	case "responses":
		return []vendors.Reasoning{
			{Text: text, Blob: fmt.Sprintf("gAAAA+/%d==", n), ID: fmt.Sprintf("rs_%d", n)},
		}
	}
	return nil
}

// each runs a test for each upstream, in parallel.
func each(t *testing.T, upstreams []*upstream, run func(t *testing.T, u *upstream)) {
	for _, u := range upstreams {
		parallel(t, u.name, func(t *testing.T) { run(t, u) })
	}
}

// parallel runs a parallel subtest.
func parallel(t *testing.T, name string, run func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		run(t)
	})
}

// encode returns a value as JSON without escaping the characters < > &.
func encode(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func decoded(text []byte) (o object) {
	if err := json.Unmarshal(text, &o); err != nil {
		panic(err)
	}
	return o
}

// post sends a raw body of a client and returns the answer.
func (s *served) post(t *testing.T, path string, body any) (status int, header http.Header, text string) {
	r, err := http.NewRequest(
		http.MethodPost,
		"http://edgelingua.example"+path,
		strings.NewReader(encode(body)),
	)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+clientKey)
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.server.Transport.RoundTrip(r)
	require.NoError(t, err)
	whole, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, answer.Header, string(whole)
}

func modeOf(stream bool) string {
	if stream {
		return "streamed"
	}
	return "plain"
}
