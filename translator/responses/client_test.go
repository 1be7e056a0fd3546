package responses

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// asked returns the request of a client that offers tools of all kinds.
func asked(tb testing.TB, more string) *ir.Request {
	r, err := Client{}.DecodeRequest("",
		`{"model":"m","stream":true,"input":"x","tools":[{"type":"function","name":"add"},
		{"type":"custom","name":"apply"},{"type":"namespace","name":"mcp__s","tools":[{"type":"function","name":"echo"},{"type":"custom","name":"run"}]},
		{"type":"tool_search","execution":"client"},{"type":"local_shell"},{"type":"shell"},{"type":"apply_patch"},{"type":"computer"},{"type":"computer_use_preview"}]`+more+`}`, &ir.Lost{})
	require.Nil(tb, err)
	r.Received = 1_700_000_000
	r.Echo = r.Echo[1:] // without the tools, to keep answers short
	return r
}

func start(id ir.Escaped) ir.Event {
	return ir.Event{Kind: ir.Start, ID: id, Created: 7, Usage: ir.NoUsage}
}

func block(kind ir.BlockKind, id, call, name ir.Escaped, deltas ...ir.Event) []ir.Event {
	events := append([]ir.Event{{Kind: ir.BlockStart, Block: kind, ID: id, CallID: call, Name: name}},
		deltas...)
	return append(events, ir.Event{Kind: ir.BlockStop})
}

var (
	says, signature = irtest.TextDelta, irtest.SignatureDelta
	source, finish  = irtest.CitationDelta, irtest.Finish
)

// streamed returns the client's stream for events. It checks the grammar, and that the plain body
// has the same output as the stream.
func streamed(t *testing.T, r *ir.Request, groups ...[]ir.Event) string {
	stream, folder := &irtest.Stream{Encoder: Client{}.NewEncoder(r, "m")}, Client{}.NewPlainEncoder(r, "m",
		[]byte("before"))
	events := slices.Concat(groups...)
	checked := irtest.Check(t, stream)
	irtest.Send(checked, events...)
	checked.RequireEnd()
	irtest.Send(folder, events...)
	out := stream.Out
	body, err := folder.Body()
	if err != nil {
		require.Equal(t, "before", string(body))
		return string(out)
	}
	body = body[len("before"):]
	require.True(t, json.Valid(body), "%s", body)
	end := out[strings.LastIndex(string(out), `"response":`)+len(`"response":`):]
	require.Equal(t, string(body), strings.TrimSuffix(string(end), "}\n\n"))
	for _, line := range strings.Split(string(out), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			require.True(t, json.Valid([]byte(data)), data)
		}
	}
	return string(out)
}

// itemsOf returns the complete items of a stream, and the types of its events.
func itemsOf(stream string) (items, types []string) {
	for _, event := range strings.Split(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		types = append(types, strings.TrimPrefix(name, "response."))
		if name == "response.output_item.done" {
			_, item, _ := strings.Cut(data, `"item":`)
			items = append(items, strings.TrimSuffix(item, "}"))
		}
	}
	return items, types
}

