package chat

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

var (
	function = ir.Tool{Name: "read", At: ir.Pos{Form: "tool0"}}
	patch    = ir.Tool{Kind: ir.CustomTool, Name: "patch", Description: `A \"patch\".`,
		At:      ir.Pos{Form: "tool1"},
		Grammar: `{"type":"grammar","syntax":"lark","definition":"start: \"x\""}`}
	search = ir.Tool{Kind: ir.WebSearchTool, Name: "web_search", At: ir.Pos{Form: "tool2"},
		Search: ir.Search{ContextSize: "low", Location: `{"type":"approximate","city":"Rome","region":null}`,
			MaxUses: 2}}
	vendor = ir.Tool{Kind: ir.VendorTool, Type: "computer", Name: "computer", At: ir.Pos{Form: "tool3"}}
)

const (
	readJSON = `{"type":"function","function":{"name":"read","parameters":{"type":"object",` +
		`"properties":{}}}}`
	patchJSON = `{"type":"custom","custom":{"name":"patch","description":"A \"patch\".",` +
		`"format":{"type":"grammar","grammar":{"definition":"start: \"x\"","syntax":"lark"}}}}`
	patchAsJSON = `{"type":"function","function":{"name":"patch",` +
		`"description":"A \"patch\".\n\nThe input must follow this grammar (lark):\nstart: \"x\"",` +
		`"parameters":{"type":"object","properties":{"input":{"type":"string",` +
		`"description":"The whole input of the tool, as plain text."}},"required":["input"],` +
		`"additionalProperties":false}}}`
)

// TestTools checks the members for tools, for any server and for OpenAI's own service.
func TestTools(t *testing.T) {
	service := ir.Target{OpenAI: true, WebSearch: true, ParallelFlag: true}
	for _, c := range []struct {
		name     string
		target   ir.Target
		tools    []ir.Tool
		choice   ir.ToolChoice
		parallel ir.Tri
		want     string
		lost     []string
	}{
		{"custom as function", ir.Target{}, []ir.Tool{function, patch}, ir.ToolChoice{Mode: ir.ToolsNamed,
			Name: "patch"}, ir.True,
			`"tools":[` + readJSON + `,` + patchAsJSON +
				`],"tool_choice":{"type":"function","function":{"name":"patch"}}`, nil},
		{"custom", service, []ir.Tool{patch}, ir.ToolChoice{Mode: ir.ToolsNamed, Name: "patch"}, ir.True,
			`"tools":[` + patchJSON +
				`],"tool_choice":{"type":"custom","custom":{"name":"patch"}},"parallel_tool_calls":true`,
			nil},
		{"allowed", ir.Target{}, []ir.Tool{function, patch}, ir.ToolChoice{Mode: ir.ToolsRequired,
			Allowed: []ir.Escaped{"read"}}, ir.Unset,
			`"tools":[` + readJSON + `],"tool_choice":"required"`, nil},
		{"allowed natively", service, []ir.Tool{function, patch}, ir.ToolChoice{Mode: ir.ToolsAuto,
			Allowed: []ir.Escaped{"patch"}}, ir.False,
			`"tools":[` + readJSON + `,` + patchJSON +
				`],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto",` +
				`"tools":[{"type":"custom","custom":{"name":"patch"}}]}},"parallel_tool_calls":false`, nil},
		{"none allowed", ir.Target{OpenAI: true, ReportLossy: true}, []ir.Tool{function},
			ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"x"}}, ir.Unset,
			`"tools":[` + readJSON + `],"tool_choice":"none"`, []string{"choice"}},
		{"none of the allowed can be offered", ir.Target{ReportLossy: true}, []ir.Tool{function, vendor},
			ir.ToolChoice{Mode: ir.ToolsRequired, Allowed: []ir.Escaped{"computer"}}, ir.Unset,
			``, []string{"tool3", "choice"}},
		{"a vendor's tool that may not be called", service, []ir.Tool{function, vendor},
			ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"read"}}, ir.Unset,
			`"tools":[` + readJSON +
				`],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto",` +
				`"tools":[{"type":"function","function":{"name":"read"}}]}}`, nil},
		{"search", service, []ir.Tool{search}, ir.ToolChoice{Mode: ir.ToolsAuto}, ir.Unset,
			`"web_search_options":{"search_context_size":"low","user_location":{"type":"approximate",` +
				`"approximate":{"city":"Rome"}}}`, []string{"tool2.max_uses"}},
		{"search unwanted", service, []ir.Tool{search, function}, ir.ToolChoice{Mode: ir.ToolsNone},
			ir.Unset, `"tools":[` + readJSON + `],"tool_choice":"none"`, nil},
		{"search demanded", service, []ir.Tool{search, function}, ir.ToolChoice{Mode: ir.ToolsNamed,
			Name: "web_search"}, ir.Unset,
			`"tools":[` + readJSON +
				`],"web_search_options":{"search_context_size":"low",` +
				`"user_location":{"type":"approximate","approximate":{"city":"Rome"}}}`, []string{"tool2.max_uses"}},
		{"search alone allowed", service, []ir.Tool{search, function}, ir.ToolChoice{Mode: ir.ToolsAuto,
			Allowed: []ir.Escaped{"web_search"}}, ir.Unset,
			`"tools":[` + readJSON +
				`],"tool_choice":"none","web_search_options":{"search_context_size":"low",` +
				`"user_location":{"type":"approximate","approximate":{"city":"Rome"}}}`, []string{"tool2.max_uses"}},
		{"search elsewhere", ir.Target{WebSearch: true, ReportLossy: true}, []ir.Tool{search, vendor,
			function}, ir.ToolChoice{Mode: ir.ToolsNamed, Name: "web_search"}, ir.False,
			`"tools":[` + readJSON + `]`, []string{"tool2", "tool3", "choice", "parallel"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lost ir.Lost
			r := &ir.Request{API: irtest.API(""), Model: "m", Tools: c.tools, ToolChoice: c.choice,
				Parallel: c.parallel,
				Messages: []ir.Message{{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent,
					Text: "x"}}}}}
			out, err := Upstream{}.AppendRequest(nil, r, &c.target, &lost)
			require.Nil(t, err)
			want := `{"model":"m","messages":[{"role":"user","content":"x"}]`
			if c.want != "" {
				want += "," + c.want
			}
			require.Equal(t, want+"}", string(out))
			require.True(t, json.Valid(out))
			require.Equal(t, c.lost, lost.Paths())
		})
	}
}

