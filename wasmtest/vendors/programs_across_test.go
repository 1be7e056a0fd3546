package vendors

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/corpus/golden"
)

// programTurn is one answer of a vendor with a program, for another vendor's client.
type programTurn struct {
	answer string   // the vendor's plain answer
	sent   []string // parts of the vendor's request with this answer in the history
	absent string   // must not be in the request
}

// codeTurns are answers of Claude, and programTurns the same answers of GPT.
var codeTurns = []programTurn{
	{answer: `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5",
		"container":{"id":"container_1","expires_at":"2026-11-26T14:30:00Z","skills":null},"content":[
		{"type":"text","text":"I look."},
		{"type":"server_tool_use","id":"srvtoolu_01A","name":"code_execution","input":{"code":"await get()"}},
		{"type":"tool_use","id":"toolu_1","name":"get","input":{"city":"A"},
			"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_01A"}},
		{"type":"tool_use","id":"toolu_2","name":"get","input":{"city":"B"},
			"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_01A"}}],
		"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		sent: []string{`"container":"container_1"`,
			`{"id":"srvtoolu_01A","input":{"code":"await get()"},"name":"code_execution",` +
				`"type":"server_tool_use"}`,
			`"caller":{"tool_id":"srvtoolu_01A","type":"code_execution_20260120"},"id":"toolu_2"`}},
	{answer: `{"id":"msg_2","type":"message","role":"assistant","model":"claude-opus-5-5",
		"container":{"id":"container_1","expires_at":"2026-11-26T14:30:00Z","skills":null},"content":[
		{"type":"tool_use","id":"toolu_3","name":"get","input":{"city":"C"},
			"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_01A"}}],
		"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		sent: []string{`"container":"container_1"`,
			`"caller":{"tool_id":"srvtoolu_01A","type":"code_execution_20260120"},"id":"toolu_3"`}},
	{answer: `{"id":"msg_3","type":"message","role":"assistant","model":"claude-opus-5-5",
		"container":{"id":"container_1","expires_at":"2026-11-26T14:30:00Z","skills":null},"content":[
		{"type":"code_execution_tool_result","tool_use_id":"srvtoolu_01A","content":{
			"type":"code_execution_result","stdout":"three\n","stderr":"","return_code":0,"content":[]}},
		{"type":"text","text":"Three."}],
		"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
		sent: []string{`"stdout":"three\n"`, `"return_code":0`}, absent: `"container"`},
}

var programTurns = []programTurn{
	{answer: `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"gpt-5.6",
		"output":[
		{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary",
			"content":[{"type":"output_text","text":"I look.","annotations":[]}]},
		{"type":"program","id":"prog_1","call_id":"call_p","code":"await tools.get({})",
			"fingerprint":"a/b+c:d=_-\"ü"},
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"get","arguments":"{\"city\":\"A\"}",
			"status":"completed","caller":{"type":"program","caller_id":"call_p"}},
		{"type":"function_call","id":"fc_2","call_id":"call_2","name":"get","arguments":"{\"city\":\"B\"}",
			"status":"completed","caller":{"type":"program","caller_id":"call_p"}}],
		"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}`,
		sent: []string{`{"call_id":"call_p","code":"await tools.get({})","fingerprint":"a/b+c:d=_-\"ü",` +
			`"id":"prog_1","type":"program"}`,
			`"call_id":"call_1","caller":{"caller_id":"call_p","type":"program"},"name":"get"`,
			`{"call_id":"call_2","caller":{"caller_id":"call_p","type":"program"},"output":"call_2",` +
				`"type":"function_call_output"}`}},
	{answer: `{"id":"resp_2","object":"response","created_at":1,"status":"completed","model":"gpt-5.6",
		"output":[
		{"type":"function_call","id":"fc_3","call_id":"call_3","name":"get","arguments":"{\"city\":\"C\"}",
			"status":"completed","caller":{"type":"program","caller_id":"call_p"}}],
		"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}`,
		sent: []string{`{"call_id":"call_3","caller":{"caller_id":"call_p","type":"program"},` +
			`"output":"call_3","type":"function_call_output"}`}},
	{answer: `{"id":"resp_3","object":"response","created_at":1,"status":"completed","model":"gpt-5.6",
		"output":[
		{"type":"program_output","id":"prog_out_1","call_id":"call_p","result":"three\n","status":"completed"},
		{"type":"message","id":"msg_3","role":"assistant","status":"completed","phase":"final_answer",
			"content":[{"type":"output_text","text":"Three.","annotations":[]}]}],
		"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}`,
		sent: []string{`"result":"three\n"`, `"status":"completed"`}},
}

