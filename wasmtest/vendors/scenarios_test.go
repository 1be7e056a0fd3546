package vendors

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"edgelingua/wasmtest/corpus"
	table "edgelingua/wasmtest/rules"
)

// scenario is a conversation that breaks rules of several vendors. Sent to a vendor as its own
// client would send it, it is rejected by the rule. Sent by the clients of the other protocols
// through the translator, the rule's table.Answer holds.
type scenario struct {
	name   string
	rules  string                     // PROTOCOL/ID of each rule, separated by spaces
	change func(*talk)                // the change of newTalk; nil: none
	raw    func(protocol string) edit // a further change of a client's body, or nil
}

// own is what else a vendor's own client sends or has received: see ownPart.
type own struct {
	header http.Header
	issued []*Turn // turns that the vendor has already sent
}

// everywhere is a change of the bodies of all protocols.
func everywhere(change edit) func(string) edit { return func(string) edit { return change } }

// perProtocol is a change of the bodies of some protocols.
func perProtocol(changes map[string]edit) func(string) edit {
	return func(protocol string) edit { return changes[protocol] }
}

const long = "a_name_of_a_tool_that_is_longer_than_sixty_four_characters_as_servers_of_mcp_have_them_" +
	"because_they_join_the_names_of_the_server_and_of_its_tool"

// renameTool gives the tool, its calls and their results another name.
func renameTool(name string) func(*talk) {
	return func(t *talk) {
		t.tools[0].name = name
		for i := range t.turns {
			for k := range t.turns[i].parts {
				if t.turns[i].parts[k].name != "" {
					t.turns[i].parts[k].name = name
				}
			}
		}
	}
}

// renameCall gives the first call and its result another id.
func renameCall(id string) func(*talk) {
	return func(t *talk) { t.turns[1].parts[1].id, t.turns[2].parts[0].id = id, id }
}

func schemaOfTool(schema string, strict bool) func(*talk) {
	return func(t *talk) { t.tools[0].schema, t.tools[0].strict = schema, strict }
}

func image(media, data string) func(*talk) {
	return func(t *talk) { t.turns[0].parts[1].media, t.turns[0].parts[1].data = media, data }
}

// fresh leaves only the user's first message.
func fresh(t *talk) { t.turns = t.turns[:1] }

func prefill(text string) func(*talk) {
	return func(t *talk) { t.turns = append(t.turns[:1], turn{"assistant", []part{said(text)}}) }
}

func insertTurn(i int, role string, parts ...part) func(*talk) {
	return func(t *talk) { t.turns = slices.Insert(t.turns, i, turn{role, parts}) }
}

var edits = perProtocol(map[string]edit{
	"anthropic": set("context_management", `{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]}`),
})

// byCode has, by protocol, the change that lets code call the tool.
var byCode = map[string]edit{
	"anthropic": insert("tools[1]", `{"type":"code_execution_20260120","name":"code_execution"}`).
		and(set("tools[0].allowed_callers", `["code_execution_20260120"]`)),
	"responses": insert("tools[1]", `{"type":"programmatic_tool_calling"}`).
		and(set("tools[0].allowed_callers", `["programmatic"]`)),
}