// TestVendorFields: fields of OpenAI's own service go to no other server.
func TestVendorFields(t *testing.T) {
	r := &ir.Request{API: irtest.API(""), Model: "m", Messages: []ir.Message{{Role: ir.User,
		Content: []ir.Content{{Kind: ir.TextContent, Text: "x"}}}},
		UserID:    "user-0123456789012345678901234567890123456789012345678901234567890123456789",
		Verbosity: "low", ServiceTier: "flex",
		CacheKey: "k", Metadata: `{"a":"b"}`, ReasoningSummary: "detailed", Format: ir.Format{Object: true}}
	var lost ir.Lost
	out, err := Upstream{}.AppendRequest(nil, r, &ir.Target{OpenAI: true}, &lost)
	require.Nil(t, err)
	require.Equal(t,
		`{"model":"m","messages":[{"role":"user","content":"x"}],`+
			`"safety_identifier":"user-012345678901234567890123456789012345678901_6dac44e1e9f1f022",`+
			`"verbosity":"low","service_tier":"flex","prompt_cache_key":"k",`+
			`"response_format":{"type":"json_object"}}`, string(out))
	require.Equal(t, []string{"meta", "summary"}, lost.Paths())

	lost = ir.Lost{}
	out, err = Upstream{}.AppendRequest(nil, r, &ir.Target{}, &lost)
	require.Nil(t, err)
	require.Equal(t,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_object"}}`,
		string(out))
	require.Equal(t, []string{"meta", "summary", "user", "verbosity", "tier"}, lost.Paths())
}

// TestCustomCallsOfTheHistory writes calls of a history.
func TestCustomCallsOfTheHistory(t *testing.T) {
	calls := []ir.Content{{Kind: ir.CustomCallContent, ID: "c", Name: "patch", Text: `*** \"Begin\"\n`}}
	w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Request: irtest.Request(),
		Target: &ir.Target{}}}}
	w.calls(calls)
	require.Equal(t,
		`,"tool_calls":[{"id":"c","type":"function","function":{"name":"patch",`+
			`"arguments":"{\"input\":\"*** \\\"Begin\\\"\\n\"}"}}]`, string(w.Dst))
	w = requestWriter{Writer: openai.Writer{Writer: ir.Writer{Request: w.Request,
		Target: &ir.Target{OpenAI: true}}}}
	w.calls(calls)
	require.Equal(t,
		`,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"patch","input":"*** \"Begin\"\n"}}]`,
		string(w.Dst))
}

func TestImageDetail(t *testing.T) {
	w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Request: irtest.Request(),
		Target: &ir.Target{}}}}
	w.attach(&ir.Content{Kind: ir.ImageContent, Source: ir.Source{URL: "u", Detail: "high"}})
	w.attach(&ir.Content{Kind: ir.ImageContent, Source: ir.Source{URL: "u", Detail: "auto"}})
	require.Equal(t,
		`{"type":"image_url","image_url":{"url":"u","detail":"high"}}{"type":"image_url",`+
			`"image_url":{"url":"u"}}`, string(w.Dst))
}

// TestBrokenDetails: reasoning_details that are no longer JSON are lost, and no part of them is in
// the body.
func TestBrokenDetails(t *testing.T) {
	for _, c := range []struct {
		signature ir.Escaped
		told      string
	}{{`[{\"a\":1}]`, `,{"a":1}`}, {`[{\"a\":1`, ""}, {`[]`, ""}, {`{}`, ""}} {
		var lost ir.Lost
		w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Dst: []byte("["),
			Request: irtest.Request(), Target: &ir.Target{}, Lost: &lost}}}
		require.Equal(t, c.told != "", w.details(",", &ir.Content{Kind: ir.ReasoningContent,
			Signature: c.signature, At: ir.Pos{Form: "messages"}}), c.signature)
		require.Equal(t, "["+c.told, string(w.Dst), c.signature)
		require.Equal(t, jsonr.Check(jsonw.Unescape(c.signature)) != nil, len(lost.Paths()) > 0, c.signature)
	}
}
