package vendors

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// requests has the smallest request of each protocol, with a tool get and, if the API has web
// search, with a search tool.
var requests = map[string]struct{ path, body, stream string }{
	"anthropic": {"/v1/messages", `{"model":"claude-opus-5-5","max_tokens":99,
		"messages":[{"role":"user","content":"hi"}],
		"tools":[{"name":"get","input_schema":{"type":"object"}},{"type":"web_search_20250305",
			"name":"web_search"}]}`,
		`"stream":true`},
	"chat": {"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}],
		"tools":[{"type":"function","function":{"name":"get","parameters":{"type":"object"}}}]}`,
		`"stream":true,"stream_options":{"include_usage":true}`},
	"responses": {"/v1/responses", `{"model":"gpt-5.5","store":false,
		"input":[{"role":"user","content":"hi"}],"tools":[
		{"type":"function","name":"get","strict":false,"parameters":{"type":"object"}},
		{"type":"web_search"}]}`,
		`"stream":true`},
	"gemini": {"/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],
		"tools":[{"functionDeclarations":[{"name":"get"}]},{"googleSearch":{}}]}`, ""},
	"interactions": {"/v1beta/interactions", `{"model":"m","store":false,"input":[
		{"type":"user_input","content":[{"type":"text","text":"hi"}]}],
		"tools":[{"type":"function","name":"get","parameters":{}},{"type":"google_search"}]}`,
		`"stream":true`},
}

// requestTo returns the smallest request of a protocol.
func requestTo(protocol string, stream bool) *Request {
	r := requests[protocol]
	path, body := r.path, r.body
	if stream && r.stream != "" {
		body = strings.Replace(body, "{", "{"+r.stream+",", 1)
	} else if stream {
		path = "/v1beta/models/m:streamGenerateContent?alt=sse"
	}
	return &Request{Path: path, Header: http.Header{"Api-Revision": {"2026-05-20"}}, Body: []byte(body)}
}

func each(t *testing.T, run func(t *testing.T, protocol string, stream bool)) {
	for protocol := range requests {
		for _, stream := range []bool{false, true} {
			name := protocol
			if stream {
				name += ", streamed"
			}
			t.Run(name, func(t *testing.T) { run(t, protocol, stream) })
		}
	}
}

// TestHalfAPair: a whole surrogate pair is accepted, half of one is not.
func TestHalfAPair(t *testing.T) {
	each(t, func(t *testing.T, protocol string, stream bool) {
		for _, row := range []struct {
			text   string
			whole  bool
			reason string
		}{
			{`hi \ud83d\ude00`, true, "a pair"},
			{`hi \\ud83d`, true, "an escaped backslash"},
			{`hi \ud83d`, false, "the first half"},
			{`hi \uDE00`, false, "the second half"},
			{`hi \ude00\ud83d`, false, "the halves in the wrong order"},
		} {
			r := requestTo(protocol, stream)
			r.Body = []byte(strings.Replace(string(r.Body), `"hi"`, `"`+row.text+`"`, 1))
			err := New(protocol, Options{}, nil).Check(r)
			if row.whole && err != nil || !row.whole && (err == nil ||
				!strings.Contains(err.Error(), "no low surrogate in string")) {
				t.Errorf("%s: %v", row.reason, err)
			}
		}
	})
}

func TestTurns(t *testing.T) {
	usage := Usage{Input: 11, Cached: 3, Output: 7}
	each(t, func(t *testing.T, protocol string, stream bool) {
		thought := Reasoning{Text: "Hm.", Blob: "c2ln", ID: "rs_1"}
		turn := &Turn{Reasoning: []Reasoning{thought}, Text: "Let me see.", Usage: usage, Calls: []Call{
			{ID: "call_1", Name: "get", Input: map[string]any{"city": "<Oslo> & 漢😀"}},
		}}
		cut := &Turn{Text: "Half of", Stop: "length", Usage: usage}
		queue := Queue{turn, cut, {Refusal: "I can't.", Usage: usage}}
		v := New(protocol, Options{}, queue.Next)
		for _, says := range [][]string{
			{`Hm.|"H"`, "c2ln", "Let m", "e see.", "call_1", "get", "city",
				"call|tool_use|requires_action|STOP", "18|14|11", "7"},
			{"Hal", "f of", "length|max_tokens|incomplete|MAX_TOKENS"},
			{"I ca", "n't.", "refusal|SAFETY|completed"},
		} {
			answer := v.Answer(requestTo(protocol, stream))
			body := string(answer.Body())
			if !stream {
				decode(body) // panics if the body is not JSON
			}
			if answer.Status != 200 || (answer.Type == "text/event-stream") != stream {
				t.Fatalf("status %d, %s: %s", answer.Status, answer.Type, body)
			}
			for _, words := range says {
				said := func(word string) bool { return strings.Contains(body, word) }
				if !slices.ContainsFunc(strings.Split(words, "|"), said) {
					t.Errorf("%q is not in %s", words, body)
				}
			}
		}
		asked, refused := v.Asked(), v.Refused()
		if len(asked) != 3 || asked[0].Streamed != stream || len(refused) > 0 || len(queue) > 0 {
			t.Errorf("asked %v, refused %v, left %v", asked, refused, queue)
		}
	})
}

