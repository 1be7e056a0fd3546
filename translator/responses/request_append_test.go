package responses

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/openai"
)

// written returns the members of the body for r, except the constant ones, and the losses.
func written(t *testing.T, r *ir.Request, target ir.Target) (map[string]json.RawMessage, []string) {
	if r.API == nil {
		r.API = irtest.API("chat")
	}
	if r.Messages == nil {
		r.Messages = []ir.Message{{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: "x"}}}}
	}
	var lost ir.Lost
	body, err := Upstream{}.AppendRequest(nil, r, &target, &lost)
	require.Nil(t, err)
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &members), string(body))
	require.Equal(t, "false", string(members["store"]))
	delete(members, "store")
	delete(members, "model")
	return members, lost.Paths()
}

// TestTools covers kinds of tools that not every client can declare.
func TestTools(t *testing.T) {
	tools := []ir.Tool{
		{Kind: ir.CustomTool, Name: "patch", Description: "Patches.",
			Grammar: `{"type":"grammar","syntax":"lark","definition":"x"}`},
		{Kind: ir.CustomTool, Name: "sql",
			Grammar: `{"type":"grammar","grammar":{"syntax":"regex","definition":"y"}}`},
		{Kind: ir.CustomTool, Name: "any"},
		{Kind: ir.CustomTool, Name: "odd", Grammar: `{"type":"grammar","grammar":"x"}`},
		{Kind: ir.WebSearchTool, At: ir.Pos{Form: "tools"}, Name: "web_search",
			Search: ir.Search{Allowed: []ir.Escaped{"a.example", "b.example"},
				Blocked:      []ir.Escaped{"c.example"},
				BlockedField: ".blocked_domains",
				Location:     `{"type":"approximate","city":"Rome"}`, MaxUses: 3, ContextSize: "low"}},
		{Name: "shell", Type: "local_shell", Raw: `{"type":"local_shell"}`},
		{Kind: ir.VendorTool, At: ir.Pos{Form: "tools"}, Type: "code_interpreter",
			Raw: `{"type":"code_interpreter"}`},
	}
	const custom = `{"type":"custom","name":"patch","description":"Patches.","format":{"type":"grammar",` +
		`"syntax":"lark","definition":"x"}},` +
		`{"type":"custom","name":"sql","format":{"type":"grammar","syntax":"regex","definition":"y"}},` +
		`{"type":"custom","name":"any"},` +
		`{"type":"custom","name":"odd","format":{"type":"grammar","grammar":"x"}}`
	const function = `{"type":"function","name":"shell","parameters":{"type":"object","properties":{}},` +
		`"strict":false}`
	body, lost := written(t, &ir.Request{Tools: tools}, ir.Target{CustomTools: true})
	require.Equal(t, "["+custom+","+function+"]", string(body["tools"]))
	require.Equal(t, []string{"tools"}, lost)

	body, lost = written(t, &ir.Request{Tools: tools}, ir.Target{CustomTools: true, WebSearch: true})
	require.Equal(t,
		"["+custom+`,{"type":"web_search","filters":{"allowed_domains":["a.example","b.example"]},`+
			`"user_location":{"type":"approximate","city":"Rome"},"search_context_size":"low"},`+
			function+"]", string(body["tools"]))
	require.Equal(t, []string{"tools.blocked_domains", "tools.max_uses", "tools"}, lost)

	body, lost = written(t, &ir.Request{API: irtest.API(Name), Tools: tools[5:]},
		ir.Target{CustomTools: true})
	require.Equal(t, `[{"type":"local_shell"},{"type":"code_interpreter"}]`, string(body["tools"]),
		"of this protocol's own")
	require.Empty(t, lost)
}

