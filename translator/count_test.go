package translator_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/wasmtest/corpus"
)

func TestAppendCount(t *testing.T) {
	for _, c := range []struct{ client, body, want string }{
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":"Hello"}]}`, `{"input_tokens":5}`},
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":"Hello"}],"tools":[]}`,
			`{"input_tokens":5}`},
		{"anthropic", `{"model":"m","context_management":{"edits":[{"type":"clear_thinking_20251015"}]},` +
			`"messages":[{"role":"user","content":"Hello"}]}`,
			`{"input_tokens":5,"context_management":{"original_input_tokens":5}}`},
		{"anthropic", `{"model":"m","context_management":{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"tool_uses","value":0},"keep":{"type":"tool_uses","value":0}}]},"messages":[{"role":"user","content":"Hello"},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"One two three four five six seven eight nine ten eleven twelve thirteen."}]}]}`,
			`{"input_tokens":29,"context_management":{"original_input_tokens":38}}`},
		{"anthropic", `{"model":"m","context_management":{"edits":[{"type":"compact_20260112"}]},` +
			`"messages":[{"role":"user","content":"Hello, hello, hello, hello, hello"},` +
			`{"role":"assistant","content":[{"type":"compaction","content":"Hello"}]},{"role":"user",` +
			`"content":"Hello"}]}`,
			`{"input_tokens":39,"context_management":{"original_input_tokens":27}}`},
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":"Hello, hello, hello"},` +
			`{"role":"assistant","content":[{"type":"compaction","content":"Hello"}]},{"role":"user",` +
			`"content":"Hello"}]}`, `{"input_tokens":39}`},
		{"responses", `{"model":"m","input":"Hello"}`, `{"object":"response.input_tokens","input_tokens":5}`},
		{"responses", `{"input":"Hello"}`, `{"object":"response.input_tokens","input_tokens":5}`},
		{"responses", `{"instructions":"Hello"}`, `{"object":"response.input_tokens","input_tokens":5}`},
		{"responses", `{}`, `{"object":"response.input_tokens","input_tokens":0}`},
	} {
		got, err := translator.AppendCount([]byte("> "), translator.API(c.client), "", []byte(c.body), nil)
		require.Nil(t, err, c.body)
		require.Equal(t, "> "+c.want, string(got), c.body)
	}
	for _, c := range []struct{ client, body, want string }{
		{"anthropic", `{`, "The request body is not JSON at offset 1."},
		{"anthropic", `{"model":"m"}`, "messages: Field required"},
		{"anthropic", `{"messages":[{"role":"user","content":"Hello"}]}`, "model: Field required"},
		{"anthropic", "{\"model\":\"\xFF\"}", "The request body is not valid UTF-8."},
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":[{"type":"compaction",` +
			`"content":"el1:x"}]}]}`, "messages[0].content[0]: This summary was changed or is incomplete."},
		{"responses", `{"input":1}`, "input: "},
	} {
		_, err := translator.AppendCount(nil, translator.API(c.client), "", []byte(c.body), nil)
		require.NotNil(t, err, c.body)
		require.Contains(t, err.Error(), c.want)
	}
}

// TestCountSeesPolicy: the count is of the request after the endpoint's changes.
func TestCountSeesPolicy(t *testing.T) {
	p := &policy.Policy{Descriptions: policy.Cut{FirstSentence: true}}
	for client, bodies := range map[string][2]string{
		"anthropic": {
			`{"model":"m","messages":[{"role":"user","content":"x"}],` +
				`"context_management":{"edits":[{"type":"clear_thinking_20251015"}]},"tools":[{"name":"f",` +
				`"description":"Reads. Very many words about that.","input_schema":{"type":"object"}}]}`,
			`{"model":"m","messages":[{"role":"user","content":"x"}],` +
				`"context_management":{"edits":[{"type":"clear_thinking_20251015"}]},"tools":[{"name":"f",` +
				`"description":"Reads.","input_schema":{"type":"object"}}]}`,
		},
		"responses": {
			`{"model":"m","input":"x","tools":[{"type":"function","name":"f",` +
				`"parameters":{"description":"Reads. Very many words about that."}}]}`,
			`{"model":"m","input":"x","tools":[{"type":"function","name":"f",` +
				`"parameters":{"description":"Reads."}}]}`,
		},
	} {
		whole, err := translator.AppendCount(nil, translator.API(client), "", []byte(bodies[0]),
			&policy.Policy{})
		require.Nil(t, err)
		cut, err := translator.AppendCount(nil, translator.API(client), "", []byte(bodies[0]), p)
		require.Nil(t, err)
		same, err := translator.AppendCount(nil, translator.API(client), "", []byte(bodies[1]), nil)
		require.Nil(t, err)
		require.Equal(t, string(same), string(cut))
		require.NotEqual(t, string(whole), string(cut))
	}
	_, err := translator.AppendCount(nil, translator.API("anthropic"), "",
		[]byte(`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"name":"f",`+
			`"input_schema":{}},{"name":"g","input_schema":{}}]}`),
		&policy.Policy{Tools: []policy.Tool{{Name: "f", As: "g"}}})
	require.ErrorContains(t, err, "tool_map")
}

