package translator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// vendors are upstreams with prompt caches, each with its own rules, and "", which accepts the safe
// set.
var vendors = map[string][][2]string{ // protocol -> host and model
	"anthropic": {{"", "m"}, {"api.anthropic.com", "claude-opus-4-8"}, {"api.anthropic.com",
		"claude-sonnet-4-5"}, {"openrouter.ai", "anthropic/claude-sonnet-4.5"}},
	"chat": {{"", "m"}, {"api.openai.com", "gpt-5.1"}, {"openrouter.ai", "anthropic/claude-sonnet-4.5"},
		{"api.deepseek.com", "deepseek-chat"},
		{"api.moonshot.ai", "kimi-k3"}, {"generativelanguage.googleapis.com", "gemini-3-pro"},
		{"api.mistral.ai", "mistral-large"}},
	"responses": {{"", "m"}, {"api.openai.com", "gpt-5.5"}, {"api.x.ai", "grok-4.5"}},
	"gemini": {{"", "m"}, {"generativelanguage.googleapis.com", "gemini-3-pro"},
		{"generativelanguage.googleapis.com", "gemini-2.5-flash"}},
	"interactions": {{"", "m"}, {"generativelanguage.googleapis.com", "gemini-3-pro"}},
}

// TestSessionPrefixes runs an agent for twenty turns, like Claude Code, Codex and a Chat client,
// with all upstreams of other protocols. The translator translates the answers, so signatures,
// envelopes and ids are those that a real client sends back. Each turn's prompt must begin with the
// previous turn's prompt, and its breakpoints or its key must let the vendor find the previous
// prompt in its cache.
func TestSessionPrefixes(t *testing.T) {
	for _, client := range protocols {
		for _, upstream := range protocols {
			if upstream == client {
				continue
			}
			for _, vendor := range vendors[upstream] {
				s := session{client: client, upstream: upstream, model: vendor[1]}
				if vendor[0] != "" {
					s.target = *translator.API(upstream).Upstream.Target(vendor[0], vendor[1])
				}
				name := fmt.Sprintf("%s to %s %s", client, upstream, strings.Join(vendor[:], " "))
				t.Run(name, func(t *testing.T) { s.run(t) })
				s.policy = &policy.Policy{PrefixIDs: true, ShrinkRequired: true, StripFormats: true,
					Drop: []string{"Read"}, Guidance: "Be brief.",
					Tools: []policy.Tool{{Name: "Bash", As: "shell", Params: []policy.Param{{From: "command",
						To: "cmd"}}}}}
				t.Run(name+" with options", func(t *testing.T) { s.run(t) })
			}
		}
	}
}

// session is the conversation of one client with one upstream.
type session struct {
	t                       *testing.T
	client, upstream, model string
	target                  ir.Target
	policy                  *policy.Policy
	history                 []any // as the client stores it
	seen                    *prompt
	last                    int    // the last breakpoint in the previous turn's messages
	key                     string // further values that must be the same in all turns
}

// play is the model's output in one turn of a session, and the client's reaction.
type play struct {
	thought, text string
	calls         []toolCall
	cut           bool // the answer ends at its limit
	// returns the result of the n-th call, nil if the call was interrupted; if results is nil,
	// every result is "done"
	results  func(n int) any
	reversed bool                    // the results come in the opposite order
	says     string                  // the user's next message
	adds     map[string]func() []any // by protocol: messages that the client adds after the results
}

type toolCall struct{ id, name, arguments string }

const pixel = "iVBORw0KGgo="

