package chat

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

const model = ir.Escaped("m")

// streamed returns the client's stream for events, without the fixed part of each chunk.
func streamed(r *ir.Request, events []ir.Event) string {
	s := strings.ReplaceAll(irtest.Encode(Client{}.NewEncoder(r, model), events...),
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":5,"model":"m","choices":[`, "~[")
	return strings.ReplaceAll(s, "\n\n", "\n")
}

func folded(t *testing.T, r *ir.Request, events []ir.Event) string {
	f := Client{}.NewPlainEncoder(r, model, []byte("before"))
	irtest.Send(f, events...)
	body, err := f.Body()
	require.Nil(t, err)
	body = []byte(strings.TrimPrefix(string(body), "before"))
	require.True(t, json.Valid(body), string(body))
	return strings.TrimSuffix(strings.TrimPrefix(string(body),
		`{"id":"chatcmpl-1","object":"chat.completion","created":5,"model":"m","choices":[`), "}")
}

func begun(events ...ir.Event) []ir.Event {
	return append([]ir.Event{{Kind: ir.Start, ID: "1", Created: 5, Usage: ir.NoUsage}}, events...)
}

func open(kind ir.BlockKind) ir.Event { return ir.Event{Kind: ir.BlockStart, Block: kind} }

func call(kind ir.BlockKind, id, name ir.Escaped) ir.Event {
	return ir.Event{Kind: ir.BlockStart, Block: kind, CallID: id, Name: name}
}

var said, signed, cited, finish = irtest.TextDelta, irtest.SignatureDelta, irtest.CitationDelta, irtest.Finish

var stop = ir.Event{Kind: ir.BlockStop}

const (
	first = `data: ~[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}` + "\n"
	last  = `data: ~[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\ndata: [DONE]\n"
	zeros = `,"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`
)

// chunk returns a chunk with the members of a delta.
func chunk(delta string) string {
	return `data: ~[{"index":0,"delta":{` + delta + `},"finish_reason":null}]}` + "\n"
}

// TestSignatures: a vendor's signature goes out in the details, whole, and comes back unchanged.
func TestSignatures(t *testing.T) {
	events := begun(
		ir.Event{Kind: ir.BlockStart, Block: ir.ReasoningBlock, ID: "rs_1"}, said(`H\n`), said("m"),
		signed("responses", "c2ln"), stop,
		open(ir.RedactedBlock), signed("anthropic", "aGlk"), stop,
		ir.Event{Kind: ir.BlockStart, Block: ir.ReasoningBlock, ID: "own"}, said("So"), signed("chat",
			"b3du"), stop,
		open(ir.ReasoningBlock), said("unsigned"), stop,
		open(ir.TextBlock), said("Hi"), stop, finish(ir.EndTurn))
	details := []string{
		`{"type":"reasoning.text","text":"H\nm","signature":"el1:responses:t:rs_1:c2ln","index":0}`,
		`{"type":"reasoning.encrypted","data":"el1:anthropic:r::aGlk","index":1}`,
		`{"type":"reasoning.text","text":"So","signature":"b3du","id":"own","index":2}`,
	}
	require.Equal(t, first+chunk(`"reasoning_content":"H\n"`)+chunk(`"reasoning_content":"m"`)+
		chunk(`"reasoning_content":"So"`)+chunk(`"reasoning_content":"unsigned"`)+
		chunk(`"reasoning_details":[`+strings.Join(details, ",")+`]`)+
		chunk(`"content":"Hi"`)+last, streamed(&ir.Request{}, events))
	message := `{"role":"assistant","content":"Hi","refusal":null,"annotations":[],` +
		`"reasoning_content":"H\nmSounsigned","reasoning_details":[` + strings.Join(details, ",") + `]}`
	require.Equal(t, `{"index":0,"message":`+message+`,"logprobs":null,"finish_reason":"stop"}]`+zeros,
		folded(t, &ir.Request{}, events))

	var lost ir.Lost
	r, err := Client{}.DecodeRequest("", `{"model":"m","messages":[`+message+`]}`, &lost)
	require.Nil(t, err)
	require.Empty(t, lost.Paths())
	at := func(i int) ir.Pos { return ir.Pos{Form: "messages[].reasoning_details[]", Index: ir.Index{0, i}} }
	require.Equal(t, []ir.Content{
		{Kind: ir.ReasoningContent, At: at(0), Text: `H\nm`, Origin: "responses", ItemID: "rs_1",
			Signature: "c2ln"},
		{Kind: ir.RedactedContent, At: at(1), Origin: "anthropic", Signature: "aGlk"},
		{Kind: ir.ReasoningContent, At: at(2), Text: "So", Origin: "chat", ItemID: "own",
			Signature: jsonw.Escape("[" + details[2] + "]")},
		{Kind: ir.TextContent, At: ir.Pos{Form: "messages[].content"}, Text: "Hi"},
	}, r.Messages[0].Content)
}

// TestLongReasoning: reasoning too long to be repeated goes out without its signature, and the next
// block is unaffected.
func TestLongReasoning(t *testing.T) {
	half := ir.Escaped(strings.Repeat("x", maxThought/2+1))
	events := begun(open(ir.ReasoningBlock), said(half), said(half), said("y"), signed("anthropic", "c2ln"),
		stop,
		open(ir.ReasoningBlock), said("z"), signed("anthropic", "c2ln"), stop, finish(ir.EndTurn))
	const detail = `"reasoning_details":[{"type":"reasoning.text","text":"z",` +
		`"signature":"el1:anthropic:t::c2ln","index":0}]`
	out := streamed(&ir.Request{}, events)
	require.Contains(t, out, detail)
	require.Equal(t, 1, strings.Count(out, "reasoning_details"))
	body := folded(t, &ir.Request{}, events)
	require.Contains(t, body, detail)
	require.Contains(t, body, "xyz")
}

// TestCitations: places count the characters of all of the content.
func TestCitations(t *testing.T) {
	second := open(ir.TextBlock)
	second.NewMessage = true
	events := begun(
		open(ir.TextBlock), said(`é\n\u00e9\ud83d`), said(`\ude00😀.`), stop, // 6 characters
		open(ir.TextBlock), cited(ir.Citation{URL: "https://a", Title: `A\"`, Start: -1, End: -1}),
		said("abc"), said("def"),
		cited(ir.Citation{URL: "https://b", Quote: "b", Start: 1, End: 3}), cited(ir.Citation{Start: -1,
			End: -1, Raw: `{"type":"file_citation"}`}), stop,
		open(ir.WebSearchBlock), said("query"), cited(ir.Citation{URL: "https://c", Start: -1, End: -1}),
		stop,
		second, said("!"), said("?"), cited(ir.Citation{URL: "https://d", Start: 0, End: 1}), stop,
		finish(ir.EndTurn))
	url := func(start, end int, url, title string) string {
		return `{"type":"url_citation","url_citation":{"start_index":` + strconv.Itoa(start) +
			`,"end_index":` + strconv.Itoa(end) +
			`,"url":"` + url + `","title":"` + title + `"}}`
	}
	one := url(6, 12, "https://a", `A\"`) + "," + url(7, 9, "https://b", "") + `,{"type":"file_citation"}`
	two := url(14, 15, "https://d", "") // after an empty line
	require.Equal(t,
		first+chunk(`"content":"é\n\u00e9\ud83d"`)+chunk(`"content":"\ude00😀."`)+chunk(`"content":"abc"`)+
			chunk(`"content":"def"`)+
			chunk(`"annotations":[`+one+`]`)+chunk(`"content":"\n\n"`)+chunk(`"content":"!"`)+
			chunk(`"content":"?"`)+chunk(`"annotations":[`+two+`]`)+last, streamed(&ir.Request{}, events))
	require.Equal(t,
		`{"index":0,"message":{"role":"assistant","content":"é\n\u00e9\ud83d\ude00😀.abcdef\n\n!?",`+
			`"refusal":null,"annotations":[`+one+","+two+
			`]},"logprobs":null,"finish_reason":"stop"}]`+zeros, folded(t, &ir.Request{}, events))
}

// TestCustomCalls: calls with free text beside function calls. FAULTS 18, 19, 20, 25, 64.
func TestCustomCalls(t *testing.T) {
	events := begun(
		open(ir.TextBlock), said("Go"), stop,
		call(ir.CustomToolCallBlock, "call_a", "patch"), said(`*** \"`), said("x"), stop,
		call(ir.ToolCallBlock, "call_b", "now"), stop,
		call(ir.ToolCallBlock, "call_c", "add"), said(" "), said(`{\"a\":1}`), stop,
		call(ir.CustomToolCallBlock, "call_d", "note"), stop,
		finish(ir.ToolUse))
	require.Equal(t, first+chunk(`"content":"Go"`)+
		chunk(`"tool_calls":[{"index":0,"id":"call_a","type":"custom","custom":{"name":"patch",`+
			`"input":""}}]`)+
		chunk(`"tool_calls":[{"index":0,"custom":{"input":"*** \""}}]`)+
		chunk(`"tool_calls":[{"index":0,"custom":{"input":"x"}}]`)+
		chunk(`"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"now",`+
			`"arguments":""}}]`)+
		chunk(`"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]`)+
		chunk(`"tool_calls":[{"index":2,"id":"call_c","type":"function","function":{"name":"add",`+
			`"arguments":""}}]`)+
		chunk(`"tool_calls":[{"index":2,"function":{"arguments":" "}}]`)+
		chunk(`"tool_calls":[{"index":2,"function":{"arguments":"{\"a\":1}"}}]`)+
		chunk(`"tool_calls":[{"index":3,"id":"call_d","type":"custom","custom":{"name":"note","input":""}}]`)+
		strings.Replace(last, `"stop"`, `"tool_calls"`, 1), streamed(&ir.Request{}, events))
	require.Equal(t,
		`{"index":0,"message":{"role":"assistant","content":"Go","refusal":null,"annotations":[],`+
			`"tool_calls":[`+
			`{"id":"call_a","type":"custom","custom":{"name":"patch","input":"*** \"x"}},`+
			`{"id":"call_b","type":"function","function":{"name":"now","arguments":"{}"}},`+
			`{"id":"call_c","type":"function","function":{"name":"add","arguments":" {\"a\":1}"}},`+
			`{"id":"call_d","type":"custom","custom":{"name":"note","input":""}}]},"logprobs":null,`+
			`"finish_reason":"tool_calls"}]`+zeros,
		folded(t, &ir.Request{}, events))
}

// TestLegacyCalls: the older form has room for one call, without an id.
func TestLegacyCalls(t *testing.T) {
	events := begun(
		call(ir.ToolCallBlock, "call_a", "add"), said(`{\"a\":`), said(`1}`), stop,
		call(ir.ToolCallBlock, "call_b", "now"), said("{}"), stop,
		call(ir.CustomToolCallBlock, "call_c", "x"), said("y"), stop,
		finish(ir.ToolUse))
	r := &ir.Request{Legacy: true}
	require.Equal(t, first+chunk(`"function_call":{"name":"add","arguments":""}`)+
		chunk(`"function_call":{"arguments":"{\"a\":"}`)+
		chunk(`"function_call":{"arguments":"1}"}`)+strings.Replace(last, `"stop"`, `"function_call"`, 1),
		streamed(r, events))
	require.Equal(t,
		`{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[],`+
			`"function_call":{"name":"add","arguments":"{\"a\":1}"}},`+
			`"logprobs":null,"finish_reason":"function_call"}]`+zeros, folded(t, r, events))

	empty := begun(call(ir.ToolCallBlock, "call_a", "now"), stop, finish(ir.ToolUse))
	require.Equal(t, first+chunk(`"function_call":{"name":"now","arguments":""}`)+
		chunk(`"function_call":{"arguments":"{}"}`)+
		strings.Replace(last, `"stop"`, `"function_call"`, 1), streamed(r, empty))
}

// TestRefusal: the model's own refusal has words and ends the turn; a filter's refusal has none.
// FAULTS 33.
func TestRefusal(t *testing.T) {
	events := begun(open(ir.RefusalBlock), said("I "), said("won't."), stop, finish(ir.Refusal))
	require.Equal(t, first+chunk(`"refusal":"I "`)+chunk(`"refusal":"won't."`)+last, streamed(&ir.Request{},
		events))
	require.Equal(t,
		`{"index":0,"message":{"role":"assistant","content":null,"refusal":"I won't.","annotations":[]},`+
			`"logprobs":null,"finish_reason":"stop"}]`+zeros,
		folded(t, &ir.Request{}, events))
	require.Equal(t, first+strings.Replace(last, `"stop"`, `"content_filter"`, 1), streamed(&ir.Request{},
		begun(finish(ir.Refusal))))
}

// TestFailures: only an error is sent, before the first chunk or inside a call, and no body. FAULTS
// 39, 40.
func TestFailures(t *testing.T) {
	failure := ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.RateLimit, Message: "slow down"}}
	const said429 = `data: {"error":{"message":"slow down","type":"rate_limit_error","param":null,` +
		`"code":"rate_limit_exceeded"}}` + "\n"
	require.Equal(t, said429, streamed(&ir.Request{}, []ir.Event{failure}))
	require.Equal(t,
		first+chunk(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f",`+
			`"arguments":""}}]`)+said429,
		streamed(&ir.Request{}, begun(call(ir.ToolCallBlock, "a", "f"), failure)))
	f := Client{}.NewPlainEncoder(&ir.Request{}, model, []byte("before"))
	for _, ev := range begun(open(ir.TextBlock), failure) {
		f.Event(&ev)
	}
	body, err := f.Body()
	require.Equal(t, "before", string(body))
	require.Equal(t, failure.Err, err)
}

