package interactions

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

var (
	gemini3Pro = *Upstream{}.Target("generativelanguage.googleapis.com", "gemini-3-pro-preview")
	flash38    = *Upstream{}.Target("generativelanguage.googleapis.com", "models/gemini-3.8-flash")
	flash25    = *Upstream{}.Target("generativelanguage.googleapis.com", "gemini-2.5-flash")
	gemini20   = *Upstream{}.Target("generativelanguage.googleapis.com", "gemini-2.0-flash")
)

// body returns the body of a request, the losses, and the refusal.
func body(t *testing.T, r ir.Request, target ir.Target) (string, []string, *ir.Error) {
	t.Helper()
	return irtest.Body(t, Upstream{}, r, target)
}

// rest returns a body without the message of the user.
func rest(t *testing.T, r ir.Request, target ir.Target) (string, []string) {
	t.Helper()
	const x = `[{"type":"user_input","content":[{"type":"text","text":"x"}]}]`
	return irtest.Rest(t, Upstream{}, r, target, `{"model":"m","store":false,"input":`+x)
}

// steps returns the steps of a body, one per line. If the body has a system_instruction, its line
// comes first.
func steps(t *testing.T, r ir.Request, target ir.Target) (string, []string) {
	t.Helper()
	out, lost, err := body(t, r, target)
	require.Nil(t, err)
	var b struct {
		SystemInstruction string `json:"system_instruction"`
		Input             []json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(out), &b))
	require.NotEmpty(t, b.Input)
	var lines []string
	if b.SystemInstruction != "" {
		lines = append(lines, b.SystemInstruction)
	}
	for _, s := range b.Input {
		line := strings.TrimSuffix(strings.TrimPrefix(string(s), `{"type":"`), "}")
		lines = append(lines, strings.Replace(line, `","content":`, " ", 1))
	}
	return strings.Join(lines, "\n"), lost
}

var (
	text, image, document = irtest.Text, irtest.Image, irtest.Document
	said, says, gets      = irtest.Said, irtest.Says, irtest.Gets
	calls, returns        = irtest.Calls, irtest.Returns
	blob, thought         = irtest.Blob, irtest.Thought
)

const (
	hiText = `user_input [{"type":"text","text":"hi"}]` + "\n"
	dummy  = `thought","signature":"skip_thought_signature_validator"` + "\n"
)