// plays returns twenty turns of a session. The call ids begin at the same number in each answer, as
// Kimi K3's do (ir.MatchResults).
func plays() (list []play) {
	for n := range 20 {
		p := play{}
		if n%3 != 2 {
			p.thought = fmt.Sprintf("Let me\n\"see\" %d \u00e9", n)
		}
		if n%2 == 0 {
			p.text = fmt.Sprintf("Step %d.", n)
		}
		switch n % 5 {
		case 0, 2:
			p.calls = []toolCall{{"call_0", "Bash", fmt.Sprintf(`{"command":"ls %d","n":[1, 2.0]}`, n)}}
		case 1:
			p.calls = []toolCall{{"call_0", "Read", `{"path":"a"}`}, {"call_1", "Bash", `{}`},
				{"call_2", "mcp__srv__echo", `{"text":"\u00e9"}`}}
		case 3:
			p.calls = []toolCall{{"call_0", "apply_patch", `{"input":"*** Begin\n\"x\"\n"}`},
				{"call_1", "Read", `{"path":"b"}`}}
		case 4:
			p.text, p.says = "Done. ", fmt.Sprintf("And now %d?", n)
		}
		list = append(list, p)
	}
	list[1].results = func(n int) any { return [...]any{"one", "", "three"}[n] }
	list[1].reversed = true
	list[6].results = func(n int) any { return [...]any{image, "two", failed}[n] }
	list[8].results = func(n int) any { return [...]any{"one", nil}[n] } // interrupted
	list[8].says = "[Request interrupted by user]"
	list[10].adds = map[string]func() []any{
		"anthropic": func() []any {
			return []any{parsed(`{"role":"system","content":[{"type":"text",` +
				`"text":"A server was added."}],"output_config":{"effort":"low"}}`)}
		},
		"chat": func() []any { return []any{parsed(`{"role":"developer","content":"A server was added."}`)} },
		"responses": func() []any {
			return []any{parsed(`{"type":"message","role":"developer","content":[{"type":"input_text",` +
				`"text":"A server was added."}]}`)}
		},
		"gemini": func() []any {
			return []any{parsed(`{"role":"user",` +
				`"parts":[{"text":"A server was added."}]}`)}
		},
		"interactions": func() []any {
			return []any{parsed(`{"type":"user_input","content":[{"type":"text",` +
				`"text":"A server was added."}]}`)}
		},
	}
	list[13].results = func(n int) any { return nil } // all calls interrupted
	list[13].says = "Stop. Something else."
	list[14].adds = map[string]func() []any{
		"anthropic": func() []any {
			return []any{parsed(`{"role":"user","content":[{"type":"text","text":"See"},{"type":"image",` +
				`"source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}`)}
		},
		"chat": func() []any {
			return []any{parsed(`{"role":"user","content":[{"type":"text","text":"See"},` +
				`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]}`)}
		},
		"responses": func() []any {
			return []any{parsed(`{"type":"message","role":"user","content":[{"type":"input_text",` +
				`"text":"See"},{"type":"input_image","image_url":"data:image/png;base64,` + pixel + `"}]}`)}
		},
		"interactions": func() []any {
			return []any{parsed(`{"type":"user_input","content":[{"type":"text","text":"See"},` +
				`{"type":"image","mime_type":"image/png","data":"` + pixel + `"}]}`)}
		},
		"gemini": func() []any {
			return []any{parsed(`{"role":"user","parts":[{"text":"See"},` +
				`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]}`)}
		},
	}
	list[16].calls, list[16].cut, list[16].says = nil, true, "Output token limit hit. Resume directly."
	list[18].text, list[18].thought = "", ""
	return list
}

// Results other than text.
const (
	image  = "\x00image"
	failed = "\x00failed"
)

func parsed(text string) (value map[string]any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}

