package anthropic

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator/ir"
)

// other is a client of another API, reduced to the methods that a Messages upstream calls. It has
// names for fields that this API lacks.
type other struct{ Client }

func (other) Shows(b ir.BlockKind) bool { return b != ir.WebSearchBlock && b != ir.ServerToolBlock }

func (other) FieldPath(r *ir.Request, f ir.Field) string {
	switch f {
	case ir.FieldEffort:
		return "effort"
	case ir.FieldMetadata:
		return "meta"
	case ir.FieldVerbosity:
		return "verbosity"
	}
	return Client{}.FieldPath(r, f)
}

// written returns the body for an upstream, without the model and the user message, and the losses.
func written(t *testing.T, r ir.Request, target ir.Target) (string, []string) {
	t.Helper()
	r.API, r.Model = &ir.API{Client: other{}}, "m"
	if r.Messages == nil {
		r.Messages = []ir.Message{{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "x"}}}}
	}
	var lost ir.Lost
	out, err := Upstream{}.AppendRequest(nil, &r, &target, &lost)
	require.Nil(t, err)
	require.True(t, json.Valid(out), "%s", out)
	rest, ok := strings.CutPrefix(string(out), `{"model":"m"`)
	require.True(t, ok)
	rest = strings.TrimPrefix(rest, `,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]`)
	return strings.TrimSuffix(rest, "}"), lost.Paths()
}