// TestToolTurn checks the bytes of a whole turn: signed reasoning, text, a call in a namespace, and
// a call with free text.
func TestToolTurn(t *testing.T) {
	const tail = `"access_programs":null,"background":false,"previous_response_id":null,"store":false,` +
		`"frequency_penalty":0,"instructions":"Be brief.","max_output_tokens":null,"max_tool_calls":null,` +
		`"metadata":{},"parallel_tool_calls":true,"presence_penalty":0,"prompt_cache_key":null,` +
		`"reasoning":{"effort":"low","summary":null},"safety_identifier":null,"temperature":0.5,` +
		`"text":{"format":{"type":"text"}},"tool_choice":{ "type": "auto" },"tools":[],"top_logprobs":0,` +
		`"top_p":1,"truncation":"disabled"}`
	const lead = `"response":{"id":"resp_a1","object":"response","created_at":7,"model":"m","output":[`
	const items = `{"id":"rs_a1_0","type":"reasoning","summary":[{"type":"summary_text",` +
		`"text":"Let me\n see."}],"encrypted_content":"el1:anthropic:t::c2ln","status":"completed"},` +
		`{"id":"msg_a1_1","type":"message","role":"assistant","content":[{"type":"output_text",` +
		`"text":"I echo.","annotations":[],"logprobs":[]}],"phase":"commentary","status":"completed"},` +
		`{"id":"fc_a1_2","type":"function_call","call_id":"c1","name":"echo","namespace":"mcp__s",` +
		`"arguments":"{\"a\":1}","status":"completed"},` +
		`{"id":"ctc_a1_3","type":"custom_tool_call","call_id":"c2","name":"apply","input":"*** Begin",` +
		`"status":"completed"}`
	want := []string{
		`response.created {` + lead +
			`],"status":"in_progress","completed_at":null,"error":null,"incomplete_details":null,` +
			`"usage":null,"service_tier":"auto",` + tail,
		`response.in_progress {` + lead +
			`],"status":"in_progress","completed_at":null,"error":null,"incomplete_details":null,` +
			`"usage":null,"service_tier":"auto",` + tail,
		`response.output_item.added {"output_index":0,"item":{"id":"rs_a1_0","type":"reasoning",` +
			`"summary":[],"status":"in_progress"}`,
		`response.reasoning_summary_part.added {"output_index":0,"item_id":"rs_a1_0","summary_index":0,` +
			`"part":{"type":"summary_text","text":""}`,
		`response.reasoning_summary_text.delta {"output_index":0,"item_id":"rs_a1_0","summary_index":0,` +
			`"delta":"Let me"`,
		`response.reasoning_summary_text.delta {"output_index":0,"item_id":"rs_a1_0","summary_index":0,` +
			`"delta":"\n see."`,
		`response.reasoning_summary_text.done {"output_index":0,"item_id":"rs_a1_0","summary_index":0,` +
			`"text":"Let me\n see."`,
		`response.reasoning_summary_part.done {"output_index":0,"item_id":"rs_a1_0","summary_index":0,` +
			`"part":{"type":"summary_text","text":"Let me\n see."}`,
		`response.output_item.done {"output_index":0,"item":{"id":"rs_a1_0","type":"reasoning",` +
			`"summary":[{"type":"summary_text","text":"Let me\n see."}],` +
			`"encrypted_content":"el1:anthropic:t::c2ln","status":"completed"}`,
		`response.output_item.added {"output_index":1,"item":{"id":"msg_a1_1","type":"message",` +
			`"role":"assistant","content":[],"status":"in_progress"}`,
		`response.content_part.added {"output_index":1,"item_id":"msg_a1_1","content_index":0,` +
			`"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}`,
		`response.output_text.delta {"output_index":1,"item_id":"msg_a1_1","content_index":0,` +
			`"delta":"I echo.","logprobs":[]`,
		`response.output_text.done {"output_index":1,"item_id":"msg_a1_1","content_index":0,` +
			`"text":"I echo.","logprobs":[]`,
		`response.content_part.done {"output_index":1,"item_id":"msg_a1_1","content_index":0,` +
			`"part":{"type":"output_text","text":"I echo.","annotations":[],"logprobs":[]}`,
		`response.output_item.done {"output_index":1,"item":{"id":"msg_a1_1","type":"message",` +
			`"role":"assistant","content":[{"type":"output_text","text":"I echo.","annotations":[],` +
			`"logprobs":[]}],"phase":"commentary","status":"completed"}`,
		`response.output_item.added {"output_index":2,"item":{"id":"fc_a1_2","type":"function_call",` +
			`"call_id":"c1","name":"echo","namespace":"mcp__s","arguments":"","status":"in_progress"}`,
		`response.function_call_arguments.delta {"output_index":2,"item_id":"fc_a1_2","delta":"{\"a\""`,
		`response.function_call_arguments.delta {"output_index":2,"item_id":"fc_a1_2","delta":":1}"`,
		`response.function_call_arguments.done {"output_index":2,"item_id":"fc_a1_2","arguments":"{\"a\":1}"`,
		`response.output_item.done {"output_index":2,"item":{"id":"fc_a1_2","type":"function_call",` +
			`"call_id":"c1","name":"echo","namespace":"mcp__s","arguments":"{\"a\":1}","status":"completed"}`,
		`response.output_item.added {"output_index":3,"item":{"id":"ctc_a1_3","type":"custom_tool_call",` +
			`"call_id":"c2","name":"apply","input":"","status":"in_progress"}`,
		`response.custom_tool_call_input.delta {"output_index":3,"item_id":"ctc_a1_3","delta":"*** Begin"`,
		`response.custom_tool_call_input.done {"output_index":3,"item_id":"ctc_a1_3","input":"*** Begin"`,
		`response.output_item.done {"output_index":3,"item":{"id":"ctc_a1_3","type":"custom_tool_call",` +
			`"call_id":"c2","name":"apply","input":"*** Begin","status":"completed"}`,
		`response.completed {` + lead + items +
			`],"status":"completed","completed_at":1700000000,"error":null,"incomplete_details":null,` +
			`"usage":{"input_tokens":16,"input_tokens_details":{"cache_write_tokens":1,"cached_tokens":5},` +
			`"output_tokens":3,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":19},` +
			`"service_tier":"default",` + tail,
	}
	r := asked(t, `,"instructions":"Be brief.","temperature":0.5,"reasoning":{"effort":"low"},`+
		`"tool_choice":{`+"\n"+`"type":`+"\r"+`"auto" }`)
	got := streamed(t, r,
		[]ir.Event{start("a1")},
		block(ir.ReasoningBlock, "", "", "", says("Let me"), says(`\n see.`), signature("anthropic", "c2ln")),
		block(ir.TextBlock, "", "", "", says("I echo.")),
		block(ir.ToolCallBlock, "", "c1", "mcp__s__echo", says(`{\"a\"`), says(`:1}`)),
		block(ir.CustomToolCallBlock, "", "c2", "apply", says("*** Begin")),
		[]ir.Event{{Kind: ir.Finish, Stop: ir.ToolUse, Usage: ir.Usage{Input: 10, CacheRead: 5,
			CacheWrite: 1, Output: 3, Reasoning: 2}}})
	var b strings.Builder
	for i, event := range want {
		name, data, _ := strings.Cut(event, " {")
		number, _ := json.Marshal(i)
		b.WriteString("event: " + name + "\ndata: {\"type\":\"" + name + "\",\"sequence_number\":" +
			string(number) + "," + data + "}\n\n")
	}
	require.Equal(t, b.String(), got)
}