// openings are each client's body without the conversation's end.
var openings = map[string]string{
	"anthropic": `{"max_tokens":32000,"stream":true,"thinking":{"type":"adaptive","display":"updates"},"output_config":{"effort":"high"},
		"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},
		"metadata":{"user_id":"{\"device_id\":\"0123\",\"account_uuid\":\"\",\"session_id\":\"0b6d\"}"},
		"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.329.54e; cc_entrypoint=sdk-cli; cch=TURN;"},
			{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Be careful.","cache_control":{"type":"ephemeral","ttl":"1h"}}],
		"tools":[{"name":"Bash","description":"Runs.","input_schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"command":{"type":"string"}},"required":["command"]}},
			{"name":"Read","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}},{"name":"apply_patch","input_schema":{"type":"object","properties":{"input":{"type":"string"}}}},
			{"name":"mcp__srv__echo","input_schema":{"type":"object","properties":{"text":{"type":"string"}}}},
			{"name":"DeferredToolPlaceholder","description":"Never call it.","input_schema":{"type":"object","properties":{}},"defer_loading":true}]}`,
	"chat": `{"stream":true,"stream_options":{"include_usage":true},"max_tokens":32000,"reasoning_effort":"high","prompt_cache_key":"k","tool_choice":"auto",
		"tools":[{"type":"function","function":{"name":"Bash","description":"Runs.","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}}},
			{"type":"function","function":{"name":"Read","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},
			{"type":"function","function":{"name":"apply_patch","parameters":{"type":"object","properties":{"input":{"type":"string"}}}}},
			{"type":"function","function":{"name":"mcp__srv__echo","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}}]}`,
	"responses": `{"stream":true,"store":false,"tool_choice":"auto","parallel_tool_calls":true,"instructions":"You are an agent.","reasoning":{"effort":"high","summary":"auto"},
		"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","text":{"verbosity":"low"},"client_metadata":{"session_id":"0b6d"},
		"tools":[{"type":"function","name":"Bash","description":"Runs.","strict":false,"parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}},
			{"type":"function","name":"Read","parameters":{"type":"object","properties":{"path":{"type":"string"}}}},
			{"type":"custom","name":"apply_patch","description":"Edits files.","format":{"type":"grammar","syntax":"lark","definition":"start: /.+/"}},
			{"type":"namespace","name":"mcp__srv","description":"A server.","tools":[{"type":"function","name":"echo","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]},
			{"type":"web_search","external_web_access":true}]}`,
	"gemini": `{"systemInstruction":{"role":"user","parts":[{"text":"You are an agent."}]},"generationConfig":{"temperature":1,"topP":0.95,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}},
		"tools":[{"functionDeclarations":[{"name":"Bash","description":"Runs.","parametersJsonSchema":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}},
			{"name":"Read","parameters":{"type":"OBJECT","properties":{"path":{"type":"STRING"}}}},{"name":"apply_patch","parameters":{"type":"OBJECT","properties":{"input":{"type":"STRING"}}}},
			{"name":"mcp__srv__echo","parameters":{"type":"OBJECT","properties":{"text":{"type":"STRING"}}}}]}]}`,
	"interactions": `{"stream":true,"system_instruction":"You are an agent.","generation_config":{"thinking_level":"high","thinking_summaries":"auto"},
		"tools":[{"type":"function","name":"Bash","description":"Runs.","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}},
			{"type":"function","name":"Read","parameters":{"type":"object","properties":{"path":{"type":"string"}}}},
			{"type":"function","name":"apply_patch","parameters":{"type":"object","properties":{"input":{"type":"string"}}}},
			{"type":"function","name":"mcp__srv__echo","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]}`,
}

// firstWords are the first messages or items of a conversation.
var firstWords = map[string]string{
	"anthropic": `{"role":"user","content":[{"type":"text","text":"<system-reminder>\nToday\n</system-reminder>"},{"type":"text","text":"Fix it."}]}
		{"role":"system","content":[{"type":"text","text":"# Environment"}]}`,
	"chat": `{"role":"system","content":"You are an agent."} {"role":"user","content":"Fix it."}`,
	"responses": `{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be careful."},{"type":"input_text","text":"Sandbox."}]}
		{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}
		{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]}`,
	"gemini": `{"role":"user","parts":[{"text":"This is the setup."}]} {"role":"user",` +
		`"parts":[{"text":"Fix it."}]}`,
	"interactions": `{"type":"user_input","content":[{"type":"text","text":"This is the setup."},` +
		`{"type":"text","text":"Fix it."}]}`,
}

func (s session) run(t *testing.T) {
	s.t = t
	for d := json.NewDecoder(strings.NewReader(firstWords[s.client])); d.More(); {
		var message map[string]any
		require.NoError(s.t, d.Decode(&message))
		s.history = append(s.history, message)
	}
	for n, p := range plays() {
		x := s.ask(n)
		stream := pushed(x, []byte(s.answer(n, &p)), 1000)
		back := toldBack(s.t, s.client, answers.Frames(s.t, stream), false)
		if s.client == "anthropic" {
			s.history = append(s.history, map[string]any{"role": "assistant", "content": back})
		} else {
			s.history = append(s.history, back...)
		}
		results := s.results(back, &p)
		require.Equal(s.t, wantedResults(&p), len(results), "%s", stream)
		s.goOn(results, &p)
	}
	s.ask(len(plays()))
}

func wantedResults(p *play) (n int) {
	for i := range p.calls {
		if p.results == nil || p.results(i) != nil {
			n++
		}
	}
	return n
}

