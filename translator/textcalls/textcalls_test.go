package textcalls

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// content is the content of an answer.
type content struct {
	lines []string // a text block as "text " and its text, a call as "call NAME ARGUMENTS"
	ids   []string // of the calls
	stop  ir.StopReason
}

func contentOf(r *irtest.Recorder) (h content) {
	for _, b := range r.Blocks() {
		line := map[ir.BlockKind]string{ir.TextBlock: "text ", ir.ReasoningBlock: "reasoning "}[b.Start.Block]
		if line == "" {
			line = "call " + string(b.Start.Name) + " "
			h.ids = append(h.ids, string(b.Start.CallID))
		}
		for _, ev := range b.Deltas {
			if ev.Citation != nil {
				line += "[cited]"
			} else {
				line += jsonw.Unescape(ev.Text)
			}
		}
		h.lines = append(h.lines, line)
	}
	if r.Failure() != nil {
		h.lines = append(h.lines, "failure")
	}
	h.stop = r.Last().Stop
	return h
}

// asking returns a request with some tools and the user's message said.
func asking(said string) *ir.Request {
	return &ir.Request{
		Messages: []ir.Message{
			{Role: ir.System, Content: []ir.Content{{Kind: ir.TextContent,
				Text: jsonw.Escape("Call tools as\n" + strings.ReplaceAll(hermes, "Paris", "CITY"))}}},
			{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: jsonw.Escape(said)}}},
		},
		Tools: []ir.Tool{
			{Name: "f", Schema: `{"type":"object","properties":{"n":{"type":"integer"},` +
				`"s":{"type":"string"},"o":{"anyOf":[{"type":"object"},{"type":"null"}]},"e":{"enum":["1",` +
				`"2"]},"u":{}}}`},
			{Name: "get_weather", Schema: `{"type":"object","properties":{"city":{"type":"string"}}}`},
			{Name: "mcp.server/read", Schema: `{"type":"object"}`},
			{Name: "patch", Kind: ir.CustomTool},
			{Name: "web_search", Kind: ir.WebSearchTool},
		},
	}
}

// said answers r with one text, in pieces of size bytes, or in one piece if size is 0. It returns
// the resulting content.
func said(t testing.TB, r *ir.Request, text string, size int) content {
	return answered(t, r, cut(jsonw.Escape(text), func(int) int { return size }))
}

// answered sends an answer with one text block, in the given deltas.
func answered(t testing.TB, r *ir.Request, deltas []ir.Escaped) content {
	out := irtest.Record(t)
	sink := New(r, 64, r.Format.Object || r.Format.Schema != "", out)
	sink.Event(&ir.Event{Kind: ir.Start, ID: "a1"})
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock, ID: "b1"})
	buf := make([]byte, 0, 1024)
	for _, delta := range deltas {
		buf = append(buf[:0], delta...) // a view that is valid until Event returns
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(buf)})
		for i := range buf {
			buf[i] = 'x'
		}
	}
	sink.Event(&ir.Event{Kind: ir.BlockStop})
	sink.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn})
	return contentOf(out)
}

// cut cuts an escaped text into deltas of about size(n) bytes, but never within an escape or a
// character. If size(n) is 0, the delta is the whole rest.
func cut(e ir.Escaped, size func(n int) int) (deltas []ir.Escaped) {
	for n := 0; e != ""; n++ {
		most := size(n)
		if most == 0 {
			most = len(e)
		}
		end := 0
		for end < len(e) && (end == 0 || end < most) {
			_, _, width := charAt(e[end:])
			for end += width; end < len(e) && e[end]&0xC0 == 0x80; end++ {
			}
		}
		deltas, e = append(deltas, e[:end]), e[end:]
	}
	return deltas
}

const (
	hermes = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>"
	paris  = `call get_weather {"city": "Paris"}`
)