// TestUsage: if the client asks for usage, a separate chunk has it, and all other chunks say null.
// FAULTS 23, 91, 92.
func TestUsage(t *testing.T) {
	all := ir.Event{Kind: ir.Finish, Stop: ir.MaxTokens, Usage: ir.Usage{Input: 1, CacheRead: 20,
		CacheWrite: 300, Output: 4000, Reasoning: 50}}
	const usage = `"usage":{"prompt_tokens":321,"completion_tokens":4000,"total_tokens":4321,` +
		`"prompt_tokens_details":{"cached_tokens":20,"cache_write_tokens":300},` +
		`"completion_tokens_details":{"reasoning_tokens":50}}`
	asked := &ir.Request{StreamUsage: true}
	require.Equal(t,
		`data: ~[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}],"usage":null}
data: ~[{"index":0,"delta":{},"finish_reason":"length"}],"usage":null}
data: ~[],`+usage+`}
data: [DONE]
`, streamed(asked, begun(all)))
	require.NotContains(t, streamed(&ir.Request{}, begun(all)), "usage")
	require.NotContains(t, streamed(asked, begun(finish(ir.EndTurn))), "prompt_tokens",
		"an upstream that did not say")
	require.Contains(t, folded(t, &ir.Request{}, begun(all)), usage)
	some := ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Usage: ir.Usage{Input: 7, CacheRead: 0,
		CacheWrite: -1, Output: 1, Reasoning: -1}}
	require.Contains(t, folded(t, &ir.Request{}, begun(some)),
		`"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8,`+
			`"prompt_tokens_details":{"cached_tokens":0}}`)
}