// ask sends the conversation, and compares the upstream's request with the previous turn's.
func (s *session) ask(n int) *translator.Exchange {
	// Claude Code's billing header may change with each request
	body := parsed(strings.ReplaceAll(openings[s.client], "TURN", strconv.Itoa(n)))
	if s.client != "gemini" {
		body["model"] = s.model
	}
	history := slices.Clone(s.history)
	if s.client == "anthropic" {
		history[len(history)-1] = marked(s.t, history[len(history)-1])
	}
	body[historyOf[s.client]] = history
	request, err := json.Marshal(body)
	require.NoError(s.t, err)
	pair, _ := translator.Lookup(s.client, s.upstream)
	x, refused := pair.Decode(corpus.Path(s.client, s.model, true), request)
	require.Nil(s.t, refused, "%s", request)
	x.Policy = s.policy
	x.FindTools = true
	sent, refused := x.AppendRequest(nil, &s.target)
	require.Nil(s.t, refused, "%s", request)
	now := readPrompt(s.t, s.upstream, sent, x.Lost.Paths())
	now.offered = true
	if s.seen != nil {
		require.Empty(s.t, s.seen.startsOf(now), "turn %d", n)
		require.True(s.t, strings.HasPrefix(now.history, strings.TrimSuffix(s.seen.history, "]")+","),
			"turn %d", n)
	}
	s.checkCaching(n, sent)
	s.seen = now
	return x
}

// marked returns a message in the form of Claude Code's last message in a conversation: with a
// breakpoint in its last block.
func marked(t *testing.T, message any) any {
	text, err := json.Marshal(message)
	require.NoError(t, err)
	m := parsed(string(text))
	blocks, ok := m["content"].([]any)
	require.True(t, ok, "%s", text)
	blocks[len(blocks)-1].(map[string]any)["cache_control"] = map[string]any{"type": "ephemeral"}
	return m
}

// checkCaching checks the members for the vendor's prompt cache. OpenAI sends requests with one key
// to one server. Claude's servers find a prompt at a breakpoint of the previous turn that is also
// in this turn, accept four breakpoints, and drop the messages if thinking changes ("Prompt
// caching"). A client that sets breakpoints itself has one at the end of each turn.
func (s *session) checkCaching(n int, sent []byte) {
	var body map[string]json.RawMessage
	require.NoError(s.t, json.Unmarshal(sent, &body))
	key := string(body["prompt_cache_key"]) + string(body["thinking"])
	if s.target.OpenAI && !isGoogle(s.client) { // Google's clients send no conversation id
		require.NotNil(s.t, body["prompt_cache_key"])
	}
	if n > 0 {
		require.Equal(s.t, s.key, key, "turn %d", n)
	}
	s.key = key
	if s.target.Caching != ir.AutoCaching {
		return
	}
	conversation, marks := unmarked(string(body["messages"]))
	tools, ofTools := unmarked(string(body["tools"]))
	_, ofPrompt := unmarked(string(body["system"]))
	require.LessOrEqual(s.t, len(marks)+len(ofTools)+len(ofPrompt), 4)
	require.NotEmpty(s.t, marks)
	last := marks[len(marks)-1]
	require.NotContains(s.t, conversation[last:], `{"role":"assistant"`,
		"turn %d: behind the model's last turn", n)
	if s.client != "anthropic" {
		require.Equal(s.t, []int{len(tools) - len(`}]`)}, ofTools, "the last tool")
		require.Len(s.t, append(ofPrompt, marks...), min(n, 1)+2,
			"turn %d: the prompt, and the last two turns", n)
		require.True(s.t, n == 0 || slices.Contains(marks, s.last), "turn %d: the end of the turn before", n)
	}
	s.last = last
}

// unmarked returns text without its breakpoints, and their offsets in the result.
func unmarked(text string) (without string, marks []int) {
	for {
		before, rest, found := strings.Cut(text, `,"cache_control":{`)
		without += before
		if !found {
			return without, marks
		}
		marks = append(marks, len(without))
		_, text, _ = strings.Cut(rest, "}")
	}
}

// results returns the results of the calls that the client sends back with an answer, as messages,
// items or blocks.
func (s *session) results(back []any, p *play) (list []any) {
	calls := back
	if s.client == "chat" {
		calls, _ = back[0].(map[string]any)["tool_calls"].([]any)
	}
	n := 0
	if s.client == "gemini" {
		calls = nil
		for _, call := range callsIn(back) {
			calls = append(calls, map[string]any{"type": "functionCall", "name": call["name"]})
		}
	}
	for _, element := range calls {
		e := element.(map[string]any)
		kind, _ := e["type"].(string)
		if !slices.Contains([]string{"tool_use", "function", "function_call", "custom_tool_call",
			"functionCall"}, kind) {
			continue
		}
		value := any("done")
		if p.results != nil {
			value = p.results(n)
		}
		if n++; value != nil {
			list = append(list, result(kind, e, value.(string)))
		}
	}
	if p.reversed {
		slices.Reverse(list)
	}
	return list
}