var dialects = []struct {
	name, text string
	want       []string
}{
	{"hermes", hermes, []string{paris}},
	{"hermes with the arguments in front",
		`<tool_call>{"arguments":{"city":"Paris"},"name":"get_weather"}</tool_call>`,
		[]string{`call get_weather {"city":"Paris"}`}},
	{"arguments in a string", `<tool_call>{"name":"f","arguments":"{\"s\":\"a\\nb\"}"}</tool_call>`,
		[]string{`call f {"s":"a\nb"}`}},
	{"parameters in a string", `<tool_call>{"name":"f","parameters":"{}"}</tool_call>`,
		[]string{`call f {}`}},
	{"with a type and an id",
		`<tool_call>{"type":"function","id":"x","name":"f","arguments":{}}</tool_call>`,
		[]string{`call f {}`}},
	{"escapes in the JSON",
		`<tool_call>{"n\u0061me":"\u0066","arguments":{"s":"\u00e9\ud83d\ude00 </tool_call> ` +
			`}"}}</tool_call>`, []string{`call f {"s":"\u00e9\ud83d\ude00 </tool_call> }"}`}},
	{"two calls", hermes + "\n" + hermes, []string{paris, paris}},
	{"two calls in a line", hermes + hermes, []string{paris, paris}},
	{"text around", "I look.\n\n" + hermes + "\n\nAnd again:\n" + hermes + "\nDone.\n",
		[]string{"text I look.\n\n", paris, "text \n\nAnd again:\n", paris, "text \nDone.\n"}},
	{"space around", "\n\n" + hermes + "\n \n", []string{paris}},
	{"one space in front", " " + hermes, []string{paris}},
	{"qwen3-coder",
		"<tool_call>\n<function=f>\n<parameter=s>\n1\n</parameter>\n<parameter=n>\n2\n</parameter>\n</function>\n</tool_call>", []string{`call f {"s":"1","n":2}`}},
	{"qwen3-coder without the first mark (ollama#16686)",
		"Listing.\n\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>", []string{"text Listing.\n\n", `call get_weather {"city":"Paris"}`}},
	{"qwen3-coder, two in one mark",
		"<tool_call><function=f></function><function=f>\n</function>\n</tool_call>\nx", []string{`call f {}`,
			`call f {}`, "text \nx"}},
	{"qwen3-coder, types",
		"<function=f><parameter=n>x</parameter><parameter=o>{\"a\":[1]}</parameter><parameter=e>1</parameter><parameter=u>[1]</parameter><parameter=other>5</parameter></function>",
		[]string{`call f {"n":"x","o":{"a":[1]},"e":"1","u":[1],"other":"5"}`}},
	{"qwen3-coder, a text with marks and breaks",
		"<function=f>\n<parameter=s>\n\n<b>\"x\"\\y\n```\n<tool_call>\n\n</parameter>\n</function>",
		[]string{"call f {\"s\":\"\\n<b>\\\"x\\\"\\\\y\\n```\\n<tool_call>\\n\"}"}},
	{"glm", "<tool_call>f\n<arg_key>s</arg_key>\n<arg_value>1</arg_value>\n<arg_key>n</arg_key>\n<arg_value>2</arg_value>\n</tool_call>", []string{`call f {"s":"1","n":2}`}},
	{"glm without arguments", "<tool_call>f\n</tool_call>", []string{`call f {}`}},
	{"glm without line breaks", "<tool_call>f<arg_key>s</arg_key><arg_value>a\n</arg_value></tool_call>",
		[]string{`call f {"s":"a\n"}`}},
	{"llama's function", `<function=f>{"s":"a"}</function>`, []string{`call f {"s":"a"}`}},
	{"llama's tag", `<|python_tag|>{"name": "f", "parameters": {"s": "a"}}`, []string{`call f {"s": "a"}`}},
	{"llama's tag, two calls",
		`<|python_tag|>{"name":"f","parameters":{}}; {"name":"get_weather","parameters":{}}` + "\n",
		[]string{`call f {}`, `call get_weather {}`}},
	{"llama without a tag", "\n" + `{"name": "f", "parameters": {"s": "a"}}` + "\n",
		[]string{`call f {"s": "a"}`}},
	{"llama with a type in front", `{"type": "function", "name": "f", "parameters": {}}`,
		[]string{`call f {}`}},
	{"mistral's list", `[TOOL_CALLS] [{"name": "f", "arguments": {"s": "]"}}, {"arguments":{},"name":"f"}]`,
		[]string{`call f {"s": "]"}`, `call f {}`}},
	{"mistral since v11", `[TOOL_CALLS]f[ARGS]{"s": "a"}[TOOL_CALLS]get_weather[ARGS]{}`,
		[]string{`call f {"s": "a"}`, `call get_weather {}`}},
	{"mistral with an id", `[TOOL_CALLS]f[CALL_ID]aBc123xyz[ARGS]{"s":"a"}`, []string{`call f {"s":"a"}`}},
	{"mistral without ARGS", `[TOOL_CALLS]f{"s":"a"}`, []string{`call f {"s":"a"}`}},
	{"grok", "<xai:function_call name=\"f\">\n<parameter name=\"s\">1\n</parameter>\n<parameter " +
		"name=\"n\">2</parameter>\n</xai:function_call>", []string{`call f {"s":"1\n","n":2}`}},
	{"kimi", "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"n\":1}<|tool_call_end|><|tool_call_begin|>functions.get_weather:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
		[]string{`call f {"n":1}`, `call get_weather {}`}},
	{"deepseek v3",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"n\":1}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n" + hermes,
		[]string{`call f {"n":1}`, `call f {}`, paris}},
	{"deepseek v3.1",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"n\":1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		[]string{`call f {"n":1}`}},
	{"deepseek v3.2",
		"<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"n\" " +
			"string=\"true\">1</｜DSML｜parameter>\n<｜DSML｜parameter name=\"s\" " +
			"string=\"false\">[1]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
		[]string{`call f {"n":"1","s":[1]}`}},
	{"deepseek v4",
		"<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n{\"n\":1}\n</｜DSML｜invoke>\n<｜DSML｜invoke " +
			"name=\"f\"></｜DSML｜invoke></｜DSML｜tool_calls>", []string{`call f {"n":1}`, `call f {}`}},
	{"a name that the upstream knows in another form",
		`<tool_call>{"name":"` + string(ir.Identifier("mcp.server/read", 64)) +
			`","arguments":{}}</tool_call>`, []string{"call mcp.server/read {}"}},
	{"a tool that takes text", `<function=patch><parameter=input>{"a":1}</parameter></function>`,
		[]string{`call patch {"input":"{\"a\":1}"}`}},
	{"behind think tags",
		"<think>\nShall I?\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n</think>\n\n" + hermes,
		[]string{"text <think>\nShall " +
			"I?\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n</think>\n\n", paris}},
	{"behind think tags, without a mark", "<think>a\n</think>\n{\"name\":\"f\",\"arguments\":{}}",
		[]string{"text <think>a\n</think>\n", "call f {}"}},
	{"behind a think tag in the text", "`<think>` begins it.\n" + hermes,
		[]string{"text `<think>` begins it.\n", paris}},
	{"behind a fence", "```sh\nls\n```\n" + hermes, []string{"text ```sh\nls\n```\n", paris}},
	{"behind inline code", "```ls```\n" + hermes, []string{"text ```ls```\n", paris}},
	{"behind a list with a fence", "- ```\n  x\n  ```\n" + hermes, []string{"text - ```\n  x\n  ```\n",
		paris}},
	{"behind fences of two kinds", "~~~\n```\n~~~\n" + hermes, []string{"text ~~~\n```\n~~~\n", paris}},
}

func TestDialects(t *testing.T) {
	for _, c := range dialects {
		for _, size := range []int{0, 1, 2, 7} {
			h := said(t, asking("Hi"), c.text, size)
			require.Equal(t, c.want, h.lines, "%s, in pieces of %d", c.name, size)
			require.Equal(t, ir.ToolUse, h.stop, c.name)
			for i, id := range h.ids {
				require.Equal(t, "call_a1_t"+string(rune('0'+i)), id, c.name)
			}
		}
	}
}

// quotedOrNone are texts without a call that counts.
var quotedOrNone = map[string]string{
	"plain":                             "Hello.\nA < b, [x], {y}\n",
	"in the middle of a line":           "The page says: " + hermes,
	"in a fence":                        "```\n" + hermes + "\n```\n",
	"in a fence of tildes":              "~~~xml\n" + hermes + "\n~~~\n",
	"in a longer fence":                 "````\n```\n" + hermes + "\n````\n",
	"in an indented fence":              "1. See\n   ```\n" + hermes + "\n   ```\n",
	"in the fence of a list":            "- ```\n" + hermes + "\n- ```\n",
	"in a fence in a fence":             "```md\n```sh\nls\n```\n" + hermes + "\n```\n",
	"behind a fence's end that is none": "```\n     ```\n" + hermes + "\n```\n",
	"behind another fence's end":        "```\n~~~\n" + hermes + "\n```\n",
	"in a fence that does not end":      "```\n" + hermes,
	"in a quote": "> <tool_call>\n> {\"name\":\"f\",\"arguments\":{}}\n> " +
		"</tool_call>\n",
	"in a list":                        "- " + hermes + "\n* " + hermes + "\n1. " + hermes,
	"indented":                         "    " + hermes + "\n  " + hermes + "\n\t" + hermes,
	"indented, behind a break":         "\n  " + hermes,
	"in inline code":                   "`" + hermes + "`",
	"in quotation marks":               "\"" + hermes + "\"",
	"an unknown name":                  `<tool_call>{"name":"rm","arguments":{}}</tool_call>`,
	"the start of a name":              `<tool_call>{"name":"get","arguments":{}}</tool_call>`,
	"an unknown name, escaped":         `<tool_call>{"name":"r\u006d","arguments":{}}</tool_call>`,
	"a tool that the upstream runs":    `<tool_call>{"name":"web_search","arguments":{}}</tool_call>`,
	"no name":                          `<tool_call>{"arguments":{}}</tool_call>`,
	"no arguments":                     `<tool_call>{"name":"f"}</tool_call>`,
	"arguments that are no object":     `<tool_call>{"name":"f","arguments":[]}</tool_call>`,
	"arguments that are null":          `<tool_call>{"name":"f","arguments":null}</tool_call>`,
	"arguments in a string, no object": `<tool_call>{"name":"f","arguments":"x"}</tool_call>`,
	"arguments in an empty string":     `<tool_call>{"name":"f","arguments":""}</tool_call>`,
	"two names": `<tool_call>{"name":"f","name":"get_weather",` +
		`"arguments":{}}</tool_call>`,
	"arguments and parameters": `<tool_call>{"name":"f","arguments":{},` +
		`"parameters":{}}</tool_call>`,
	"a tool's definition": `{"name":"f","description":"x","parameters":{"type":"object"}}`,
	"a tool's definition, marked": `<tool_call>{"name":"f","description":"x",` +
		`"parameters":{"type":"object"}}</tool_call>`,
	"cut in the JSON":                    `<tool_call>{"name":"f","arguments":{"s":"a`,
	"cut in the JSON, closed":            `<tool_call>{"name":"f","arguments":{"s":"a</tool_call>`,
	"JSON that is none":                  `<tool_call>{"name":"f","arguments":{"s":}}</tool_call>`,
	"a line break in a string":           "<tool_call>{\"name\":\"f\",\"arguments\":{\"s\":\"a\nb\"}}</tool_call>",
	"not closed":                         `<tool_call>{"name":"f","arguments":{}}`,
	"not closed, with half a mark":       `<tool_call>{"name":"f","arguments":{}}</tool_`,
	"closed by another":                  `<tool_call>{"name":"f","arguments":{}}</function>`,
	"more JSON behind it":                `<tool_call>{"name":"f","arguments":{}}{}</tool_call>`,
	"a mark in a mark":                   "<tool_call>\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call></tool_call>",
	"half a mark":                        "<tool_ca",
	"half a mark, then a line":           "<tool_ca\nx",
	"a mark alone":                       "<tool_call>",
	"an end alone":                       "</tool_call>\n",
	"other JSON":                         `{"result":{"name":"f","arguments":{}}}`,
	"a list of JSON":                     `[{"name":"f","arguments":{}}]`,
	"a call without a mark, and text":    `{"name":"f","arguments":{}} is how`,
	"a call without a mark, behind text": "Call\n" + `{"name":"f","arguments":{}}`,
	"a call behind python_tag, and text": `<|python_tag|>{"name":"f","arguments":{}} x`,
	"python":                             `<|python_tag|>print(1)`,
	"qwen3-coder, not closed":            "<function=f>\n<parameter=s>\n1\n</parameter>\n",
	"qwen3-coder, text between": "<function=f>\n<parameter=s>1</parameter> x " +
		"<parameter=n>1</parameter></function>",
	"qwen3-coder, a parameter twice": "<function=f><parameter=s>1</parameter><parameter=s>2</parameter></function>",
	"qwen3-coder, an unknown name":   "<function=rm></function>",
	"mistral with an unknown name": `[TOOL_CALLS][{"name":"f","arguments":{}},{"name":"rm",` +
		`"arguments":{}}]`,
	"mistral with nothing":            `[TOOL_CALLS][]`,
	"mistral with a list in the list": `[TOOL_CALLS][[{"name":"f","arguments":{}}]]`,
	"kimi without an end":             `<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}`,
	"deepseek without its JSON":       "<｜tool▁call▁begin｜>f<｜tool▁sep｜><｜tool▁call▁end｜>",
	"dsml with a value that is no JSON": `<｜DSML｜invoke name="f"><｜DSML｜parameter name="n" ` +
		`string="false">x</｜DSML｜parameter></｜DSML｜invoke>`,
	"in think tags":                "<think>\n" + hermes + "\n",
	"in think tags, mentioned":     " <think>\n</thin>\n" + hermes,
	"a brace that is never closed": "<tool_call>" + strings.Repeat("{", 200),
	"a name without an end":        "<function=" + strings.Repeat("f", 1000) + ">",
	"too many arguments":           "<function=f>" + manyArguments() + "</function>",
	"a key without an end": "<function=f><parameter=" + strings.Repeat("f", 1000) +
		">x</parameter></function>",
	"a call that is too long": `<tool_call>{"name":"f","arguments":{"s":"` + strings.Repeat("x",
		maxMark) + `"}}</tool_call>`,
}

func manyArguments() (list string) {
	for i := range maxKeys + 1 {
		list += "<parameter=a" + strconv.Itoa(i) + ">1</parameter>"
	}
	return list
}

func TestTextStaysText(t *testing.T) {
	for name, text := range quotedOrNone {
		for _, size := range []int{0, 1, 7} {
			if len(text) > 10000 && size > 0 {
				size = 4096
			}
			h := said(t, asking("Hi"), text, size)
			require.Equal(t, []string{"text " + text}, h.lines, name)
			require.Equal(t, ir.EndTurn, h.stop, name)
		}
	}
}

// TestQuotedByTheModel: if the model repeats a call from earlier in the conversation, nothing is
// called, even at the start of a line.
func TestQuotedByTheModel(t *testing.T) {
	for name, c := range map[string]struct {
		content ir.Content
		call    bool
	}{
		"user": {ir.Content{Kind: ir.TextContent,
			Text: jsonw.Escape("Summarize:\n" + hermes + "\nThanks")}, false},
		"result": {ir.Content{Kind: ir.ToolResultContent, Parts: []ir.Content{{Kind: ir.TextContent,
			Text: jsonw.Escape("page\n" + hermes)}}}, false},
		"document": {ir.Content{Kind: ir.DocumentContent,
			Source: ir.Source{Text: jsonw.Escape(hermes)}}, false},
		"a written file": {ir.Content{Kind: ir.ToolCallContent,
			Input: ir.Raw(`{"text":"` + string(jsonw.Escape(hermes)) + `"}`)}, false},
		"a call before": {ir.Content{Kind: ir.ToolCallContent, Name: "get_weather",
			Input: `{"city": "Paris"}`}, true},
		"other space": {ir.Content{Kind: ir.TextContent, Text: jsonw.Escape(strings.ReplaceAll(hermes,
			"\n", "\r\n\t "))}, false},
		"a result's JSON": {ir.Content{Kind: ir.TextContent,
			Text: jsonw.Escape(`{"page":"` + string(jsonw.Escape(hermes)) + `"}`)}, false},
		"JSON in JSON": {ir.Content{Kind: ir.TextContent,
			Text: jsonw.Escape(string(jsonw.Escape(`{"page":"` + string(jsonw.Escape(hermes)) + `"}`)))},
			false},
		"unicode escapes": {ir.Content{Kind: ir.TextContent,
			Text: ir.Escaped(strings.ReplaceAll(string(jsonw.Escape(hermes)), "<", `\u003c`))}, false},
		"in a long text": {ir.Content{Kind: ir.TextContent, Text: jsonw.Escape(strings.Repeat("line\n",
			50000) + hermes + strings.Repeat("x", 50000))}, false},
		"across a window": {ir.Content{Kind: ir.TextContent, Text: jsonw.Escape(strings.Repeat("x",
			windowSize-10) + hermes)}, false},
		"another city": {ir.Content{Kind: ir.TextContent, Text: jsonw.Escape(strings.ReplaceAll(hermes,
			"Paris", "Rome"))}, true},
		"nearly the same": {ir.Content{Kind: ir.TextContent, Text: jsonw.Escape(hermes[:len(hermes)-1])},
			true},
	} {
		for _, role := range []ir.Role{ir.User, ir.System, ir.Assistant} {
			r := asking("Hi")
			r.Messages = append(r.Messages, ir.Message{Role: role, Content: []ir.Content{c.content}},
				ir.Message{Role: ir.User})
			want := []string{"text Page:\n" + hermes + "\n"}
			if c.call {
				want = []string{"text Page:\n", paris}
			}
			require.Equal(t, want, said(t, r, "Page:\n"+hermes+"\n", 0).lines, name)
		}
	}
}

// TestBegunByTheClient: an answer that the client has begun continues its last line and fence.
func TestBegunByTheClient(t *testing.T) {
	for begun, call := range map[string]bool{"": true, "So:\n": true, "So: ": false, "```\n": false,
		"<think>": false, "```\n```\n": true} {
		r := asking("Hi")
		r.Messages = append(r.Messages, ir.Message{Role: ir.Assistant, Content: []ir.Content{
			{Kind: ir.ReasoningContent, Text: "So"}, {Kind: ir.TextContent, Text: jsonw.Escape(begun)}}})
		require.Equal(t, call, said(t, r, hermes, 0).lines[0] == paris, begun)
	}
	object := `{"name":"f","arguments":{}}`
	require.Equal(t, []string{"call f {}"}, said(t, asking("Hi"), object, 0).lines)
	for _, format := range []ir.Format{{Object: true}, {Schema: `{"type":"object"}`}} {
		r := asking("Hi")
		r.Format = format
		require.Equal(t, []string{"text " + object}, said(t, r, object, 0).lines,
			"the client has asked for JSON")
		require.Equal(t, []string{paris}, said(t, r, hermes, 0).lines)
	}
}

// TestWhoMayBeCalled: tool_choice decides which tools may be called.
func TestWhoMayBeCalled(t *testing.T) {
	for name, c := range map[string]struct {
		choice ir.ToolChoice
		call   bool
	}{
		"auto":        {ir.ToolChoice{Mode: ir.ToolsAuto}, true},
		"required":    {ir.ToolChoice{Mode: ir.ToolsRequired}, true},
		"none":        {ir.ToolChoice{Mode: ir.ToolsNone}, false},
		"named":       {ir.ToolChoice{Mode: ir.ToolsNamed, Name: "get_weather"}, true},
		"other named": {ir.ToolChoice{Mode: ir.ToolsNamed, Name: "f"}, false},
		"allowed":     {ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"get_weather"}}, true},
		"not allowed": {ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"f"}}, false},
	} {
		r := asking("Hi")
		r.ToolChoice = c.choice
		h := said(t, r, hermes, 0)
		require.Equal(t, c.call, h.lines[0] == paris, name)
	}
	r := asking("Hi")
	r.Tools = nil
	require.Equal(t, []string{"text " + hermes}, said(t, r, hermes, 0).lines)
}