// TestAnswerHead: all chunks have the same id, and a time even if the upstream gave none. FAULTS
// 21.
func TestAnswerHead(t *testing.T) {
	for id, want := range map[ir.Escaped]string{"": "chatcmpl-unnamed", "msg_1": "chatcmpl-msg_1",
		"chatcmpl-1": "chatcmpl-1"} {
		e := Client{}.NewEncoder(&ir.Request{Received: 9}, `m\"`)
		out := e.AppendEvent(nil, &ir.Event{Kind: ir.Start, ID: id})
		require.Equal(t,
			`data: {"id":"`+want+
				`","object":"chat.completion.chunk","created":9,"model":"m\"","choices":[{"index":0,`+
				`"delta":{"role":"assistant","content":null},"finish_reason":null}]}`+"\n\n", string(out))
	}
	require.Equal(t, ir.Escaped("chatcmpl-chatcmpl-"), ir.AnswerID("chatcmpl-", "chatcmpl-"))
	require.Regexp(t, `^chatcmpl-a_b_[0-9a-f]{16}$`, string(ir.AnswerID("chatcmpl-", "a:b")))
}

func TestFinishReasons(t *testing.T) {
	for s, want := range map[ir.StopReason]string{ir.EndTurn: "stop", ir.StopSequence: "stop",
		ir.PauseTurn: "stop", ir.MaxTokens: "length",
		ir.ContextWindow: "length", ir.Refusal: "content_filter"} {
		require.Equal(t, want, (&messageWriter{request: &ir.Request{}}).finishReason(&ir.Event{Stop: s}))
	}
	for s, want := range map[ir.StopReason]string{ir.EndTurn: "tool_calls", ir.ToolUse: "tool_calls",
		ir.StopSequence: "tool_calls", ir.MaxTokens: "length"} {
		require.Equal(t, want, (&messageWriter{request: &ir.Request{},
			calls: 1}).finishReason(&ir.Event{Stop: s}))
	}
	require.Equal(t, "function_call", (&messageWriter{request: &ir.Request{Legacy: true},
		calls: 1}).finishReason(&ir.Event{Stop: ir.ToolUse}))
}

