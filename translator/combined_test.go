package translator_test

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// offered has the beginning of a request for each client; the tests add messages as in firstTurns.
// Its tools: Bash, which tool_map renames; Read; Task, which drop_tools drops and tool_choice
// demands. %s is the schema of Bash's parameters.
var offered = map[string]string{
	"anthropic": `{"model":"m","max_tokens":9000,"stream":true,"system":"Use the Task tool.",` +
		`"tools":[{"name":"Bash","description":"Not the Task tool.","strict":true,"input_schema":%s},` +
		`{"name":"Read","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}},` +
		`{"name":"Task","input_schema":{"type":"object","properties":{}}}],` +
		`"tool_choice":{"type":"tool","name":"Task"},"messages":[{"role":"user","content":"x"}`,
	"chat": `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"Bash",` +
		`"description":"Not the Task tool.","strict":true,"parameters":%s}},` +
		`{"type":"function","function":{"name":"Read","parameters":{"type":"object",` +
		`"properties":{"path":{"type":"string"}}}}},{"type":"function","function":{"name":"Task",` +
		`"parameters":{"type":"object","properties":{}}}}],` +
		`"tool_choice":{"type":"function","function":{"name":"Task"}},"messages":[{"role":"system",` +
		`"content":"Use the Task tool."},{"role":"user","content":"x"}`,
	"responses": `{"model":"m","stream":true,"store":false,"instructions":"Use the Task tool.",` +
		`"tools":[{"type":"function","name":"Bash","description":"Not the Task tool.","strict":true,` +
		`"parameters":%s},` +
		`{"type":"function","name":"Read","strict":false,"parameters":{"type":"object",` +
		`"properties":{"path":{"type":"string"}}}},{"type":"function","name":"Task","strict":false,` +
		`"parameters":{"type":"object","properties":{}}}],` +
		`"tool_choice":{"type":"function","name":"Task"},"input":[{"role":"user","content":"x"}`,
	"gemini": `{"systemInstruction":{"parts":[{"text":"Use the Task tool."}]},` +
		`"tools":[{"functionDeclarations":[{"name":"Bash","description":"Not the Task tool.",` +
		`"parametersJsonSchema":%s},` +
		`{"name":"Read","parameters":{"type":"OBJECT","properties":{"path":{"type":"STRING"}}}},` +
		`{"name":"Task","parameters":{"type":"OBJECT","properties":{}}}]}],` +
		`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["Task"]}},` +
		`"contents":[{"role":"user","parts":[{"text":"x"}]}`,
	"interactions": `{"model":"m","stream":true,"system_instruction":"Use the Task tool.",` +
		`"tools":[{"type":"function","name":"Bash","description":"Not the Task tool.","parameters":%s},` +
		`{"type":"function","name":"Read","parameters":{"type":"object",` +
		`"properties":{"path":{"type":"string"}}}},{"type":"function","name":"Task",` +
		`"parameters":{"type":"object","properties":{}}}],` +
		`"generation_config":{"tool_choice":{"allowed_tools":{"mode":"any","tools":["Task"]}}},` +
		`"input":[{"type":"user_input","content":[{"type":"text","text":"x"}]}`,
}

const parameters = `{"type":"object","properties":{"command":{"type":"string","format":"shell"},` +
	`"dir":{"type":"string","description":"Optional"}},"required":["command","dir"],` +
	`"additionalProperties":false}`

// callsOf has each upstream's answer with two calls. The first calls the tool %s with the parameter
// %s.
var callsOf = map[string]string{
	"anthropic": `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text",` +
		`"text":"Hi"},{"type":"tool_use","id":"call-1","name":"%s","input":{"%s":"ls","n":{"cmd":[1]}}},` +
		`{"type":"tool_use","id":"toolu_2","name":"Read","input":{"path":"a"}}],"stop_reason":"tool_use",` +
		`"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}`,
	"chat": `{"id":"c1","object":"chat.completion","created":5,"model":"m","choices":[{"index":0,` +
		`"finish_reason":"tool_calls","message":{"role":"assistant","content":"Hi","tool_calls":[` +
		`{"id":"call-1","type":"function","function":{"name":"%s",` +
		`"arguments":"{\"%s\":\"ls\",\"n\":{\"cmd\":[1]}}"}},{"id":"toolu_2","type":"function",` +
		`"function":{"name":"Read","arguments":"{\"path\":\"a\"}"}}]}}]}`,
	"responses": `{"id":"resp_1","object":"response","created_at":5,"status":"completed","model":"m",` +
		`"output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed",` +
		`"content":[{"type":"output_text","text":"Hi","annotations":[]}]},` +
		`{"id":"fc_1","type":"function_call","call_id":"call-1","name":"%s",` +
		`"arguments":"{\"%s\":\"ls\",\"n\":{\"cmd\":[1]}}","status":"completed"},{"id":"fc_2",` +
		`"type":"function_call","call_id":"toolu_2","name":"Read","arguments":"{\"path\":\"a\"}",` +
		`"status":"completed"}],"usage":null}`,
	"gemini": `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"},` +
		`{"functionCall":{"id":"call-1","name":"%s","args":{"%s":"ls","n":{"cmd":[1]}}}},` +
		`{"functionCall":{"id":"toolu_2","name":"Read","args":{"path":"a"}}}]},"finishReason":"STOP",` +
		`"index":0}],"responseId":"r1","modelVersion":"m"}`,
	"interactions": `{"status":"requires_action","steps":[{"type":"model_output","content":[{"type":"text",` +
		`"text":"Hi"}]},{"type":"function_call","id":"call-1","name":"%s",` +
		`"arguments":{"%s":"ls","n":{"cmd":[1]}}},{"type":"function_call","id":"toolu_2","name":"Read",` +
		`"arguments":{"path":"a"}}],"object":"interaction","model":"m"}`,
}