// TestBlocks: blocks other than text pass through, and a mark does not continue in the next block.
func TestBlocks(t *testing.T) {
	out := irtest.Record(t)
	sink := New(asking("Hi"), 64, false, out)
	text := func(pieces ...string) {
		sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
		for _, p := range pieces {
			sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.Escape(p)})
		}
		sink.Event(&ir.Event{Kind: ir.BlockStop})
	}
	sink.Event(&ir.Event{Kind: ir.Start})
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ReasoningBlock})
	sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.Escape(hermes)})
	sink.Event(&ir.Event{Kind: ir.BlockStop})
	text()
	text("The page: ")
	text(hermes) // in the same line, as in an answer with citations
	text("\n")
	text(hermes)
	text("\n<|python_tag|>" + `{"name":"f","parameters":{}}`)
	text("<tool_call>")
	text(`{"name":"f","arguments":{}}</tool_call>`)
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "c", Name: "f"})
	sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "{}"})
	sink.Event(&ir.Event{Kind: ir.BlockStop})
	text(`{"name":"f","arguments":{}}`)
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "\\n" + jsonw.Escape(hermes)})
	cited := ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{Start: 1, End: 2}}
	sink.Event(&cited)
	require.Equal(t, int64(1), cited.Citation.Start, "the citation is the decoder's")
	sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "\\n<tool_"})
	sink.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{}})
	require.Equal(t, []string{"reasoning " + hermes, "text ", "text The page: ", "text " + hermes, "text \n",
		paris, "call f {}", "text <tool_call>",
		`text {"name":"f","arguments":{}}</tool_call>`, "call f {}", `text {"name":"f","arguments":{}}`,
		"text \n", paris, "text [cited]\n<tool_", "failure"}, contentOf(out).lines)
}