func TestConstantEvents(t *testing.T) {
	e := Client{}.NewEncoder(&ir.Request{}, model)
	require.Equal(t, ": keep-alive\n", e.KeepAlive(), "no blank line: FAULTS 44")
	trap := strings.TrimSuffix(strings.TrimPrefix(e.Trap(), "data: "), "\n\n")
	require.Equal(t, string(Client{}.AppendError(nil, &ir.Error{Kind: ir.Internal,
		Message: "The translator failed."})), trap)
}

// TestDeltasAllocateNothing holds the encoder to no allocation per delta, whatever the encoder
// stores.
func TestDeltasAllocateNothing(t *testing.T) {
	for kind, block := range map[string]ir.Event{
		"text": open(ir.TextBlock), "reasoning": open(ir.ReasoningBlock), "refusal": open(ir.RefusalBlock),
		"arguments": call(ir.ToolCallBlock, "a", "f"), "input": call(ir.CustomToolCallBlock, "a", "f"),
	} {
		e := Client{}.NewEncoder(&ir.Request{StreamUsage: true}, model)
		dst := make([]byte, 0, 1<<16)
		for _, ev := range begun(block) {
			dst = e.AppendEvent(dst[:0], &ev)
		}
		delta := said(`some words\n and \u00e9`)
		if kind == "reasoning" { // the buffer grows now and then
			for range maxThought/len(delta.Text) - 2000 {
				dst = e.AppendEvent(dst[:0], &delta)
			}
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { dst = e.AppendEvent(dst[:0], &delta) }), kind)
	}
}