// TestEveryRequestCanBeCounted counts the tokens of every request in the corpus.
func TestEveryRequestCanBeCounted(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	counted := 0
	for _, s := range scenarios {
		if translator.API(s.Client).Counter == nil {
			continue
		}
		pair, _ := translator.Lookup(s.Client, "chat")
		if _, refused := pair.Decode(s.Path, s.Request); refused != nil {
			continue
		}
		_, refused := translator.AppendCount(nil, translator.API(s.Client), s.Path, s.Request, nil)
		require.Nil(t, refused, s.Name)
		counted++
	}
	require.Greater(t, counted, 100)
}

// TestStartCounts: message_start has the number of count_tokens, until the upstream reports a
// count. Only the client's stream has the estimate: Usage has only the upstream's counts.
func TestStartCounts(t *testing.T) {
	body := []byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user",` +
		`"content":"Hello"}]}`)
	begin := map[string]string{
		"chat": `data: {"id":"a","choices":[{"index":0,"delta":{"content":"Hi"},` +
			`"finish_reason":"stop"}]}`,
		"responses": `data: {"type":"response.created","response":{"id":"resp_a","status":"in_progress"}}`,
		"anthropic": `data: {"type":"message_start","message":{"id":"a","usage":{"input_tokens":0,` +
			`"output_tokens":0}}}`,
		"own count": `data: {"type":"message_start","message":{"id":"a","usage":{"input_tokens":2,` +
			`"cache_read_input_tokens":7,"output_tokens":0}}}`,
	}
	end := map[string]string{
		"chat": `data: {"id":"a","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":3,` +
			`"total_tokens":23}}`,
		"responses": `data: {"type":"response.completed","response":{"id":"resp_a","status":"completed",` +
			`"output":[],"usage":{"input_tokens":20,"output_tokens":3,"total_tokens":23}}}`,
		"anthropic": `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},` +
			`"usage":{"input_tokens":20,"output_tokens":3}}` + "\n\n" + `data: {"type":"message_stop"}`,
	}
	end["own count"] = end["anthropic"]
	for name, first := range begin {
		upstream, want, counted := name, int64(5), int64(-1)
		switch name {
		case "own count":
			upstream, want, counted = "anthropic", 2, 2
		case "anthropic":
			counted = 0
		}
		pair, _ := translator.Lookup("anthropic", upstream)
		x, err := pair.Decode("", body)
		require.Nil(t, err)
		_, err = x.AppendRequest(nil, &ir.Target{})
		require.Nil(t, err)
		s := x.Stream()
		out, _ := s.Push([]byte(first + "\n\n"))
		start := readFrames(t, out)[0]
		require.EqualValues(t, want, gjson.GetBytes(start, "message.usage.input_tokens").Int(), name)
		require.Equal(t, counted, x.Usage.Input, name)
		out, done := s.Push([]byte(end[name] + "\n\n"))
		require.True(t, done, name)
		frames := readFrames(t, out)
		require.EqualValues(t, 20, gjson.GetBytes(frames[len(frames)-2], "usage.input_tokens").Int(), name)
		require.EqualValues(t, 20, x.Usage.Input, name)
	}
}

// readFrames returns the data of the events of a stream.
func readFrames(t *testing.T, stream []byte) (data [][]byte) {
	for _, line := range bytes.Split(stream, []byte("\n")) {
		if text, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = append(data, text)
		}
	}
	require.NotEmpty(t, data)
	return data
}