var scenarios = []scenario{
	{"a member that no API has",
		"anthropic/members chat/members responses/members gemini/members interactions/members", nil,
		everywhere(set("unheard_of", `1`))},
	{"a member of another API", "anthropic/members responses/members gemini/members", fresh,
		perProtocol(map[string]edit{
			"anthropic": set("seed", `1`), "responses": set("stop", `["x"]`), "gemini": set("seed", `1`)})},
	{"no limit", "anthropic/limit", func(t *talk) { t.limit = nil }, nil},
	{"a limit below 16", "responses/limit", func(t *talk) { t.limit = 8 }, nil},
	{"both limits", "chat/one-limit chat/model-limit", nil, perProtocol(map[string]edit{
		"chat": set("max_tokens", `99`)})},
	{"an empty text", "anthropic/empty-text gemini/empty-text interactions/empty-text",
		func(t *talk) { t.turns[0].parts = []part{said("")}; t.ask() }, nil},
	{"a message without content", "anthropic/empty-list chat/empty-list gemini/contents",
		insertTurn(3, "assistant"), nil},
	{"an assistant message without content", "chat/content", insertTurn(3, "assistant", said("So.")),
		perProtocol(map[string]edit{"chat": set("messages[5].content", `null`)})},
	{"an unknown role", "chat/roles responses/roles gemini/roles",
		func(t *talk) { t.turns[0].role = "human" }, nil},
	{"a system message in the middle", "anthropic/roles chat/system-first",
		func(t *talk) { t.ask(); insertTurn(1, "system", said("Be kind."))(t) }, nil},
	{"two system messages in a row", "anthropic/system-turns", func(t *talk) {
		insertTurn(1, "system", said("Be kind."))(t)
		insertTurn(1, "system", said("Be kind."))(t)
	}, nil},
	{"the assistant first", "anthropic/first-user gemini/first-user interactions/first-user",
		insertTurn(0, "assistant", said("Hello!")), nil},
	{"two messages of the user", "chat/alternate", insertTurn(1, "user", said("And?")), nil},
	{"a message after results", "chat/user-after-tool", func(t *talk) { t.ask() }, nil},
	{"an unknown block", "anthropic/blocks chat/parts responses/parts", nil, perProtocol(map[string]edit{
		"anthropic": set("messages[0].content[0].type", `"new_thing"`),
		"chat":      set("messages[1].content[0].type", `"new_thing"`),
		"responses": set("input[0].content[0].type", `"new_thing"`)})},
	{"an unknown item", "responses/items interactions/steps", nil, perProtocol(map[string]edit{
		"responses":    insert("input[0]", `{"type":"new_thing"}`),
		"interactions": insert("input[0]", `{"type":"new_thing"}`),
		"anthropic":    insert("messages[0].content[0]", `{"type":"new_thing"}`)})},
	{"an image of a type that no model accepts",
		"anthropic/image-type chat/image-type responses/image-type gemini/image-type",
		image("image/svg+xml", "PHN2Zz4="), nil},
	{"an image for a model of text", "chat/text-only", nil, perProtocol(map[string]edit{
		"chat": set("messages[2].reasoning_content", `" "`)})},
	{"an image of another type than declared", "anthropic/image-bytes",
		image("image/png", "/9j/4AAQSkZJRgAB"), nil},
	{"an image in an object", "responses/image-form", nil, perProtocol(map[string]edit{
		"responses": set("input[0].content[1].image_url", `{"url":"data:image/png;base64,`+png+`"}`)})},
	{"an image in a result", "chat/result-parts", func(t *talk) {
		t.turns[2].parts[0].inside = []part{{kind: "image", media: "image/png", data: png}}
	}, perProtocol(map[string]edit{"chat": set("messages[3].content",
		`[{"type":"image_url","image_url":{"url":"data:image/png;base64,`+png+`"}}]`)})},
	{"an image in a result before a system message", "chat/result-parts", func(t *talk) {
		t.turns[2].parts[0].inside = []part{{kind: "image", media: "image/png", data: png}}
		insertTurn(3, "system", said("Be kind."))(t)
	}, perProtocol(map[string]edit{"chat": set("messages[3].content",
		`[{"type":"image_url","image_url":{"url":"data:image/png;base64,`+png+`"}}]`)})},
	{"an image that is not base64", "anthropic/base64", image("image/png", "no, it is not"), nil},
	{"a PDF that is not base64", "anthropic/base64 responses/file-type", nil, perProtocol(map[string]edit{
		"anthropic": set("messages[0].content[1]", `{"type":"document","source":{"type":"base64",`+
			`"media_type":"application/pdf","data":"not base64!"}}`),
		"chat": set("messages[1].content[1]",
			`{"type":"file","file":{"filename":"x","file_data":"data:application/pdf;base64,no!"}}`),
		"responses": set("input[0].content[1]",
			`{"type":"input_file","filename":"x","file_data":"data:application/pdf;base64,no!"}`),
		"gemini": set("contents[0].parts[1].inlineData",
			`{"mimeType":"application/pdf","data":"not base64!"}`)})},
	{"an image at a URL without TLS", "anthropic/tls",
		func(t *talk) { t.turns[0].parts[1].url = "http://a.example/a" }, nil},
	{"an image at no URL", "anthropic/urls", func(t *talk) { t.turns[0].parts[1].url = "x.png" }, nil},
	{"a file without a name", "chat/file-name responses/file-name", nil, perProtocol(map[string]edit{
		"chat": set("messages[1].content[1]",
			`{"type":"file","file":{"file_data":"data:application/pdf;base64,JVBERi0="}}`),
		"responses": set("input[0].content[1]",
			`{"type":"input_file","file_data":"data:application/pdf;base64,JVBERi0="}`),
		"anthropic": set("messages[0].content[1]", `{"type":"document","source":{"type":"base64",`+
			`"media_type":"application/pdf","data":"JVBERi0="}}`)})},
	{"a key with a dollar sign", "anthropic/property-keys",
		schemaOfTool(`{"type":"object","properties":{"$top":{"type":"integer"}}}`, false), nil},
	{"an id with a colon", "anthropic/call-id", renameCall("functions.get:0"), nil},
	{"a long id", "chat/call-id responses/call-id", renameCall("call_" + long), nil},
	{"one id for two calls", "anthropic/call-id-unique chat/call-id-unique responses/call-id-unique " +
		"interactions/call-id-unique", func(t *talk) {
		again := newTalk().turns[1:]
		t.turns = append(t.turns, again...)
	}, nil},
	{"ids of calls for an older model", "gemini/call-ids", nil, nil},
	{"a name with a dot", "anthropic/tool-name chat/tool-name responses/tool-name", renameTool("srv.get"),
		nil},
	{"a long name", "anthropic/tool-name chat/tool-name responses/tool-name gemini/tool-name",
		renameTool(long), nil},
	{"a name with a digit at the start", "gemini/tool-name", renameTool("1password"), nil},
	{"arguments in another form", "anthropic/input chat/arguments responses/arguments", nil,
		perProtocol(map[string]edit{
			"anthropic": set("messages[1].content[1].input", `"{}"`),
			"chat":      set("messages[2].tool_calls[0].function.arguments", `""`),
			"responses": set("input[2].arguments", `""`)})},
	{"a call without a result",
		"anthropic/results chat/results responses/results gemini/results interactions/results",
		func(t *talk) { t.turns[2].parts = t.turns[2].parts[:1] }, nil},
	{"calls at the end", "gemini/last-call", func(t *talk) { t.turns = t.turns[:2] }, nil},
	{"the answer's beginning at the end", "interactions/last-model", prefill("So"), nil},
	{"a text before results", "anthropic/results-first", func(t *talk) {
		t.turns[2].parts = slices.Insert(t.turns[2].parts, 0, said("Look:"))
	}, nil},
	{"a call of the user", "gemini/call-place", nil, perProtocol(map[string]edit{
		"gemini": set("contents[1].role", `"user"`)})},
	{"a response that is a text", "gemini/response-form", nil, perProtocol(map[string]edit{
		"gemini": set("contents[2].parts[0].functionResponse.response", `"sun"`)})},
	{"calls without tools", "anthropic/tools-for-calls", func(t *talk) { t.tools = nil }, nil},
	{"two tools with one name",
		"anthropic/tool-unique chat/tool-unique responses/tool-unique gemini/tool-unique " +
			"interactions/tool-unique", func(t *talk) { t.tools = append(t.tools, t.tools[0]) }, nil},
	{"a schema without a type", "anthropic/schema-object", schemaOfTool(`{}`, false), nil},
	{"a schema with a union", "anthropic/schema-union chat/schema-union", schemaOfTool(unionRoot, false), nil},
	{"a schema with a tuple", "anthropic/schema-draft chat/schema-arrays",
		schemaOfTool(cityAs(`{"type":"array","items":[{"type":"string"}]}`), false), nil},
	{"two schemas", "gemini/one-schema", nil, perProtocol(map[string]edit{
		"gemini": set("tools[0].functionDeclarations[0].parameters", `{"type":"OBJECT"}`)})},
	{"keywords in parameters", "gemini/schema-keywords", nil, perProtocol(map[string]edit{
		"gemini": set("tools[0].functionDeclarations[0]", `{"name":"get","parameters":`+citySchema+`}`)})},
	{"an empty required", "interactions/required-list",
		schemaOfTool(`{"type":"object","properties":{},"required":[]}`, false), nil},
	{"a strict tool with an open schema",
		"anthropic/schema-strict chat/schema-strict responses/schema-strict",
		schemaOfTool(openSchema, true), nil},
	{"a choice without tools", "anthropic/choice chat/choice responses/xai-choice interactions/choice", func(t *talk) {
		fresh(t)
		t.tools, t.choice = nil, "auto"
	}, nil},
	{"a choice of an unknown tool", "anthropic/chosen-tool chat/chosen-tool responses/chosen-tool " +
		"interactions/chosen-tool",
		func(t *talk) { t.choice = "put" }, nil},
	{"a forced tool with thinking", "anthropic/thinking-choice",
		func(t *talk) { t.effort, t.choice = "high", "any" }, nil},
	{"a forced tool", "anthropic/model-forced", func(t *talk) { t.choice = "get" }, nil},
	{"no thinking", "anthropic/model-disabled", func(t *talk) { t.effort = "none" },
		perProtocol(map[string]edit{
			"anthropic": set("thinking", `{"type":"disabled"}`).and(drop("output_config"))})},
	{"sampling with thinking", "anthropic/model-sampling chat/model-sampling",
		func(t *talk) { t.effort, t.temperature, t.topP = "high", 0.5, 0.5 }, nil},
	{"sampling with a budget", "anthropic/thinking-sampling", func(t *talk) {
		t.effort, t.temperature = "high", 0.5
	}, perProtocol(map[string]edit{"anthropic": set("thinking",
		`{"type":"enabled","budget_tokens":2048}`).and(drop("output_config"))})},
	{"a temperature above 1", "anthropic/sampling-range", func(t *talk) { t.temperature = 1.5 }, nil},
	{"penalties and log probabilities", "chat/model-sampling",
		func(t *talk) { t.penalty, t.logprobs = 0.5, true }, nil},
	{"a budget that is too large", "anthropic/budget anthropic/model-thinking",
		func(t *talk) { t.effort, t.limit = "high", 2000 },
		perProtocol(map[string]edit{"anthropic": set("thinking",
			`{"type":"enabled","budget_tokens":4096}`).and(drop("output_config"))})},
	{"thinking with a budget, and calls without thinking", "anthropic/thinking-returned",
		func(t *talk) { t.effort = "high" }, perProtocol(map[string]edit{
			"anthropic": set("thinking", `{"type":"enabled","budget_tokens":2048}`).and(drop("output_config")),
			"responses": insert("input[6]", `{"type":"new_thing"}`)})},
	{"an effort for an older model", "anthropic/model-thinking", func(t *talk) { t.effort = "high" }, nil},
	{"thinking with the answer's beginning", "anthropic/thinking-prefill",
		func(t *talk) { prefill("So")(t); t.effort = "high" }, nil},
	{"white space at the end", "anthropic/prefill-space", prefill("So "), nil},
	{"thinking of another vendor", "anthropic/signatures responses/reasoning", func(t *talk) {
		t.turns[1].parts = slices.Insert(t.turns[1].parts, 0,
			part{kind: "thought", text: "I look.", signature: "c2ln"})
	}, nil},
	{"a call without a signature", "gemini/signatures interactions/signatures", nil,
		perProtocol(map[string]edit{
			"gemini":       drop("contents[1].parts[1].thoughtSignature"),
			"interactions": drop("input[2]")})},
	{"five breakpoints", "anthropic/breakpoints", nil, perProtocol(map[string]edit{
		"anthropic": func(body any) {
			for _, path := range []string{"messages[0].content[0]", "messages[0].content[1]",
				"messages[1].content[0]", "messages[1].content[1]", "tools[0]"} {
				set(path+".cache_control", `{"type":"ephemeral"}`)(body)
			}
		}})},
	{"an effort that no model has", "anthropic/effort chat/effort",
		func(t *talk) { t.effort = "ultra" }, nil},
	{"a blank stop sequence", "anthropic/stops", func(t *talk) { t.stops = []string{" "} }, nil},
	{"a stop sequence", "chat/model-stop", func(t *talk) { t.stops = []string{"1"} }, nil},
	{"five stop sequences", "chat/stops",
		func(t *talk) { t.stops = []string{"1", "2", "3", "4", "5"} }, nil},
	{"a long user_id", "anthropic/user-id", func(t *talk) { t.user = strings.Repeat("x", 300) }, nil},
	{"metadata with long values", "chat/metadata responses/metadata", func(t *talk) {
		t.metadata = fields("a", strings.Repeat("x", 600))
	}, nil},
	{"stream options without a stream", "chat/stream-options", nil, perProtocol(map[string]edit{
		"chat": set("stream_options", `{"include_usage":true}`)})},
	{"a format without a name", "chat/format-name responses/format-name",
		func(t *talk) { t.format = citySchema }, perProtocol(map[string]edit{
			"chat": drop("response_format.json_schema.name"), "responses": drop("text.format.name")})},
	{"functions with an effort", "chat/tools-effort", func(t *talk) { t.effort = "high" }, nil},
	{"a custom tool", "chat/functions", fresh, perProtocol(map[string]edit{
		"chat":      set("tools[0]", `{"type":"custom","custom":{"name":"get"}}`),
		"responses": set("tools[0]", `{"type":"custom","name":"get"}`)})},
	{"custom tools in another form", "chat/custom responses/custom", nil, perProtocol(map[string]edit{
		"chat": set("tools[0]", `{"type":"custom","name":"get"}`),
		"responses": set("tools[0]", `{"type":"custom","name":"get","format":{"type":"grammar",`+
			`"grammar":{"syntax":"lark","definition":"x"}}}`)})},
	{"a tool in the form of Chat Completions", "responses/tool-form", nil, perProtocol(map[string]edit{
		"responses": set("tools[0]", `{"type":"function","function":{"name":"get"}}`)})},
	{"members of OpenAI", "chat/openai-members", nil, perProtocol(map[string]edit{
		"chat": set("verbosity", `"low"`), "responses": set("prompt_cache_key", `"k"`)})},
	{"ids of items", "responses/item-id", nil, perProtocol(map[string]edit{
		"responses": set("input[2].id", `"call_1"`)})},
	{"stored items", "responses/stored interactions/stored", nil, perProtocol(map[string]edit{
		"responses": set("store", `true`), "interactions": set("store", `true`), "chat": set("store", `true`)})},
	{"a namespace", "responses/namespace", nil, perProtocol(map[string]edit{
		"responses": insert("tools[1]", `{"type":"namespace","name":"ns","description":"x","tools":[]}`)})},
	{"deferred tools", "responses/deferred anthropic/deferred", fresh, perProtocol(map[string]edit{
		"anthropic": set("tools[0].defer_loading", `true`),
		"responses": set("tools[0].defer_loading", `true`)})},
	{"additional tools of the user", "responses/additional-tools", nil, perProtocol(map[string]edit{
		"responses": insert("input[0]", `{"type":"additional_tools","role":"user","tools":[]}`)})},
	{"a compaction of another vendor", "responses/compaction", nil, perProtocol(map[string]edit{
		"responses": insert("input[0]", `{"type":"compaction","encrypted_content":"x"}`)})},
	{"phases", "responses/phases", nil, perProtocol(map[string]edit{
		"responses": set("input[1].phase", `"final_answer"`)})},
	{"reasoning_content is missing", "chat/reasoning-content",
		func(t *talk) { t.turns[0].parts = t.turns[0].parts[:1] }, nil},
	{"reasoning_details of another vendor", "chat/reasoning-details", nil, perProtocol(map[string]edit{
		"chat": set("messages[2].reasoning_details",
			`[{"type":"reasoning.text","text":"x","signature":"c2ln"}]`)})},
	{"a thread", "anthropic/threads", nil, perProtocol(map[string]edit{
		"anthropic": set("thread", `{"type":"create"}`)})},
	{"a reference to an unknown tool", "anthropic/tool-reference", nil, perProtocol(map[string]edit{
		"anthropic": set("messages[2].content[0].content",
			`[{"type":"tool_reference","tool_name":"other"}]`)})},
	{"a search with a schema", "anthropic/search-tool", nil, perProtocol(map[string]edit{
		"anthropic": insert("tools[1]",
			`{"type":"web_search_20250305","name":"web_search","input_schema":{"type":"object"}}`),
		"responses": insert("tools[1]", `{"type":"web_search","filters":{"allowed_domains":["a.com"]}}`)})},
	{"results of a search of another vendor", "anthropic/search-results", nil, perProtocol(map[string]edit{
		"anthropic": insert("messages[1].content[0]",
			`{"type":"server_tool_use","id":"ws_1","name":"web_search","input":{}}`),
		"responses": insert("input[1]", `{"type":"web_search_call","id":"ws_1","status":"completed",`+
			`"action":{"type":"search","query":"x"}}`)})},
	{"a call by code of a vendor", "anthropic/container", nil, perProtocol(map[string]edit{
		"anthropic": set("messages[1].content[1].caller",
			`{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}`),
		"responses": set("input[2].caller", `{"type":"program","caller_id":"call_p"}`)})},
	{"a call by unknown code", "anthropic/program-source", nil, perProtocol(map[string]edit{
		"anthropic": set("messages[1].content[1].caller",
			`{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}`).and(set("container", `"c"`)),
		"responses": set("input[2].caller", `{"type":"program","caller_id":"el1_srvtoolu_1"}`)})},
	{"a text beside results for code", "anthropic/program-results", nil, perProtocol(map[string]edit{
		"anthropic": byCode["anthropic"].
			and(insert("messages[1].content[1]", `{"type":"server_tool_use","id":"srvtoolu_1",`+
				`"name":"code_execution","input":{"code":"1"}}`)).
			and(set("messages[1].content[2].caller",
				`{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}`)).
			and(set("container", `"c"`)).
			and(insert("messages[2].content[2]", `{"type":"text","text":"Hurry."}`)),
		"responses": byCode["responses"].
			and(insert("input[2]", `{"type":"program","id":"prog_1","call_id":"el1_srvtoolu_1","code":"1",`+
				`"fingerprint":"el1:anthropic:p:srvtoolu_1:c"}`)).
			and(set("input[3].caller", `{"type":"program","caller_id":"el1_srvtoolu_1"}`)).
			and(insert("input[7]", `{"role":"user","content":"Hurry."}`))})},
	{"code that was cut, and a question", "anthropic/server-results", nil, perProtocol(map[string]edit{
		"anthropic": byCode["anthropic"].
			and(insert("messages[1].content[1]", `{"type":"server_tool_use","id":"srvtoolu_1",`+
				`"name":"code_execution","input":{"code":"1"}}`)).
			and(insert("messages[2].content[2]", `{"type":"text","text":"Hurry."}`)),
		"responses": byCode["responses"].
			and(insert("input[2]", `{"type":"program","id":"prog_1","call_id":"el1_srvtoolu_1","code":"1",`+
				`"fingerprint":"el1:anthropic:p:srvtoolu_1:c"}`)).
			and(insert("input[7]", `{"role":"user","content":"Hurry."}`))})},
	{"a strict tool for code", "anthropic/program-strict", schemaOfTool(citySchema, true),
		perProtocol(byCode)},
	{"a recursive schema for code", "anthropic/program-schema", schemaOfTool(tree, false),
		perProtocol(byCode)},
	{"a choice of a tool for code", "anthropic/program-choice", func(t *talk) { fresh(t); t.choice = "get" },
		perProtocol(byCode)},
	{"one call by code", "anthropic/program-parallel", fresh, perProtocol(map[string]edit{
		"anthropic": byCode["anthropic"].
			and(set("tool_choice", `{"type":"auto","disable_parallel_tool_use":true}`)),
		"responses": byCode["responses"].and(set("parallel_tool_calls", `false`))})},
	{"edits without their beta", "anthropic/betas", nil, edits},
	{"edits without thinking", "anthropic/thinking-edits", nil, edits},
	{"an answer that is a list", "chat/format-root responses/format-root anthropic/answer-object",
		func(t *talk) { t.format = `{"type":"array","items":{"type":"string"}}` }, nil},
	{"a file of no type", "responses/file-type chat/file-type", nil, perProtocol(map[string]edit{
		"responses": set("input[0].content[1]",
			`{"type":"input_file","filename":"x","file_data":"data:x;base64,AAAA"}`),
		"chat": set("messages[1].content[1]", `{"type":"file","file":{"filename":"x",`+
			`"file_data":"data:x;base64,AAAA"}}`)})},
	{"an MCP server whose name begins with a digit", "responses/mcp-label", nil, perProtocol(map[string]edit{
		"responses": insert("tools[1]",
			`{"type":"mcp","server_label":"1d","server_url":"https://d.example/mcp"}`),
		"anthropic": set("mcp_servers", `[{"type":"url","name":"1d","url":"https://d.example/mcp"}]`).
			and(insert("tools[1]", `{"type":"mcp_toolset","mcp_server_name":"1d"}`))})},
	{"an MCP server without TLS", "anthropic/mcp responses/mcp", nil, perProtocol(map[string]edit{
		"anthropic": set("mcp_servers", `[{"type":"url","name":"d","url":"http://d.example/mcp"}]`).
			and(insert("tools[1]", `{"type":"mcp_toolset","mcp_server_name":"d"}`)),
		"responses": insert("tools[1]",
			`{"type":"mcp","server_label":"d","server_url":"http://d.example/mcp","require_approval":"never"}`)})},
	{"sampling in the newest version", "anthropic/version-sampling",
		func(t *talk) { t.temperature = 0.5 }, nil},
	{"a document of the assistant's in the newest version", "anthropic/version-documents", nil,
		perProtocol(map[string]edit{
			"anthropic": insert("messages[1].content[0]",
				`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}}`),
			"gemini": insert("contents[1].parts[0]",
				`{"inlineData":{"mimeType":"application/pdf","data":"JVBERi0="}}`)})},
	{"citations of the user's in the newest version", "anthropic/version-citations", nil,
		perProtocol(map[string]edit{
			"anthropic": set("messages[0].content[0].citations", `[{"type":"web_search_result_location",`+
				`"cited_text":"a","encrypted_index":"b","title":"c","url":"https://d.test"}]`),
			"responses": set("input[0].content[0]", `{"type":"output_text","text":"hi","annotations":[`+
				`{"type":"url_citation","url":"https://d.test","title":"c","start_index":0,"end_index":2}]}`)})},
	{"an unknown speed", "anthropic/speed", nil, perProtocol(map[string]edit{
		"anthropic": set("speed", `"warp"`),
		"chat":      set("service_tier", `"warp"`), "responses": set("service_tier", `"warp"`)})},
	{"fast mode", "anthropic/speed-models anthropic/speed-beta", nil, perProtocol(map[string]edit{
		"anthropic": set("speed", `"fast"`),
		"chat":      set("service_tier", `"priority"`), "responses": set("service_tier", `"fast"`)})},
	{"members that Mistral lacks", "chat/mistral-members", nil, nil},
	{"reasoning of another vendor for Mistral and Groq", "chat/mistral-messages chat/groq-messages",
		func(t *talk) {
			t.limit = nil
			t.turns[1].parts = slices.Insert(t.turns[1].parts, 0,
				part{kind: "thought", text: "I look.", signature: "c2ln"})
		}, nil},
	{"a temperature above 1.5", "chat/mistral-temperature", func(t *talk) {
		fresh(t)
		t.limit, t.temperature = nil, 1.8
	}, nil},
	{"an id of OpenAI for Mistral", "chat/mistral-call-id", func(t *talk) { t.limit = nil }, nil},
	{"the answer's beginning for Mistral", "chat/mistral-last",
		func(t *talk) { prefill("So")(t); t.limit = nil }, nil},
	{"a negative seed", "chat/mistral-seed", nil, perProtocol(map[string]edit{
		"chat":   set("random_seed", `-1`),
		"gemini": set("generationConfig.seed", `-1`)})},
	{"a call of an MCP server without a name", "anthropic/mcp-names", nil, perProtocol(map[string]edit{
		"anthropic": insert("messages[1].content[1]",
			`{"type":"mcp_tool_use","id":"mcptoolu_1","name":"roll","server_name":"","input":{}}`),
		"responses": func(body any) {
			insert("input[1]", `{"type":"mcp_call","id":"mcp_1","name":"roll","server_label":"",`+
				`"arguments":"{}","output":"4","error":null}`)(body)
			insert("tools[1]", `{"type":"mcp","server_label":"dice","server_url":"https://d.example/mcp",`+
				`"require_approval":"never"}`)(body)
		}})},
	{"a tier for Vertex AI", "gemini/vertex-members", nil, perProtocol(map[string]edit{
		"gemini": set("serviceTier", `"flex"`), "chat": set("service_tier", `"flex"`),
		"responses": set("service_tier", `"flex"`)})},
	{"a penalty", "chat/xai-penalties", func(t *talk) { t.penalty = 0.5 }, nil},
	{"a stop sequence for Grok", "chat/xai-stop", func(t *talk) { t.stops = []string{"1"} }, nil},
	{"five stop sequences for Groq", "chat/groq-stops",
		func(t *talk) { t.stops = []string{"1", "2", "3", "4", "5"} }, nil},
	{"an effort for a model without", "chat/xai-effort responses/xai-effort",
		func(t *talk) { t.effort = "high" }, nil},
	{"an empty text for Grok", "chat/xai-empty", func(t *talk) { t.turns[0].parts = []part{said("")} }, nil},
	{"an assistant's empty text for Grok", "chat/xai-empty", func(t *talk) {
		t.turns = []turn{{"user", []part{said("One?")}}, {"assistant", []part{said("")}}, {"user", []part{said("Two?")}}}
	}, nil},
	{"metadata for Grok", "responses/xai-members", func(t *talk) { t.metadata = fields("a", "b") }, nil},
	{"a custom tool for Grok", "responses/xai-tools", fresh, perProtocol(map[string]edit{
		"chat":      insert("tools[1]", `{"type":"custom","custom":{"name":"run","description":"Runs."}}`),
		"responses": insert("tools[1]", `{"type":"custom","name":"run","description":"Runs."}`)})},
	{"additional tools for Grok", "responses/xai-items", fresh, perProtocol(map[string]edit{
		"responses": insert("input[0]", `{"type":"additional_tools","role":"developer","tools":[`+
			`{"type":"function","name":"put","parameters":{"type":"object"}}]}`)})},
	{"a GIF", "chat/xai-image responses/xai-image", image("image/gif", "R0lGODlhAQABAAAAACw="), nil},
	{"a temperature for Kimi", "chat/moonshot-sampling", func(t *talk) { t.temperature = 0.5 }, nil},
	{"calls without reasoning for Kimi", "chat/moonshot-reasoning", nil, nil},
	{"a forced tool for Kimi", "chat/moonshot-choice", func(t *talk) { fresh(t); t.choice = "any" }, nil},
	{"a tool that Kimi K3 must call", "chat/moonshot-named chat/moonshot-choice",
		func(t *talk) { fresh(t); t.choice = "get" }, nil},
	{"a name for Kimi", "chat/moonshot-name", renameTool("21st_magic"), nil},
	{"a short name for Kimi", "chat/moonshot-name", renameTool("ls"), nil},
	{"a union for Kimi", "chat/moonshot-schema", schemaOfTool(unionRoot, false), nil},
	{"a nested union for Kimi", "chat/moonshot-schema",
		schemaOfTool(cityAs(`{"type":"string","anyOf":[{"type":"string"},{"enum":["x"]}]}`), false), nil},
	{"a condition beside properties for Kimi", "chat/moonshot-schema",
		schemaOfTool(cityAs(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},`+
			`"anyOf":[{"required":["a"]},{"required":["b"]}]}`), false), nil},
	{"definitions for Kimi", "chat/moonshot-refs",
		schemaOfTool(`{"type":"object","properties":{"c":{"$ref":"#/definitions/c"}},`+
			`"definitions":{"c":{"type":"string"}}}`, false), nil},
	{"a described reference for Kimi", "chat/moonshot-refs",
		schemaOfTool(`{"type":"object","properties":{"c":{"$ref":"#/$defs/c","description":"C"}},`+
			`"$defs":{"c":{"type":"string","description":"D"}}}`, false), nil},
	{"a reference to a property for Kimi", "chat/moonshot-refs",
		schemaOfTool(`{"type":"object","properties":{"c":{"type":"string"},"d":{"$ref":"#/properties/c"}}}`,
			false), nil},
	{"an enum of two types for Kimi", "chat/moonshot-defined",
		schemaOfTool(cityAs(`{"enum":["a",1]}`), false), nil},
	{"a tuple for Kimi", "chat/moonshot-items",
		schemaOfTool(cityAs(`{"type":"array","items":[{"type":"string"}]}`), false), nil},
	{"log probabilities for Groq", "chat/groq-members", func(t *talk) { t.logprobs = true }, nil},
	{"a schema with tools for Groq", "chat/groq-format", func(t *talk) { t.format = citySchema }, nil},
	{"a schema for Groq", "chat/groq-schema",
		func(t *talk) { fresh(t); t.tools, t.format = nil, citySchema }, nil},
	{"reasoning after its calls", "responses/reasoning-order", nil, perProtocol(map[string]edit{
		"responses": insert("input[4]",
			`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2ln"}`),
		"anthropic": insert("messages[1].content[3]",
			`{"type":"thinking","thinking":"I look.","signature":"el1:responses:t:rs_1:c2ln"}`)})},
}

