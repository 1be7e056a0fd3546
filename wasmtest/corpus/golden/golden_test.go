package golden_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/wasmtest/corpus/golden"
)

// whole is a Response with all members, as for a client.
var whole = strings.ReplaceAll(`{"id":"resp_1","object":"response","created_at":1,"model":"m",
"output":[{"type":"message"},{"type":"reasoning"}],"status":"completed",
"completed_at":1700000000,"error":null,"incomplete_details":null,"usage":null,
"service_tier":"auto","access_programs":null,"background":false,"previous_response_id":null,
"store":false,"frequency_penalty":0,"instructions":null,"max_output_tokens":null,
"max_tool_calls":null,"metadata":{},"parallel_tool_calls":true,"presence_penalty":0,
"prompt_cache_key":null,"reasoning":{"effort":null,"summary":null},"safety_identifier":null,
"temperature":0.5,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],
"top_logprobs":0,"top_p":1,"truncation":"disabled"}`, "\n", "")

// short is the same Response as in a file, in one line.
var short = strings.ReplaceAll(`{"id":"resp_1","created_at":1,"model":"m",
"output":[{"type":"message"},{"type":"reasoning"}],"status":"completed",
"completed_at":1700000000,"temperature":0.5}`, "\n", "")

func TestTextsOfValues(t *testing.T) {
	for _, c := range []struct{ section, value, text string }{
		{
			"upstream.chat.request.json",
			`{"model":"a\u003cb","messages":[{"role":"user"},{}],"stop":["a","b"],"n":1.0}`,
			`{
  "model": "a\u003cb",
  "messages": [
    {"role":"user"},
    {}
  ],
  "stop": ["a","b"],
  "n": 1.0
}
`,
		},
		{
			"upstream.gemini.request.json",
			`{"tools":[{"functionDeclarations":[{"a":1},{"b":1}],"x":{"tools":[{}]}},{},1]}`,
			`{
  "tools": [
    {"functionDeclarations":[
      {"a":1},
      {"b":1}
    ],"x":{"tools":[{}]}},
    {},
    1
  ]
}
`,
		},
		{"chat.json", `{"error":{"message":"no"}}`, `{"error":{"message":"no"}}` + "\n"},
		{
			"gemini.sse",
			`data: {"candidates":[{"index":0}],"usageMetadata":{},"modelVersion":"m"}` + "\n",
			`data: {"candidates":[{"index":0}],"modelVersion":"m"}` + "\n",
		},
		{"chat.json", `{}`, "{}\n"},
		{"responses.json", `{"error":{"message":"no"}}`, `{"error":{"message":"no"}}` + "\n"},
		{
			"responses.json",
			strings.Replace(whole, `"disabled"}`, `"auto","user":"u"}`, 1),
			`{
  "id": "resp_1",
  "created_at": 1,
  "model": "m",
  "output": [
    {"type":"message"},
    {"type":"reasoning"}
  ],
  "status": "completed",
  "completed_at": 1700000000,
  "temperature": 0.5,
  "truncation": "auto",
  "user": "u"
}
`,
		},
		{"responses.json", whole, `{
  "id": "resp_1",
  "created_at": 1,
  "model": "m",
  "output": [
    {"type":"message"},
    {"type":"reasoning"}
  ],
  "status": "completed",
  "completed_at": 1700000000,
  "temperature": 0.5
}
`},
		{
			"responses.sse",
			"event: a\ndata: {\"n\":0,\"response\":" + whole + "}\n\ndata: {\"delta\":\"{\"}\n\n",
			"event: a\ndata: {\"n\":0,\"response\":" + short + "}\n\ndata: {\"delta\":\"{\"}\n\n",
		},
	} {
		text, err := golden.Text(c.section, []byte(c.value))
		require.NoError(t, err)
		require.Equal(t, c.text, string(text))
		value, err := golden.Value(c.section, text)
		require.NoError(t, err)
		require.Equal(t, c.value, string(value))
	}
	text, err := golden.Text("upstream.chat.lost", []byte("a\nb"))
	require.NoError(t, err)
	require.Equal(t, "a\nb\n", string(text))
}

// TestMembersOfResponse adds and removes a member of a Response without a change of response.go.
func TestMembersOfResponse(t *testing.T) {
	const file = "wasmtest/corpus/golden/response.go"
	elsewhere := func(member string) string {
		return "the member " + member + " of a Response is not where " + file + " lists it"
	}
	for _, c := range []struct{ old, new, want string }{
		{`"store"`, `"new":1,"store"`, elsewhere("new")},
		{`"disabled"}`, `"disabled","new":1}`, elsewhere("new")},
		{`"background":false,`, ``, elsewhere("previous_response_id")},
		{`,"truncation":"disabled"`, ``, "a Response has no truncation, which " + file + " lists"},
	} {
		value := strings.Replace(whole, c.old, c.new, 1)
		_, err := golden.Text("responses.json", []byte(value))
		require.EqualError(t, err, c.want)
		_, err = golden.Text("responses.sse", []byte(`data: {"response":`+value+"}\n\n"))
		require.EqualError(t, err, c.want)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"id":"resp_1",`, ``, "a Response has no id"},
		{`"status"`, `"new":1,"status"`, file + " lists no member new of a Response"},
	} {
		_, err := golden.Value("responses.json", []byte(strings.Replace(short, c.old, c.new, 1)))
		require.EqualError(t, err, c.want)
	}
}

// TestValues reads a file without the plain body of a client, and a file with it.
func TestValues(t *testing.T) {
	const head = `data: {"candidates":[{"content":{"parts":[{"text":"`
	const tail = `"}],"role":"model"},"index":0}],"responseId":"r"}`
	const stream = "-- gemini.sse --\n" + head + "a" + tail + "\n\n" + head + "b" + tail + "\n\n"
	const request = "-- request.chat.json --\n{ }\n-- upstream.chat.request.json --\n{ }\n"
	values, err := golden.Values(txtar.Parse([]byte(stream + request)))
	require.NoError(t, err)
	require.Len(t, values, 3)
	require.Equal(t, head+"ab"+tail, "data: "+string(values["gemini.json"]))
	require.Equal(t, `{}`, string(values["upstream.chat.request.json"]))

	values, err = golden.Values(txtar.Parse([]byte(stream + "-- gemini.json --\n{ \"a\": 1 }\n")))
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(values["gemini.json"]))

	_, err = golden.Values(txtar.Parse([]byte("-- chat.json --\n{\n")))
	require.ErrorContains(t, err, "section chat.json: ")
	_, err = golden.Values(txtar.Parse([]byte("-- chat.sse --\n: nothing\n\n")))
	require.EqualError(t, err, "section chat.sse states no plain body: no events")
}