// TestHeldNoLonger: text is sent as soon as it can't be a mark.
func TestHeldNoLonger(t *testing.T) {
	for _, c := range []struct{ text, out string }{
		{"a\n<", "a\n"},
		{"a\n<tool_call>", "a\n"},
		{"a\n<tool_calx", "a\n<tool_calx"},
		{"a\n<tool_call> <x", "a\n<tool_call> <x"},
		{"a\n<tool_call>{\"name\":\"rm\"", "a\n<tool_call>{\"name\":\"rm\""},
		{"a\n<tool_call>{\"name\":\"f\",", "a\n"},
		{"a\n<tool_call>{ w", "a\n<tool_call>{ w"},
		{"{\"result\"", "{\"result\""},
		{"{\"name\":\"x\"", "{\"name\":\"x\""},
		{"{\"name\":\"f\"", ""},
		{"\n", ""},
		{"\nx", "\nx"},
		{"<function=f>", ""},
		{"<function=f> so", "<function=f> so"},
		{"[x", "[x"},
		{"[TOOL_CALLS]", ""},
		{"[TOOL_CALLS]\"", "[TOOL_CALLS]\""},
	} {
		for _, size := range []int{0, 1} {
			out := irtest.Record(t)
			sink := New(asking("Hi"), 64, false, out)
			sink.Event(&ir.Event{Kind: ir.Start})
			sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
			for _, delta := range cut(jsonw.Escape(c.text), func(int) int { return size }) {
				sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: delta})
			}
			require.Equal(t, strings.TrimSuffix("text "+c.out, "text "), strings.Join(contentOf(out).lines,
				""), c.text)
		}
	}
}