// TestItems checks the item of every kind of block, and the types of its events.
func TestItems(t *testing.T) {
	const own = "rs_0123"
	for name, row := range map[string]struct {
		events []ir.Event
		types  string
		item   string
	}{
		"refusal": {block(ir.RefusalBlock, "", "", "", says("No.")),
			"output_item.added content_part.added refusal.delta refusal.done content_part.done " +
				"output_item.done",
			`{"id":"msg_1_0","type":"message","role":"assistant","content":[{"type":"refusal",` +
				`"refusal":"No."}],"phase":"commentary","status":"completed"}`},
		"empty text": {block(ir.TextBlock, "", "", ""),
			"output_item.added content_part.added output_text.done content_part.done output_item.done",
			`{"id":"msg_1_0","type":"message","role":"assistant","content":[{"type":"output_text",` +
				`"text":"","annotations":[],"logprobs":[]}],"phase":"commentary","status":"completed"}`},
		"a call without arguments": {block(ir.ToolCallBlock, "", "c", "add"),
			"output_item.added function_call_arguments.delta function_call_arguments.done output_item.done",
			`{"id":"fc_1_0","type":"function_call","call_id":"c","name":"add","arguments":"{}",` +
				`"status":"completed"}`},
		"a call of no tool": {block(ir.ToolCallBlock, "", "c", "other", says("{}")),
			"output_item.added function_call_arguments.delta function_call_arguments.done output_item.done",
			`{"id":"fc_1_0","type":"function_call","call_id":"c","name":"other","arguments":"{}",` +
				`"status":"completed"}`},
		"free text in a namespace": {block(ir.CustomToolCallBlock, "", "c", "mcp__s__run"),
			"output_item.added custom_tool_call_input.done output_item.done",
			`{"id":"ctc_1_0","type":"custom_tool_call","call_id":"c","name":"run","namespace":"mcp__s",` +
				`"input":"","status":"completed"}`},
		"search for tools": {block(ir.ToolCallBlock, "", "c", "tool_search", says(`{\n \"query\"`),
			says(`:\"\u00e9\"}`)),
			"output_item.added output_item.done",
			`{"id":"tsc_1_0","type":"tool_search_call","execution":"client","call_id":"c",` +
				`"arguments":{  "query":"é"},"status":"completed"}`},
		"local_shell": {block(ir.ToolCallBlock, "", "c", "local_shell",
			says(`{\"type\":\"exec\",\"command\":[\"ls\"],\"timeout_ms\":5,\"working_directory\":\"/\"}`)),
			"output_item.added output_item.done",
			`{"id":"lsh_1_0","type":"local_shell_call","call_id":"c","action":{"type":"exec",` +
				`"command":["ls"],"env":{},"timeout_ms":5,"working_directory":"/"},"status":"completed"}`},
		"local_shell with a string": {block(ir.ToolCallBlock, "", "c", "local_shell",
			says(`{\"command\":\"ls\",\"env\":{\"a\":\"b\"},\"user\":\"u\"}`)),
			"output_item.added output_item.done",
			`{"id":"lsh_1_0","type":"local_shell_call","call_id":"c","action":{"type":"exec",` +
				`"command":["ls"],"env":{"a":"b"},"user":"u"},"status":"completed"}`},
		"shell": {block(ir.ToolCallBlock, "", "c", "shell",
			says(`{\"commands\":[\"ls\"],\"max_output_length\":9}`)),
			"output_item.added output_item.done",
			`{"id":"sh_1_0","type":"shell_call","environment":null,"call_id":"c",` +
				`"action":{"commands":["ls"],"max_output_length":9,"timeout_ms":null},"status":"completed"}`},
		"shell cut off": {block(ir.ToolCallBlock, "", "c", "shell", says(`{\"comm`)),
			"output_item.added output_item.done",
			`{"id":"sh_1_0","type":"shell_call","environment":null,"call_id":"c","action":{"commands":[],` +
				`"max_output_length":null,"timeout_ms":null},"status":"completed"}`},
		"apply_patch": {block(ir.ToolCallBlock, "", "c", "apply_patch",
			says(`{\"type\":\"delete_file\",\"path\":\"a\"}`)),
			"output_item.added output_item.done",
			`{"id":"apc_1_0","type":"apply_patch_call","call_id":"c","operation":{"type":"delete_file",` +
				`"path":"a"},"status":"completed"}`},
		"computer": {block(ir.ToolCallBlock, "", "c", "computer",
			says(`{\"actions\":[{\"type\":\"move\",\"x\":1,\"y\":2},{\"type\":\"wait\"}]}`)),
			"output_item.added output_item.done",
			`{"id":"cu_1_0","type":"computer_call","call_id":"c","actions":[{"type":"move","x":1,"y":2},` +
				`{"type":"wait"}],"pending_safety_checks":[],"status":"completed"}`},
		"computer with one action": {block(ir.ToolCallBlock, "", "c", "computer",
			says(`{\"action\":{\"type\":\"wait\"},\"actions\":[]}`)),
			"output_item.added output_item.done",
			`{"id":"cu_1_0","type":"computer_call","call_id":"c","actions":[{"type":"wait"}],` +
				`"pending_safety_checks":[],"status":"completed"}`},
		"computer without an action": {block(ir.ToolCallBlock, "", "c", "computer",
			says(`{\"action\":\"click\"}`)),
			"output_item.added output_item.done",
			`{"id":"cu_1_0","type":"computer_call","call_id":"c","actions":[{"type":"screenshot"}],` +
				`"pending_safety_checks":[],"status":"completed"}`},
		"computer_use_preview": {block(ir.ToolCallBlock, "", "c", "computer_use_preview",
			says(`{\"action\":{\"type\":\"wait\"}}`)),
			"output_item.added output_item.done",
			`{"id":"cu_1_0","type":"computer_call","call_id":"c","action":{"type":"wait"},` +
				`"pending_safety_checks":[],"status":"completed"}`},
		"search of the web": {block(ir.WebSearchBlock, "", "", "", says("cats "), says("now"),
			source(ir.Citation{URL: "https://a.example", Title: "A", Start: -1, End: -1}),
			source(ir.Citation{Raw: "{}"}), source(ir.Citation{URL: "https://b.example"})),
			"output_item.added web_search_call.in_progress web_search_call.searching " +
				"web_search_call.completed output_item.done",
			`{"id":"ws_1_0","type":"web_search_call","action":{"type":"search","query":"cats now",` +
				`"sources":[{"type":"url","url":"https://a.example"},{"type":"url",` +
				`"url":"https://b.example"}]},"status":"completed"}`},
		"search of the web without hits": {block(ir.WebSearchBlock, "", "", ""),
			"output_item.added web_search_call.in_progress web_search_call.searching " +
				"web_search_call.completed output_item.done",
			`{"id":"ws_1_0","type":"web_search_call","action":{"type":"search","query":""},` +
				`"status":"completed"}`},
		"citations": {block(ir.TextBlock, "", "", "", source(ir.Citation{URL: "https://a.example",
			Title: "A", Start: 1, End: 2}), says(`é\n\ud83d`), source(ir.Citation{URL: "https://b.example",
			Start: -1, End: -1}), says(`\ude00.`), source(ir.Citation{Raw: "{\n\"type\":\"file_path\"}"})),
			"output_item.added content_part.added output_text.delta output_text.delta " +
				"output_text.annotation.added output_text.annotation.added output_text.annotation.added " +
				"output_text.done content_part.done output_item.done",
			`{"id":"msg_1_0","type":"message","role":"assistant","content":[{"type":"output_text",` +
				`"text":"é\n\ud83d\ude00.","annotations":[{"type":"url_citation","start_index":1,` +
				`"end_index":2,"url":"https://a.example","title":"A"},{"type":"url_citation",` +
				`"start_index":0,"end_index":4,"url":"https://b.example","title":""},` +
				`{ "type":"file_path"}],"logprobs":[]}],"phase":"commentary","status":"completed"}`},
		"reasoning without a text": {block(ir.ReasoningBlock, "", "", "", signature("anthropic", "s")),
			"output_item.added output_item.done",
			`{"id":"rs_1_0","type":"reasoning","summary":[],"encrypted_content":"el1:anthropic:t::s",` +
				`"status":"completed"}`},
		"reasoning without a signature": {block(ir.ReasoningBlock, "", "", "", says("a")),
			"output_item.added reasoning_summary_part.added reasoning_summary_text.delta " +
				"reasoning_summary_text.done reasoning_summary_part.done output_item.done",
			`{"id":"rs_1_0","type":"reasoning","summary":[{"type":"summary_text","text":"a"}],` +
				`"encrypted_content":"el1::t::-","status":"completed"}`},
		"hidden reasoning": {block(ir.RedactedBlock, "", "", "", signature("anthropic", "r")),
			"output_item.added output_item.done",
			`{"id":"rs_1_0","type":"reasoning","summary":[],"encrypted_content":"el1:anthropic:r::r",` +
				`"status":"completed"}`},
		"own reasoning": {block(ir.ReasoningBlock, own, "", "", says("a"), signature(Name, "gAAA")),
			"output_item.added reasoning_summary_part.added reasoning_summary_text.delta " +
				"reasoning_summary_text.done reasoning_summary_part.done output_item.done",
			`{"id":"rs_0123","type":"reasoning","summary":[{"type":"summary_text","text":"a"}],` +
				`"encrypted_content":"gAAA","status":"completed"}`},
		"own reasoning with an odd id": {block(ir.ReasoningBlock, "thought_1", "", "", signature(Name,
			"gAAA")),
			"output_item.added output_item.done",
			`{"id":"rs_1_0","type":"reasoning","summary":[],` +
				`"encrypted_content":"el1:responses:t:thought_1:gAAA","status":"completed"}`},
		"an item of the upstream's": {block(ir.ServerToolBlock, "", "", "", ir.Event{Kind: ir.Delta,
			Delta: ir.OpaqueDelta, Raw: "{\"id\":\"m\",\r\n\"type\":\"mcp_call\"}"}),
			"output_item.added output_item.done",
			`{"id":"m",  "type":"mcp_call"}`},
	} {
		t.Run(name, func(t *testing.T) {
			next := block(ir.TextBlock, "", "", "", says("x"))
			next[0].NewMessage = true
			out := streamed(t, asked(t, ""), []ir.Event{start("resp_1")}, row.events, next,
				[]ir.Event{finish(ir.EndTurn)})
			items, types := itemsOf(out)
			require.Equal(t, row.item, items[0])
			require.Contains(t, items[1], `"id":"msg_1_1"`)
			require.Equal(t,
				"created in_progress "+row.types+
					" output_item.added content_part.added output_text.delta output_text.done "+
					"content_part.done output_item.done completed", strings.Join(types, " "))
		})
	}
}

