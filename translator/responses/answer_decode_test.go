package responses

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonr"
)

func decoding(t *testing.T, client string, tools ...ir.Tool) (*decoder, *irtest.Recorder, *ir.Lost) {
	l, lost := irtest.Record(t), &ir.Lost{}
	return newDecoder(&ir.Request{API: irtest.API(client), Tools: tools}, &ir.Target{}, lost, l), l, lost
}

// TestPartsAreStreamed: a part ends as soon as it is done, and the next part's deltas are sent
// while the item is open.
func TestPartsAreStreamed(t *testing.T) {
	d, l, _ := decoding(t, "chat")
	d.Event("", `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m",`+
		`"content":[]}}`)
	d.Event("", `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"}`)
	l.Take()
	d.Event("", `{"type":"response.content_part.done","output_index":0,"content_index":0,`+
		`"part":{"type":"output_text","text":"a","annotations":[]}}`)
	d.Event("", `{"type":"response.output_text.delta","output_index":0,"content_index":1,"delta":"b"}`)
	require.Equal(t, []string{"end", "text", "+b"}, l.Take())
}

// TestItemsAreStreamed: deltas are sent as they arrive, a later item's deltas once the earlier item
// is done.
func TestItemsAreStreamed(t *testing.T) {
	d, l, _ := decoding(t, "chat")
	send := func(data string) []string {
		d.Event("", data)
		return l.Take()
	}
	require.Equal(t, []string{"start r"},
		send(`{"type":"response.created","response":{"id":"r","status":"in_progress"}}`))
	require.Empty(t,
		send(`{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message",`+
			`"content":[]}}`))
	require.Equal(t, []string{"text", "+a"},
		send(`{"type":"response.output_text.delta","output_index":0,"item_id":"m","content_index":0,`+
			`"delta":"a"}`))
	require.Equal(t, []string{"+b"},
		send(`{"type":"response.output_text.delta","output_index":0,"item_id":"m","content_index":0,`+
			`"delta":"b"}`))
	require.Empty(t,
		send(`{"type":"response.output_item.added","output_index":1,"item":{"id":"f",`+
			`"type":"function_call","call_id":"c","name":"add","arguments":""}}`))
	require.Empty(t,
		send(`{"type":"response.function_call_arguments.delta","output_index":1,"item_id":"f","delta":"{"}`))
	require.Equal(t, []string{"end", "tool c add", "+{"},
		send(`{"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message",`+
			`"content":[{"type":"output_text","text":"ab"}]}}`))
	require.Equal(t, []string{"+}"},
		send(`{"type":"response.function_call_arguments.delta","output_index":1,"item_id":"f","delta":"}"}`))
	require.False(t, d.Complete())
	require.Equal(t, []string{"end", "finish tool_use"},
		send(`{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}`))
	require.True(t, d.Complete())
	d.Event("", `{"type":"response.failed","response":{"status":"failed"}}`)
	d.Body(`{"output":[]}`)
	d.Close(nil)
	require.Empty(t, l.Take(), "nothing follows the end")
}