func TestSearches(t *testing.T) {
	each(t, func(t *testing.T, protocol string, stream bool) {
		turn := &Turn{Text: "It is.", Search: &Search{
			Query: "weather", Title: "A page", URL: "https://a.example/",
		}}
		v := New(protocol, Options{}, (&Queue{turn}).Next)
		body := string(v.Answer(requestTo(protocol, stream)).Body())
		found := strings.Contains(body, "weather") && strings.Contains(body, "https://a.example/")
		if found != (protocol != "chat") {
			t.Error(body)
		}
	})
}

// A double rejects a turn that does not fit the request, and a request without a turn.
func TestTurnsThatDoNotFit(t *testing.T) {
	each(t, func(t *testing.T, protocol string, stream bool) {
		queue := Queue{{Calls: []Call{{ID: "call_1", Name: "put", Input: fields()}}}}
		v := New(protocol, Options{}, queue.Next)
		for _, says := range []string{
			"put is called and not offered: get", "one request more than there are turns",
		} {
			answer := v.Answer(requestTo(protocol, stream))
			refused := v.Refused()
			last := refused[len(refused)-1]
			body := string(answer.Body())
			if answer.Status != 400 || !strings.Contains(last, says) || !strings.Contains(body, last) {
				t.Errorf("status %d: %s", answer.Status, answer.Body())
			}
		}
	})
}

func TestCalls(t *testing.T) {
	tools := offers{
		"look": "function", "ns__echo": "function", "ns_put_7f": "function", "srv/now": "function",
		"patch": "custom",
	}
	for _, c := range []struct{ call, want Call }{
		{Call{Name: "look", Input: 1}, Call{Name: "look", Kind: "function", Input: 1}},
		{Call{Name: "now", Namespace: "srv"}, Call{Name: "now", Namespace: "srv", Kind: "function"}},
		{Call{Name: "echo", Namespace: "ns"}, Call{Name: "ns__echo", Kind: "function"}},
		{Call{Name: "echo", Namespace: "ns__"}, Call{Name: "ns__echo", Kind: "function"}},
		{Call{Name: "put", Namespace: "ns"}, Call{Name: "ns_put_7f", Kind: "function"}},
		{Call{Name: "patch", Kind: "custom", Input: "x"}, Call{Name: "patch", Kind: "custom", Input: "x"}},
		{Call{Name: "look", Kind: "custom", Input: "x"},
			Call{Name: "look", Kind: "function", Input: fields("input", "x")}},
		{Call{Name: "look", Kind: "shell", Input: "x"},
			Call{Name: "look", Kind: "function", Input: fields("command", "x")}},
	} {
		if got := tools.form(c.call); encode(got) != encode(c.want) {
			t.Errorf("%s becomes %s, not %s", encode(c.call), encode(got), encode(c.want))
		}
	}
}

func TestServeHTTP(t *testing.T) {
	queue := Queue{{Text: "Hello"}, {Answer: Plain(429, fields("error", "slow down"))}}
	server := httptest.NewServer(New("chat", Options{}, queue.Next))
	defer server.Close()
	for _, want := range []int{200, 429, 400} {
		body := strings.NewReader(requests["chat"].body)
		response, err := http.Post(server.URL+"/v1/chat/completions", "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("status %d, not %d", response.StatusCode, want)
		}
	}
}

// An API that stores answers accepts references to stored items.
func TestStoredItems(t *testing.T) {
	queue := Queue{{Text: "Hello"}, {Text: "Again"}, {}}
	v := New("responses", Options{Stores: true}, queue.Next)
	ask := func(id string) *Answer {
		input := `[{"role":"user","content":"hi"},{"type":"item_reference","id":"` + id + `"},
			{"role":"user","content":"And?"}]`
		return v.Answer(&Request{Body: []byte(`{"model":"m","input":` + input + `}`)})
	}
	v.Answer(&Request{Body: []byte(`{"model":"m","input":"hi"}`)})
	if answer := ask("msg_e2e_1"); answer.Status != 200 {
		t.Errorf("%s", answer.Body())
	}
	body := string(ask("msg_e2e_2").Body())
	if !strings.Contains(body, "Item with id 'msg_e2e_2' not found") {
		t.Error(body)
	}
}