// TestItemThatNeverCame: a block without its delta leaves no trace.
func TestItemThatNeverCame(t *testing.T) {
	out := streamed(t, asked(t, ""), []ir.Event{start("resp_1")}, block(ir.TextBlock, "", "", ""),
		block(ir.ServerToolBlock, "", "", ""), block(ir.TextBlock, "", "", ""),
		[]ir.Event{finish(ir.EndTurn)})
	items, _ := itemsOf(out)
	require.Len(t, items, 2)
	require.Contains(t, items[1], `"id":"msg_1_1"`)
}

// TestEndings: a limit makes an incomplete response (FAULTS 28), a refusal in words a complete one,
// a filter an incomplete one.
func TestEndings(t *testing.T) {
	text, refusal := block(ir.TextBlock, "", "", ""), block(ir.RefusalBlock, "", "", "", says("No."))
	for _, row := range []struct {
		events []ir.Event
		stop   ir.StopReason
		want   string
	}{
		{text, ir.EndTurn,
			`"status":"completed","completed_at":1700000000,"error":null,"incomplete_details":null`},
		{text, ir.StopSequence,
			`"status":"completed","completed_at":1700000000,"error":null,"incomplete_details":null`},
		{text, ir.PauseTurn,
			`"status":"completed","completed_at":1700000000,"error":null,"incomplete_details":null`},
		{text, ir.ToolUse,
			`"status":"completed","completed_at":1700000000,"error":null,"incomplete_details":null`},
		{text, ir.MaxTokens,
			`"status":"incomplete","completed_at":null,"error":null,` +
				`"incomplete_details":{"reason":"max_output_tokens"}`},
		{text, ir.ContextWindow,
			`"status":"incomplete","completed_at":null,"error":null,` +
				`"incomplete_details":{"reason":"max_output_tokens"}`},
		{text, ir.Refusal,
			`"status":"incomplete","completed_at":null,"error":null,` +
				`"incomplete_details":{"reason":"content_filter"}`},
		{refusal, ir.Refusal,
			`"status":"completed","completed_at":1700000000,"error":null,"incomplete_details":null`},
	} {
		out := streamed(t, asked(t, ""), []ir.Event{start("x")}, row.events, []ir.Event{finish(row.stop)})
		_, types := itemsOf(out)
		last := out[strings.LastIndex(out, "data: "):]
		require.Contains(t, last, row.want)
		require.Contains(t, last, `"status":"`+types[len(types)-1]+`"`)
	}
}

