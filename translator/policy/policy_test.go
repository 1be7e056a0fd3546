package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/policy"
)

// everything is a policy with every change of requests.
var everything = policy.Policy{
	ShrinkRequired: true, NoStrict: true, StripFormats: true, PrefixIDs: true, LegacyFunctions: true,
	NoCaching: true,
	Tools: []policy.Tool{{Name: "Bash", As: "shell", Params: []policy.Param{{From: "command",
		To: "cmd"}}}},
	Drop:     []string{"Task"},
	Guidance: "Ask.",

	Descriptions:     policy.Cut{Max: 1000},
	ToolDescriptions: []policy.ToolCut{{Names: "Bash", Cut: policy.Cut{Max: 1000}}},
}

const body = `{"model":"m","max_tokens":9,"system":"Use the Task tool.","messages":[{"role":"user","content":"x"},
{"role":"assistant","content":[{"type":"tool_use","id":"toolu_el_call_1","name":"Bash","input":{"command":"ls"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_el_call_1","content":"1"}]}],
"tools":[{"name":"Task","input_schema":{}},{"name":"Bash","description":"Not the Task tool","strict":true,"input_schema":{"type":"object","properties":{"command":{"type":"string","format":"uri"},"all":{"type":"boolean"}},"required":["command","all"]}}],
"tool_choice":{"type":"tool","name":"Task"}}`

func decoded(t *testing.T, body string) *ir.Request {
	r, err := anthropic.Client{}.DecodeRequest("", body, &ir.Lost{})
	require.Nil(t, err)
	return r
}

// TestApplyIsPure checks that Apply leaves its request unchanged, and always returns the same
// result.
func TestApplyIsPure(t *testing.T) {
	r, same := decoded(t, body), decoded(t, body)
	first, err := everything.Apply(r, &ir.Lost{})
	require.Nil(t, err)
	second, err := everything.Apply(r, &ir.Lost{})
	require.Nil(t, err)
	require.Equal(t, same, r)
	require.Equal(t, first, second)

	require.Equal(t, ir.ToolsAuto, first.ToolChoice.Mode)
	require.Len(t, first.Tools, 1)
	require.Equal(t, ir.Escaped("shell"), first.Tools[0].Name)
	require.Equal(t,
		ir.Raw(`{"type":"object","properties":{"cmd":{"type":"string"},"all":{"type":"boolean"}},`+
			`"required":["cmd"]}`), first.Tools[0].Schema)
	require.Equal(t, ir.Unset, first.Tools[0].Strict)
	require.Equal(t, ir.Escaped("Use the [unavailable] tool."), first.Messages[0].Content[0].Text)
	require.Equal(t, ir.Escaped("Ask."), first.Messages[0].Content[1].Text)
	require.Equal(t, ir.Escaped("call_1"), first.Messages[2].Content[0].ID)
	require.Equal(t, ir.Raw(`{"cmd":"ls"}`), first.Messages[2].Content[0].Input)
	require.Equal(t, ir.Escaped("call_1"), first.Messages[3].Content[0].ID)
}

// TestChanges checks that every field except the loop guard's counts as a change: if Changes forgot
// a field, requests would be forwarded without the change.
func TestChanges(t *testing.T) {
	require.False(t, (&policy.Policy{LoopGuard: true}).Changes())
	fields := reflect.TypeOf(everything)
	for i := range fields.NumField() {
		var p policy.Policy
		reflect.ValueOf(&p).Elem().Field(i).Set(reflect.ValueOf(everything).Field(i))
		require.Equal(t, fields.Field(i).Name != "LoopGuard", p.Changes(), fields.Field(i).Name)
	}
}

// TestDefinitionsThatGoAsTheyStand changes tools of the types of the client's vendor.
func TestDefinitionsThatGoAsTheyStand(t *testing.T) {
	r := &ir.Request{API: &chat.API, Tools: []ir.Tool{
		{Name: "a", Type: "tool_search", Strict: ir.True, Description: "Not apply_patch",
			Schema: `{"required":["x"],"properties":{"x":{"default":1}}}`,
			Raw: `{"description":"Not apply_patch","parameters":{"required":["x"],` +
				`"properties":{"x":{"default":1}}}, "strict" : true }`},
		{Name: "c", Type: "tool_search", Strict: ir.True, Description: "WebSearch",
			Raw: `{"type":"tool_search","name":"WebSearch","description":"WebSearch","x":{"strict":true},` +
				`"strict":true}`},
		{Name: "b", Type: "bash_20250124", Description: "of ours",
			Schema: `{"properties":{"x":{"format":"uri"}}}`, Raw: `{"type":"bash_20250124"}`},
	}}
	p := policy.Policy{ShrinkRequired: true, StripFormats: true, Drop: []string{"apply_patch", "WebSearch"}}
	sent, err := p.Apply(r, &ir.Lost{})
	require.Nil(t, err)
	require.Equal(t,
		ir.Raw(`{"description":"Not [unavailable]","parameters":{"properties":{"x":{"default":1}}}`+
			`, "strict" : false }`), sent.Tools[0].Raw)
	require.Equal(t,
		ir.Raw(`{"type":"tool_search","name":"WebSearch","description":"[unavailable]","x":{"strict":true}`+
			`,"strict":true}`), sent.Tools[1].Raw)
	require.Equal(t, ir.Raw(`{"type":"bash_20250124"}`), sent.Tools[2].Raw)
}