// TestOwnClient covers content sent only to clients of this protocol.
func TestOwnClient(t *testing.T) {
	const answer = `{"status":"completed","output":[
		{"id":"l","type":"local_shell_call","call_id":"c0","status":"completed","action":{"type":"exec"}},
		{"id":"m","type":"message","content":[{"type":"output_text","text":"a","annotations":[{"type":"file_citation","file_id":"f"}]}]},
		{"id":"p","type":"custom_tool_call","call_id":"c1","name":"patch","input":"*** Begin\n"},
		{"id":"n","type":"function_call","call_id":"c2","name":"echo","namespace":"mcp__srv","arguments":"{}"},
		{"id":"w","type":"web_search_call","status":"completed","action":{"type":"open_page","url":"u"}}]}`
	tools := []ir.Tool{{Kind: ir.CustomTool, Name: "patch"}, {Name: "mcp__srv__echo", Namespace: "mcp__srv",
		Local: "echo"}}
	d, l, lost := decoding(t, Name, tools...)
	d.Body(answer)
	require.Equal(t, []string{
		"start",
		"server", `opaque {"id":"l","type":"local_shell_call","call_id":"c0","status":"completed",` +
			`"action":{"type":"exec"}}`, "end",
		"text", "+a", `cites () -1--1 {"type":"file_citation","file_id":"f"}`, "end",
		"custom c1 patch", `+*** Begin\n`, "end",
		"tool c2 mcp__srv__echo", "+{}", "end",
		"server", `opaque {"id":"w","type":"web_search_call","status":"completed",` +
			`"action":{"type":"open_page","url":"u"}}`, "end",
		"finish tool_use",
	}, l.Take())
	require.Empty(t, lost.Paths())

	d, l, lost = decoding(t, "chat", tools...)
	d.Body(answer)
	require.Equal(t, []string{"start", "text", "+a", "end", "custom c1 patch", `+*** Begin\n`, "end",
		"tool c2 mcp__srv__echo", "+{}", "end", "finish tool_use"}, l.Take())
	require.Equal(t, []string{"output[].local_shell_call", "output[].content[].annotations",
		"output[].web_search_call"}, lost.Paths())
}

// TestItemsOfTheEnd: items of a response that has ended belong to the items of the stream by their
// ids in any order, or by their order if all ids are new.
func TestItemsOfTheEnd(t *testing.T) {
	call := func(id, arguments string) string {
		return `{"type":"function_call","id":"fc_` + id + `","call_id":"` + id + `","name":"f",` +
			`"arguments":"` + arguments + `"}`
	}
	const argumentsOfA, argumentsOfB = `{\"a\":1}`, `{\"b\":1}`
	for _, c := range []struct{ event, argumentsOfA, argumentsOfB, output string }{
		{"added", "", "", call("b", argumentsOfB) + "," + call("a", argumentsOfA)},
		{"done", argumentsOfA, argumentsOfB, call("y", argumentsOfA) + "," + call("z", argumentsOfB)},
	} {
		d, l, _ := decoding(t, "chat", ir.Tool{Name: "f"})
		for i, item := range []string{call("a", c.argumentsOfA), call("b", c.argumentsOfB)} {
			d.Event("", `{"type":"response.output_item.`+c.event+`","output_index":`+strconv.Itoa(i)+
				`,"item":`+item+`}`)
		}
		d.Event("", `{"type":"response.completed","response":{"id":"r","status":"completed","output":[`+
			c.output+`]}}`)
		require.Equal(t, []string{"tool a f", "+" + argumentsOfA, "end", "tool b f", "+" + argumentsOfB,
			"end", "finish tool_use"}, l.Take()[1:])
	}
}

// TestLostItems: an item that the client's API can't show is lost by its type, also if no event has
// the whole item.
func TestLostItems(t *testing.T) {
	for path, c := range map[string]struct {
		hidden ir.BlockKind
		tool   ir.ToolKind
		item   string
		delta  string
	}{
		"output[].function_call": {hidden: ir.ToolCallBlock,
			item: `"type":"function_call","call_id":"c","name":"f","arguments":"{}"`},
		"output[].custom_tool_call": {hidden: ir.CustomToolCallBlock, tool: ir.CustomTool,
			item: `"type":"custom_tool_call","call_id":"c","name":"f","input":"x"`},
		"output[].message": {hidden: ir.RefusalBlock,
			item:  `"type":"message","content":[{"type":"refusal","refusal":"No."}]`,
			delta: `"type":"response.refusal.delta","content_index":0,"delta":"No."`},
		"output[].reasoning": {hidden: ir.ReasoningBlock,
			item:  `"type":"reasoning","summary":[{"type":"summary_text","text":"x"}]`,
			delta: `"type":"response.reasoning_summary_text.delta","summary_index":0,"delta":"x"`},
		"output[].image_generation_call": {item: `"type":"image_generation_call","result":"x"`},
	} {
		answer := func(run func(d *decoder)) {
			l, lost := irtest.Record(t), &ir.Lost{}
			run(newDecoder(&ir.Request{API: irtest.API("chat", c.hidden),
				Tools: []ir.Tool{{Kind: c.tool, Name: "f"}}}, &ir.Target{}, lost, l))
			require.Equal(t, []string{path}, lost.Paths())
		}
		answer(func(d *decoder) {
			d.Body(`{"id":"r","status":"completed","output":[{"id":"i",` + c.item + `}]}`)
		})
		if c.delta != "" {
			answer(func(d *decoder) { d.Event("", `{"output_index":0,"item_id":"i",`+c.delta+`}`) })
		}
	}
}