// ownPart has, by the name of a scenario, what the vendor's own client sends or has received beside
// the body.
var ownPart = map[string]own{
	"sampling in the newest version":                      {header: newVersionHeader},
	"a document of the assistant's in the newest version": {header: newVersionHeader},
	"citations of the user's in the newest version":       {header: newVersionHeader},
	"reasoning after its calls":                           {issued: issues([]Reasoning{{Blob: "c2ln", ID: "rs_1"}}, "call_1")},
}

var newVersionHeader = http.Header{"Anthropic-Version": {newVersion}}

// of returns the request of a client in the scenario.
func (s *scenario) of(client, model string) any {
	talk := newTalk()
	talk.model = model
	if s.change != nil {
		s.change(talk)
	}
	body := talk.body(client)
	if s.raw != nil {
		if change := s.raw(client); change != nil {
			change(body)
		}
	}
	return body
}

// refusals has the refusals of the rows of the doubles' tests, in the form of plainly, by protocol and
// rule.
var refusals = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, r := range allRules() {
		for _, row := range r.rows {
			body := decode(r.good)
			row.edit(body)
			id := r.protocol + "/" + row.rule
			all[id] = append(all[id], plainly(r.check(body)))
		}
	}
	return all
})

var (
	values  = regexp.MustCompile(`"[^"]*"|'[^']*'|\d+|: toolu_.*|: call_.*|image/\S+|\b(?:call_|g)\d+` + "|found `[^`]*`")
	unknown = regexp.MustCompile(`unknown field|Unknown name|Unknown parameter|Unsupported parameter`)
)