// TestCut: the last item of an answer that was cut is incomplete. A call is then only an item of
// the response: it gets no done event, and no arguments that the model did not write.
func TestCut(t *testing.T) {
	for name, row := range map[string]struct {
		events   []ir.Event
		complete string // the item of a complete answer
		cut      string
		done     bool // the stream has a done event even for the cut item
	}{
		"text": {block(ir.TextBlock, "", "", "", says("Hi")),
			`{"id":"msg_a_0","type":"message","role":"assistant","content":[{"type":"output_text",` +
				`"text":"Hi","annotations":[],"logprobs":[]}],"phase":"final_answer","status":"completed"}`,
			`{"id":"msg_a_0","type":"message","role":"assistant","content":[{"type":"output_text",` +
				`"text":"Hi","annotations":[],"logprobs":[]}],"status":"incomplete"}`, true},
		"reasoning": {block(ir.ReasoningBlock, "", "", "", says("Hm")),
			`{"id":"rs_a_0","type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}],` +
				`"encrypted_content":"el1::t::-","status":"completed"}`,
			`{"id":"rs_a_0","type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}],` +
				`"encrypted_content":"el1::t::-","status":"incomplete"}`, true},
		"a call without arguments": {block(ir.ToolCallBlock, "", "c", "add"),
			`{"id":"fc_a_0","type":"function_call","call_id":"c","name":"add","arguments":"{}",` +
				`"status":"completed"}`,
			`{"id":"fc_a_0","type":"function_call","call_id":"c","name":"add","arguments":"",` +
				`"status":"incomplete"}`, false},
		"free text": {block(ir.CustomToolCallBlock, "", "c", "apply", says("*** Beg")),
			`{"id":"ctc_a_0","type":"custom_tool_call","call_id":"c","name":"apply","input":"*** Beg",` +
				`"status":"completed"}`,
			`{"id":"ctc_a_0","type":"custom_tool_call","call_id":"c","name":"apply","input":"*** Beg",` +
				`"status":"incomplete"}`, false},
		"apply_patch": {block(ir.ToolCallBlock, "", "c", "apply_patch", says("{}")),
			`{"id":"apc_a_0","type":"apply_patch_call","call_id":"c","operation":{},"status":"completed"}`,
			`{"id":"apc_a_0","type":"apply_patch_call","call_id":"c","operation":{},"status":"in_progress"}`,
			false},
		"search": {block(ir.WebSearchBlock, "", "", "", says("q")),
			`{"id":"ws_a_0","type":"web_search_call","action":{"type":"search","query":"q"},` +
				`"status":"completed"}`,
			`{"id":"ws_a_0","type":"web_search_call","action":{"type":"search","query":"q"},` +
				`"status":"completed"}`, true},
	} {
		failure := ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable, Message: "gone"}}
		for _, end := range []ir.Event{finish(ir.EndTurn), finish(ir.MaxTokens), finish(ir.ContextWindow),
			finish(ir.Refusal), failure} {
			out := streamed(t, asked(t, ""), []ir.Event{start("a")}, row.events, []ir.Event{end})
			items, _ := itemsOf(out)
			want, done := row.complete, true
			if end.Stop != ir.EndTurn {
				want, done = row.cut, row.done
			}
			require.Contains(t, out[strings.LastIndex(out, "data: "):], `"output":[`+want+`],`, name)
			if done {
				require.Equal(t, []string{want}, items, name)
			} else {
				require.Empty(t, items, name)
				require.NotContains(t, out, ".done", name)
			}
		}
		inside := append(row.events[:len(row.events)-1:len(row.events)-1], failure)
		out := streamed(t, asked(t, ""), []ir.Event{start("a")}, inside)
		require.NotContains(t, out, `"status":"completed"`, name)
	}
}