// result returns the result of a call of a type.
func result(kind string, call map[string]any, value string) map[string]any {
	var content any = value
	switch kind {
	case "tool_use":
		r := map[string]any{"type": "tool_result", "tool_use_id": call["id"], "is_error": value == failed}
		if value == image {
			content = []any{map[string]any{"type": "image", "source": map[string]any{"type": "base64",
				"media_type": "image/png", "data": pixel}}}
		}
		r["content"] = content
		return r
	case "functionCall":
		response := map[string]any{"name": call["name"], "response": map[string]any{"output": value}}
		switch value {
		case failed:
			response["response"] = map[string]any{"error": "no"}
		case image:
			response["response"] = map[string]any{}
			response["parts"] = []any{map[string]any{"inlineData": map[string]any{"mimeType": "image/png",
				"data": pixel}}}
		}
		return map[string]any{"functionResponse": response}
	case "function":
		if value == image {
			content = []any{map[string]any{"type": "image_url",
				"image_url": map[string]any{"url": "data:image/png;base64," + pixel}}}
		}
		return map[string]any{"role": "tool", "tool_call_id": call["id"], "content": content}
	}
	if value == image {
		content = []any{map[string]any{"type": "input_image", "image_url": "data:image/png;base64," + pixel}}
	}
	if call["call_id"] == nil { // of Interactions
		if value == image {
			content = []any{map[string]any{"type": "image", "mime_type": "image/png", "data": pixel}}
		}
		return map[string]any{"type": "function_result", "call_id": call["id"], "name": call["name"],
			"is_error": value == failed, "result": content}
	}
	return map[string]any{"type": kind + "_output", "call_id": call["call_id"], "output": content}
}