// TestCustomInputIsStreamed checks the events of a free-text tool.
func TestCustomInputIsStreamed(t *testing.T) {
	d, l, _ := decoding(t, Name, ir.Tool{Kind: ir.CustomTool, Name: "patch"})
	for _, data := range []string{
		`{"type":"response.output_item.added","output_index":0,"item":{"id":"p","type":"custom_tool_call",` +
			`"call_id":"c","name":"patch","input":""}}`,
		`{"type":"response.custom_tool_call_input.delta","output_index":0,"item_id":"p","delta":"a\n"}`,
		`{"type":"response.custom_tool_call_input.done","output_index":0,"item_id":"p","input":"a\nb"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"p","type":"custom_tool_call",` +
			`"call_id":"c","name":"patch","input":"a\nb"}}`,
		`{"type":"response.completed","response":{"status":"completed","output":[]}}`,
	} {
		d.Event("", data)
	}
	require.Equal(t, []string{"start", "custom c patch", `+a\n`, "+b", "end", "finish tool_use"}, l.Take())
}

// TestBounds checks the limits for an answer.
func TestBounds(t *testing.T) {
	failsWith := func(words string, event func(i int) string) {
		t.Helper()
		d, l, _ := decoding(t, "chat")
		for i := 0; i < 2000 && !d.out.Ended(); i++ {
			d.Event("", event(i))
		}
		require.Contains(t, l.LastLine(), words)
	}
	failsWith("more than 1024 blocks", func(i int) string {
		return `{"type":"response.output_item.done","item":{"type":"message","content":"a"}}`
	})
	failsWith("more than 1024 blocks", func(i int) string {
		return `{"type":"response.completed","response":{"status":"completed","output":[` +
			strings.Repeat(`{"type":"message"},`, 1025) + `1]}}`
	})
	big := strings.Repeat("x", 1<<20)
	failsWith("more than 8 MB", func(i int) string { // the first item is never done
		if i == 0 {
			return `{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message"}}`
		}
		return `{"type":"response.output_text.delta","output_index":1,"item_id":"n","delta":"` + big + `"}`
	})
	failsWith("index is out of range", func(i int) string {
		return `{"type":"response.output_text.delta","output_index":0,"content_index":-2,"delta":"x"}`
	})
}

// TestLargeBody: content in the right order is not buffered, however large it is.
func TestLargeBody(t *testing.T) {
	d, l, _ := decoding(t, "chat")
	big := strings.Repeat("x", ir.MaxBuffered/2+1)
	part := `{"type":"output_text","text":"` + big + `"}`
	d.Body(`{"output":[{"type":"message","content":[` + part + `,` + part +
		`]},{"type":"message","content":[` + part + `]}]}`)
	require.Equal(t, []string{"start", "text", "+" + big, "end", "text", "+" + big, "end", "text", "+" + big,
		"end", "finish end_turn"}, l.Take())
}