// TestFailureInPlaceOfTheEnd: if a caller could not store the answer, a failure replaces the
// answer's end, including the events that end the last item.
func TestFailureInPlaceOfTheEnd(t *testing.T) {
	r := asked(t, "")
	r.AnswerCopy = &ir.AnswerCopy{ID: "resp_k", Hide: true}
	e := Client{}.NewEncoder(r, "m")
	var before []byte
	events := append([]ir.Event{start("a")}, block(ir.ReasoningBlock, "", "", "", says("Hm"),
		signature("anthropic", "s"))...)
	for _, ev := range events {
		before = e.AppendEvent(before, &ev)
	}
	end := finish(ir.EndTurn)
	whole := string(e.AppendEvent(nil, &end))
	out := string(e.AppendEvent(nil, &ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable,
		Message: "gone"}}))
	items, types := itemsOf(out)
	_, ended := itemsOf(whole)
	require.Equal(t, append(ended[:len(ended)-1:len(ended)-1], "error", "failed"), types)
	require.Equal(t,
		[]string{`{"id":"rs_k_0","type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}],` +
			`"status":"incomplete"}`}, items)
	for i, n := 0, strings.Count(string(before), "sequence_number"); i < len(types); i++ {
		require.Contains(t, out, `"sequence_number":`+strconv.Itoa(n+i)+`,`)
	}
}

// TestRequiredAction: a stream that waits for outputs ends with an event that has both the calls
// and the response, and is valid JSON.
func TestRequiredAction(t *testing.T) {
	r := asked(t, "")
	r.AnswerCopy = &ir.AnswerCopy{ID: "resp_k", Action: true}
	e := Client{}.NewEncoder(r, "m")
	var out []byte
	for _, ev := range append([]ir.Event{start("a")}, append(block(ir.ToolCallBlock, "", "c", "add",
		says("{}")), finish(ir.ToolUse))...) {
		out = e.AppendEvent(out, &ev)
	}
	_, types := itemsOf(string(out))
	require.Equal(t, []string{"required_action", "completed"}, types[len(types)-2:])
	_, last, _ := strings.Cut(string(out), "event: response.required_action\ndata: ")
	last, _, _ = strings.Cut(last, "\n")
	require.True(t, json.Valid([]byte(last)), last)
	require.Contains(t, last, `},"required_action":{"type":"submit_tool_outputs"`)
}

// TestPhase: the last message is the final answer, and a message followed by more output is
// commentary, unless the upstream has set a phase.
func TestPhase(t *testing.T) {
	text := func(newMessage bool, begun, stopped ir.Phase) []ir.Event {
		list := block(ir.TextBlock, "", "", "", says("x"))
		list[0].NewMessage, list[0].Phase, list[len(list)-1].Phase = newMessage, begun, stopped
		return list
	}
	call, hm := block(ir.ToolCallBlock, "", "c", "add"), block(ir.ReasoningBlock, "", "", "", says("Hm"))
	plain := text(false, 0, 0)
	for _, row := range []struct {
		events [][]ir.Event
		stop   ir.StopReason
		want   string // for each item of type message: the number of parts, and the phase
	}{
		{[][]ir.Event{plain}, ir.EndTurn, `1 final_answer`},
		{[][]ir.Event{plain}, ir.StopSequence, `1 final_answer`},
		{[][]ir.Event{plain}, ir.PauseTurn, `1 commentary`},
		{[][]ir.Event{plain}, ir.MaxTokens, `1 `},
		{[][]ir.Event{plain, call}, ir.ToolUse, `1 commentary`},
		{[][]ir.Event{call, plain}, ir.ToolUse, `1 commentary`},
		{[][]ir.Event{plain, hm, plain}, ir.EndTurn, `1 commentary, 1 final_answer`},
		{[][]ir.Event{plain, plain, plain}, ir.EndTurn, `3 final_answer`},
		{[][]ir.Event{plain, text(true, 0, 0), plain}, ir.EndTurn, `1 commentary, 2 final_answer`},
		{[][]ir.Event{text(true, ir.FinalAnswer, 0), call}, ir.ToolUse, `1 final_answer`},
		{[][]ir.Event{text(true, 0, ir.Commentary)}, ir.EndTurn, `1 commentary`},
		{[][]ir.Event{text(true, ir.Commentary, 0)}, ir.MaxTokens, `1 commentary`},
	} {
		out := streamed(t, asked(t, ""), append(append([][]ir.Event{{start("a")}}, row.events...),
			[]ir.Event{finish(row.stop)})...)
		items, _ := itemsOf(out)
		var got []string
		for _, item := range items {
			var m struct {
				Type    string
				Phase   string
				Content []any
			}
			require.NoError(t, json.Unmarshal([]byte(item), &m))
			if m.Type == "message" {
				got = append(got, strconv.Itoa(len(m.Content))+" "+m.Phase)
			}
		}
		require.Equal(t, row.want, strings.Join(got, ", "))
	}
	out := streamed(t, asked(t, ""), []ir.Event{start("a")}, text(true, ir.Commentary, 0),
		[]ir.Event{finish(ir.EndTurn)})
	require.Contains(t, out, `"content":[],"phase":"commentary","status":"in_progress"`,
		"what is known at the start is said at the start")
}