// TestToolChoice covers choices that not every client has.
func TestToolChoice(t *testing.T) {
	tools := []ir.Tool{{Name: "a"}, {Kind: ir.CustomTool, Name: "b"}, {Name: "c"}}
	allowed := ir.ToolChoice{Mode: ir.ToolsRequired, Allowed: []ir.Escaped{"b", "c"}}
	body, lost := written(t, &ir.Request{Tools: tools, ToolChoice: allowed},
		ir.Target{OpenAI: true, CustomTools: true})
	require.Equal(t,
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"custom","name":"b"},`+
			`{"type":"function","name":"c"}]}`, string(body["tool_choice"]))
	require.Contains(t, string(body["tools"]), `"a"`)
	require.Empty(t, lost)

	body, lost = written(t, &ir.Request{Tools: tools, ToolChoice: allowed}, ir.Target{})
	require.Equal(t, `"required"`, string(body["tool_choice"]))
	require.NotContains(t, string(body["tools"]), `"a"`, "all that is offered may be called")
	require.Empty(t, lost)

	body, _ = written(t, &ir.Request{Tools: tools, ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed,
		Name: "b"}}, ir.Target{CustomTools: true})
	require.Equal(t, `{"type":"custom","name":"b"}`, string(body["tool_choice"]))

	search := []ir.Tool{{Kind: ir.WebSearchTool, Name: "web_search"}}
	body, lost = written(t, &ir.Request{Tools: search, ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed,
		Name: "web_search"}}, ir.Target{WebSearch: true})
	require.Equal(t, `{"type":"web_search"}`, string(body["tool_choice"]))
	require.Empty(t, lost)
}

// TestAccount covers members sent only to OpenAI's own service.
func TestAccount(t *testing.T) {
	r := ir.Request{UserID: "u", Metadata: `{"a":"b"}`, ServiceTier: "flex", CacheKey: "k", Verbosity: "low",
		ReasoningSummary: "auto"}
	body, lost := written(t, &r, ir.Target{OpenAI: true, Efforts: []string{"low"}})
	delete(body, "input")
	require.Equal(t, map[string]json.RawMessage{
		"safety_identifier": json.RawMessage(`"u"`),
		"metadata":          json.RawMessage(`{"a":"b"}`),
		"service_tier":      json.RawMessage(`"flex"`),
		"prompt_cache_key":  json.RawMessage(`"k"`),
		"text":              json.RawMessage(`{"verbosity":"low"}`),
		"reasoning":         json.RawMessage(`{"summary":"auto"}`),
		"include":           json.RawMessage(`["reasoning.encrypted_content"]`),
	}, body)
	require.Empty(t, lost)

	r.Format, r.ReasoningSummary = ir.Format{Object: true}, "detailed"
	body, lost = written(t, &r, ir.Target{})
	delete(body, "input")
	require.Equal(t,
		map[string]json.RawMessage{"text": json.RawMessage(`{"format":{"type":"json_object"}}`)}, body)
	require.Len(t, lost, 5, "all but the key of the cache, which is a hint")

	r = ir.Request{Verbosity: "high", Format: ir.Format{Name: "a_b", Description: "D", Schema: `{}`,
		Strict: ir.True}}
	body, _ = written(t, &r, ir.Target{OpenAI: true})
	require.Equal(t,
		`{"format":{"type":"json_schema","name":"a_b","description":"D","schema":{},"strict":true},`+
			`"verbosity":"high"}`, string(body["text"]))
}

// TestHistory covers content that not every client can have.
func TestHistory(t *testing.T) {
	item := ir.Pos{Form: "input[]", Index: ir.Index{1}}
	r := ir.Request{Messages: []ir.Message{
		{Role: ir.User, Content: []ir.Content{
			{Kind: ir.ImageContent, Source: ir.Source{URL: "u", Detail: "low"}},
			{Kind: ir.DocumentContent, Source: ir.Source{Data: "aGk=", MediaType: "text/csv"}},
			{Kind: ir.OpaqueContent, At: ir.Pos{Form: "input[].content[]", Index: ir.Index{0, 2}},
				Raw: `{"type":"input_audio"}`},
		}},
		{Role: ir.Assistant, Content: []ir.Content{
			{Kind: ir.OpaqueContent, At: item, Raw: `{"type":"local_shell_call","call_id":"c"}`},
			{Kind: ir.TextContent, Text: "Well."},
			{Kind: ir.RefusalContent, Text: "No."},
		}},
	}}
	const user = `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"u",` +
		`"detail":"low"},` +
		`{"type":"input_file","filename":"document","file_data":"data:text/csv;base64,aGk="}`
	r.API = irtest.API(Name)
	body, lost := written(t, &r, ir.Target{OpenAI: true})
	require.Equal(t, `[`+user+`,{"type":"input_audio"}]},{"type":"local_shell_call","call_id":"c"},`+
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Well.",`+
		`"annotations":[]},{"type":"refusal","refusal":"No."}]}]`, string(body["input"]))
	require.Empty(t, lost)

	r.API = irtest.API("chat")
	body, lost = written(t, &r, ir.Target{})
	require.Equal(t, `[`+user+`]},{"type":"message","role":"assistant","content":"Well.\n\nNo."}]`,
		string(body["input"]))
	require.Equal(t, []string{"input[0].content[2]", "input[1]"}, lost)
	_, err := Upstream{}.AppendRequest(nil, &r, &ir.Target{RefuseLossy: true}, &ir.Lost{})
	require.NotNil(t, err)
	require.Equal(t, "input[0].content[2]", err.Path)
}