// TestPaths has a block or a tool at each possible position.
func TestPaths(t *testing.T) {
	r := decoded(t,
		`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
		{"role":"assistant","reasoning_content":"a","content":"b","refusal":"c","tool_calls":[{"id":"d","function":{"name":"f"}},{"id":"e","function":{"name":"f"}}]},
		{"role":"tool","tool_call_id":"d","content":"a"},{"role":"tool","tool_call_id":"e","content":[{"type":"text","text":"a"}]},
		{"role":"assistant","reasoning":"a","function_call":{"name":"f"}},
		{"role":"assistant","content":"x","reasoning_details":[{"text":""},{"text":"a"}]}],
		"tools":[{"type":"x"},{"type":"function","function":{"name":"f"}}],"functions":[{"name":"g"},{"name":"h"}],"web_search_options":{}}`)
	paths := irtest.Positions(r)
	require.Equal(t, []string{"messages[0].content", "messages[1].content[0]", "messages[1].content[1]",
		"messages[2].reasoning_content", "messages[2].content", "messages[2].refusal",
		"messages[2].tool_calls[0]", "messages[2].tool_calls[1]",
		"messages[3]", "messages[3].content", "messages[4]", "messages[4].content[0]",
		"messages[5].reasoning", "messages[5].function_call",
		"messages[6].reasoning_details[1]", "messages[6].content", "tools[0]", "tools[1]", "functions[0]",
		"functions[1]", "web_search_options"}, paths)
}

// TestLostMembersOfCalls: of a call, clients' copies of the parsed arguments are no loss, and all
// other members are.
func TestLostMembersOfCalls(t *testing.T) {
	lost := &ir.Lost{}
	_, err := Client{}.DecodeRequest("", `{"model":"m","messages":[{"role":"assistant","tool_calls":[`+
		`{"id":"a","function":{"name":"f","arguments":"{}","parsed_arguments":{},"x":1}},`+
		`{"id":"b","type":"custom","custom":{"name":"g","input":"","parsed_arguments":{"a":1}}}]}]}`, lost)
	require.Nil(t, err)
	require.Equal(t, []string{"messages[0].tool_calls[0].function.x",
		"messages[0].tool_calls[1].custom.parsed_arguments"}, lost.Paths())
}