// goOn appends the results, the user's message and the client's additions to the conversation.
func (s *session) goOn(results []any, p *play) {
	switch s.client {
	case "anthropic":
		if p.says != "" {
			results = append(results, map[string]any{"type": "text", "text": p.says})
		}
		if len(results) > 0 {
			s.history = append(s.history, map[string]any{"role": "user", "content": results})
		}
	case "gemini":
		if p.says != "" {
			results = append(results, map[string]any{"text": p.says})
		}
		if len(results) > 0 {
			s.history = append(s.history, map[string]any{"role": "user", "parts": results})
		}
	case "chat":
		s.history = append(s.history, results...)
		if p.says != "" {
			s.history = append(s.history, map[string]any{"role": "user", "content": p.says})
		}
	case "interactions":
		s.history = append(s.history, results...)
		if p.says != "" {
			s.history = append(s.history,
				parsed(`{"type":"user_input","content":[{"type":"text","text":`+quoted(p.says)+`}]}`))
		}
	case "responses":
		s.history = append(s.history, results...)
		if p.says != "" {
			s.history = append(s.history,
				parsed(`{"type":"message","role":"user","content":[{"type":"input_text","text":`+
					quoted(p.says)+`}]}`))
		}
	}
	if adds := p.adds[s.client]; adds != nil {
		s.history = append(s.history, adds()...)
	}
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// answer returns the upstream's stream of a turn.
func (s *session) answer(n int, p *play) string {
	switch s.upstream {
	case "anthropic":
		return s.messagesAnswer(n, p)
	case "chat":
		return s.chatAnswer(n, p)
	case "gemini":
		return s.geminiAnswer(n, p)
	case "interactions":
		return s.interactionsAnswer(n, p)
	}
	return s.responsesAnswer(n, p)
}

func event(b *strings.Builder, format string, arguments ...any) {
	data := fmt.Sprintf(format, arguments...)
	var head struct{ Type string }
	_ = json.Unmarshal([]byte(data), &head)
	if head.Type != "" {
		fmt.Fprintf(b, "event: %s\n", head.Type)
	}
	fmt.Fprintf(b, "data: %s\n\n", data)
}

func (s *session) interactionsAnswer(n int, p *play) string {
	var b strings.Builder
	index := 0
	step := func(start string, deltas ...string) {
		event(&b, `{"event_type":"step.start","index":%d,"step":{%s}}`, index, start)
		for _, delta := range deltas {
			event(&b, `{"event_type":"step.delta","index":%d,"delta":{%s}}`, index, delta)
		}
		event(&b, `{"event_type":"step.stop","index":%d}`, index)
		index++
	}
	event(&b, `{"event_type":"interaction.created","interaction":{"id":"","status":"in_progress"}}`)
	signature := fmt.Sprintf(`"type":"thought_signature","signature":"EvQB%d"`, n)
	switch {
	case p.thought != "":
		step(`"type":"thought"`, fmt.Sprintf(`"type":"thought_summary","content":{"type":"text","text":%s}`,
			quoted(p.thought)), signature)
	case len(p.calls) > 0:
		step(`"type":"thought"`, signature)
	}
	if p.text != "" {
		step(`"type":"model_output"`, fmt.Sprintf(`"type":"text","text":%s`, quoted(p.text)))
	}
	for _, c := range p.calls {
		step(fmt.Sprintf(`"type":"function_call","id":"%d%s","name":%s,"arguments":{}`, n, c.id, quoted(c.name)),
			fmt.Sprintf(`"type":"arguments_delta","arguments":%s`, quoted(c.arguments)))
	}
	status := "completed"
	switch {
	case p.cut:
		status = "incomplete"
	case len(p.calls) > 0:
		status = "requires_action"
	}
	event(&b, `{"event_type":"interaction.completed","interaction":{"id":"","status":"%s",`+
		`"usage":{"total_input_tokens":9,"total_output_tokens":1,"total_tokens":10}}}`, status)
	return b.String()
}

func (s *session) geminiAnswer(n int, p *play) string {
	var b strings.Builder
	part := func(format string, arguments ...any) {
		event(&b, `{"candidates":[{"content":{"role":"model","parts":[%s]},"index":0}],"responseId":"r%d"}`,
			fmt.Sprintf(format, arguments...), n)
	}
	if p.thought != "" {
		part(`{"text":%s,"thought":true}`, quoted(p.thought))
	}
	if p.text != "" {
		part(`{"text":%s}`, quoted(p.text))
		if len(p.calls) == 0 {
			part(`{"text":"","thoughtSignature":"EvQC%d"}`, n)
		}
	}
	for i, c := range p.calls {
		id := ""
		if s.target.ResultImages == ir.NativeImages {
			id = fmt.Sprintf(`"id":"%d%s",`, n, c.id)
		}
		signature := ""
		if i == 0 {
			signature = fmt.Sprintf(`,"thoughtSignature":"EvQB%d"`, n)
		}
		part(`{"functionCall":{%s"name":%s,"args":%s}%s}`, id, quoted(c.name), c.arguments, signature)
	}
	event(&b, `{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"%s",`+
		`"index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1,"totalTokenCount":10}}`,
		map[bool]string{true: "MAX_TOKENS", false: "STOP"}[p.cut])
	return b.String()
}

func (s *session) messagesAnswer(n int, p *play) string {
	var b strings.Builder
	event(&b, `{"type":"message_start","message":{"id":"msg_%d","type":"message","role":"assistant",`+
		`"model":"c","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,`+
		`"output_tokens":1}}}`, n)
	i := 0
	block := func(start string, deltas ...string) {
		event(&b, `{"type":"content_block_start","index":%d,"content_block":%s}`, i, start)
		for _, delta := range deltas {
			event(&b, `{"type":"content_block_delta","index":%d,"delta":%s}`, i, delta)
		}
		event(&b, `{"type":"content_block_stop","index":%d}`, i)
		i++
	}
	if s.target.Thinking == ir.BudgetThinking && p.thought == "" {
		p.thought = "Hm" // with a budget each turn begins with thinking
	}
	if p.thought != "" {
		block(`{"type":"thinking","thinking":"","signature":""}`, `{"type":"thinking_delta","thinking":`+
			quoted(p.thought)+`}`, fmt.Sprintf(`{"type":"signature_delta","signature":"EvQB+/%d=="}`, n))
	}
	if p.text != "" {
		block(`{"type":"text","text":""}`, `{"type":"text_delta","text":`+quoted(p.text)+`}`)
	}
	for _, c := range p.calls {
		half := len(c.arguments) / 2
		block(fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"%s","input":{}}`, c.id, c.name),
			`{"type":"input_json_delta","partial_json":`+quoted(c.arguments[:half])+`}`,
			`{"type":"input_json_delta","partial_json":`+quoted(c.arguments[half:])+`}`)
	}
	event(&b, `{"type":"message_delta","delta":{"stop_reason":"%s","stop_sequence":null},`+
		`"usage":{"output_tokens":5}}`, p.stop("end_turn", "tool_use", "max_tokens"))
	event(&b, `{"type":"message_stop"}`)
	return b.String()
}

func (p *play) stop(end, calls, cut string) string {
	switch {
	case p.cut:
		return cut
	case len(p.calls) > 0:
		return calls
	}
	return end
}

func (s *session) chatAnswer(n int, p *play) string {
	var b strings.Builder
	delta := func(text string) {
		event(&b, `{"id":"c%d","object":"chat.completion.chunk","created":5,"model":"d",`+
			`"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, n, text)
	}
	delta(`{"role":"assistant","content":""}`)
	switch {
	case p.thought == "":
	case s.target.ReasoningEcho == ir.EchoDetails:
		delta(fmt.Sprintf(`{"reasoning":%s,"reasoning_details":[{"type":"reasoning.text","text":%s,`+
			`"index":0}]}`, quoted(p.thought), quoted(p.thought)))
		delta(fmt.Sprintf(`{"reasoning_details":[{"type":"reasoning.text","signature":"Et8B%d","index":0}]}`,
			n))
	case s.target.ReasoningEcho != ir.EchoExtra:
		delta(`{"reasoning_content":` + quoted(p.thought) + `}`)
	}
	if p.text != "" {
		delta(`{"content":` + quoted(p.text) + `}`)
	}
	for i, c := range p.calls {
		extra := ""
		if s.target.ReasoningEcho == ir.EchoExtra && i == 0 {
			extra = fmt.Sprintf(`"extra_content":{"google":{"thought_signature":"CiQB%d"}},`, n)
		}
		if c.name == "apply_patch" && s.client == "responses" && s.target.OpenAI {
			delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"%s","type":"custom","custom":{"name":"%s",`+
				`"input":%s}}]}`, i, c.id, c.name, quoted(freeText(c.arguments))))
			continue
		}
		delta(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"%s",`+
			`"type":"function",%s"function":{"name":"%s","arguments":%s}}]}`, i, c.id, extra, c.name,
			quoted(c.arguments)))
	}
	event(&b, `{"id":"c%d","object":"chat.completion.chunk","created":5,"model":"d","choices":[{"index":0,`+
		`"delta":{},"finish_reason":"%s"}]}`, n, p.stop("stop", "tool_calls", "length"))
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

