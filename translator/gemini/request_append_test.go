package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

var (
	gemini3Pro = *Upstream{}.Target("generativelanguage.googleapis.com", "gemini-3-pro-preview")
	flash38    = *Upstream{}.Target("generativelanguage.googleapis.com", "models/gemini-3.8-flash")
	flash25    = *Upstream{}.Target("generativelanguage.googleapis.com", "gemini-2.5-flash")
	vertex25   = *Upstream{}.Target("aiplatform.googleapis.com", "gemini-2.5-flash-001")
	vertex3    = *Upstream{}.Target("aiplatform.googleapis.com", "gemini-3.1-pro-preview")
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
	return irtest.Rest(t, Upstream{}, r, target, `{"contents":[{"role":"user","parts":[{"text":"x"}]}]`)
}

// contents returns the value of contents, in a short form: u, m or s (systemInstruction), and the
// parts.
func contents(t *testing.T, r ir.Request, target ir.Target) (string, []string) {
	t.Helper()
	out, lost, err := body(t, r, target)
	require.Nil(t, err)
	var b struct {
		SystemInstruction struct{ Parts []json.RawMessage }
		Contents          []struct {
			Role  string
			Parts []json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &b))
	require.NotEmpty(t, b.Contents)
	var lines []string
	line := func(role string, parts []json.RawMessage) {
		require.NotEmpty(t, parts)
		for i, p := range parts {
			lead := "  "
			if i == 0 {
				lead = role[:1] + " "
			}
			lines = append(lines, lead+string(p))
		}
	}
	if b.SystemInstruction.Parts != nil {
		line("system", b.SystemInstruction.Parts)
	}
	for _, c := range b.Contents {
		line(c.Role, c.Parts)
	}
	return strings.Join(lines, "\n"), lost
}

var (
	text, image, document = irtest.Text, irtest.Image, irtest.Document
	said, says, gets      = irtest.Said, irtest.Says, irtest.Gets
	calls, returns        = irtest.Calls, irtest.Returns
	blob, thought         = irtest.Blob, irtest.Thought
)

const dummy = `"thoughtSignature":"skip_thought_signature_validator"`