// TestFailure: SDKs throw at the error event; Codex reads the failed response, which has the same
// id (FAULTS 27, 34, 39, 40).
func TestFailure(t *testing.T) {
	failed := func(before [][]ir.Event, e *ir.Error) string {
		return streamed(t, asked(t, ""), append(before, []ir.Event{{Kind: ir.Failure, Err: e}})...)
	}
	out := failed([][]ir.Event{{start("a")}, block(ir.TextBlock, "", "", "", says("x")), block(ir.TextBlock,
		"", "", "", says("y"))[:2]},
		&ir.Error{Kind: ir.RateLimit, Message: `Please "try again" in 1.2s.`, Path: "p"})
	require.Contains(t, out,
		`data: {"type":"error","sequence_number":12,"code":"rate_limit_exceeded",`+
			`"message":"p: Please \"try again\" in 1.2s.","param":"p","error":{"message":"p: Please \"try `+
			`again\" in 1.2s.","type":"rate_limit_error","param":"p","code":"rate_limit_exceeded"}}`)
	last := out[strings.LastIndex(out, "data: "):]
	require.Contains(t, last,
		`data: {"type":"response.failed","sequence_number":13,"response":{"id":"resp_a",`+
			`"object":"response","created_at":7,"model":"m","output":[{"id":"msg_a_0",`)
	require.Contains(t, last,
		`"status":"incomplete"}],"status":"failed","completed_at":null,`+
			`"error":{"code":"rate_limit_exceeded","message":"p: Please \"try again\" in 1.2s."},`)

	out = failed(nil, &ir.Error{Kind: ir.Unavailable, Message: "gone"})
	_, types := itemsOf(out)
	require.Equal(t, []string{"created", "in_progress", "error", "failed"}, types)
	require.Len(t, regexp.MustCompile(`"id":"resp_1700000000","object":"response",`+
		`"created_at":1700000000`).FindAllString(out, -1), 3)
	require.Contains(t, out,
		`"code":null,"message":"gone","param":null,"error":{"message":"gone","type":"server_error",`+
			`"param":null,"code":null}}`)

	for kind, code := range map[ir.ErrorKind]string{
		ir.ContextOverflow: "context_length_exceeded", ir.Quota: "insufficient_quota",
		ir.Overloaded:     "server_is_overloaded",
		ir.InvalidRequest: "invalid_prompt", ir.Authentication: "invalid_prompt",
		ir.TooLarge: "invalid_prompt",
		ir.Internal: "server_error", ir.Timeout: "server_error", ir.Unavailable: "server_error",
	} {
		require.Contains(t, failed(nil, &ir.Error{Kind: kind, Message: "x", Code: "other"}),
			`"error":{"code":"`+code+`"`)
	}
}

// TestConstantEvents: the trap may be sent at any time, and the keep-alive must not end an event
// (FAULTS 44).
func TestConstantEvents(t *testing.T) {
	e := Client{}.NewEncoder(asked(t, ""), "m")
	require.Equal(t, ": keep-alive\n", e.KeepAlive())
	_, types := itemsOf(e.Trap())
	require.Equal(t, []string{"error", "failed"}, types)
	for _, line := range strings.Split(e.Trap(), "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			require.True(t, json.Valid([]byte(data)), data)
		}
	}
}

// TestIDs: OpenAI's ids stay unchanged, other ids follow from the upstream's, and all are short
// enough to be sent back.
func TestIDs(t *testing.T) {
	long := ir.Escaped(strings.Repeat("x", 500))
	for upstream, want := range map[ir.Escaped][2]string{
		"resp_0123": {"resp_0123", "msg_0123_0"},
		"msg_01":    {"resp_msg_01", "msg_msg_01_0"},
		"a b":       {`resp_a_b_[0-9a-f]{16}`, `msg_a_b_[0-9a-f]{16}_0`},
		long:        {`resp_x+_[0-9a-f]{16}`, `msg_x+_[0-9a-f]{16}_0`},
		"":          {"resp_7", "msg_7_0"},
	} {
		out := streamed(t, asked(t, ""), []ir.Event{start(upstream)}, block(ir.TextBlock, "", "", ""),
			[]ir.Event{finish(ir.EndTurn)})
		require.Regexp(t, `"response":\{"id":"`+want[0]+`"`, out)
		id := regexp.MustCompile(`"item_id":"([^"]*)"`).FindStringSubmatch(out)[1]
		require.Regexp(t, "^"+want[1]+"$", id)
		require.LessOrEqual(t, len(id), 64)
	}
}

// TestEchoIsBounded: a stream repeats the echo three times.
func TestEchoIsBounded(t *testing.T) {
	r := asked(t, `,"instructions":"`+strings.Repeat("x", maxEcho)+`"`)
	out := streamed(t, r, []ir.Event{start("a"), finish(ir.EndTurn)})
	require.Contains(t, out, `"instructions":null`)
	require.Less(t, len(out), 4096)
}

// TestDeltaOfAnswerAllocatesNothing: a delta of any kind only allocates for the growth of one
// buffer.
func TestDeltaOfAnswerAllocatesNothing(t *testing.T) {
	for name, kind := range map[string]ir.BlockKind{"text": ir.TextBlock, "reasoning": ir.ReasoningBlock,
		"arguments": ir.ToolCallBlock, "input": ir.CustomToolCallBlock} {
		e := Client{}.NewEncoder(asked(t, ""), "m")
		begin, dst := start("a"), make([]byte, 0, 1<<16)
		e.AppendEvent(dst, &begin)
		e.AppendEvent(dst, &ir.Event{Kind: ir.BlockStart, Block: kind, CallID: "c", Name: "add"})
		delta := says(`some \"words\"`)
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			if out := e.AppendEvent(dst, &delta); len(out) == 0 {
				panic("no delta")
			}
		}), name)
	}
}