// TestInput checks the steps that the upstream gets for a history.
func TestInput(t *testing.T) {
	type list = []ir.Message
	hi := said(ir.User, "hi")
	for name, c := range map[string]struct {
		target   ir.Target
		messages list
		want     string
		lost     []string
	}{
		"roles": {flash38, list{said(ir.System, `s\n`), said(ir.System, " "), said(ir.System, "t"), hi,
			said(ir.User, "there"), said(ir.Assistant, "a"), said(ir.Assistant, "b"), said(ir.System, "now"),
			said(ir.User, "c")},
			"s\n\n\nt\n" + `user_input [{"type":"text","text":"hi"},{"type":"text","text":"there"}]
model_output [{"type":"text","text":"a"},{"type":"text","text":"b"}]
user_input [{"type":"text","text":"<system-reminder>\nnow\n</system-reminder>"},{"type":"text","text":"c"}]`,
			nil},
		"nothing but a system prompt": {flash38, list{said(ir.System, "s")},
			"s\n" + `user_input [{"type":"text","text":"."}]`, nil},
		"empty turns": {flash38, list{hi, said(ir.Assistant, ""), said(ir.User, " "),
			said(ir.Assistant, "a"), said(ir.User, `\n`), said(ir.Assistant, "b"), hi},
			hiText + `model_output [{"type":"text","text":"a"},{"type":"text","text":"b"}]` + "\n" +
				strings.TrimSpace(hiText), nil},
		"the model begins": {gemini3Pro, list{said(ir.Assistant, "a"), hi},
			`user_input [{"type":"text","text":"."}]` + "\n" + `model_output [{"type":"text","text":"a"}]` +
				"\n" + strings.TrimSpace(hiText), nil},
		"the model ends": {gemini3Pro, list{hi, said(ir.Assistant, "a")},
			hiText + `model_output [{"type":"text","text":"a"}]` + "\n" +
				`user_input [{"type":"text","text":"."}]`, nil},
		"a refusal": {gemini3Pro, list{hi, says(ir.Content{Kind: ir.RefusalContent,
			Text: "no"}), hi}, hiText + `model_output [{"type":"text","text":"no"}]` + "\n" +
			strings.TrimSpace(hiText), nil},
		"results in the order of calls, and text behind": {flash25, list{hi, says(text("a"), calls("1", "f"),
			calls("2", "g")), gets(text("and"), returns("2", text("two")), returns("1", text("o"),
			text("ne")))},
			hiText + `model_output [{"type":"text","text":"a"}]
function_call","id":"1","name":"f","arguments":{"a":1}
function_call","id":"2","name":"g","arguments":{"a":1}
function_result","call_id":"1","name":"f","result":"o\n\nne"
function_result","call_id":"2","name":"g","result":"two"
user_input [{"type":"text","text":"and"}]`, nil},
		"a call without a result, and one that has failed": {flash25, list{hi, says(calls("1", "f"),
			calls("2", "g")), gets(ir.Content{Kind: ir.ToolResultContent, ID: "2", IsError: true,
			Parts: []ir.Content{text("bad")}})},
			hiText + `function_call","id":"1","name":"f","arguments":{"a":1}
function_call","id":"2","name":"g","arguments":{"a":1}
function_result","call_id":"1","name":"f","is_error":true,"result":"(no result)"
function_result","call_id":"2","name":"g","is_error":true,"result":"bad"`, []string{"calls[0]"}},
		"an empty result, a name with a blank, a custom tool": {flash25,
			list{hi, says(ir.Content{Kind: ir.CustomCallContent, ID: "1", Name: "1 b", Text: `x\"y`}),
				gets(returns("1"))},
			hiText + `function_call","id":"1","name":"_1_b_` + "NAME" + `","arguments":{"input":"x\"y"}
function_result","call_id":"1","name":"_1_b_` + "NAME" + `","result":""`, nil},
		"thoughts where they stood": {gemini3Pro, list{hi, says(thought(Name, "t", "T"), text("a"),
			blob(Name, "U"), calls("g1", "f"), calls("g2", "g")), gets(returns("g1", text("1")),
			returns("g2", text("2")))},
			hiText + `thought","signature":"T","summary":[{"type":"text","text":"t"}]
model_output [{"type":"text","text":"a"}]
thought","signature":"U"
function_call","id":"g1","name":"f","arguments":{"a":1}
function_call","id":"g2","name":"g","arguments":{"a":1}
function_result","call_id":"g1","name":"f","result":"1"
function_result","call_id":"g2","name":"g","result":"2"`, nil},
		"another vendor's history": {gemini3Pro, list{hi, says(thought("anthropic", "t", "T"), blob("gemini",
			"R"), text("a"), calls("toolu_1", "f"), calls("toolu_2", "g")), gets(returns("toolu_1"),
			returns("toolu_2")), says(calls("toolu_3", "f")), gets(returns("toolu_3"))},
			hiText + `model_output [{"type":"text","text":"a"}]
` + dummy + `function_call","id":"toolu_1","name":"f","arguments":{"a":1}
function_call","id":"toolu_2","name":"g","arguments":{"a":1}
function_result","call_id":"toolu_1","name":"f","result":""
function_result","call_id":"toolu_2","name":"g","result":""
` + dummy + `function_call","id":"toolu_3","name":"f","arguments":{"a":1}
function_result","call_id":"toolu_3","name":"f","result":""`, []string{"reasoning[0]"}},
		"unsigned thoughts": {gemini3Pro, list{hi, says(thought(Name, "t", ""), text("a")), hi},
			hiText + `model_output [{"type":"text","text":"a"}]` + "\n" + strings.TrimSpace(hiText),
			[]string{"reasoning[0]"}},
		"ids that repeat": {flash25, list{hi, says(calls("f:0", "f"), calls("f:0", "f")), gets(returns("f:0",
			text("1")), returns("f:0", text("2"))), says(calls("f:0", "f")), gets(returns("f:0", text("3")))},
			hiText + `function_call","id":"f:0","name":"f","arguments":{"a":1}
function_call","id":"f:0_1","name":"f","arguments":{"a":1}
function_result","call_id":"f:0","name":"f","result":"1"
function_result","call_id":"f:0_1","name":"f","result":"2"
function_call","id":"f:0_2","name":"f","arguments":{"a":1}
function_result","call_id":"f:0_2","name":"f","result":"3"`, nil},
		"images, files and audio": {flash38, list{gets(image("image/jpg", "AA"),
			document(ir.Source{Data: "BB", MediaType: ir.PDF, Title: "T", Context: "C"}),
			document(ir.Source{Text: "D", Title: "T"}),
			ir.Content{Kind: ir.AudioContent, Raw: `{"data":"CC","format":"mp3"}`},
			document(ir.Source{Data: "AAAA", MediaType: "video/mp4"}))},
			`user_input [{"type":"image","mime_type":"image/jpeg","data":"AA"},{"type":"text","text":"T"},` +
				`{"type":"text","text":"C"},{"type":"document","mime_type":"application/pdf","data":"BB"},` +
				`{"type":"text","text":"T"},{"type":"text","text":"D"},` +
				`{"type":"audio","mime_type":"audio/mp3","data":"CC"},{"type":"video",` +
				`"mime_type":"video/mp4","data":"AAAA"}]`, nil},
		"URLs, and how closely to look": {flash38, list{gets(ir.Content{Kind: ir.ImageContent,
			Source: ir.Source{URL: `https:\/\/a/b.JPG?x=.png#y`, Detail: "low"}},
			ir.Content{Kind: ir.ImageContent, Source: ir.Source{URL: "https://a.b/c", Detail: "auto"}},
			ir.Content{Kind: ir.ImageContent, Source: ir.Source{MediaType: "image/png", Data: "AA",
				Detail: "original"}, At: ir.Pos{Form: "images[]"}}, document(ir.Source{URL: "https://a/d",
				Detail: "high"}))},
			`user_input [{"type":"image","mime_type":"image/jpeg","uri":"https:\/\/a/b.JPG?x=.png#y",` +
				`"resolution":"low"},{"type":"image","uri":"https://a.b/c"},{"type":"image",` +
				`"mime_type":"image/png","data":"AA"},{"type":"document","mime_type":"application/pdf",` +
				`"uri":"https://a/d"}]`,
			[]string{"images[0].detail", "documents[0].detail"}},
		"a file that Google has stored": {gemini20,
			list{gets(document(ir.Source{MediaType: ir.PDF, File: &ir.File{ID: "https://a/files/b",
				Vendor: google.Vendor}}))},
			`user_input [{"type":"document","mime_type":"application/pdf","uri":"https://a/files/b"}]`, nil},
		"no URLs": {gemini20, list{hi, gets(ir.Content{Kind: ir.ImageContent,
			Source: ir.Source{URL: "https://a/b.png"}, At: ir.Pos{Form: "images[]"}})},
			strings.TrimSpace(hiText), []string{"images[0]"}},
		"images in results": {flash38, list{hi, says(blob(Name, "S"), calls("1", "f"), calls("2", "g")),
			gets(returns("1", image("image/png", "AA")), returns("2", text("t"), image("image/heic", "BB"),
				document(ir.Source{Data: "CC", MediaType: ir.PDF, Context: "c"})), text("so"))},
			hiText + `thought","signature":"S"
function_call","id":"1","name":"f","arguments":{"a":1}
function_call","id":"2","name":"g","arguments":{"a":1}
function_result","call_id":"1","name":"f","result":[{"type":"image","mime_type":"image/png","data":"AA"}]
function_result","call_id":"2","name":"g","result":[{"type":"text","text":"t"},{"type":"text","text":"c"},{"type":"document","mime_type":"application/pdf","data":"CC"}]
user_input [{"type":"text","text":"Returned by the tool call 2:"},{"type":"image","mime_type":"image/heic","data":"BB"},{"type":"text","text":"so"}]`, nil},
		"images in results of older models": {flash25, list{hi, says(calls("1", "f")),
			gets(returns("1", image("image/png", "AA")))},
			hiText + `function_call","id":"1","name":"f","arguments":{"a":1}
function_result","call_id":"1","name":"f","result":"(see the file in the next message)"
user_input [{"type":"text","text":"Returned by the tool call 1:"},{"type":"image","mime_type":"image/png","data":"AA"}]`, nil},
		"what no API of Google's has": {gemini3Pro, list{hi, says(ir.Content{Kind: ir.OpaqueContent,
			Text: "said"}, ir.Content{Kind: ir.OpaqueContent, At: ir.Pos{Form: "blocks[]"}},
			image("image/png", "AA")), gets(document(ir.Source{Data: "AA==", MediaType: "application/zip"}),
			text("b"))},
			hiText + `model_output [{"type":"text","text":"said"}]` + "\n" +
				`user_input [{"type":"text","text":"b"}]`, []string{"blocks[0]", "images[0]",
				"documents[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, lost := steps(t, ir.Request{Messages: c.messages}, c.target)
			if hash := strings.Index(got, "_1_b_"); hash >= 0 {
				got = strings.ReplaceAll(got, got[hash+len("_1_b_"):][:17], "NAME")
			}
			require.Equal(t, strings.TrimSpace(c.want), got)
			require.Equal(t, c.lost, lost)
		})
	}
}