// TestRequestsOfOtherClients covers members from clients of other APIs only; the corpus has whole
// requests.
func TestRequestsOfOtherClients(t *testing.T) {
	at := ir.Pos{Form: "tools[]"}
	function := ir.Tool{At: at, Name: "f", Description: "d"}
	for _, c := range []struct {
		name    string
		request ir.Request
		target  ir.Target
		want    string
		lost    []string
	}{
		{"no limit", ir.Request{}, ir.Target{}, `,"max_tokens":32000`, nil},
		{"no limit but the target's", ir.Request{}, ir.Target{MaxOutputTokens: 9}, `,"max_tokens":9`, nil},
		{"temperature above 1", ir.Request{Temperature: "1.01"}, ir.Target{},
			`,"max_tokens":32000,"temperature":1`, []string{"temperature"}},
		{"temperature 2 where none is taken", ir.Request{Temperature: "2"}, ir.Target{NoSampling: true},
			`,"max_tokens":32000`, []string{"temperature"}},
		{"an exponent is left to the upstream", ir.Request{Temperature: "1e0"}, ir.Target{},
			`,"max_tokens":32000,"temperature":1e0`, nil},
		{"both are the defaults", ir.Request{Temperature: "1", TopP: "1.0"}, ir.Target{},
			`,"max_tokens":32000,"temperature":1`, nil},
		{"top_p alone", ir.Request{TopP: "1"}, ir.Target{}, `,"max_tokens":32000,"top_p":1`, nil},
		{"effort asks for thinking", ir.Request{Effort: "high"}, ir.Target{Thinking: ir.AdaptiveThinking,
			Efforts: []string{"high"}},
			`,"thinking":{"type":"adaptive"},"max_tokens":32000,"output_config":{"effort":"high"}`, nil},
		{"effort as a budget", ir.Request{Effort: "low"}, ir.Target{Thinking: ir.BudgetThinking},
			`,"thinking":{"type":"enabled","budget_tokens":4096},"max_tokens":32000`, nil},
		{"minimal", ir.Request{Effort: "minimal"}, ir.Target{Thinking: ir.BudgetThinking},
			`,"thinking":{"type":"enabled","budget_tokens":1024},"max_tokens":32000`, nil},
		{"the highest effort within the limit", ir.Request{Effort: "xhigh"},
			ir.Target{Thinking: ir.BudgetThinking},
			`,"thinking":{"type":"enabled","budget_tokens":24000},"max_tokens":32000`, nil},
		{"the highest effort", ir.Request{Effort: "xhigh", MaxTokens: 64000},
			ir.Target{Thinking: ir.BudgetThinking},
			`,"thinking":{"type":"enabled","budget_tokens":32768},"max_tokens":64000`, nil},
		{"more than any effort of the API", ir.Request{Effort: "ultra", MaxTokens: 64000},
			ir.Target{Thinking: ir.BudgetThinking},
			`,"thinking":{"type":"enabled","budget_tokens":32768},"max_tokens":64000`, nil},
		{"a summary of what it thinks in any case", ir.Request{ReasoningSummary: "auto"},
			ir.Target{Thinking: ir.AlwaysThinking},
			`,"thinking":{"type":"adaptive","display":"summarized"},"max_tokens":32000`, nil},
		{"a summary of what it would not think", ir.Request{ReasoningSummary: "auto"},
			ir.Target{Thinking: ir.AdaptiveThinking},
			`,"thinking":{"type":"adaptive","display":"summarized"},"max_tokens":32000`, nil},
		{"a summary of a model that does not think", ir.Request{ReasoningSummary: "auto"}, ir.Target{},
			`,"max_tokens":32000`, []string{"thinking.display"}},
		{"an effort that nobody knows", ir.Request{Effort: "warp"}, ir.Target{Thinking: ir.BudgetThinking},
			`,"max_tokens":32000`, []string{"effort"}},
		{"no thinking asked for", ir.Request{Effort: "none"}, ir.Target{Thinking: ir.BudgetThinking},
			`,"max_tokens":32000`, nil},
		{"an upstream that does not think", ir.Request{Effort: "low"}, ir.Target{}, `,"max_tokens":32000`,
			[]string{"effort"}},
		{"records", ir.Request{UserID: "u", Metadata: `{"a":"b"}`, Verbosity: "low", ServiceTier: "flex"},
			ir.Target{}, `,"max_tokens":32000,"metadata":{"user_id":"u"}`, []string{"service_tier", "meta",
				"verbosity"}},
		{"records that ask for nothing, and a summary of no thinking", ir.Request{Metadata: `{}`,
			Verbosity: "medium", ServiceTier: "default", CacheKey: "k", ReasoningSummary: "auto"}, ir.Target{},
			`,"max_tokens":32000,"service_tier":"standard_only"`, []string{"thinking.display"}},
		{"any JSON object", ir.Request{Format: ir.Format{Object: true}}, ir.Target{}, `,"max_tokens":32000`,
			[]string{"output_config.format"}},
		{"a tool with free text", ir.Request{Tools: []ir.Tool{{Kind: ir.CustomTool, Name: "patch",
			Description: "Edits.", Grammar: `{"type":"grammar","syntax":"lark","definition":"start: X"}`}}},
			ir.Target{},
			`,"tools":[{"name":"patch","description":"Edits.\n\nThe input must follow this grammar ` +
				`(lark):\nstart: X","input_schema":{"type":"object",` +
				`"properties":{"input":{"type":"string","description":"The whole input of the tool, as ` +
				`plain text."}},"required":["input"],"additionalProperties":false}}],"max_tokens":32000`,
			nil},
		{"another vendor's tools", ir.Request{Tools: []ir.Tool{{Kind: ir.VendorTool, At: at,
			Raw: `{"type":"mcp"}`}}}, ir.Target{ReportLossy: true}, `,"max_tokens":32000`,
			[]string{"tools[0]"}},
		{"another vendor's function", ir.Request{Tools: []ir.Tool{{Name: "shell", Type: "local_shell",
			Raw: `{"type":"local_shell"}`, Schema: `{"type":"object","properties":{}}`}}}, ir.Target{},
			`,"tools":[{"name":"shell","input_schema":{"type":"object","properties":{}}}],` +
				`"max_tokens":32000`, nil},
		{"a search", ir.Request{Tools: []ir.Tool{{Kind: ir.WebSearchTool, At: at, Name: "search",
			Raw: `{"type":"web_search"}`, Search: ir.Search{Allowed: []ir.Escaped{"a.b", "c.d"},
				Blocked: []ir.Escaped{"e"}, BlockedField: ".blocked_domains",
				Location: `{"type":"approximate","city":"Rome"}`, ContextSize: "high",
				MaxUses: 3}}},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed, Name: "search"}}, ir.Target{WebSearch: true},
			`,"tools":[{"type":"web_search_20250305","name":"web_search","allowed_domains":["a.b","c.d"],` +
				`"user_location":{"type":"approximate","city":"Rome"},"max_uses":3}],"tool_choice":{"type":"tool",` +
				`"name":"web_search"},"max_tokens":32000`,
			[]string{"tools[0].blocked_domains", "tools[0].search_context_size"}},
		{"some of the tools", ir.Request{Tools: []ir.Tool{function, {Name: "g"}},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsRequired, Allowed: []ir.Escaped{"f"}},
			Parallel:   ir.False}, ir.Target{},
			`,"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}}],` +
				`"tool_choice":{"type":"any","disable_parallel_tool_use":true},"max_tokens":32000`, nil},
		{"one at a time", ir.Request{Tools: []ir.Tool{function}, Parallel: ir.False}, ir.Target{},
			`,"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}}],` +
				`"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"max_tokens":32000`, nil},
		{"none of the tools", ir.Request{Tools: []ir.Tool{function}, Parallel: ir.False,
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsNone}}, ir.Target{},
			`,"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}}],` +
				`"tool_choice":{"type":"none"},"max_tokens":32000`, nil},
	} {
		got, lost := written(t, c.request, c.target)
		require.Equal(t, c.want, got, c.name)
		require.Equal(t, c.lost, lost, c.name)
	}
}