// TestProgramsAcross runs a program at one vendor with tools of the other vendor's client, over four
// requests. The doubles of both vendors judge: the translator's request to the vendor, and the client's
// request as for the client's own vendor.
func TestProgramsAcross(t *testing.T) {
	const (
		messages = `{"model":"m","max_tokens":4096,"messages":[{"role":"user","content":"hi"}],
			"tools":[{"type":"code_execution_20260521","name":"code_execution"},
				{"name":"get","input_schema":` + citySchema + `,
					"allowed_callers":["code_execution_20260120"]},
				{"name":"put","input_schema":` + citySchema + `,
					"allowed_callers":["direct","code_execution_20260521"]}]}`
		responses = `{"model":"m","store":false,"input":[{"role":"user","content":"hi"}],
			"tools":[{"type":"programmatic_tool_calling"},{"type":"function","name":"get","strict":false,
				"parameters":` + citySchema + `,"allowed_callers":["programmatic"]},
				{"type":"function","name":"put","strict":false,"parameters":` + citySchema + `,
				"allowed_callers":["programmatic","direct"]}]}`
	)
	claude := &server{"anthropic", claudes, "claude-opus-5-5", Options{}}
	gpt := &server{"responses", openAIs, "gpt-5.6", Options{}}
	for _, one := range []struct {
		request  string
		home, at *server // of the client's API, and where the program runs
		turns    []programTurn
		declared []string
	}{
		{responses, gpt, claude, codeTurns, []string{
			`{"name":"code_execution","type":"code_execution_20260521"}`,
			`"allowed_callers":["code_execution_20260521"]`,
			`"allowed_callers":["direct","code_execution_20260521"]`}},
		{messages, claude, gpt, programTurns, []string{
			`{"type":"programmatic_tool_calling"}`, `"allowed_callers":["programmatic"]`,
			`"allowed_callers":["direct","programmatic"]`}},
	} {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s streams=%t", one.home.protocol, streams), func(t *testing.T) {
				client := one.home.protocol
				var body object
				require.NoError(t, json.Unmarshal([]byte(one.request), &body))
				body["stream"] = streams
				for n := 0; ; n++ {
					sent := one.at.send(t, requestOf(client, body))
					require.NoError(t, sent.judged, "%s", sent.body)
					require.Empty(t, sent.lost)
					said := maps.Clone(body)
					said["model"] = one.home.model
					require.NoError(t, one.home.judge(said, true, own{}), "%s", encode(said))
					seen := encode(decode(string(sent.body)))
					want, absent := one.declared, ""
					if n > 0 {
						want, absent = one.turns[n-1].sent, one.turns[n-1].absent
					}
					for _, part := range want {
						require.Contains(t, seen, part)
					}
					if absent != "" {
						require.NotContains(t, seen, absent)
					}
					if n == len(one.turns) {
						return
					}
					answer, lost := across(t, client, one.at, body, one.turns[n].answer, streams)
					require.Empty(t, lost)
					goOn(client, body, answer)
				}
			})
		}
	}
}

// across returns a vendor's answer as the client of another API reads it, and the losses.
func across(
	t *testing.T, client string, at *server, body object, answer string, streams bool,
) (object, string) {
	t.Helper()
	pair, _ := translator.Lookup(client, at.protocol)
	x, err := pair.Decode(corpus.Path(client, "m", streams), []byte(encode(body)))
	require.NoError(t, err)
	x.Request.Received = corpus.Received
	_, err = x.AppendRequest(nil, pair.Target(at.host, at.model))
	require.NoError(t, err)
	var got []byte
	if streams {
		s := x.Stream()
		for _, b := range []byte(streamed(at.protocol, decode(answer).(object))) {
			out, _ := s.Push([]byte{b})
			got = append(got, out...)
		}
		got = append(got, s.Close(nil)...)
		got, err = golden.Plain(client, got)
	} else {
		plain := x.Plain(nil)
		plain.Take([]byte(answer), false)
		got, err = plain.Body()
	}
	require.NoError(t, err)
	return decode(string(got)).(object), x.LostHeader()
}

// streamed returns a vendor's plain answer as a stream.
func streamed(protocol string, answer object) string {
	var s strings.Builder
	send := func(kind string, pairs ...any) {
		s.WriteString(namedEvent(kind, append(fields("type", kind), fields(pairs...)...)))
	}
	if protocol == "responses" {
		begun := object{"id": answer["id"], "model": answer["model"], "output": []any{}}
		send("response.created", "response", begun)
		for i, item := range objects(answer, "output") {
			send("response.output_item.added", "output_index", i, "item", item)
			send("response.output_item.done", "output_index", i, "item", item)
		}
		send("response.completed", "response", answer)
		return s.String()
	}
	begun := object{"id": answer["id"], "model": answer["model"], "usage": answer["usage"], "content": []any{}}
	send("message_start", "message", begun)
	for i, block := range objects(answer, "content") {
		start := object{}
		for name, member := range block {
			start[name] = member
		}
		if has(block, "input") {
			start["input"] = object{}
		}
		send("content_block_start", "index", i, "content_block", start)
		if has(block, "input") {
			send("content_block_delta", "index", i, "delta",
				fields("type", "input_json_delta", "partial_json", encode(block["input"])))
		}
		send("content_block_stop", "index", i)
	}
	end := fields("stop_reason", answer["stop_reason"], "container", answer["container"])
	send("message_delta", "delta", end, "usage", answer["usage"])
	send("message_stop")
	return s.String()
}

// goOn adds an answer, and the results of all calls or else a question, to the client's next request.
func goOn(client string, body, answer object) {
	if client == "responses" {
		list := body["input"].([]any)
		calls := false
		for _, item := range objects(answer, "output") {
			list = append(list, item)
		}
		for _, call := range ofType(objects(answer, "output"), "function_call") {
			calls = true
			list = append(list, object{"type": "function_call_output", "call_id": call["call_id"],
				"output": call["call_id"], "caller": call["caller"]})
		}
		if !calls {
			list = append(list, object{"role": "user", "content": "And?"})
		}
		body["input"] = list
		return
	}
	content := []any{object{"type": "text", "text": "And?"}}
	if calls := ofType(objects(answer, "content"), "tool_use"); len(calls) > 0 {
		content = nil
		for _, call := range calls {
			content = append(content,
				object{"type": "tool_result", "tool_use_id": call["id"], "content": call["id"]})
		}
	}
	delete(body, "container")
	if get[object](answer, "container") != nil {
		body["container"] = get[object](answer, "container")["id"]
	}
	body["messages"] = append(body["messages"].([]any),
		object{"role": "assistant", "content": answer["content"]}, object{"role": "user", "content": content})
}