// TestSettings checks the members of a body other than its steps.
func TestSettings(t *testing.T) {
	function := ir.Tool{Name: "f", Description: "d",
		Schema: `{"type":"object","properties":{"a":{"type":"string"}},"required":[]}`}
	const declared = `"tools":[{"type":"function","name":"f","description":"d",` +
		`"parameters":{"type":"object","properties":{"a":{"type":"string"}}}}`
	search, fetch := ir.Tool{Kind: ir.WebSearchTool,
		At: ir.Pos{Form: "tools[]"}}, ir.Tool{Kind: ir.WebFetchTool}
	for name, c := range map[string]struct {
		target  ir.Target
		request ir.Request
		want    string
		lost    []string
	}{
		"nothing": {flash38, ir.Request{}, ``, nil},
		"limits and sampling": {flash25, ir.Request{MaxTokens: 99999999, Temperature: "0.5", TopP: "0.9",
			TopK: "3", Presence: "1", Frequency: "1", Seed: "7", Stop: []ir.Escaped{"a", "b"},
			Logprobs: "logprobs", TopLogprobs: "2"},
			`"generation_config":{"max_output_tokens":65536,"temperature":0.5,"top_p":0.9,"seed":7,` +
				`"stop_sequences":["a","b"]}`, []string{"top_k", "presence", "frequency", "logprobs",
				"top_logprobs"}},
		"no sampling": {flash38, ir.Request{Temperature: "1", TopP: "0.9"}, ``,
			[]string{"top_p"}},
		"too many stops": {flash38, ir.Request{Stop: []ir.Escaped{"a", "b", "c", "d", "e",
			"f"}}, ``, nil},
		"an effort": {flash38, ir.Request{Effort: "max"},
			`"generation_config":{"thinking_level":"high","thinking_summaries":"auto"}`, []string{"effort"}},
		"an effort, hidden": {flash38, ir.Request{Effort: "low", HideThoughts: true},
			`"generation_config":{"thinking_level":"low"}`, nil},
		"no effort": {gemini3Pro, ir.Request{Effort: "none"},
			`"generation_config":{"thinking_level":"low"}`, []string{"effort"}},
		"adaptive": {flash38, ir.Request{Adaptive: true, ReasoningSummary: "detailed"},
			`"generation_config":{"thinking_summaries":"auto"}`, []string{"summary"}},
		"an effort of 2.5": {flash25, ir.Request{Effort: "high", Budget: 20000},
			`"generation_config":{"thinking_summaries":"auto"}`, []string{"effort"}},
		"no thinking at all": {gemini20, ir.Request{Effort: "none", ReasoningSummary: "auto"}, ``,
			[]string{"summary"}},
		"any JSON": {flash38, ir.Request{Format: ir.Format{Object: true}},
			`"response_format":{"type":"text","mime_type":"application/json"}`, nil},
		"a schema": {flash38,
			ir.Request{Format: ir.Format{Schema: `{"type":"object","properties":{}}`, Description: "d"}},
			`"response_format":{"type":"text","mime_type":"application/json","schema":{"type":"object",` +
				`"properties":{}}}`, []string{"format.description"}},
		"a schema beside tools, 2.5": {flash25, ir.Request{Format: ir.Format{Object: true},
			Tools: []ir.Tool{function}}, declared + `]`, []string{"format"}},
		"records": {flash38, ir.Request{ServiceTier: "flex", UserID: "u",
			Metadata: `{"a":"b"}`, Verbosity: "low"}, `"service_tier":"flex"`, []string{"user", "meta",
			"verbosity"}},
		"a tier": {flash38, ir.Request{ServiceTier: "scale"}, ``, []string{"tier"}},
		"a custom tool": {flash38, ir.Request{Tools: []ir.Tool{{Kind: ir.CustomTool,
			Name: "f", Description: "d"}}},
			`"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object",` +
				`"properties":{"input":{"type":"string","description":"The whole input of the tool, as ` +
				`plain text."}},"required":["input"],"additionalProperties":false}}]`, nil},
		"tools of the upstream": {flash38, ir.Request{Tools: []ir.Tool{search, fetch},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsAuto}},
			`"tools":[{"type":"google_search"},{"type":"url_context"}]`, nil},
		"beside functions": {flash38, ir.Request{Tools: []ir.Tool{search, function}},
			declared + `,{"type":"google_search"}],"generation_config":{"tool_choice":"validated"}`, nil},
		"where to search": {flash38, ir.Request{Tools: []ir.Tool{{Kind: ir.WebSearchTool,
			At: ir.Pos{Form: "tools[]"}, Search: ir.Search{MaxUses: 3}}}},
			`"tools":[{"type":"google_search"}]`, []string{"tools[0].max_uses"}},
		"strict": {flash38, ir.Request{Tools: []ir.Tool{{Name: "f",
			Strict: ir.True}}},
			`"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}],` +
				`"generation_config":{"tool_choice":"validated"}`, nil},
		"any": {flash38, ir.Request{Tools: []ir.Tool{function},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsRequired}, Parallel: ir.False},
			declared + `],"generation_config":{"tool_choice":"any"}`, []string{"parallel"}},
		"none": {flash38, ir.Request{Tools: []ir.Tool{function, search},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsNone}, Parallel: ir.False},
			declared + `],"generation_config":{"tool_choice":"none"}`, nil},
		"a name": {flash38, ir.Request{Tools: []ir.Tool{function, search},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed, Name: "f"}},
			declared + `],"generation_config":{"tool_choice":{"allowed_tools":{"mode":"any",` +
				`"tools":["f"]}}}`, nil},
		"names": {flash38, ir.Request{Tools: []ir.Tool{function, {Name: "g"}},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"f"}}},
			declared + `,{"type":"function","name":"g","parameters":{"type":"object","properties":{}}}],` +
				`"generation_config":{"tool_choice":{"allowed_tools":{"mode":"validated","tools":["f"]}}}`,
			nil},
		"names, and a demand": {flash38, ir.Request{Tools: []ir.Tool{function},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsRequired, Allowed: []ir.Escaped{"f"}}},
			declared + `],"generation_config":{"tool_choice":{"allowed_tools":{"mode":"any",` +
				`"tools":["f"]}}}`, nil},
		"a demand for a search": {flash38, ir.Request{Tools: []ir.Tool{function,
			{Kind: ir.WebSearchTool, Name: "s"}}, ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed, Name: "s"}},
			declared + `,{"type":"google_search"}],"generation_config":{"tool_choice":"none"}`,
			[]string{"choice"}},
		"a search beside functions, 2.5": {flash25, ir.Request{Tools: []ir.Tool{function, search}},
			declared + `]`, []string{"tools[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, lost := rest(t, c.request, c.target)
			require.Equal(t, c.want, got)
			require.Equal(t, c.lost, lost)
		})
	}
	out, _, err := body(t, ir.Request{Stream: true}, flash38)
	require.Nil(t, err)
	require.Contains(t, out, `{"model":"m","store":false,"stream":true,"input":[`)
}