// said has the first call of callsOf as each upstream must get it back, in JSON.
var said = map[string]string{
	"anthropic": `{"type":"tool_use","id":"call-1","name":"%s","input":{"%s":"ls","n":{"cmd":[1]}}}`,
	"chat": `{"id":"call-1","type":"function","function":{"name":"%s",` +
		`"arguments":"{\"%s\":\"ls\",\"n\":{\"cmd\":[1]}}"}}`,
	"responses": `{"type":"function_call","call_id":"call-1","name":"%s",` +
		`"arguments":"{\"%s\":\"ls\",\"n\":{\"cmd\":[1]}}"}`,
	"gemini": `{"name":"%s","args":{"%s":"ls","n":{"cmd":[1]}}}`,
	"interactions": `{"type":"function_call","id":"call-1","name":"%s",` +
		`"arguments":{"%s":"ls","n":{"cmd":[1]}}}`,
	"legacy": `{"name":"%s","arguments":"{\"%s\":\"ls\",\"n\":{\"cmd\":[1]}}"}`,
}

// unsigned replaces the signature of another model's call in requests to Google's models.
const unsigned = `,"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// TestPoliciesTogether runs two turns of a session of each client with each upstream, under each
// policy, each pair of policies, and all policies together. The upstream's request must have the
// form of its API. The client must get its own names of tools, and call ids of its vendor's form.
// In the second turn the upstream must get its own calls back unchanged.
func TestPoliciesTogether(t *testing.T) {
	t.Parallel()
	sets := []func(*policy.Policy){
		func(p *policy.Policy) { p.ShrinkRequired = true },
		func(p *policy.Policy) { p.NoStrict = true },
		func(p *policy.Policy) { p.StripFormats = true },
		func(p *policy.Policy) { p.PrefixIDs = true },
		func(p *policy.Policy) {
			p.Tools = []policy.Tool{{Name: "Bash", As: "shell", Params: []policy.Param{{From: "command",
				To: "cmd"}}}}
		},
		func(p *policy.Policy) { p.Drop = []string{"Task"} },
		func(p *policy.Policy) { p.Guidance = "There are no sub-agents." },
		func(p *policy.Policy) { p.LegacyFunctions = true },
	}
	for _, client := range protocols {
		for _, upstream := range protocols {
			for set := range 1 << len(sets) {
				if n := bits.OnesCount(uint(set)); n > 2 && n < len(sets) {
					continue
				}
				var p policy.Policy
				for i := range sets {
					if set>>i&1 != 0 {
						sets[i](&p)
					}
				}
				for i := range targets {
					target := targets[i]
					target.LegacyFunctions = p.LegacyFunctions
					testSession(t, client, upstream, &p, &target)
				}
			}
		}
	}
}

func testSession(t *testing.T, client, upstream string, p *policy.Policy, target *ir.Target) {
	about := fmt.Sprintf("%s to %s by %+v", client, upstream, *p)
	pair, _ := translator.Lookup(client, upstream)
	ask := func(messages string) (*translator.Exchange, string) {
		x, refused := pair.Decode(corpus.Path(client, "m", true), []byte(messages+`]}`))
		require.Nil(t, refused)
		x.Policy = p
		body, refused := x.AppendRequest(nil, target)
		require.Nil(t, refused, about)
		checkRequest(t, x, body)
		return x, string(body)
	}
	first := fmt.Sprintf(offered[client], parameters)
	x, body := ask(first)
	name, param := "Bash", "command"
	if p.Tools != nil {
		name, param = "shell", "cmd"
	}
	require.Equal(t, p.Tools == nil, strings.Contains(body, "Bash"), about)
	require.Equal(t, p.Tools == nil, strings.Contains(body, `"command"`), about)
	require.Equal(t, p.Drop == nil, strings.Contains(body, "Task"), about)
	require.Equal(t, p.Guidance != "", strings.Contains(body, "There are no sub-agents."), about)
	cut := target.StrictSubset || strings.Contains(body, `"strict":true`) // strict modes lack this format
	require.Equal(t, !p.StripFormats && !cut, strings.Contains(body, `"format":"shell"`), about)
	require.Equal(t, p.ShrinkRequired && !target.StrictSubset, strings.Contains(body,
		`"required":["`+param+`"]`), about)
	if p.Drop != nil && !isGoogle(upstream) { // Gemini then gets no choice
		require.Regexp(t, `"(tool_choice|function_call)":(\{"type":)?"auto"`, body, about)
	}
	if p.NoStrict || p.ShrinkRequired {
		require.NotContains(t, body, `"strict":true`, about)
	}

	answer := fmt.Sprintf(callsOf[upstream], name, param)
	plain, failure := x.AppendBody(nil, []byte(answer))
	require.Nil(t, failure)
	stream := streamOfBody(x, []byte(answer))
	answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, stream)
	for _, back := range [][]any{givenBack(t, client, plain), rebuilt(t, client, answers.Frames(t, stream),
		false)} {
		messages := first
		for _, m := range back {
			text, err := json.Marshal(m)
			require.NoError(t, err)
			messages += "," + string(text)
		}
		require.NotContains(t, messages[len(first):], "shell", about)
		require.Contains(t, messages[len(first):], "command", about)
		require.Equal(t, p.PrefixIDs && !isGoogle(client), !strings.Contains(messages, `"call-1"`), about)
		_, body := ask(messages)
		body = strings.ReplaceAll(body, unsigned, "")
		form := upstream
		if upstream == "chat" && p.LegacyFunctions {
			form = "legacy"
		}
		require.True(t, holds(t, body, fmt.Sprintf(said[form], name, param)), "%s: %s", about, body)
	}
}