// TestChoiceOfVendorsTool: a tool run by a vendor keeps its name, in the choice too.
func TestChoiceOfVendorsTool(t *testing.T) {
	p := policy.Policy{Tools: []policy.Tool{{Name: "web_search", As: "search"}, {Name: "f", As: "g"}}}
	r := &ir.Request{API: &chat.API, Tools: []ir.Tool{{Kind: ir.WebSearchTool, Name: "web_search"},
		{Name: "f"}},
		ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed, Name: "web_search",
			Allowed: []ir.Escaped{"web_search", "f", "x"}}}
	sent, err := p.Apply(r, &ir.Lost{})
	require.Nil(t, err)
	require.Equal(t, ir.Escaped("web_search"), sent.Tools[0].Name)
	require.Equal(t, ir.ToolChoice{Mode: ir.ToolsNamed, Name: "web_search",
		Allowed: []ir.Escaped{"web_search", "g", "x"}}, sent.ToolChoice)
}

func TestNothingToRestore(t *testing.T) {
	sink := &irtest.Recorder{}
	r := &ir.Request{API: &chat.API, Tools: []ir.Tool{{Name: "other"}}}
	p := policy.Policy{Tools: everything.Tools, Drop: []string{"x"}, ShrinkRequired: true}
	require.Same(t, sink, p.Restore(r, sink))
}

func call(sink ir.Sink, kind ir.BlockKind, name ir.Escaped, pieces ...ir.Escaped) {
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: kind, CallID: "c", Name: name})
	for _, piece := range pieces {
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: piece})
	}
	sink.Event(&ir.Event{Kind: ir.BlockStop})
}