// TestContents checks the contents that the upstream gets for a history.
func TestContents(t *testing.T) {
	type list = []ir.Message
	hi := said(ir.User, "hi")
	for name, c := range map[string]struct {
		target   ir.Target
		messages list
		want     string
		lost     []string
	}{
		"roles": {flash38, list{said(ir.System, "s"), said(ir.System, " "), said(ir.System, "t"), hi,
			said(ir.User, "there"), said(ir.Assistant, "a"), said(ir.Assistant, "b"), said(ir.System, "now"),
			said(ir.User, "c")},
			`s {"text":"s"}
  {"text":"t"}
u {"text":"hi"}
  {"text":"there"}
m {"text":"a"}
  {"text":"b"}
u {"text":"<system-reminder>\nnow\n</system-reminder>"}
  {"text":"c"}`, nil},
		"nothing but a system prompt": {flash38, list{said(ir.System, "s")},
			`s {"text":"s"}` + "\n" + `u {"text":"."}`, nil},
		"empty turns": {flash38, list{hi, said(ir.Assistant, ""), said(ir.User,
			" "), said(ir.Assistant, "a"), said(ir.User, "\\n"), said(ir.Assistant, "b"), hi},
			"u {\"text\":\"hi\"}\nm {\"text\":\"a\"}\n  {\"text\":\"b\"}\nu {\"text\":\"hi\"}", nil},
		"the model begins": {gemini3Pro, list{said(ir.Assistant, "a"), hi},
			"u {\"text\":\".\"}\nm {\"text\":\"a\"}\nu {\"text\":\"hi\"}", nil},
		"the model ends": {gemini3Pro, list{hi, said(ir.Assistant, "a")},
			"u {\"text\":\"hi\"}\nm {\"text\":\"a\"}", nil},
		"the model ends, as newer models refuse": {flash38, list{hi, said(ir.Assistant, "a")},
			"u {\"text\":\"hi\"}\nm {\"text\":\"a\"}\nu {\"text\":\".\"}", nil},
		"a refusal": {flash38, list{hi, says(ir.Content{Kind: ir.RefusalContent,
			Text: "no"}), hi}, "u {\"text\":\"hi\"}\nm {\"text\":\"no\"}\nu {\"text\":\"hi\"}", nil},
		"results in the order of calls, and text behind": {flash25, list{hi, says(text("a"), calls("1", "f"),
			calls("2", "g")), gets(text("and"), returns("2", text("two")), returns("1", text("o"),
			text("ne")))},
			`u {"text":"hi"}
m {"text":"a"}
  {"functionCall":{"name":"f","args":{"a":1}}}
  {"functionCall":{"name":"g","args":{"a":1}}}
u {"functionResponse":{"name":"f","response":{"output":"o\n\nne"}}}
  {"functionResponse":{"name":"g","response":{"output":"two"}}}
u {"text":"and"}`, nil},
		"a call without a result, and one that has failed": {flash25, list{hi, says(calls("1", "f"),
			calls("2", "g")), gets(ir.Content{Kind: ir.ToolResultContent, ID: "2", IsError: true,
			Parts: []ir.Content{text("bad")}})},
			`u {"text":"hi"}
m {"functionCall":{"name":"f","args":{"a":1}}}
  {"functionCall":{"name":"g","args":{"a":1}}}
u {"functionResponse":{"name":"f","response":{"error":"(no result)"}}}
  {"functionResponse":{"name":"g","response":{"error":"bad"}}}`, []string{"calls[0]"}},
		"an empty result, a name with a blank, a custom tool": {flash25,
			list{hi, says(ir.Content{Kind: ir.CustomCallContent, ID: "1", Name: "a b", Text: `x\"y`}),
				gets(returns("1"))},
			`u {"text":"hi"}
m {"functionCall":{"name":"a_b_e63f991904833892","args":{"input":"x\"y"}}}
u {"functionResponse":{"name":"a_b_e63f991904833892","response":{"output":""}}}`, nil},

		"Google's signatures and ids": {gemini3Pro, list{hi, says(thought(Name, "t", "T"), text("a"),
			blob(Name, "text.X"), blob(Name, "S"), calls("g1", "f"), calls("call_r_4", "g")),
			gets(returns("g1", text("1")), returns("call_r_4", text("2")))},
			`u {"text":"hi"}
m {"text":"t","thought":true,"thoughtSignature":"T"}
  {"text":"a"}
  {"text":"","thoughtSignature":"X"}
  {"functionCall":{"name":"f","args":{"a":1},"id":"g1"},"thoughtSignature":"S"}
  {"functionCall":{"name":"g","args":{"a":1}}}
u {"functionResponse":{"name":"f","id":"g1","response":{"output":"1"}}}
  {"functionResponse":{"name":"g","response":{"output":"2"}}}`, nil},
		"no ids for models that give none": {flash25, list{hi, says(blob(Name, "S"), calls("g1", "f")),
			gets(returns("g1"))},
			`u {"text":"hi"}
m {"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"S"}
u {"functionResponse":{"name":"f","response":{"output":""}}}`, nil},
		"signatures in front of all, as Chat clients have them": {gemini3Pro,
			list{hi, says(blob(Name, "text.X"), blob(Name, "S"), text("a"), calls("g1", "f"),
				calls("g2", "g")), gets(returns("g1"), returns("g2"))},
			`u {"text":"hi"}
m {"text":"a"}
  {"text":"","thoughtSignature":"X"}
  {"functionCall":{"name":"f","args":{"a":1},"id":"g1"},"thoughtSignature":"S"}
  {"functionCall":{"name":"g","args":{"a":1},"id":"g2"}}
u {"functionResponse":{"name":"f","id":"g1","response":{"output":""}}}
  {"functionResponse":{"name":"g","id":"g2","response":{"output":""}}}`, nil},
		"the signature of a text that is gone": {gemini3Pro, list{hi, says(blob(Name, "text.X"),
			blob(Name, "S"), calls("1", "f")), gets(returns("1")), says(blob(Name, "text.Y")), hi},
			`u {"text":"hi"}
m {"text":"","thoughtSignature":"X"}
  {"functionCall":{"name":"f","args":{"a":1},"id":"1"},"thoughtSignature":"S"}
u {"functionResponse":{"name":"f","id":"1","response":{"output":""}}}
m {"text":"","thoughtSignature":"Y"}
u {"text":"hi"}`, nil},
		"the signature of a call that is gone": {gemini3Pro, list{hi, says(text("a"), blob(Name, "S")), hi},
			"u {\"text\":\"hi\"}\nm {\"text\":\"a\"}\nu {\"text\":\"hi\"}", []string{"reasoning[0]"}},
		"another vendor's history": {gemini3Pro, list{hi, says(thought("anthropic", "t", "T"), blob("", "R"),
			calls("toolu_1", "f"), calls("toolu_2", "g")), gets(returns("toolu_1"), returns("toolu_2")),
			says(calls("toolu_3", "f")), gets(returns("toolu_3"))},
			`u {"text":"hi"}
m {"functionCall":{"name":"f","args":{"a":1}},` + dummy + `}
  {"functionCall":{"name":"g","args":{"a":1}}}
u {"functionResponse":{"name":"f","response":{"output":""}}}
  {"functionResponse":{"name":"g","response":{"output":""}}}
m {"functionCall":{"name":"f","args":{"a":1}},` + dummy + `}
u {"functionResponse":{"name":"f","response":{"output":""}}}`, []string{"reasoning[0]"}},
		"unsigned thoughts": {gemini3Pro, list{hi, says(thought(Name, "t", ""), text("a")), hi},
			"u {\"text\":\"hi\"}\nm {\"text\":\"a\"}\nu {\"text\":\"hi\"}", []string{"reasoning[0]"}},

		"images, files and audio": {flash38, list{gets(image("image/jpg", "AA"), image("", ""),
			document(ir.Source{Data: "BB", MediaType: ir.PDF, Title: "T", Context: "C"}),
			document(ir.Source{Text: "D", Title: "T"}),
			ir.Content{Kind: ir.AudioContent, Raw: `{"data":"CC","format":"wav"}`},
			document(ir.Source{URL: "https://a/b"}), document(ir.Source{Data: "aGk=",
				MediaType: "text/csv"}))},
			`u {"inlineData":{"mimeType":"image/jpeg","data":"AA"}}
  {"text":"T"}
  {"text":"C"}
  {"inlineData":{"mimeType":"application/pdf","data":"BB"}}
  {"text":"T"}
  {"text":"D"}
  {"inlineData":{"mimeType":"audio/wav","data":"CC"}}
  {"fileData":{"mimeType":"application/pdf","fileUri":"https://a/b"}}
  {"text":"hi"}`, []string{"images[0]"}},
		"URLs": {flash38, list{gets(ir.Content{Kind: ir.ImageContent,
			Source: ir.Source{URL: `https:\/\/a/b.JPG?x=.png#y`, Detail: "low"},
			At:     ir.Pos{Form: "images[]"}}, ir.Content{Kind: ir.ImageContent,
			Source: ir.Source{URL: "https://a.b/c", Detail: "auto"}})},
			`u {"fileData":{"mimeType":"image/jpeg","fileUri":"https:\/\/a/b.JPG?x=.png#y"}}
  {"fileData":{"fileUri":"https://a.b/c"}}`, []string{"images[0].detail"}},
		"no URLs": {gemini20, list{hi, gets(ir.Content{Kind: ir.ImageContent,
			Source: ir.Source{URL: "https://a/b.png"}, At: ir.Pos{Form: "images[]"}})}, `u {"text":"hi"}`,
			[]string{"images[0]"}},
		"images in results": {gemini3Pro, list{hi, says(calls("1", "f"), calls("2", "g")),
			gets(returns("1", image("image/png", "AA")), returns("2", text("t"), image("image/heic", "BB"),
				document(ir.Source{Data: "CC", MediaType: ir.PDF, Detail: "low", Context: "c"})),
				text("so"))},
			`u {"text":"hi"}
m {"functionCall":{"name":"f","args":{"a":1}},` + dummy + `}
  {"functionCall":{"name":"g","args":{"a":1}}}
u {"functionResponse":{"name":"f","response":{"output":"(see the attached file)"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA"}}]}}
  {"functionResponse":{"name":"g","response":{"output":"t\n\nc"},"parts":[{"inlineData":{"mimeType":"application/pdf","data":"CC"}}]}}
u {"text":"Returned by the tool call 2:"}
  {"inlineData":{"mimeType":"image/heic","data":"BB"}}
  {"text":"so"}`, []string{"documents[0].detail"}},
		"images in results of older models": {flash25, list{hi, says(calls("1", "f")),
			gets(returns("1", image("image/png", "AA")))},
			`u {"text":"hi"}
m {"functionCall":{"name":"f","args":{"a":1}}}
u {"functionResponse":{"name":"f","response":{"output":"(see the file in the next message)"}}}
u {"text":"Returned by the tool call 1:"}
  {"inlineData":{"mimeType":"image/png","data":"AA"}}`, nil},
		"what no API of Google's has": {flash38, list{hi, says(ir.Content{Kind: ir.OpaqueContent,
			Text: "said"}, ir.Content{Kind: ir.OpaqueContent, At: ir.Pos{Form: "blocks[]"}},
			image("image/png", "AA")), gets(document(ir.Source{Data: "AA==", MediaType: "application/zip"}),
			text("b"))},
			"u {\"text\":\"hi\"}\nm {\"text\":\"said\"}\nu {\"text\":\"b\"}", []string{"blocks[0]",
				"images[0]", "documents[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, lost := contents(t, ir.Request{Messages: c.messages}, c.target)
			require.Equal(t, c.want, got)
			require.Equal(t, c.lost, lost)
		})
	}
}