// TestLostMembersOfTools: beside a tool's definition only its own members again are no loss.
func TestLostMembersOfTools(t *testing.T) {
	lost := &ir.Lost{}
	_, err := Client{}.DecodeRequest("", `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[`+
		`{"type":"function","name":"f","strict":true,"function":{"name":"f"},"x":1},`+
		`{"type":"custom","custom":{"name":"g"},"y":1}]}`, lost)
	require.Nil(t, err)
	require.Equal(t, []string{"tools[0].x", "tools[1].y"}, lost.Paths())
}

// decoded reads a body that must be accepted.
func decoded(t *testing.T, body string) *ir.Request {
	require.NoError(t, jsonr.Check(body))
	r, err := Client{}.DecodeRequest("", body, &ir.Lost{})
	require.Nil(t, err)
	return r
}

// TestFieldPaths: if a field has two names, the path has the client's name.
func TestFieldPaths(t *testing.T) {
	const rest = `,"model":"m","messages":[{"role":"user","content":"x"}]}`
	for body, want := range map[string]map[ir.Field]string{
		`{"max_tokens":1,"user":"a","reasoning_effort":"low"`: {ir.FieldMaxTokens: "max_tokens",
			ir.FieldUserID: "user", ir.FieldEffort: "reasoning_effort",
			ir.FieldParallel: "parallel_tool_calls", ir.FieldToolChoice: "tool_choice",
			ir.FieldFormat: "response_format", ir.FieldStop: "stop", ir.FieldReasoningSummary: "reasoning.summary"},
		`{"max_completion_tokens":1,"max_tokens":2,"safety_identifier":"a",` +
			`"user":"b"`: {ir.FieldMaxTokens: "max_completion_tokens", ir.FieldUserID: "safety_identifier"},
		`{"functions":[{"name":"f"}]`: {ir.FieldParallel: "functions", ir.FieldToolChoice: "function_call"},
	} {
		r := decoded(t, body+rest)
		for field, path := range want {
			require.Equal(t, path, r.FieldPath(field), body)
		}
	}
}