// TestItemsAreBounded: each item takes memory beyond its size in the body.
func TestItemsAreBounded(t *testing.T) {
	for _, body := range []string{
		`{"model":"m","input":[` + strings.Repeat(`{},`, ir.MaxItems) + `{}]}`,
		`{"model":"m","input":[{"role":"user","content":[` + strings.Repeat(`{},`, ir.MaxItems) + `{}]}]}`,
		`{"model":"m","input":"x","tools":[{"type":"namespace","name":"n","tools":[` + strings.Repeat(`{},`,
			ir.MaxItems) + `{}]}]}`,
		`{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":[` +
			strings.Repeat(`{},`, ir.MaxItems) + `{}]}]}`,
		`{"model":"m","input":"x","tool_choice":{"type":"allowed_tools","mode":"auto","tools":[` +
			strings.Repeat(`{},`, ir.MaxItems) + `{}]}}`,
	} {
		_, err := Client{}.DecodeRequest("", body, &ir.Lost{})
		require.NotNil(t, err)
		require.Contains(t, err.Message, "the limit is 20000")
	}
}

// TestKeep: the stored answer includes the parts hidden from the client, and otherwise equals the
// body.
func TestKeep(t *testing.T) {
	events := [][]ir.Event{{start("a")},
		block(ir.ReasoningBlock, "rs_own", "", "", says("hm"), signature("responses", "gAAA")),
		block(ir.ReasoningBlock, "", "", "", signature("anthropic", "c2ln")),
		block(ir.TextBlock, "", "", "", says("Hi")), {finish(ir.EndTurn)}}
	for _, hide := range []bool{false, true} {
		r := asked(t, "")
		r.AnswerCopy = &ir.AnswerCopy{ID: "resp_k", Hide: hide}
		out := streamed(t, r, events...)
		require.True(t, r.AnswerCopy.Done)
		stored := string(r.AnswerCopy.Head) + string(r.AnswerCopy.Items) + string(r.AnswerCopy.Tail)
		for _, sealed := range []string{`"el1:responses:t:rs_own:gAAA"`, `"el1:anthropic:t::c2ln"`} {
			require.Equal(t, 1, strings.Count(stored, `"encrypted_content":`+sealed))
			if hide {
				require.NotContains(t, out, sealed)
				stored = strings.Replace(stored, `,"encrypted_content":`+sealed, "", 1)
			}
		}
		require.Contains(t, out, `"response":`+stored+"}\n")
	}
}

// TestPaths has a block or a tool at each possible place.
func TestPaths(t *testing.T) {
	const namespace = `{"type":"namespace","name":"n","tools":[{"name":"a"},{"name":"b"}]}`
	r, err := Client{}.DecodeRequest("",
		`{"model":"m","instructions":"a","input":[{"role":"user","content":"a"},
		{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
		{"type":"reasoning","encrypted_content":"x"},{"type":"function_call","call_id":"c","name":"f"},{"type":"function_call","call_id":"d","name":"f"},
		{"type":"function_call_output","call_id":"c","output":"a"},
		{"type":"function_call_output","call_id":"d","output":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
		{"type":"tool_search_call","call_id":"s","arguments":{}},
		{"type":"tool_search_output","call_id":"s","tools":[{"name":"c"},{"type":"namespace","name":"m","tools":[{"name":"a"}]}]}],
		"tools":[{"name":"f"},`+namespace+`]}`, &ir.Lost{})
	require.Nil(t, err)
	paths := irtest.Positions(r)
	require.Equal(t, []string{"instructions", "input[0].content", "input[1].content[0]",
		"input[1].content[1]", "input[2]", "input[3]", "input[4]",
		"input[5]", "input[5].output", "input[6]", "input[6].output[0]", "input[6].output[1]", "input[7]",
		"input[8]", "input[8].output",
		"tools[0]", "tools[1].tools[0]", "tools[1].tools[1]", "input[8].tools[0]",
		"input[8].tools[1].tools[0]"}, paths)

	r, err = Client{}.DecodeRequest("", `{"model":"m","input":"a"}`, &ir.Lost{})
	require.Nil(t, err)
	require.Equal(t, "input", r.Messages[0].Content[0].At.String())
}

// TestNotes: a caller's notes are in the metadata of the last event only, and not in the stored
// answer.
func TestNotes(t *testing.T) {
	for metadata, want := range map[string]string{
		"": `{"x-a":"b"}`, "null": `{"x-a":"b"}`, "{}": `{"x-a":"b"}`,
		`{"a":"1" , "x-a":"mine"}`: `{"a":"1","x-a":"mine","x-a":"b"}`,
	} {
		for _, note := range []string{`,"x-a":"b"`, ""} {
			r := asked(t, "")
			if metadata != "" {
				r.Echo = []ir.Member{{Key: "metadata", Value: ir.Raw(metadata)}}
			}
			r.AnswerCopy = &ir.AnswerCopy{ID: "resp_k", Brief: true, Notes: func(dst []byte) []byte {
				return append(dst,
					note...)
			}}
			e := Client{}.NewEncoder(r, "m")
			begin, end := start("a"), finish(ir.EndTurn)
			require.NotContains(t, string(e.AppendEvent(nil, &begin)), "x-a\":\"b")
			out := string(e.AppendEvent(nil, &end))
			require.Contains(t, out, `"store":false`)
			if note != "" {
				require.Contains(t, out, `"metadata":`+want+`,`)
			}
			require.NotContains(t, string(r.AnswerCopy.Tail), "x-a\":\"b")
			_, last, _ := strings.Cut(out, "data: ")
			require.True(t, json.Valid([]byte(strings.TrimSpace(last))), last)
		}
	}
}