// TestRest checks the members of a body other than its contents.
func TestRest(t *testing.T) {
	at := func(n int) ir.Pos { return ir.Pos{Form: "tools[]"}.Element(n) }
	f := ir.Tool{Name: "f", At: at(0), Description: "d",
		Schema: `{"$schema":"s","type":"object","properties":{"a":{"type":["string","null"]}},` +
			`"additionalProperties":false}`}
	g := ir.Tool{Name: "g", At: at(1)}
	strict := g
	strict.Strict = ir.True
	search := ir.Tool{Kind: ir.WebSearchTool, Name: "web", At: at(2)}
	fetch := ir.Tool{Kind: ir.WebFetchTool, Name: "fetch", At: at(3)}
	type tools = []ir.Tool
	const (
		fDeclared = `{"name":"f","description":"d","parametersJsonSchema":{"$schema":"s","type":"object",` +
			`"properties":{"a":{"type":["string","null"]}},"additionalProperties":false}}`
		gDeclared = `{"name":"g","parametersJsonSchema":{"type":"object","properties":{}}}`
		both      = `"tools":[{"functionDeclarations":[` + fDeclared + `,` + gDeclared + `]}]`
		onlyG     = `"tools":[{"functionDeclarations":[` + gDeclared + `]}`
	)
	mode := func(m string) string { return `,"toolConfig":{"functionCallingConfig":{"mode":"` + m + `}}` }
	choose := func(m ir.ToolMode, name ir.Escaped, allowed ...ir.Escaped) ir.ToolChoice {
		return ir.ToolChoice{Mode: m, Name: name, Allowed: allowed}
	}
	format := ir.Format{Schema: `{"type":"object","properties":{"a":{"type":"string"}},` +
		`"required":["a","b"]}`, Description: "d", At: "format"}
	for name, c := range map[string]struct {
		target  ir.Target
		request ir.Request
		want    string
		lost    []string
	}{
		"nothing": {flash38, ir.Request{}, ``, nil},
		"limits": {gemini3Pro, ir.Request{MaxTokens: 9, Temperature: "0.50", TopP: "1", TopK: "40",
			Stop: []ir.Escaped{"a", "\\n"}},
			`"generationConfig":{"maxOutputTokens":9,"temperature":0.50,"topP":1,"topK":40,` +
				`"stopSequences":["a","\n"]}`, nil},
		"more than all": {flash38, ir.Request{MaxTokens: 1 << 20, Stop: []ir.Escaped{"1", "2", "3", "4", "5",
			"6"}}, `"generationConfig":{"maxOutputTokens":65536}`, nil},
		"penalties": {gemini20, ir.Request{Presence: "0.5", Frequency: "-1", Seed: "7"},
			`"generationConfig":{"seed":7,"presencePenalty":0.5,"frequencyPenalty":-1}`, nil},
		"no such seed": {gemini20, ir.Request{Seed: "9007199254740991"}, ``, []string{"seed"}},
		"no penalties": {gemini3Pro, ir.Request{Presence: "0.5", Frequency: "-1", Seed: "7"},
			`"generationConfig":{"seed":7}`, []string{"presence", "frequency"}},
		"no sampling": {flash38, ir.Request{Temperature: "1", TopP: "0.9", TopK: "1"}, ``,
			[]string{"top_p", "top_k"}},
		"logprobs": {vertex25, ir.Request{Logprobs: "logprobs", TopLogprobs: "3"},
			`"generationConfig":{"logprobs":3,"responseLogprobs":true}`, nil},
		"no top": {gemini20, ir.Request{Logprobs: "logprobs", TopLogprobs: "0"},
			`"generationConfig":{"responseLogprobs":true}`, nil},
		"no logprobs": {vertex3, ir.Request{Logprobs: "logprobs", TopLogprobs: "3"}, ``,
			[]string{"logprobs", "top_logprobs"}},
		"a tier": {flash38, ir.Request{ServiceTier: "flex"}, `"serviceTier":"flex"`, nil},
		"the default": {flash38, ir.Request{ServiceTier: "auto", Verbosity: "medium", Metadata: "{}"}, ``,
			nil},
		"no tier": {vertex3, ir.Request{ServiceTier: "priority", UserID: "u", Metadata: `{"a":"b"}`,
			Verbosity: "low"}, ``, []string{"tier", "user", "meta", "verbosity"}},

		"a level": {flash38, ir.Request{Effort: "low"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}`, nil},
		"a level it has not": {flash38, ir.Request{Effort: "minimal"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}`,
			[]string{"effort"}},
		"no medium": {gemini3Pro, ir.Request{Effort: "medium"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}`,
			[]string{"effort"}},
		"always thinks": {flash38, ir.Request{Effort: "none", ReasoningSummary: "auto"},
			`"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}`, []string{"effort", "summary"}},
		"a budget as a level": {flash38, ir.Request{Effort: "high", Budget: 20000},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}`, nil},
		"adaptive": {flash38, ir.Request{Adaptive: true},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`, nil},
		"hidden": {flash38, ir.Request{Effort: "high", HideThoughts: true},
			`"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}`, nil},
		"a summary": {flash38, ir.Request{ReasoningSummary: "detailed"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`, []string{"summary"}},
		"off": {flash25, ir.Request{Effort: "none"},
			`"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}`, nil},
		"an effort as a budget": {flash25, ir.Request{Effort: "medium"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":8192}}`, nil},
		"more than high": {flash25, ir.Request{Effort: "xhigh"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":24576}}`,
			[]string{"effort"}},
		"a budget": {flash25, ir.Request{Effort: "low", Budget: 3000},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":3000}}`, nil},
		"a budget too large": {flash25, ir.Request{Effort: "high", Budget: 30000},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":24576}}`,
			[]string{"effort"}},
		"Pro takes more": {*Upstream{}.Target("", "gemini-2.5-pro"), ir.Request{Effort: "high",
			Budget: 30000},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":30000}}`, nil},
		"Pro can't do without": {*Upstream{}.Target("", "gemini-2.5-pro"), ir.Request{Effort: "none"},
			`"generationConfig":{"thinkingConfig":{"thinkingBudget":512}}`, []string{"effort"}},
		"a model that can't think": {gemini20, ir.Request{Effort: "high", ReasoningSummary: "auto"}, ``,
			[]string{"effort", "summary"}},
		"and need not": {gemini20, ir.Request{Effort: "none"}, ``, nil},
		"an effort nobody knows": {flash38, ir.Request{Effort: "warp"},
			`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`, []string{"effort"}},

		"a schema": {flash38, ir.Request{Format: format, MaxTokens: 1},
			`"generationConfig":{"maxOutputTokens":1,"responseMimeType":"application/json",` +
				`"responseJsonSchema":{"type":"object","properties":{"a":{"type":"string"}},` +
				`"required":["a"]}}`, []string{"format.schema.required", "format.description"}},
		"any JSON": {flash38, ir.Request{Format: ir.Format{Object: true}},
			`"generationConfig":{"responseMimeType":"application/json"}`, nil},
		"beside tools": {flash38, ir.Request{Format: ir.Format{Object: true},
			Tools: tools{g}}, onlyG + `],"generationConfig":{"responseMimeType":"application/json"}`, nil},
		"not beside tools of older models": {flash25, ir.Request{Format: ir.Format{Object: true},
			Tools: tools{g}}, onlyG + `]`, []string{"format"}},

		"functions": {flash38, ir.Request{Tools: tools{f, g}, Parallel: ir.False}, both,
			[]string{"parallel"}},
		"auto": {flash38, ir.Request{Tools: tools{f, g}, ToolChoice: choose(ir.ToolsAuto, "")},
			both, nil},
		"required": {flash38, ir.Request{Tools: tools{f, g}, ToolChoice: choose(ir.ToolsRequired, "")},
			both + mode(`ANY"`), nil},
		"none": {flash38, ir.Request{Tools: tools{f, g, search}, ToolChoice: choose(ir.ToolsNone,
			"")}, both + mode(`NONE"`), nil},
		"named": {flash38, ir.Request{Tools: tools{f, g}, ToolChoice: choose(ir.ToolsNamed, "g")},
			both + mode(`ANY","allowedFunctionNames":["g"]`), nil},
		"allowed": {flash38, ir.Request{Tools: tools{f, g}, ToolChoice: choose(ir.ToolsAuto, "", "f")},
			both + mode(`VALIDATED","allowedFunctionNames":["f"]`), nil},
		"one of some": {flash38, ir.Request{Tools: tools{f, g}, ToolChoice: choose(ir.ToolsRequired, "",
			"g", "f")}, both + mode(`ANY","allowedFunctionNames":["g","f"]`), nil},
		"strict": {flash38, ir.Request{Tools: tools{strict}}, onlyG + `]` + mode(`VALIDATED"`), nil},
		"a custom tool": {flash38, ir.Request{Tools: tools{{Kind: ir.CustomTool, Name: "c", Description: "d",
			Grammar: `{"type":"grammar","syntax":"lark","definition":"x"}`}}},
			`"tools":[{"functionDeclarations":[{"name":"c",` +
				`"description":"d\n\nThe input must follow this grammar (lark):\nx",` +
				`"parametersJsonSchema":{"type":"object","properties":{"input":{"type":"string",` +
				`"description":"The whole input of the tool, as plain text."}},"required":["input"],` +
				`"additionalProperties":false}}]}]`, nil},

		"a search": {flash25, ir.Request{Tools: tools{search, fetch},
			ToolChoice: choose(ir.ToolsAuto, "")}, `"tools":[{"googleSearch":{}},{"urlContext":{}}]`, nil},
		"a search that is narrowed": {flash38, ir.Request{Tools: tools{{Kind: ir.WebSearchTool, At: at(2),
			Search: ir.Search{Blocked: []ir.Escaped{"a.b"}, BlockedField: ".blocked_domains"}}}}, `"tools":[{"googleSearch":{}}]`,
			[]string{"tools[2].blocked_domains"}},
		"a search that is demanded": {flash38, ir.Request{Tools: tools{search},
			ToolChoice: choose(ir.ToolsNamed, "web")}, `"tools":[{"googleSearch":{}}]`, []string{"choice"}},
		"search and functions": {flash38, ir.Request{Tools: tools{search, g}},
			onlyG + `,{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"},` +
				`"includeServerSideToolInvocations":true}`, nil},
		"both at Vertex AI": {vertex3, ir.Request{Tools: tools{search, g}},
			onlyG + `,{"googleSearch":{}}]`, nil},
		"some functions at Vertex AI": {vertex3, ir.Request{Tools: tools{f, g},
			ToolChoice: choose(ir.ToolsAuto, "", "g")}, onlyG + `]`, nil},
		"strict ones at Vertex AI": {vertex3, ir.Request{Tools: tools{strict}}, onlyG + `]`,
			[]string{"tools[1].strict"}},
		"functions alone": {flash25, ir.Request{Tools: tools{search, g}}, onlyG + `]`,
			[]string{"tools[2]"}},
		"a search among functions": {flash38, ir.Request{Tools: tools{search, g},
			ToolChoice: choose(ir.ToolsNamed, "web")},
			onlyG + `,{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"},` +
				`"includeServerSideToolInvocations":true}`, []string{"choice"}},
		"a function beside the search": {flash38, ir.Request{Tools: tools{search, g},
			ToolChoice: choose(ir.ToolsNamed, "g")}, onlyG + `]` + mode(`ANY","allowedFunctionNames":["g"]`),
			nil},
		"only the search": {flash38, ir.Request{Tools: tools{search, g},
			ToolChoice: choose(ir.ToolsAuto, "", "web")},
			onlyG + `,{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"},` +
				`"includeServerSideToolInvocations":true}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, lost := rest(t, c.request, c.target)
			require.Equal(t, c.want, got)
			require.Equal(t, c.lost, lost)
		})
	}
}

// TestRefusals checks the refusal of fields whose loss would change the meaning of a request, with
// their paths.
func TestRefusals(t *testing.T) {
	vendors := ir.Tool{Kind: ir.VendorTool, Type: "computer", At: ir.Pos{Form: "tools[]"}}
	refusing := func(t ir.Target) ir.Target { t.RefuseLossy = true; return t }
	file := document(ir.Source{File: &ir.File{ID: "1", Field: ".id"}})
	for name, c := range map[string]struct {
		target  ir.Target
		request ir.Request
		path    string
	}{
		"no text": {flash38, ir.Request{Messages: []ir.Message{said(ir.User, " ")}},
			"messages"},
		"a file's id": {flash38, ir.Request{Messages: []ir.Message{gets(file)}},
			"documents[0].id"},
		"a file's id in a result": {flash38, ir.Request{Messages: []ir.Message{says(calls("1", "f")),
			gets(returns("1", file))}}, "documents[0].id"},
		"an image in a system prompt": {refusing(flash38),
			ir.Request{Messages: []ir.Message{{Role: ir.System, Content: []ir.Content{image("image/png",
				"A")}}}}, "images[0]"},
		"an image of the model's": {refusing(flash38),
			ir.Request{Messages: []ir.Message{says(image("image/png", "A"))}}, "images[0]"},
		"a type": {refusing(flash38),
			ir.Request{Messages: []ir.Message{gets(document(ir.Source{Data: "AA==",
				MediaType: "application/zip"}))}}, "documents[0]"},
		"a URL": {refusing(gemini20),
			ir.Request{Messages: []ir.Message{gets(document(ir.Source{URL: "https://a"}))}}, "documents[0]"},
		"no text in a document": {refusing(flash38),
			ir.Request{Messages: []ir.Message{gets(ir.Content{Kind: ir.DocumentContent,
				At: ir.Pos{Form: "documents[]"}, Parts: []ir.Content{{Kind: ir.OpaqueContent}}})}},
			"documents[0]"},
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
		"a format beside tools": {refusing(flash25), ir.Request{Tools: []ir.Tool{{Name: "f"}},
			Format: ir.Format{Object: true}}, "format"},
		"a result without its call": {refusing(flash38),
			ir.Request{Messages: []ir.Message{gets(returns("1"))}}, "results[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := body(t, c.request, c.target)
			require.NotNil(t, err)
			require.Equal(t, ir.InvalidRequest, err.Kind)
			require.Equal(t, c.path, err.Path)
		})
	}
}

// TestPrefill covers a last message of the assistant that is the beginning of the answer.
func TestPrefill(t *testing.T) {
	begun := ir.Request{API: &ir.API{}, Messages: []ir.Message{said(ir.User, "hi"),
		says(ir.Content{Kind: ir.TextContent, Text: "a", At: ir.Pos{Form: "texts[]"}})}}
	got, lost := contents(t, begun, gemini3Pro)
	require.Equal(t, "u {\"text\":\"hi\"}\nm {\"text\":\"a\"}", got)
	require.Empty(t, lost)
	got, lost = contents(t, begun, flash38)
	require.Equal(t, "u {\"text\":\"hi\"}\nm {\"text\":\"a\"}\nu {\"text\":\".\"}", got)
	require.Equal(t, []string{"texts[0]"}, lost)
}

func TestPaths(t *testing.T) {
	require.Equal(t, "/v1beta/models/gemini-3.8-flash:generateContent", Upstream{}.Path("gemini-3.8-flash",
		false))
	require.Equal(t, "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
		Upstream{}.Path("gemini-3.8-flash", true))
	require.Equal(t, "/v1beta/models/a%2Fb:countTokens", Upstream{}.CountPath("a%2Fb"))
	require.Equal(t, "/v1beta/models/models%2Fgemini-3.8-flash:generateContent",
		Upstream{}.Path("models%2Fgemini-3.8-flash", false), "another name, and another price")
	require.Equal(t, "/publishers/google/models/m:streamGenerateContent?alt=sse", API.Vertex.Path("m", true))
}

func TestTargets(t *testing.T) {
	require.Equal(t, []string{"low", "medium", "high"}, Upstream{}.Target("", "gemini-flash-latest").Efforts)
	require.Equal(t, []string{"low", "medium", "high"}, vertex3.Efforts)
	require.Equal(t, []string{"minimal", "low", "medium", "high"}, Upstream{}.Target("",
		"gemini-3.1-flash-lite").Efforts)
	require.Equal(t, ir.UnknownPrefill, Upstream{}.Target("", "gemini-3.5-flash").Prefill)
	for _, model := range []string{"gemini-3.6-flash", "gemini-3.5-flash-lite", "gemini-4-hydrogen"} {
		require.Equal(t, ir.NoPrefill, Upstream{}.Target("", model).Prefill)
		require.True(t, Upstream{}.Target("", model).NoSampling)
	}
	require.False(t, Upstream{}.Target("", "gemini-4-hydrogen").UnsignedCalls)
	require.True(t, flash25.UnsignedCalls)
	require.True(t, flash38.AcceptsStops(5))
	require.False(t, flash38.AcceptsStops(6))
	require.True(t, Upstream{}.Runs(ir.WebSearchTool, &gemini20))
	require.False(t, Upstream{}.Runs(ir.WebFetchTool, &gemini20))
}