func TestRestore(t *testing.T) {
	r := &ir.Request{API: &chat.API, Tools: []ir.Tool{{Name: "Bash"}, {Name: "b\\u0061sh"}}}
	p := policy.Policy{Tools: everything.Tools}
	for _, c := range []struct {
		kind   ir.BlockKind
		name   ir.Escaped
		pieces []ir.Escaped
		want   []string
	}{
		{ir.ToolCallBlock, "shell", []ir.Escaped{`{\"cm`, `d\": \"a\\n\"`, `,\"cmd2\":{\"cmd\":1}}`},
			[]string{"tool c Bash", `+{\"command\": \"a\\n\",\"cmd2\":{\"cmd\":1}}`, "end"}},
		{ir.ToolCallBlock, "sh\\u0065ll", []ir.Escaped{`{\"\\u0063md\" : 1}`}, []string{"tool c Bash",
			`+{\"command\" : 1}`, "end"}},
		{ir.ToolCallBlock, "shell", nil, []string{"tool c Bash", "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`[\"cmd\"]`}, []string{"tool c Bash", `+[\"cmd\"]`, "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`{\"cmd`}, []string{"tool c Bash", `+{\"cmd`, "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`{\"cmd\":\"a\",\"command\":\"b\"}`},
			[]string{"tool c Bash", `+{\"command\":\"a\",\"cmd\":\"b\"}`, "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`{\"command\":\"b\"}`}, []string{"tool c Bash",
			`+{\"command\":\"b\"}`, "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`{ \"cmd\" :1 , \"cmd\" : 2 }`}, []string{"tool c Bash",
			`+{ \"command\" :1 , \"command\" : 2 }`, "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`{}`}, []string{"tool c Bash", `+{}`, "end"}},
		{ir.ToolCallBlock, "shell", []ir.Escaped{`\"{\\\"cmd\\\":1}\"`}, []string{"tool c Bash",
			`+\"{\\\"cmd\\\":1}\"`, "end"}},
		{ir.ToolCallBlock, "Bash", []ir.Escaped{`{\"c`, `md\":1}`}, []string{"tool c Bash", `+{\"c`,
			`+md\":1}`, "end"}},
		{ir.CustomToolCallBlock, "shell", []ir.Escaped{`{\"c`, `md\":1}`}, []string{"custom c Bash", `+{\"c`,
			`+md\":1}`, "end"}},
	} {
		sink := &irtest.Recorder{}
		call(p.Restore(r, sink), c.kind, c.name, c.pieces...)
		require.Equal(t, c.want, sink.Lines())
	}
}

// TestNamesThatNobodyDeclared has undeclared arguments named like the other side's parameters: no
// two arguments may get the same name.
func TestNamesThatNobodyDeclared(t *testing.T) {
	for _, c := range []struct {
		params               []policy.Param
		object, client, sent ir.Raw
	}{
		{[]policy.Param{{From: "a", To: "x"}}, `{"a":1,"x":2}`, `{"x":1,"a":2}`, `{"a":1,"x":2}`},
		{[]policy.Param{{From: "a", To: "x"}}, `{"a":1}`, `{"a":1}`, `{"x":1}`},
		{[]policy.Param{{From: "a", To: "x"}, {From: "b", To: "y"}}, `{"x":1,"b":2}`, `{"a":1,"b":2}`,
			`{"x":1,"y":2}`},
		{[]policy.Param{{From: "a", To: "b"}, {From: "b", To: "c"}}, `{"b":1,"c":2,"a":3}`,
			`{"a":1,"b":2,"c":3}`, `{"b":1,"c":2,"a":3}`},
		{[]policy.Param{{From: "a", To: "b"}, {From: "b", To: "a"}}, `{"b":1,"a":2}`, `{"a":1,"b":2}`,
			`{"b":1,"a":2}`},
	} {
		p := policy.Policy{Tools: []policy.Tool{{Name: "f", As: "f", Params: c.params}}}
		r := &ir.Request{API: &chat.API, Tools: []ir.Tool{{Name: "f"}}}
		sink := &irtest.Recorder{}
		call(p.Restore(r, sink), ir.ToolCallBlock, "f", jsonw.Escape(string(c.object)))
		require.Equal(t, string(c.client), jsonw.Unescape(sink.Text()))
		r.Messages = []ir.Message{{Role: ir.Assistant, Content: []ir.Content{{Kind: ir.ToolCallContent,
			Name: "f", Input: c.client}}}}
		sent, err := p.Apply(r, &ir.Lost{})
		require.Nil(t, err)
		require.Equal(t, c.sent, sent.Messages[0].Content[0].Input)
	}
}

func TestHeldArgumentsAreBounded(t *testing.T) {
	sink := &irtest.Recorder{}
	a := (&policy.Policy{Tools: everything.Tools}).Restore(&ir.Request{API: &chat.API,
		Tools: []ir.Tool{{Name: "Bash"}}}, sink)
	call(a, ir.ToolCallBlock, "shell", ir.Escaped(strings.Repeat("x", ir.MaxBuffered)), "x", "y")
	a.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{Message: "a second end"}})
	require.Len(t, sink.Events, 2)
	require.Contains(t, sink.Failure().Message, "larger than 8 MB")
}

// TestOtherDeltasCostNothing: a stream with a policy is as fast as one without.
func TestOtherDeltasCostNothing(t *testing.T) {
	a := everything.Restore(&ir.Request{API: &chat.API, Tools: []ir.Tool{{Name: "Bash"}}}, irtest.Discard)
	delta := &ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "x"}
	a.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "c", Name: "other"})
	require.Zero(t, testing.AllocsPerRun(100, func() { a.Event(delta) }))
}

func TestLoop(t *testing.T) {
	same := ir.Content{Kind: ir.ToolCallContent, Name: "f", Input: `{"a":1}`}
	free := ir.Content{Kind: ir.CustomCallContent, Name: "f", Text: "x"}
	other := ir.Content{Kind: ir.ToolCallContent, Name: "g", Input: `{"a":1}`}
	long := ir.Content{Kind: ir.ToolCallContent, Name: ir.Escaped(strings.Repeat("é", 100))}
	said := ir.Content{Kind: ir.TextContent, Text: "x"}
	result := ir.Content{Kind: ir.ToolResultContent}
	for _, c := range []struct {
		history []ir.Content
		want    string
	}{
		{nil, ""},
		{[]ir.Content{same, same}, ""},
		{[]ir.Content{same, result, said, same, result, same, result, said}, "f"},
		{[]ir.Content{other, same, same, same}, "f"},
		{[]ir.Content{same, same, same, other}, ""},
		{[]ir.Content{same, same, other, same}, ""},
		{[]ir.Content{free, free, free}, "f"},
		{[]ir.Content{same, same, free}, ""},
	} {
		r := &ir.Request{}
		for _, block := range c.history {
			r.Messages = append(r.Messages, ir.Message{Content: []ir.Content{block}})
		}
		require.Equal(t, c.want, policy.Loop(r))
	}
	message := ir.Message{Content: []ir.Content{long, long, long}}
	require.Regexp(t, `^[\w-]{1,128}$`, policy.Loop(&ir.Request{Messages: []ir.Message{message}}))
}
