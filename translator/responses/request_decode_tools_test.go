package responses

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestFoundIn(t *testing.T) {
	require.Equal(t, []ir.Escaped{"a", "s__b", "s__c", "d"}, foundIn(`[{"type":"function","name":"a"},
		{"type":"namespace","name":"s","tools":[{"type":"function","name":"b"},{"type":"function","name":"c"}]},{"type":"custom","name":"d"}]`))
}

// TestChoiceInChatsForm: a tool_choice in the form of Chat Completions is accepted. If it has a
// type, the type counts.
func TestChoiceInChatsForm(t *testing.T) {
	for choice, kind := range map[string]string{
		`{"type":"function","function":{"name":"f"}}`: "f",
		`{"function":{"name":"f"}}`:                   "f",
		`{"custom":{"name":"c"}}`:                     "c",
	} {
		r, err := Client{}.DecodeRequest("",
			`{"model":"m","input":"x","tools":[{"type":"function","name":"f"},{"type":"custom",`+
				`"name":"c"}],"tool_choice":`+choice+`}`, &ir.Lost{})
		require.Nil(t, err, choice)
		require.Equal(t, ir.ToolsNamed, r.ToolChoice.Mode, choice)
		require.Equal(t, ir.Escaped(kind), r.ToolChoice.Name, choice)
	}
}

// TestToolsWithoutSecrets: the tools repeated in an answer have no tokens, and are otherwise equal.
func TestToolsWithoutSecrets(t *testing.T) {
	for tools, want := range map[ir.Raw]ir.Raw{
		`["x",{"type":"mcp","authorization":"t","server_label":"s",` +
			`"headers":{"a":"b"}},7]`: `["x",{"type":"mcp","server_label":"s"},7]`,
		`[{"authorization":"mcp",` +
			`"t\u0079pe":"mcp"},{}]`: `[{"type":"mcp"},{}]`,
		`[{"type":"function",` +
			`"headers":"x"}]`: `[{"type":"function","headers":"x"}]`,
		`"mcp"`: `"mcp"`,
	} {
		require.Equal(t, want, withoutSecrets(tools))
	}
}

// TestOptionsOfASearch: a filter or a location unknown to the hub is lost at upstreams of other APIs.
func TestOptionsOfASearch(t *testing.T) {
	var lost ir.Lost
	r, err := Client{}.DecodeRequest("",
		`{"model":"m","input":"x","tools":[{"type":"web_search","user_location":"Oslo",`+
			`"filters":{"allowed_domains":["a.example"],"since":"2026"}}]}`, &lost)
	require.Nil(t, err)
	require.Equal(t, []ir.Escaped{"a.example"}, r.Tools[0].Search.Allowed)
	require.Equal(t, []ir.Member{{Key: "tools[0].user_location"}, {Key: "tools[0].filters.since"}}, r.Own,
		"OpenAI gets them")
	require.Empty(t, lost.Paths())
}

// TestFailedCallOfAServer: the output of a call that an MCP server ran is the output, or else the
// reason of the failure.
func TestFailedCallOfAServer(t *testing.T) {
	for members, want := range map[string]ir.Hosted{
		`"output":"3"`:                            {Output: "3"},
		`"output":""`:                             {},
		`"output":"3","error":null`:               {Output: "3"},
		`"output":"3","error":{"message":"late"}`: {Output: "3", Failed: true},
		`"output":null,"error":{"message":"no"}`:  {Output: "no", Failed: true},
		`"error":{"message":"x","code":-32000}`:   {Output: "x", Failed: true},
		`"error":{"code":7}`:                      {Output: `{\"code\":7}`, Failed: true},
		`"error":{"content":[{"text":"a"},{"text":` + `"b"}],"message":"m"}`: {Output: "ab", Failed: true},
	} {
		r, err := Client{}.DecodeRequest("", `{"model":"m","input":[{"type":"mcp_call","id":"mcp_1",`+
			`"server_label":"s","name":"f","arguments":"{}",`+members+`}]}`, &ir.Lost{})
		require.Nil(t, err, members)
		got := r.Messages[0].Content[0].Hosted
		require.Equal(t, [2]any{want.Output, want.Failed}, [2]any{got.Output, got.Failed}, members)
	}
}
