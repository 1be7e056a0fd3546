package readme

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/jsonw"
)

// server is the destination of a session: a server's protocol and a model. reasoning is the
// client's copy of the server's reasoning: an envelope of the translator, or "" for unsigned
// reasoning. none means that no reasoning comes.
type server struct {
	name, protocol, host, model string
	reasoning                   string
	none                        bool
}

const details = `el1:chat:t::[{"type":"reasoning.text","text":"Hm.","signature":"Et8B"}]`

var servers = []server{
	{name: "OpenAI, Responses", protocol: "responses", host: "api.openai.com", model: "gpt-5.5",
		reasoning: "el1:responses:t:rs_1:gAAA"},
	{name: "OpenAI, Chat Completions", protocol: "chat", host: "api.openai.com", model: "gpt-5.5",
		none: true},
	{name: "Anthropic, Messages", protocol: "anthropic", host: "api.anthropic.com", model: "claude-opus-4-8",
		reasoning: "el1:anthropic:t::EvQB"},
	{name: "Ollama, Messages", protocol: "anthropic", host: "localhost:11434", model: "qwen3"},
	{name: "Ollama, Chat Completions", protocol: "chat", host: "localhost:11434", model: "qwen3"},
	{name: "Ollama, Responses", protocol: "responses", host: "localhost:11434", model: "qwen3"},
	{name: "OpenRouter, Messages", protocol: "anthropic", host: "openrouter.ai",
		model: "anthropic/claude-opus-4.8", reasoning: "el1:anthropic:t::EvQB"},
	{name: "OpenRouter, Chat Completions", protocol: "chat", host: "openrouter.ai",
		model: "anthropic/claude-opus-4.8", reasoning: details},
	{name: "OpenRouter, Responses", protocol: "responses", host: "openrouter.ai",
		model: "anthropic/claude-opus-4.8", reasoning: "el1:responses:t:rs_1:gAAA"},
}

// The second turn of a session, with every field seen in requests of Claude Code 2.1 and Codex
// 0.169. REASONING marks the place of the model's reasoning.
const (
	claudeCode = `{"model":"claude-opus-5-5","max_tokens":128000,"stream":true,
"metadata":
	{"user_id":"{\"device_id\":\"00\",\"account_uuid\":\"\",\"session_id\":\"11111111-2222\"}"},
"thinking":{"type":"adaptive","display":"updates"},
"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},
"output_config":{"effort":"medium"},
"safeguards":[{"type":"dangerous_tool_use","classifier_context":{"v":1}}],
"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1;"},
	{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}},{"type":"text",
		"text":"Rules.","cache_control":{"type":"ephemeral"}}],
"messages":[
	{"role":"user","content":[{"type":"text","text":"<system-reminder>Today</system-reminder>"},
		{"type":"text","text":"Look."}]},
	{"role":"system","output_config":{"effort":"medium"},"content":"# Environment"},
	{"role":"assistant","content":[REASONING{"type":"text","text":"I look."},
		{"type":"tool_use","id":"toolu_1","name":"Read","input":{"path":"a.png"}},{"type":"tool_use",
			"id":"toolu_2","name":"Read","input":{"path":"a.pdf"}},
		{"type":"tool_use","id":"toolu_3","name":"ToolSearch","input":{"query":"select:WebFetch"}}]},
	{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image","source":{"type":"base64",
			"media_type":"image/png","data":"iVBORw0KGgo="}}]},
		{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"a.pdf"},
			{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"aGk="}}]},
		{"type":"tool_result","tool_use_id":"toolu_3","content":[{"type":"tool_reference",
			"tool_name":"WebFetch"}]},
		{"type":"text","text":"Tool loaded.","cache_control":{"type":"ephemeral"}}]}],
"tools":[
	{"name":"Read","description":"Reads.",
		"input_schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"properties":{"path":{"type":"string"},"limit":{"type":"integer","exclusiveMinimum":0}},
			"required":["path"],"additionalProperties":false}},
	{"name":"ToolSearch","input_schema":{"type":"object","properties":{"query":{"type":"string"}},
		"required":["query"]}},
	{"name":"WebFetch","input_schema":{"type":"object","properties":{"url":{"type":"string","format":"uri"}},
		"required":["url"]},"defer_loading":true},
	{"name":"DeferredToolPlaceholder","description":"Reserved.","input_schema":{"type":"object",
		"properties":{}},"defer_loading":true}]}`

	codex = `{"model":"gpt-5.5","stream":true,"store":false,"tool_choice":"auto","parallel_tool_calls":true,
"reasoning":{"effort":"medium","summary":"auto"},"include":["reasoning.encrypted_content"],
	"prompt_cache_key":"0199-1","text":{"verbosity":"low"},
"client_metadata":{"session_id":"0199-1","x-codex-turn-metadata":"{}"},
"input":[
	{"type":"message","role":"developer","id":"msg_1","content":[{"type":"input_text",
		"text":"You are an agent."}]},
	{"type":"message","role":"user","id":"msg_2","content":[{"type":"input_text","text":"Look."}],
		"internal_chat_message_metadata_passthrough":{"turn_id":"1"}},
	{"type":"agent_message","author":"/root","recipient":"/root/a","content":[{"type":"input_text",
		"text":"Task"},{"type":"encrypted_content","encrypted_content":"Count."}]},
	REASONING
	{"type":"message","role":"assistant","id":"msg_3","phase":"commentary","status":"completed",
		"content":[{"type":"output_text","text":"I look.","annotations":[]}]},
	{"type":"function_call","id":"fc_1","call_id":"call_1","name":"view_image",
		"arguments":"{\"path\":\"a.png\"}","status":"completed"},
	{"type":"function_call","id":"fc_2","call_id":"call_2","name":"echo","namespace":"mcp__srv",
		"arguments":"{}"},
	{"type":"custom_tool_call","id":"ctc_1","call_id":"call_3","name":"apply_patch",
		"input":"*** Begin Patch\n*** End Patch","status":"completed"},
	{"type":"tool_search_call","id":"tsc_1","call_id":"call_4","execution":"client","arguments":{"query":"x"},
		"status":"completed"},
	{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_image",
		"image_url":"data:image/png;base64,iVBORw0KGgo=","detail":"high"}]},
	{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"hi"}]},
	{"type":"custom_tool_call_output","call_id":"call_3","output":"Done!"},
	{"type":"tool_search_output","call_id":"call_4","execution":"client","status":"completed",
		"tools":[{"type":"namespace","name":"mcp__two","description":"Two.",
		"tools":[{"type":"function","name":"two","strict":false,"defer_loading":true,
			"parameters":{"type":"object","properties":{}}}]}]}],
"tools":[
	{"type":"function","name":"view_image","description":"Shows.","strict":false,
		"parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],
		"additionalProperties":false}},
	{"type":"custom","name":"apply_patch","description":"Edits files.","format":{"type":"grammar",
		"syntax":"lark","definition":"start: /.+/"}},
	{"type":"namespace","name":"mcp__srv","description":"A server.","tools":[{"type":"function","name":"echo",
		"strict":false,"parameters":{"type":"object","properties":{"text":{"type":"string",
		"encrypted":true}}}}]},
	{"type":"tool_search","execution":"client","description":"# Tool discovery","parameters":{"type":"object",
		"properties":{"query":{"type":"string"},"limit":{"type":"number"}},"required":["query"]}},
	{"type":"web_search","external_web_access":true}]}`
)

