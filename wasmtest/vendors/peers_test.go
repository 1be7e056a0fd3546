package vendors

import (
	"strings"
	"testing"
)

// peerShapes are requests with the members and combinations of other projects' tests: agentgateway
// (crates/llm/src/tests/requests), the compatibility test of openai/gpt-oss, which runs the Agents SDK,
// and the report openai/codex#44729. The bodies are our own.
var peerShapes = []struct {
	name, client string
	refused      string // the path that the translator may refuse, or ""
	lost         string // the fields that every server's request reports as lost, separated by spaces
	body         string
}{
	{"a schema beside the messages", "chat", "", "json_schema",
		`{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],
		"max_tokens":6400,"reasoning_effort":"high","json_schema":{"name":"p","strict":true,"schema":{
		"type":"object","properties":{"a":{"type":"integer","minimum":0},"b":{"type":"array","items":{
		"type":"string"}}},"required":["a","b"],"additionalProperties":false}}}`},
	{"breakpoints of OpenAI", "chat", "", "messages[2].content[0].prompt_cache_breakpoint",
		`{"model":"m","messages":[{"role":"system","content":[{"type":"text","text":"S",
		"prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"developer","content":[{"type":"text",
		"text":"D","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"user","content":[{
		"type":"text","text":"U","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":"V",
		"cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{
		"url":"data:image/png;base64,aGVsbG8="},"prompt_cache_breakpoint":{"mode":"explicit"}}]},{
		"role":"assistant","content":[{"type":"text","text":"A","prompt_cache_breakpoint":{
		"mode":"explicit"}}],"tool_calls":[{"id":"c","type":"function","function":{"name":"lookup",
		"arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"R",
		"prompt_cache_breakpoint":{"mode":"explicit"}}]}],"tools":[{"type":"function","function":{
		"name":"lookup","parameters":{"type":"object","properties":{}}}}]}`},
	{"a format with a reference", "chat", "", "",
		`{"model":"m","messages":[{"role":"user","content":"U"}],"response_format":{"type":"json_schema",
		"json_schema":{"name":"p","schema":{"type":"object","properties":{"p":{"$ref":"#/$defs/P"}},
		"required":["p"],"$defs":{"P":{"type":"object","properties":{"n":{"type":"string"},"a":{
		"type":"integer"}},"required":["n"]}}}}}}`},
	{"a PDF", "chat", "", "",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"U"},{"type":"file",
		"file":{"filename":"r.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjQK"}}]}]}`},
	{"all parameters with a chosen tool", "chat", "", "frequency_penalty",
		`{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}],
		"max_tokens":1000,"temperature":0.7,"top_p":0.9,"stop":["\n\n","END"],"presence_penalty":0.1,
		"frequency_penalty":0.2,"seed":42,"response_format":{"type":"json_object"},"tool_choice":{
		"type":"function","function":{"name":"get"}},"tools":[{"type":"function","function":{"name":"get",
		"description":"d","parameters":{"type":"object","properties":{"l":{"type":"string"}},"required":[
		"l"]}}}]}`},
	{"three choices", "chat", "n", "",
		`{"model":"m","messages":[{"role":"user","content":"U"}],"n":3}`},
	{"two rounds of calls", "chat", "", "",
		`{"model":"m","messages":[{"role":"user","content":"U"},{"role":"assistant","content":null,
		"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get",
		"arguments":"{\"l\":\"C\"}"}}]},{"role":"tool","tool_call_id":"call_1","name":"get",
		"content":"{\"t\":15}"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_2",
		"type":"function","function":{"name":"get","arguments":"{\"l\":\"B\"}"}}]},{"role":"tool",
		"tool_call_id":"call_2","name":"get","content":"{\"t\":9}"}],"tools":[{"type":"function",
		"function":{"name":"get","parameters":{"type":"object","properties":{"l":{"type":"string"}},
		"required":["l"]}}}]}`},
	{"an effort with a small limit", "chat", "", "",
		`{"model":"m","messages":[{"role":"user","content":"U"}],"max_completion_tokens":64,
		"reasoning_effort":"high"}`},
	{"reasoning under two names, and a member for a gateway", "chat", "", "provider",
		`{"model":"m","messages":[{"role":"user","content":"U"},{"role":"assistant","content":"A",
		"reasoning":"R","reasoning_content":"R"},{"role":"user","content":"V"}],"provider":{"only":["x"]}}`},
	{"breakpoints of Anthropic", "anthropic", "", "",
		`{"model":"m","max_tokens":1024,"system":[{"type":"text","text":"S"},{"type":"text","text":"T"}],
		"messages":[{"role":"assistant","content":[{"type":"text","text":"A"},{"type":"text",
		"text":"B"}]},{"role":"user","content":[{"type":"text","text":"U","cache_control":{
		"type":"ephemeral","ttl":"5m"}},{"type":"image","source":{"type":"base64",
		"media_type":"image/png","data":"aGVsbG8="},"cache_control":{"type":"ephemeral"}}]},{
		"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"lookup","input":{}},{
		"type":"tool_use","id":"c2","name":"lookup","input":{}}]},{"role":"user","content":[{
		"type":"tool_result","tool_use_id":"c1","content":"R"},{"type":"tool_result","tool_use_id":"c2",
		"content":[{"type":"text","text":"b"},{"type":"image","source":{"type":"base64",
		"media_type":"image/png","data":"aGVsbG8="}},{"type":"text","text":"a"}]}]},{"role":"system",
		"content":[{"type":"text","text":"X","cache_control":{"type":"ephemeral"}}]}],"tools":[{
		"name":"lookup","input_schema":{"type":"object","properties":{}},"cache_control":{
		"type":"ephemeral"}}]}`},
	{"a search of Anthropic's in a user message", "anthropic", "", "messages[2].content[2]",
		`{"model":"m","max_tokens":64,"messages":[{"role":"user","content":[{"type":"document","source":{
		"type":"text","media_type":"text/plain","data":"d"},"cache_control":{"type":"ephemeral"}},{
		"type":"text","text":"U"}]},{"role":"user","content":[{"type":"document","source":{"type":"text",
		"media_type":"text/plain","data":"d"}}]},{"role":"user","content":[{"type":"search_result",
		"source":"https://e.example","title":"T","content":[{"type":"text","text":"o"}],"cache_control":{
		"type":"ephemeral"}},{"type":"text","text":"B"},{"type":"web_search_tool_result",
		"tool_use_id":"srv_1","content":[],"cache_control":{"type":"ephemeral"}},{"type":"text",
		"text":"Z"}]},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"thinking",
		"thinking":"r","signature":"s"},{"type":"server_tool_use","id":"srv_1","name":"web_search",
		"input":{},"cache_control":{"type":"ephemeral","ttl":"1h"}}]}],"tools":[{"name":"lookup",
		"input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search",
		"cache_control":{"type":"ephemeral","ttl":"1h"}},{"name":"over","input_schema":{"type":"object"},
		"cache_control":{"type":"ephemeral"}}]}`},
	{"adaptive thinking with tools", "anthropic", "", "",
		`{"model":"m","max_tokens":64,"thinking":{"type":"adaptive"},"tools":[{"name":"get",
		"input_schema":{"type":"object","properties":{"l":{"type":"string"}},"required":["l"]}}],
		"messages":[{"role":"user","content":"U"}]}`},
	{"thinking with a format and a chosen tool", "anthropic", "", "metadata.trace_id",
		`{"model":"m","max_tokens":256,"system":[{"type":"text","text":"S"},{"type":"text","text":"T"}],
		"thinking":{"type":"adaptive"},"output_config":{"effort":"medium","format":{"type":"json_schema",
		"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],
		"additionalProperties":false}}},"metadata":{"user_id":"u","trace_id":"t"},"tools":[{"name":"get",
		"input_schema":{"type":"object","properties":{"l":{"type":"string"}},"required":["l"]}}],
		"tool_choice":{"type":"tool","name":"get","disable_parallel_tool_use":true},"messages":[{
		"role":"user","content":[{"type":"text","text":"U"},{"type":"image","source":{"type":"base64",
		"media_type":"image/png","data":"aGVsbG8="}},{"type":"image","source":{"type":"url",
		"url":"https://e.example/i.png"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"c",
		"name":"get","input":{"l":"S"}}]},{"role":"user","content":[{"type":"tool_result",
		"tool_use_id":"c","content":[{"type":"text","text":"R"}]}]}]}`},
	{"an image by its id", "anthropic", "messages[0].content[1].source.file_id", "",
		`{"model":"m","max_tokens":256,"messages":[{"role":"user","content":[{"type":"text","text":"U"},{
		"type":"image","source":{"type":"file","file_id":"file_1"}}]}]}`},
	{"thinking with and without a signature", "anthropic", "", "",
		`{"model":"m","max_tokens":1024,"messages":[{"role":"user","content":[{"type":"text","text":"U"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"T","signature":"S=="},{
		"type":"redacted_thinking","data":"cnNu"},{"type":"text","text":"4"}]},{"role":"user","content":[{
		"type":"text","text":"V"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"T",
		"signature":""},{"type":"text","text":"6"}]},{"role":"user","content":"C"}]}`},
	{"a result without content", "anthropic", "", "",
		`{"model":"m","max_tokens":1024,"tools":[{"name":"get","input_schema":{"type":"object",
		"properties":{"l":{"type":"string"}},"required":["l"]}}],"messages":[{"role":"user",
		"content":"U"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"get","input":{
		"l":"S"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]}`},
	{"a budget with sampling", "anthropic", "", "",
		`{"model":"m","max_tokens":100,"thinking":{"type":"enabled","budget_tokens":20000},
		"temperature":0.4,"top_k":20,"top_p":0.9,"messages":[{"role":"user","content":"U"}]}`},
	{"a chosen custom tool", "responses", "", "",
		`{"model":"m","input":[{"role":"user","content":"U"},{"type":"custom_tool_call","id":"ctc_1",
		"call_id":"c","name":"python","input":"p"},{"type":"custom_tool_call_output","call_id":"c",
		"output":"42\n"}],"tools":[{"type":"custom","name":"python","description":"d","format":{
		"type":"text"}}],"tool_choice":{"type":"custom","name":"python"}}`},
	{"messages of all roles with files", "responses", "", "",
		`{"model":"m","store":false,"instructions":"I","input":[{"role":"system","content":"S"},{
		"role":"developer","content":[{"type":"input_text","text":"D"}]},{"role":"user","content":[{
		"type":"input_text","text":"U"},{"type":"input_image","image_url":"data:image/png;base64,aQ=="},{
		"type":"input_file","file_data":"data:application/pdf;base64,JVBERi0xLjQK","filename":"p.pdf"},{
		"type":"input_file","file_data":"data:text/plain;base64,c2hlbGYgQjEy","filename":"l.txt"}]},{
		"role":"assistant","content":"A"},{"type":"function_call","id":"fc_1","call_id":"c","name":"w",
		"arguments":"{\"c\":\"S\"}","status":"completed"},{"type":"function_call_output","call_id":"c",
		"output":[{"type":"input_text","text":"R"},{"type":"input_image",
		"image_url":"data:image/png;base64,aQ=="}],"status":"completed"}],"max_output_tokens":512,
		"parallel_tool_calls":true,"text":{"format":{"type":"json_schema","name":"i","strict":true,
		"schema":{"type":"object","properties":{"i":{"type":"string"},"a":{"type":"boolean"}},"required":[
		"i","a"],"additionalProperties":false}}},"tools":[{"type":"function","name":"w","parameters":{
		"type":"object","properties":{"c":{"type":"string"}},"required":["c"]},"strict":false},{
		"type":"function","name":"inv","parameters":{"type":"object","properties":{"i":{"type":"string"}},
		"required":["i"]}}]}`},
	{"a namespace, and outputs with names", "responses", "", "",
		`{"model":"m","max_output_tokens":1024,"input":[{"role":"user","content":"U"},{
		"type":"function_call","id":"fc_a","call_id":"ca","namespace":"agents","name":"spawn",
		"arguments":"{\"t\":\"r\"}"},{"type":"function_call_output","call_id":"ca","namespace":"agents",
		"name":"spawn","output":"a1"},{"type":"function_call","id":"fc_e","call_id":"ce","name":"exec",
		"arguments":"{\"cmd\":\"pwd\"}"},{"type":"function_call_output","call_id":"ce","name":"exec",
		"output":"/w"}],"tools":[{"type":"function","name":"exec","strict":false,"parameters":{
		"type":"object","additionalProperties":false,"properties":{"cmd":{"type":"string"}},"required":[
		"cmd"]}},{"type":"namespace","name":"agents","description":"d","tools":[{"type":"function",
		"name":"spawn","strict":false,"parameters":{"type":"object","properties":{"t":{
		"type":"string"}}}}]}]}`},
	{"a text file with a breakpoint", "responses", "", "input[0].content[2].prompt_cache_breakpoint",
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"U",
		"prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_image",
		"image_url":"data:image/png;base64,aGVsbG8=","prompt_cache_breakpoint":{"mode":"explicit"}},{
		"type":"input_file","file_data":"aGVsbG8=","filename":"n.txt","prompt_cache_breakpoint":{
		"mode":"explicit"}}]},{"role":"system","content":[{"type":"input_text","text":"S",
		"prompt_cache_breakpoint":{"mode":"explicit"}}]},{"role":"developer","content":[{
		"type":"input_text","text":"D","prompt_cache_breakpoint":{"mode":"explicit"}}]}]}`},
	{"an output without an id first", "responses", "", "",
		`{"model":"m","input":[{"content":[{"text":"h","type":"output_text"}],"role":"assistant",
		"type":"message"},{"content":[{"text":"w","type":"input_text"}],"role":"user","type":"message"}]}`},
	{"raw reasoning before a call", "responses", "", "",
		`{"model":"m","instructions":"I","store":false,"input":[{"role":"user","content":"U"},{
		"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"R"}],
		"encrypted_content":null},{"type":"function_call","id":"fc_1","call_id":"c","name":"get",
		"arguments":"{\"l\":\"S\"}","status":"completed"},{"type":"function_call_output","call_id":"c",
		"output":"R","status":"completed"}],"tools":[{"type":"function","name":"get","strict":true,
		"parameters":{"type":"object","properties":{"l":{"type":"string"}},"required":["l"],
		"additionalProperties":false}}]}`},
	{"a namespace found by two searches", "responses", "", "",
		`{"model":"m","store":false,"input":[{"role":"user","content":"U"},{"type":"tool_search_call",
		"call_id":"s1","execution":"client","arguments":{"query":"a"},"status":"completed"},{
		"type":"tool_search_output","call_id":"s1","execution":"client","status":"completed","tools":[{
		"type":"namespace","name":"mcp__x","description":"d","tools":[{"type":"function","name":"a",
		"strict":false,"defer_loading":true,"parameters":{"type":"object","properties":{}}}]}]},{
		"type":"tool_search_call","call_id":"s2","execution":"client","arguments":{"query":"a"},
		"status":"completed"},{"type":"tool_search_output","call_id":"s2","execution":"client",
		"status":"completed","tools":[{"type":"namespace","name":"mcp__x","description":"d","tools":[{
		"type":"function","name":"a","strict":false,"defer_loading":true,"parameters":{"type":"object",
		"properties":{}}},{"type":"function","name":"b","strict":false,"defer_loading":true,"parameters":{
		"type":"object","properties":{}}}]}]},{"role":"user","content":"V"}],"tools":[{
		"type":"tool_search","execution":"client","description":"d","parameters":{"type":"object",
		"properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}}]}`},
	{"new members everywhere", "gemini", "", "newTop contents[0].newContent " +
		"contents[0].parts[0].newPart systemInstruction.newSystem toolConfig.newConfig " +
		"tools[0].functionDeclarations[0].newDecl",
		`{"contents":[{"role":"user","parts":[{"text":"hi","newPart":{"n":[1]}}],"newContent":true}],
		"systemInstruction":{"parts":[{"text":"b"}],"newSystem":"x"},"tools":[{"functionDeclarations":[{
		"name":"f","newDecl":1}],"newTool":"y"}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO",
		"newKnob":1},"newConfig":2},"generationConfig":{"thinkingConfig":{"thinkingBudget":1024,
		"newThinking":"z"},"newGeneration":["a"]},"safetySettings":[{
		"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF","newSafety":null}],"modelArmorConfig":{
		"promptTemplateName":"t"},"newTop":{"d":1}}`},
	{"a new kind of part", "gemini", "", "contents[1].parts[0].newKind",
		`{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"user","parts":[{"newKind":{
		"o":"b"}}]}]}`},
}

// TestShapesOfPeers sends each shape to the servers of all other protocols: no double may reject what
// the translator makes of it.
func TestShapesOfPeers(t *testing.T) {
	for _, s := range peerShapes {
		t.Run(s.name, func(t *testing.T) {
			r, refused := requestOf(s.client, decode(s.body)), false
			for i := range servers {
				to := &servers[i]
				if to.protocol == s.client {
					continue
				}
				o := to.send(t, r)
				switch {
				case o.refused != nil && o.refused.Path != s.refused:
					t.Errorf("%v: refused at %q: %v", to, o.refused.Path, o.refused)
				case o.refused != nil:
					refused = true
					continue
				case o.judged != nil:
					t.Errorf("%v: %v\n%s", to, o.judged, o.body)
				}
				for _, field := range strings.Fields(s.lost) {
					if !strings.Contains(","+o.lost+",", ","+field+",") {
						t.Errorf("%v: %s is not reported: %s", to, field, o.lost)
					}
				}
			}
			if refused != (s.refused != "") {
				t.Errorf("refused: %t", refused)
			}
		})
	}
}