// plainly returns a refusal without the values of the request. The refusal of an unknown member is
// without the member's path.
func plainly(err error) string {
	said := err.Error()
	if word := unknown.FindString(said); word != "" {
		return word
	}
	return values.ReplaceAllString(said, "")
}

// breaks reports whether an error is the refusal of a rule.
func breaks(err error, id string) bool { return slices.Contains(refusals()[id], plainly(err)) }

// TestScenarios checks that each rule of the list has a scenario that breaks the rule, and that no
// client's request in a scenario is rejected by a vendor.
func TestScenarios(t *testing.T) {
	exercised := map[string]bool{}
	for i := range scenarios {
		s := &scenarios[i]
		t.Run(s.name, func(t *testing.T) { s.run(t, exercised) })
	}
	for protocol, listed := range table.ByProtocol {
		n := 0
		for _, rule := range listed {
			id := protocol + "/" + rule.ID
			switch {
			case exercised[id]:
				n++
			default:
				t.Errorf("no scenario exercises the rule %s: %s", id, rule.Rejects)
			}
		}
		t.Logf("%s: %d rules exercised of %d", protocol, n, len(listed))
	}
}

func (s *scenario) run(t *testing.T, exercised map[string]bool) {
	answers := map[string][]outcome{} // by the server's protocol
	broken := map[string][]error{}
	for i := range servers {
		server := &servers[i]
		broken[server.protocol] = append(broken[server.protocol],
			server.judge(s.of(server.protocol, server.model), !strings.Contains(s.rules, "betas"), ownPart[s.name]))
		for _, client := range clients {
			if client == server.protocol {
				continue
			}
			r := requestOf(client, s.of(client, "m"))
			o := server.send(t, r)
			answers[server.protocol] = append(answers[server.protocol], o)
			if o.judged != nil {
				t.Errorf("%s from %s: %v\n%s\n%s", server, client, o.judged, r.body, o.body)
			}
		}
	}
	for _, id := range strings.Fields(s.rules) {
		protocol, name, _ := strings.Cut(id, "/")
		isRefused := func(err error) bool { return err != nil && breaks(err, id) }
		if !slices.ContainsFunc(broken[protocol], isRefused) {
			t.Errorf("%s is not broken: %v\n%s", id, broken[protocol], encode(s.of(protocol, "m")))
			continue
		}
		i := slices.IndexFunc(table.ByProtocol[protocol], func(r table.Rule) bool { return r.ID == name })
		if i < 0 {
			t.Errorf("no rule %s", id)
			continue
		}
		if !slices.ContainsFunc(answers[protocol], matches(table.ByProtocol[protocol][i].Answer)) {
			t.Errorf("%s: no request is answered as the list says", id)
			continue
		}
		exercised[id] = true
	}
}

var clients = []string{"anthropic", "chat", "responses", "gemini", "interactions"}

// matches returns a function that reports whether the translator has answered as listed.
func matches(a table.Answer) func(outcome) bool {
	return func(o outcome) bool {
		switch a {
		case table.Repair:
			return o.refused == nil
		case table.Drop:
			return o.refused == nil && o.lost != ""
		}
		return o.refused != nil && o.refused.Path != ""
	}
}

// requestOf returns a client's request with a body.
func requestOf(client string, body any) *clientRequest {
	return &clientRequest{client: client, path: corpus.Path(client, "m", false), body: []byte(encode(body))}
}