// TestDeltaAllocatesNothing: no kind of delta, and no ignored event, allocates.
func TestDeltaAllocatesNothing(t *testing.T) {
	const created = `{"type":"response.created","response":{"id":"r","status":"in_progress"}}`
	for name, events := range map[string][2]string{
		"text": {`{"id":"i","type":"message"}`,
			`{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,` +
				`"delta":"some \"words\" \u00e9\n","logprobs":[]}`},
		"refusal": {`{"id":"i","type":"message"}`,
			`{"type":"response.refusal.delta","item_id":"i","output_index":0,"content_index":0,` +
				`"delta":"no"}`},
		"arguments": {`{"id":"i","type":"function_call","call_id":"c","name":"f"}`,
			`{"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,` +
				`"delta":"{\"a\":"}`},
		"input": {`{"id":"i","type":"custom_tool_call","call_id":"c","name":"patch"}`,
			`{"type":"response.custom_tool_call_input.delta","item_id":"i","output_index":0,"delta":"x\n"}`},
		"reasoning": {`{"id":"i","type":"reasoning"}`,
			`{"type":"response.reasoning_text.delta","item_id":"i","output_index":0,"content_index":0,` +
				`"delta":"hm"}`},
		"summary": {`{"id":"i","type":"reasoning"}`,
			`{"type":"response.reasoning_summary_text.delta","item_id":"i","output_index":0,` +
				`"summary_index":0,"delta":"hm"}`},
		"unknown": {`{"id":"i","type":"message"}`,
			`{"type":"response.sparkle.delta","item_id":"i","output_index":0,"delta":"x"}`},
		"progress": {`{"id":"i","type":"mcp_call"}`,
			`{"type":"response.mcp_call_arguments.delta","item_id":"i","output_index":0,"delta":"x"}`},
	} {
		var n irtest.Counter
		d := newDecoder(&ir.Request{API: irtest.API("chat"), Tools: []ir.Tool{{Kind: ir.CustomTool,
			Name: "patch"}}}, &ir.Target{}, &ir.Lost{}, &n)
		d.Event("", created)
		d.Event("", `{"type":"response.output_item.added","output_index":0,"item":`+events[0]+`}`)
		d.Event("", events[1])
		before := n
		require.Zero(t, testing.AllocsPerRun(100, func() { d.Event("response", events[1]) }), name)
		require.False(t, d.out.Ended(), name)
		if name != "unknown" && name != "progress" {
			require.Equal(t, before+101, n, name)
		}
	}
}

// TestDigest compares a text with its beginnings, for all cuts and different escapes.
func TestDigest(t *testing.T) {
	pieces := []ir.Escaped{"a", `\n`, "é", `\u00e9`, `\"`, `\\`, `\/`, "😀", `\ud83d`, `\ude00`, " ", "b"}
	const whole = ir.Escaped(`a\u000aé\u00E9\u0022\u005c/\ud83d\ude00😀 b`)
	var d digest
	for i, p := range pieces {
		d.add(p)
		if i == 8 { // between the halves of a surrogate pair, a single character in the whole text
			continue
		}
		_, ok := d.rest(whole)
		require.True(t, ok, i)
	}
	rest, ok := d.rest(whole + "c")
	require.True(t, ok)
	require.Equal(t, ir.Escaped("c"), rest)
	rest, ok = d.rest(` a\té\u00E9\u0022\u005c/\ud83d\ude00😀b\r\n`)
	require.True(t, ok, "but for space")
	require.True(t, jsonr.IsBlank(rest), rest)
	for _, other := range []ir.Escaped{"", "a", "b" + whole, whole[:len(whole)-1],
		whole[:len(whole)-1] + "c"} {
		_, ok = d.rest(other)
		require.False(t, ok, other)
	}
}

// TestLongFingerprint: a fingerprint that is too long for an id is lost, and the program is shown.
func TestLongFingerprint(t *testing.T) {
	for _, n := range []int{maxFingerprint, maxFingerprint + 1} {
		l, lost := irtest.Record(t), &ir.Lost{}
		d := newDecoder(&ir.Request{API: irtest.API("anthropic"), Tools: []ir.Tool{{Kind: ir.ProgramTool}}},
			&ir.Target{Programs: true}, lost, l)
		d.Body(`{"id":"r","status":"completed","output":[{"type":"program","call_id":"c","code":"1",` +
			`"fingerprint":"` + strings.Repeat("f", n) + `"}]}`)
		require.Equal(t, n > maxFingerprint, slices.Contains(lost.Paths(), "output[].fingerprint"))
		require.Contains(t, l.Lines(), `hosted {"code":"1"}`)
	}
}