// TestDeltasStayWhole: a delta without a mark passes unchanged, without an allocation.
func TestDeltasStayWhole(t *testing.T) {
	var deltas []string
	sink := New(asking("Hi"), 64, false, irtest.Func(func(ev *ir.Event) {
		if ev.Kind == ir.Delta {
			deltas = append(deltas, strings.Clone(string(ev.Text)))
		}
	}))
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	for _, text := range []ir.Escaped{`Hello\n<tool_x>\n <tool_call>\n[TOOL]\nyes`,
		` and so on\n\u003ctool_call\u003ex\n{}`, `\n<b>`} {
		deltas = nil
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text})
		require.Equal(t, []string{string(text)}, deltas)
	}
	sink = New(asking("Hi"), 64, false, irtest.Discard)
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	delta := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `some words\n and a \"quote\" \u00e9\n<b>\n`}
	sink.Event(&delta)
	require.Zero(t, testing.AllocsPerRun(100, func() { sink.Event(&delta) }))
	half := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `x\n<tool_call>{\"na`}
	rest := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `me\":5} and text`}
	sink.Event(&half)
	sink.Event(&rest)
	require.Zero(t, testing.AllocsPerRun(100, func() { sink.Event(&half); sink.Event(&rest) }),
		"nor does one that is held for a while")
}