// TestHistoriesOfOtherClients covers histories from clients of other APIs only.
func TestHistoriesOfOtherClients(t *testing.T) {
	at := ir.Pos{Form: "messages[].content[]", Index: ir.Index{1, 0}}
	text := func(e ir.Escaped) ir.Content { return ir.Content{Kind: ir.TextContent, At: at, Text: e} }
	got, lost := written(t, ir.Request{MaxTokens: 9, Messages: []ir.Message{
		{Role: ir.Assistant, Content: []ir.Content{
			{Kind: ir.ReasoningContent, At: at, Text: "hm", Origin: "other", Signature: "s"},
			{Kind: ir.RefusalContent, Text: "No."},
			{Kind: ir.ToolCallContent, ID: "call:1", Name: "a.b", Input: `{"x":1}`},
		}},
		{Role: ir.Assistant, Content: []ir.Content{text("one moment")}},
		{Role: ir.User, Content: []ir.Content{text("hurry"), {Kind: ir.ToolResultContent, ID: "call:1",
			Parts: []ir.Content{text("1")}}}},
		{Role: ir.Assistant, Content: []ir.Content{{Kind: ir.OpaqueContent, At: at,
			Raw: `{"type":"web_search_call"}`}}},
		{Role: ir.User, Content: []ir.Content{{Kind: ir.ImageContent, At: at,
			Source: ir.Source{URL: "https://a", Detail: "low"}}}},
	}}, ir.Target{})
	require.Equal(t,
		`,"messages":[{"role":"user","content":[{"type":"text","text":"."}]},{"role":"assistant",`+
			`"content":[{"type":"text","text":"No."},`+
			`{"type":"tool_use","id":"call_1_95b5b0995da20468","name":"a_b_`,
		got[:strings.Index(got, `a_b_`)+4])
	require.Contains(t, got,
		`{"type":"text","text":"one moment"}]},{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"call_1_95b5b0995da20468","content":[{"type":"text","text":"1"}]},`+
			`{"type":"text","text":"hurry"},{"type":"image","source":{"type":"url","url":"https://a"}}]}],`+
			`"tools":`)
	require.Equal(t, []string{"messages[1].content[0]", "messages[1].content[0].detail"}, lost)
}