// TestRefused checks the refusal of fields whose loss would change the meaning of a request, with
// their paths.
func TestRefused(t *testing.T) {
	refusing := func(t ir.Target) ir.Target {
		t.RefuseLossy = true
		return t
	}
	vendors := ir.Tool{Kind: ir.VendorTool, Name: "bash", Type: "bash_20250124", At: ir.Pos{Form: "tools[]"}}
	for name, c := range map[string]struct {
		target  ir.Target
		request ir.Request
		path    string
	}{
		"empty messages": {flash38, ir.Request{Messages: []ir.Message{said(ir.User, " ")}},
			"messages"},
		"a file of another vendor": {flash38,
			ir.Request{Messages: []ir.Message{gets(document(ir.Source{File: &ir.File{ID: "f",
				Vendor: "openai", Field: ".file"}}))}}, "documents[0].file"},
		"an image in the prompt": {refusing(flash38), ir.Request{Messages: []ir.Message{{Role: ir.System,
			Content: []ir.Content{image("image/png", "A")}}}}, "images[0]"},
		"an image of the model's": {refusing(flash38),
			ir.Request{Messages: []ir.Message{says(image("image/png", "A"))}}, "images[0]"},
		"a type": {refusing(flash38),
			ir.Request{Messages: []ir.Message{gets(document(ir.Source{Data: "AA==",
				MediaType: "application/zip"}))}}, "documents[0]"},
		"a URL": {refusing(gemini20),
			ir.Request{Messages: []ir.Message{gets(document(ir.Source{URL: "https://a"}))}}, "documents[0]"},
		"a prefill": {refusing(flash38), ir.Request{API: &ir.API{},
			Messages: []ir.Message{said(ir.User, "a"), {Role: ir.Assistant,
				Content: []ir.Content{{Kind: ir.TextContent, Text: "b", At: ir.Pos{Form: "texts[]"}}}}}},
			"texts[0]"},
		"a vendor's tool": {flash38, ir.Request{Tools: []ir.Tool{vendors}}, "tools[0]"},
		"a call of no function": {flash38, ir.Request{Tools: []ir.Tool{{Name: "f"}},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed, Name: "g"}}, "choice"},
		"none that is there": {flash38, ir.Request{Tools: []ir.Tool{{Name: "f"}},
			ToolChoice: ir.ToolChoice{Mode: ir.ToolsAuto, Allowed: []ir.Escaped{"g"}}}, "choice"},
		"a search beside functions": {refusing(flash25), ir.Request{Tools: []ir.Tool{{Name: "f"},
			{Kind: ir.WebSearchTool, At: ir.Pos{Form: "tools[]"}.Element(1)}}}, "tools[1]"},
		"a demand for a search": {refusing(flash38),
			ir.Request{Tools: []ir.Tool{{Kind: ir.WebSearchTool}},
				ToolChoice: ir.ToolChoice{Mode: ir.ToolsRequired}}, "choice"},
		"a search by its name": {refusing(flash38), ir.Request{Tools: []ir.Tool{{Name: "f"},
			{Kind: ir.WebSearchTool, Name: "s"}}, ToolChoice: ir.ToolChoice{Mode: ir.ToolsNamed, Name: "s"}},
			"choice"},
		"a format beside tools": {refusing(flash25), ir.Request{Tools: []ir.Tool{{Name: "f"}},
			Format: ir.Format{Object: true}}, "format"},
		"a result without its call": {refusing(flash38),
			ir.Request{Messages: []ir.Message{gets(returns("1"))}}, "results[0]"},
		"a file in a result": {refusing(flash38), ir.Request{Messages: []ir.Message{says(calls("1",
			"f")), gets(returns("1", document(ir.Source{Data: "AA==", MediaType: "application/zip"})))}},
			"documents[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := body(t, c.request, c.target)
			require.NotNil(t, err)
			require.Equal(t, ir.InvalidRequest, err.Kind)
			require.Equal(t, c.path, err.Path)
		})
	}
}

// TestUpstream covers the remaining methods of Upstream.
func TestUpstream(t *testing.T) {
	require.Equal(t, "/v1beta/interactions", Upstream{}.Path("m", true))
	require.Empty(t, Upstream{}.CountPath("m"))
	require.True(t, Upstream{}.Runs(ir.WebSearchTool, &gemini20))
	require.False(t, Upstream{}.Runs(ir.WebFetchTool, &gemini20))
	require.True(t, Upstream{}.AcceptsFormat(nil, nil))
	require.True(t, Upstream{}.AcceptsStop("a"))
	require.True(t, flash38.AcceptsStops(5))
	require.False(t, flash38.AcceptsStops(6))
	require.Equal(t, ir.Error{Kind: ir.InvalidRequest, Status: 400,
		Message: "Request contains an invalid argument.", Code: "invalid_request"},
		*Upstream{}.DecodeError(400,
			`{"error":{"message":"Request contains an invalid argument.","code":"invalid_request"}}`))
	require.Empty(t, flash25.Efforts)
	require.Equal(t, ir.NativeImages, flash38.ResultImages)
}