// TestOwnResult: parts of a result that are unknown to the hub are copied for an upstream of the
// client's own protocol.
func TestOwnResult(t *testing.T) {
	call := ir.Content{Kind: ir.ToolCallContent, ID: "c", Name: "f", Input: "{}"}
	parts := []ir.Content{{Kind: ir.TextContent, Text: "a"}, {Kind: ir.OpaqueContent,
		At: ir.Pos{Form: "input[].output[]", Index: ir.Index{0, 1}}, Raw: `{"type":"x"}`}}
	for client, output := range map[string]string{
		Name:   `[{"type":"input_text","text":"a"},{"type":"x"}]`,
		"chat": `"a"`,
	} {
		request := &ir.Request{API: irtest.API(client)}
		inner := ir.Writer{Request: request, Target: &ir.Target{}, Lost: &ir.Lost{}}
		w := requestWriter{Writer: openai.Writer{Writer: inner}}
		require.Nil(t, w.result(&call, &ir.Content{Parts: parts}, "c"))
		require.Equal(t, `{"type":"function_call_output","call_id":"c","output":`+output+`}`, string(w.Dst))
		require.Equal(t, client == "chat", len(w.Lost.Paths()) == 1)
	}
}

// TestCustomCalls covers free-text calls, and their results.
func TestCustomCalls(t *testing.T) {
	w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Request: &ir.Request{API: irtest.API("chat")},
		Target: &ir.Target{}, Lost: &ir.Lost{}}}}
	call := ir.Content{Kind: ir.CustomCallContent, ID: "c", Name: "patch", Text: `a\n`}
	w.call(&call)
	require.Nil(t, w.result(&call, &ir.Content{Parts: []ir.Content{{Kind: ir.TextContent, Text: "ok"}}}, "c"))
	require.Equal(t,
		`{"type":"function_call","call_id":"c","name":"patch","arguments":"{\"input\":\"a\\n\"}"},`+
			`{"type":"function_call_output","call_id":"c","output":"ok"}`, string(w.Dst))

	w = requestWriter{Writer: openai.Writer{Writer: ir.Writer{Request: w.Request,
		Target: &ir.Target{CustomTools: true}, Lost: &ir.Lost{}}}}
	w.call(&call)
	require.Nil(t, w.result(&call, &ir.Content{Parts: []ir.Content{{Kind: ir.TextContent, Text: "ok"}}}, "c"))
	require.Equal(t,
		`{"type":"custom_tool_call","call_id":"c","name":"patch","input":"a\n"},`+
			`{"type":"custom_tool_call_output","call_id":"c","output":"ok"}`, string(w.Dst))
}

// TestBlankBetweenTurns: the assistant's messages around a blank message are one turn, so the first
// text is no final answer.
func TestBlankBetweenTurns(t *testing.T) {
	text := func(role ir.Role, text ir.Escaped) ir.Message {
		return ir.Message{Role: role, Content: []ir.Content{{Kind: ir.TextContent, Text: text}}}
	}
	for _, role := range []ir.Role{ir.User, ir.System} {
		members, lost := written(t, &ir.Request{Messages: []ir.Message{text(ir.User, "a"), text(ir.Assistant, "b"),
			text(role, " "), text(ir.Assistant, "c"), text(ir.User, "d")}}, ir.Target{Phases: true})
		require.Empty(t, lost)
		require.JSONEq(t, `[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},
			{"type":"message","role":"assistant","phase":"commentary","content":"b"},
			{"type":"message","role":"assistant","phase":"final_answer","content":"c"},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"d"}]}]`,
			string(members["input"]))
	}
}
