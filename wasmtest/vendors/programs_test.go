package vendors

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/wasmtest/corpus"
)

// tree is a recursive schema.
const tree = `{"type":"object","properties":{"left":{"$ref":"#"}}}`

func programRules() []rules {
	return []rules{{
		name: "code that waits", protocol: "anthropic",
		good: `{"model":"claude-opus-5-5","max_tokens":4096,"container":"container_1","messages":[
			{"role":"user","content":"hi"},
			{"role":"assistant","content":[
				{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"await get()"}},
				{"type":"tool_use","id":"toolu_1","name":"get","input":{},
					"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"one"}]}],
			"tools":[{"type":"code_execution_20260120","name":"code_execution"},
				{"name":"get","input_schema":` + citySchema + `,"allowed_callers":["code_execution_20260120"]}]}`,
		rows: []row{
			{"container", "no container", drop("container"),
				`^messages\[1\]: container_id is required when there are pending`},
			{"program-source", "an unknown program",
				set("messages[1].content[1].caller.tool_id", `"srvtoolu_2"`),
				`^messages\[1\]: source tool srvtoolu_2 not found`},
			{"program-results", "a text beside results", insert("messages[2].content[1]",
				`{"type":"text","text":"Hurry."}`), `^messages\[2\]: only results with text`},
			{"program-results", "an image as a result", set("messages[2].content[0].content",
				`[{"type":"image","source":{"type":"url","url":"https://d.test/a.png"}}]`),
				`only results with text`},
			{"server-results", "a question without the code's result", set("messages[2].content",
				`[{"type":"tool_result","tool_use_id":"toolu_1","content":"one"}]`).and(insert("messages[3]",
				`{"role":"assistant","content":"Wait."}`)).and(insert("messages[4]",
				`{"role":"user","content":"And?"}`)),
				"^messages\\[4\\]: `code_execution` tool use with id `srvtoolu_1` was found without a corresponding"},
			{"program-strict", "a strict tool", set("tools[1].strict", `true`), `^tools\[1\]: strict tools`},
			{"program-schema", "a recursive schema", set("tools[1].input_schema", tree),
				`Circular \$ref detected`},
			{"program-choice", "a choice", set("tool_choice", `{"type":"tool","name":"get"}`),
				`direct calls`},
			{"program-parallel", "one call",
				set("tool_choice", `{"type":"auto","disable_parallel_tool_use":true}`),
				`^tool_choice: disable_parallel_tool_use`},
		},
	}}
}

// TestProgramsGoOn sends a client its own vendor's answer with a call by code, and the client's next
// request back. The request passes through the translator in both turns, as with any option that
// changes requests, and the vendor's double accepts the second turn only with everything that the
// waiting code needs.
func TestProgramsGoOn(t *testing.T) {
	for _, one := range []struct {
		protocol, host, model, body, answer string
		sent                                []string // what the waiting code needs in the second turn
	}{
		{"anthropic", claudes, "claude-opus-5-5", `{"model":"claude-opus-5-5","max_tokens":4096,
			"messages":[{"role":"user","content":"hi"}],
			"tools":[{"type":"code_execution_20260120","name":"code_execution"},
				{"name":"get","input_schema":` + citySchema + `,"allowed_callers":["code_execution_20260120"]}]}`,
			`{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5",
			"container":{"id":"container_1","expires_at":"2026-11-26T14:30:00Z","skills":null},"content":[
			{"type":"server_tool_use","id":"srvtoolu_1","name":"code_execution","input":{"code":"await get()"}},
			{"type":"tool_use","id":"toolu_1","name":"get","input":{},
				"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}}],
			"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
			[]string{`"container":"container_1"`, `"id":"srvtoolu_1"`, `"tool_id":"srvtoolu_1"`}},
		{"responses", openAIs, "gpt-5.5", `{"model":"gpt-5.5","store":false,"input":[{"role":"user","content":"hi"}],
			"tools":[{"type":"programmatic_tool_calling"},{"type":"function","name":"get","strict":false,
				"parameters":` + citySchema + `,"allowed_callers":["programmatic"]}]}`,
			`{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"gpt-5.5","output":[
			{"type":"program","id":"prog_1","call_id":"call_p","code":"text(await tools.get({}))","fingerprint":"f"},
			{"type":"function_call","id":"fc_1","call_id":"call_1","name":"get","arguments":"{}",
				"status":"completed","caller":{"type":"program","caller_id":"call_p"}}],
			"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}`,
			[]string{`"fingerprint":"f"`, `"caller":{"caller_id":"call_p","type":"program"},"output":"one"`}},
	} {
		t.Run(one.protocol, func(t *testing.T) {
			s := &server{one.protocol, one.host, one.model, Options{}}
			var body object
			require.NoError(t, json.Unmarshal([]byte(one.body), &body))
			first := s.send(t, requestOf(one.protocol, body))
			require.NoError(t, first.judged)

			answer := answerOf(t, s, one.body, one.answer)
			if one.protocol == "anthropic" {
				body["container"] = get[object](answer, "container")["id"]
				body["messages"] = append(body["messages"].([]any),
					object{"role": "assistant", "content": answer["content"]},
					object{"role": "user", "content": []any{object{
						"type": "tool_result", "tool_use_id": "toolu_1", "content": "one"}}})
			} else {
				call := objects(answer, "output")[1]
				body["input"] = append(append(body["input"].([]any), answer["output"].([]any)...), object{
					"type": "function_call_output", "call_id": "call_1", "output": "one", "caller": call["caller"]})
			}
			second := s.send(t, requestOf(one.protocol, body))
			require.NoError(t, second.judged, "%s", second.body)
			require.Empty(t, second.lost)
			for _, sent := range one.sent {
				require.Contains(t, string(second.body), sent)
			}
		})
	}
}

// answerOf returns a vendor's plain answer as the translator hands it to the vendor's own client.
func answerOf(t *testing.T, s *server, body, answer string) (o object) {
	t.Helper()
	pair, _ := translator.Lookup(s.protocol, s.protocol)
	x, err := pair.Decode(corpus.Path(s.protocol, s.model, false), []byte(body))
	require.NoError(t, err)
	x.Request.Received = corpus.Received
	_, err = x.AppendRequest(nil, pair.Target(s.host, s.model))
	require.NoError(t, err)
	plain := x.Plain(nil)
	plain.Take([]byte(answer), false)
	got, err := plain.Body()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(got, &o))
	return o
}