// TestThinkingBeforeHostedCalls: thinking is kept before a call that ran at another vendor and is
// written, and is lost if the call is lost, since thinking must not end a turn (FAULTS 72).
func TestThinkingBeforeHostedCalls(t *testing.T) {
	at := ir.Pos{Form: "input[]", Index: ir.Index{1}}
	r := ir.Request{
		Tools: []ir.Tool{{Kind: ir.MCPTool, At: ir.Pos{Form: "tools[]"},
			MCP: &ir.MCP{Label: "s", URL: "https://s.example"}}},
		Messages: []ir.Message{{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "x"}}},
			{Role: ir.Assistant, Content: []ir.Content{
				{Kind: ir.ReasoningContent, At: ir.Pos{Form: "input[]"}, Text: "hm", Origin: Name, Signature: "s"},
				{Kind: ir.OpaqueContent, At: at, Returned: true, Hosted: &ir.Hosted{Kind: ir.MCPTool,
					Server: "s", Name: "f", Input: "{}", Output: "1", Done: true}},
			}}},
	}
	got, lost := written(t, r, ir.Target{ToolSearch: true})
	require.Contains(t, got, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},`+
		`{"type":"mcp_tool_use"`)
	require.Empty(t, lost)
	r.Messages = append(r.Messages, ir.Message{Role: ir.User, Content: r.Messages[0].Content})
	got, lost = written(t, r, ir.Target{ReportLossy: true})
	require.NotContains(t, got, "thinking")
	require.Equal(t, []string{"input[0]", "input[1]", "tools[0]"}, lost)
}

// TestRequestsKeepWhatTheyHold sends the corpus's requests through the hub twice: the second time
// changes no byte, and nothing more is lost.
func TestRequestsKeepWhatTheyHold(t *testing.T) {
	files, err := filepath.Glob("../testdata/request/anthropic/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	target := &ir.Target{Thinking: ir.AdaptiveThinking, Efforts: []string{"low", "medium", "high", "xhigh",
		"max"}, SystemTurns: true, WebSearch: true, Strict: true}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		for _, f := range archive.Files {
			if f.Name != "request.anthropic.json" {
				continue
			}
			once, refused := through(string(f.Data), target, &ir.Lost{})
			if refused != nil { // the scenario is about the refusal
				require.Equal(t, 400, refused.HTTPStatus(), file)
				continue
			}
			var lost ir.Lost
			twice, refused := through(string(once), target, &lost)
			require.Nil(t, refused, file)
			require.Equal(t, string(once), string(twice), file)
			require.Empty(t, lost.Paths(), file)
		}
	}
}

func through(body string, target *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	r, err := Client{}.DecodeRequest("", body, lost)
	if err != nil {
		return nil, err
	}
	return Upstream{}.AppendRequest(nil, r, target, lost)
}

func TestMillionths(t *testing.T) {
	for v, want := range map[ir.Raw]int64{"0": 0, "1": one, "1.0": one, "0.95": 950_000, "-0.5": -500_000,
		"1.0000019": 1_000_001, "123456789": 123_456_789 * one} {
		n, ok := ir.Millionths(v)
		require.True(t, ok, v)
		require.Equal(t, want, n, v)
	}
	for _, v := range []ir.Raw{"", "null", "1e3", "1234567890", "0.00000000000000000000000000001"} {
		_, ok := ir.Millionths(v)
		require.False(t, ok, v)
	}
}

func TestVisible(t *testing.T) {
	for e, want := range map[ir.Escaped]int{"": 0, " ": 0, "a": 1, "a ": 1, `a\n\t\r `: 1, `a\\n`: 4,
		`a\\ `: 3, `a \u00e9 `: 8, `a\"`: 3} {
		require.Equal(t, want, visible(e), e)
	}
}