// TestManyCalls: one answer's calls, their bytes, and the bytes searched for them are bounded.
func TestManyCalls(t *testing.T) {
	large := `<function=f>{"s":"` + strings.Repeat("x", maxMark-100) + `"}</function>`
	h := said(t, asking("Hi"), strings.Repeat(large+"\n", 6), 0)
	require.Equal(t, 4, len(h.ids))
	require.Equal(t, "text \n"+large+"\n"+large+"\n", h.lines[4])
	h = said(t, asking("Hi"), strings.Repeat(hermes+"\n", maxCalls+2), 0)
	require.Len(t, h.lines, maxCalls+1)
	require.Equal(t, "text "+"\n"+hermes+"\n"+hermes+"\n", h.lines[maxCalls])
	r := asking(strings.Repeat("x", maxSearched/2-200))
	h = said(t, r, hermes+"\n"+hermes+"\n"+hermes, 0)
	require.Equal(t, []string{paris, paris, "text \n" + hermes}, h.lines)
}

// FuzzTexts sends any text in any pieces. If nothing is called, every byte of the text comes out.
// The output does not depend on the pieces.
func FuzzTexts(f *testing.F) {
	for _, c := range dialects {
		f.Add(c.text, int64(1))
	}
	f.Add("<function=f><parameter="+strings.Repeat("k", 60)+">0</parameter></function>", int64(2))
	for _, text := range quotedOrNone {
		if len(text) < 10000 {
			f.Add(text, int64(2))
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed int64) {
		escaped := jsonw.Escape(text)
		whole := answered(t, asking("Hi"), []ir.Escaped{escaped})
		if len(whole.lines) == 1 && len(whole.ids) == 0 {
			require.Equal(t, "text "+jsonw.Unescape(escaped), whole.lines[0])
		}
		require.Equal(t, len(whole.ids) > 0, whole.stop == ir.ToolUse)
		random := rand.New(rand.NewSource(seed))
		pieces := answered(t, asking("Hi"), cut(escaped, func(int) int { return 1 + random.Intn(9) }))
		require.Equal(t, whole.lines, pieces.lines)
		again := answered(t, asking(text), []ir.Escaped{escaped})
		require.Empty(t, again.ids, "what the user has said")
		var slashes strings.Builder // the same text with every character escaped
		for i := 0; i < len(escaped); {
			char, n, width := charAt(escaped[i:])
			if c := char[0]; n == 1 && c < 0x80 {
				slashes.WriteString(`\u00` + string("0123456789abcdef"[c>>4]) +
					string("0123456789abcdef"[c&15]))
			} else {
				slashes.WriteString(string(escaped[i : i+width]))
			}
			i += width
		}
		require.Equal(t, whole.lines, answered(t, asking("Hi"),
			[]ir.Escaped{ir.Escaped(slashes.String())}).lines)
	})
}