// agents are the clients of the shown sessions. %s in reasoning is the client's copy of the
// reasoning.
var agents = []struct{ protocol, request, reasoning string }{
	{"anthropic", claudeCode, `{"type":"thinking","thinking":"Hm.","signature":%s},`},
	{"responses", codex,
		`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."}],` +
			`"encrypted_content":%s},`},
}

// Sessions returns the losses of Claude Code's and Codex's sessions with known servers, as a
// Markdown table and as a list.
func Sessions() (table string, all []loss, err error) {
	var b strings.Builder
	b.WriteString("| to | Claude Code loses | Codex loses |\n|---|---|---|\n")
	for i := range servers {
		s := &servers[i]
		fmt.Fprintf(&b, "| %s |", s.name)
		for _, agent := range agents {
			reasoning := ""
			if !s.none {
				reasoning = fmt.Sprintf(agent.reasoning, quoted(s.reasoning))
			}
			fields, err := s.loses(agent.protocol, strings.Replace(agent.request, "REASONING", reasoning, 1))
			if err != nil {
				return "", nil, err
			}
			for _, field := range fields {
				all = append(all, loss{agent.protocol, s.protocol, field})
			}
			if fields == nil {
				b.WriteString(" nothing |")
			} else {
				fmt.Fprintf(&b, " `%s` |", strings.Join(fields, "`, `"))
			}
		}
		b.WriteString("\n")
	}
	return b.String(), all, nil
}

// loses returns the fields of a client's request that the server cannot receive, each once. A
// server of the client's own protocol gets the request byte for byte.
func (s *server) loses(client, body string) (fields []string, err error) {
	if client == s.protocol {
		return nil, nil
	}
	var request any
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		return nil, err
	}
	pair, _ := translator.Lookup(client, s.protocol)
	x, refused := pair.Decode("", []byte(body))
	if refused != nil {
		return nil, refused
	}
	x.Request.Model = jsonw.Escape(s.model)
	target := pair.Target(s.host, s.model)
	if _, refused = x.AppendRequest(nil, target); refused != nil {
		return nil, refused
	}
	for _, path := range x.Lost.Paths() {
		fields = append(fields, form(request, path))
	}
	slices.Sort(fields)
	return slices.Compact(fields), nil
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