// TestHubOfRequest checks the parts of the decoded request that no upstream's body shows.
func TestHubOfRequest(t *testing.T) {
	r := decoded(t,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image\/png;base64,aW1n","detail":"low"}},
		{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,cGRm"}},{"type":"input_audio","input_audio":{"data":"x"}}]}],
		"tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"p","format":{"type":"grammar","grammar":{"syntax":"lark"}}}},
		{"type":"custom","custom":{"name":"q","format":{"type":"text"}}},{"type":"web_search","x":1}],
		"web_search_options":{"search_context_size":"low","user_location":{"type":"approximate","approximate":{"city":"York"}}},
		"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"p"}}]}},
		"stop":["","a"],"prompt_cache_key":"k","metadata":{"a":"b"},"parallel_tool_calls":true,"stream_options":{"include_usage":true}}`)
	content := r.Messages[0].Content
	require.Equal(t, ir.Source{MediaType: "image/png", Data: "aW1n", Detail: "low",
		DetailField: ".image_url.detail"}, content[0].Source)
	require.Equal(t, ir.Source{MediaType: "application/pdf", Data: "cGRm", Title: "a.pdf"}, content[1].Source)
	require.Equal(t, ir.AudioContent, content[2].Kind)
	require.Equal(t, ir.Raw(`{"data":"x"}`), content[2].Raw)
	at := func(n int) ir.Pos { return ir.Pos{Form: "tools[]", Index: ir.Index{n}} }
	require.Equal(t, []ir.Tool{
		{At: at(0), Name: "f"},
		{At: at(1), Kind: ir.CustomTool, Name: "p",
			Grammar: `{"type":"grammar","grammar":{"syntax":"lark"}}`},
		{At: at(2), Kind: ir.CustomTool, Name: "q"},
		{At: at(3), Kind: ir.VendorTool, Type: "web_search", Raw: `{"type":"web_search","x":1}`},
		{At: ir.Pos{Form: "web_search_options"}, Kind: ir.WebSearchTool, Name: "web_search",
			Search: ir.Search{ContextSize: "low", Location: `{"city":"York"}`,
				LocationField: ".user_location.approximate"}},
	}, r.Tools)
	require.Equal(t, ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"f", "p"}}, r.ToolChoice)
	require.Equal(t, []ir.Escaped{"a"}, r.Stop)
	require.Equal(t, ir.True, r.Parallel)
	require.Equal(t, ir.Escaped("k"), r.CacheKey)
	require.Equal(t, ir.Raw(`{"a":"b"}`), r.Metadata)
	require.False(t, r.StreamUsage, "nothing is streamed")
}

// TestRequestIsBounded: lists of too many elements are rejected, since they take more memory than
// the body.
func TestRequestIsBounded(t *testing.T) {
	many := func(element string) string { return strings.Repeat(element+",", ir.MaxItems) + element }
	user := `{"role":"user","content":"x"}`
	for name, body := range map[string]string{
		"messages": `{"model":"m","messages":[` + many(user) + `]}`,
		"parts": `{"model":"m","messages":[{"role":"user","content":[` +
			many(`{"type":"text","text":"x"}`) + `]}]}`,
		"calls": `{"model":"m","messages":[{"role":"assistant","tool_calls":[` +
			many(`{"id":"a","type":"function","function":{"name":"f"}}`) + `]}]}`,
		"details": `{"model":"m","messages":[{"role":"assistant","reasoning_details":[` + many(`{}`) +
			`]}]}`,
		"tools": `{"model":"m","messages":[` + user + `],"tools":[` + many(`{"name":"f"}`) + `]}`,
		"stops": `{"model":"m","messages":[` + user + `],"stop":[` + many(`"x"`) + `]}`,
		"allowed": `{"model":"m","messages":[` + user +
			`],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` +
			many(`{"name":"f"}`) + `]}}}`,
	} {
		_, err := Client{}.DecodeRequest("", body, &ir.Lost{})
		require.NotNil(t, err, name)
		require.Contains(t, err.Message, "the limit is 20000", name)
	}
}

// FuzzDecodeRequest reads any JSON: the body is rejected with a status of 400, or each decoded part
// has a path.
func FuzzDecodeRequest(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"},` +
			`{"type":"image_url","image_url":{"url":"data:a/b;base64,x"}},{"type":"file","file":{}}]}]}`,
		`{"model":"m","messages":[{"role":"assistant","content":"a",` +
			`"reasoning_details":[{"type":"reasoning.text","text":"x","signature":"el1:a:t::b"}],` +
			`"tool_calls":[{"id":"a","type":"custom","custom":{"name":"n","input":"x"}}]},{"role":"tool",` +
			`"tool_call_id":"a"}]}`,
		`{"model":"m","messages":[{"role":"assistant","function_call":{"name":"f","arguments":"{"}},` +
			`{"role":"function","name":"f","content":"x"}],"functions":[{"name":"f"}],` +
			`"function_call":{"name":"f"}}`,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"function":{"name":"f",` +
			`"strict":true}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto",` +
			`"tools":[{"name":"f"}]}},"web_search_options":{"user_location":{"approximate":{}}},` +
			`"response_format":{"type":"json_schema","json_schema":{"schema":{}}},"stop":"x",` +
			`"modalities":[1]}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if jsonr.Check(body) != nil {
			return
		}
		var lost ir.Lost
		r, err := Client{}.DecodeRequest("", body, &lost)
		if err != nil {
			require.Equal(t, 400, err.HTTPStatus())
			require.True(t, json.Valid(Client{}.AppendError(nil, err)))
			return
		}
		for i := range r.Messages {
			for _, c := range r.Messages[i].Content {
				require.NotZero(t, c.Kind)
				require.True(t, strings.HasPrefix(c.At.String(), "messages["))
				if c.Kind == ir.ToolCallContent {
					require.True(t, json.Valid([]byte(c.Input)) && c.Input[0] == '{', c.Input)
				}
			}
		}
		for i := range r.Tools {
			require.NotEmpty(t, r.Tools[i].At.String())
		}
	})
}