func freeText(arguments string) string { return parsed(arguments)["input"].(string) }

func (s *session) responsesAnswer(n int, p *play) string {
	var b strings.Builder
	head := fmt.Sprintf(`"id":"resp_%d","object":"response","created_at":5,"model":"g"`, n)
	event(&b, `{"type":"response.created","response":{%s,"status":"in_progress","output":[]}}`, head)
	var items []string
	if p.thought != "" {
		items = append(items,
			fmt.Sprintf(`{"id":"rs_%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}],`+
				`"encrypted_content":"gAAA%d"}`, n, quoted(p.thought), n))
	}
	if p.text != "" {
		items = append(items,
			fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","status":"%s",`+
				`"content":[{"type":"output_text","text":%s,"annotations":[]}]}`,
				n, p.stop("completed", "completed", "incomplete"), quoted(p.text)))
	}
	for i, c := range p.calls {
		items = append(items,
			fmt.Sprintf(`{"id":"fc_%d_%d","type":"function_call","call_id":"%s","name":"%s",`+
				`"arguments":%s,"status":"completed"}`, n, i, c.id, c.name, quoted(c.arguments)))
	}
	for i, item := range items {
		event(&b, `{"type":"response.output_item.added","output_index":%d,"item":%s}`, i, item)
		event(&b, `{"type":"response.output_item.done","output_index":%d,"item":%s}`, i, item)
	}
	status, details := p.stop("completed", "completed", "incomplete"), ""
	if p.cut {
		details = `,"incomplete_details":{"reason":"max_output_tokens"}`
	}
	event(&b, `{"type":"response.%s","response":{%s,"status":"%s"%s,"output":[%s],"usage":null}}`, status,
		head, status, details, strings.Join(items, ","))
	return b.String()
}
