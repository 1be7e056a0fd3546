package interactions

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/gemini"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/responses"
)

// clients are the APIs of clients for this upstream.
var clients = []*ir.API{&anthropic.API, &chat.API, &responses.API, &gemini.API}

const geminiPath = "/v1beta/models/m:generateContent"

// TestClients translates the same turn from a client of each API.
func TestClients(t *testing.T) {
	const schema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	const answered = `"input":[{"type":"user_input","content":[{"type":"text","text":"Weather?"}]},` +
		`{"type":"thought","signature":"skip_thought_signature_validator"},` +
		`{"type":"function_call","id":"ID","name":"f","arguments":{"city":"Paris"}},` +
		`{"type":"function_result","call_id":"ID","name":"f","result":"Sunny"}],` +
		`"tools":[{"type":"function","name":"f","description":"d","parameters":` + schema +
		`}],"generation_config":{"tool_choice":"any","max_output_tokens":99,"stop_sequences":["END"]`
	for _, c := range []struct {
		api           *ir.API
		path, request string
		want          string
		lost          []string
	}{
		{&anthropic.API, "",
			`{"model":"m","max_tokens":99,"stream":true,"system":"Be brief.","temperature":1,"top_k":4,` +
				`"stop_sequences":["END"],"tools":[{"name":"f","description":"d","input_schema":` + schema +
				`}],"tool_choice":{"type":"any"},` +
				`"messages":[{"role":"user","content":"Weather?"},{"role":"assistant",` +
				`"content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{"city":"Paris"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",` +
				`"content":"Sunny"}]}]}`,
			strings.ReplaceAll(answered, "ID", "toolu_1") + `}`, []string{"top_k"}},
		{&chat.API, "",
			`{"model":"m","max_tokens":99,"stream":true,"stop":"END","presence_penalty":1,` +
				`"reasoning_effort":"low","tools":[{"type":"function","function":{"name":"f",` +
				`"description":"d","parameters":` + schema + `}}],"tool_choice":"required",` +
				`"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",` +
				`"function":{"name":"f","arguments":"{\"city\":\"Paris\"}"}}]},{"role":"tool",` +
				`"tool_call_id":"call_1","content":"Sunny"}]}`,
			strings.ReplaceAll(answered, "ID", "call_1") +
				`,"thinking_level":"low","thinking_summaries":"auto"}`, []string{"presence_penalty"}},
		{&responses.API, "",
			`{"model":"m","max_output_tokens":99,"stream":true,"store":false,"instructions":"Be brief.",` +
				`"reasoning":{"effort":"high","summary":"auto"},"text":{"format":{"type":"json_object"}},` +
				`"tools":[{"type":"function","name":"f","description":"d","strict":false,"parameters":` +
				schema + `}],"tool_choice":"required",` +
				`"input":[{"role":"user","content":"Weather?"},{"type":"function_call","call_id":"call_1",` +
				`"name":"f","arguments":"{\"city\":\"Paris\"}"},{"type":"function_call_output",` +
				`"call_id":"call_1","output":"Sunny"}]}`,
			strings.Replace(strings.ReplaceAll(answered, "ID", "call_1"), `,"stop_sequences":["END"]`, "",
				1) + `,"thinking_level":"high","thinking_summaries":"auto"},` +
				`"response_format":{"type":"text","mime_type":"application/json"}`, nil},
		{&gemini.API, "/v1beta/models/m:streamGenerateContent?alt=sse",
			`{"systemInstruction":{"parts":[{"text":"Be brief."}]},` +
				`"generationConfig":{"maxOutputTokens":99,"stopSequences":["END"],` +
				`"thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":true}},` +
				`"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":` +
				schema + `}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},` +
				`"contents":[{"role":"user","parts":[{"text":"Weather?"}]},{"role":"model",` +
				`"parts":[{"functionCall":{"name":"f","id":"g1","args":{"city":"Paris"}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","id":"g1",` +
				`"response":{"output":"Sunny"}}}]}]}`,
			strings.ReplaceAll(answered, "ID",
				"g1") + `,"thinking_level":"low","thinking_summaries":"auto"}`, nil},
	} {
		t.Run(c.api.Name, func(t *testing.T) {
			var lost ir.Lost
			r, err := c.api.Client.DecodeRequest(c.path, c.request, &lost)
			require.Nil(t, err)
			r.Model = "m"
			out, err := Upstream{}.AppendRequest(nil, r, &gemini3Pro, &lost)
			require.Nil(t, err)
			require.Equal(t, `{"model":"m","store":false,"stream":true,"system_instruction":"Be brief.",`+
				c.want+`}`, strings.Replace(string(out), `"temperature":1,`, "", 1))
			require.Equal(t, c.lost, lost.Paths())
		})
	}
}

// next returns a client's request after an answer of the model with the calls abc and def.
func next(t *testing.T, api *ir.API, answer []byte) string {
	t.Helper()
	switch api {
	case &anthropic.API:
		var a struct{ Content json.RawMessage }
		require.NoError(t, json.Unmarshal(answer, &a))
		return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},` +
			`{"role":"assistant","content":` + string(a.Content) + `},{"role":"user","content":[` +
			`{"type":"tool_result","tool_use_id":"abc","content":"1"},{"type":"tool_result",` +
			`"tool_use_id":"def","content":"2"}]}]}`
	case &chat.API:
		var a struct {
			Choices []struct{ Message json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(answer, &a))
		return `{"model":"m","messages":[{"role":"user","content":"hi"},` + string(a.Choices[0].Message) +
			`,{"role":"tool","tool_call_id":"abc","content":"1"},{"role":"tool","tool_call_id":"def",` +
			`"content":"2"}]}`
	case &responses.API:
		var a struct{ Output []json.RawMessage }
		require.NoError(t, json.Unmarshal(answer, &a))
		items := `{"role":"user","content":"hi"}`
		for _, item := range a.Output {
			items += "," + string(item)
		}
		return `{"model":"m","input":[` + items +
			`,{"type":"function_call_output","call_id":"abc","output":"1"},{"type":"function_call_output",` +
			`"call_id":"def","output":"2"}]}`
	}
	var a struct {
		Candidates []struct{ Content json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(answer, &a))
	return `{"contents":[{"role":"user","parts":[{"text":"hi"}]},` + string(a.Candidates[0].Content) +
		`,{"role":"user","parts":[{"functionResponse":{"name":"f","id":"abc","response":{"output":"1"}}},` +
		`{"functionResponse":{"name":"g","id":"def","response":{"output":"2"}}}]}]}`
}

// firsts are the first requests of clients that ask for thoughts.
var firsts = map[*ir.API]string{
	&anthropic.API: `{"model":"m","max_tokens":9,"thinking":{"type":"adaptive"},` +
		`"messages":[{"role":"user","content":"hi"}]}`,
	&chat.API:      `{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
	&responses.API: `{"model":"m","input":"hi","include":["reasoning.encrypted_content"]}`,
	&gemini.API: `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],` +
		`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`,
}

// TestSignaturesThroughClients sends answers to a client of each API, and back with the client's
// next turn. Each thought is where it was, except from clients of Chat Completions: there all
// thoughts come first.
func TestSignaturesThroughClients(t *testing.T) {
	const (
		thoughtT = `{"signature":"VEg=","summary":[{"type":"text","text":"t"}],"type":"thought"}`
		thoughtU = `{"signature":"VFg=","type":"thought"}`
		said     = `{"content":[{"text":"a","type":"text"}],"type":"model_output"}`
		callF    = `{"id":"abc","type":"function_call","name":"f","arguments":{"a":1}}`
		callG    = `{"id":"def","type":"function_call","name":"g","arguments":{"a":1}}`
	)
	const (
		gotT    = `thought","signature":"VEg=","summary":[{"type":"text","text":"t"}]` + "\n"
		gotU    = `thought","signature":"VFg="` + "\n"
		gotA    = `model_output [{"type":"text","text":"a"}]` + "\n"
		gotRest = `function_call","id":"abc","name":"f","arguments":{"a":1}
function_call","id":"def","name":"g","arguments":{"a":1}
function_result","call_id":"abc","name":"f","result":"1"
function_result","call_id":"def","name":"g","result":"2"`
	)
	for _, api := range clients {
		t.Run(api.Name, func(t *testing.T) {
			r, err := api.Client.DecodeRequest(geminiPath, firsts[api], &ir.Lost{})
			require.Nil(t, err)
			folder := api.Client.NewPlainEncoder(r, "m", nil)
			newDecoder(r, &ir.Lost{}, folder).Body(answer(strings.Join([]string{thoughtT, said, thoughtU,
				callF, callG}, ","), "requires_action"))
			out, err := folder.Body()
			require.Nil(t, err)
			r, err = api.Client.DecodeRequest(geminiPath, next(t, api, out), &ir.Lost{})
			require.Nil(t, err)
			got, lost := steps(t, ir.Request{Messages: r.Messages}, gemini3Pro)
			want := hiText + gotT + gotA + gotU + gotRest
			if api == &chat.API {
				want = hiText + gotT + gotU + gotA + gotRest
			}
			require.Equal(t, want, got)
			require.Empty(t, lost)
		})
	}
}

// TestRecordedThroughClients sends the recorded answers, as streams and as bodies, to a client of
// each API, and back: the turn comes back with Google's own thought, and nothing is lost.
func TestRecordedThroughClients(t *testing.T) {
	for _, name := range []string{"basic", "multi-turn-stateless-turn1", "multi-turn-stateless-turn2",
		"tool-call-step1"} {
		body, stream := irtest.Recorded(t, recordings+name+".json"), irtest.Recorded(t,
			recordings+name+".chunks.txt")
		chunks := strings.Split(strings.TrimSpace(stream), "\n")
		for _, api := range clients {
			t.Run(name+" to "+api.Name, func(t *testing.T) {
				r, err := api.Client.DecodeRequest(geminiPath, firsts[api], &ir.Lost{})
				require.Nil(t, err)
				var lost ir.Lost
				folder := api.Client.NewPlainEncoder(r, "m", nil)
				newDecoder(r, &lost, folder).Body(body)
				out, err := folder.Body()
				require.Nil(t, err)
				require.True(t, json.Valid(out))
				again := next(t, api, out)
				again = strings.ReplaceAll(again, `"abc"`, `"zggxzq8r"`)
				r, err = api.Client.DecodeRequest(geminiPath, again, &ir.Lost{})
				require.Nil(t, err)
				got, _ := steps(t, ir.Request{Messages: r.Messages}, gemini3Pro)
				require.Contains(t, got, hiText+`thought","signature":"C`)
				require.NotContains(t, got, "skip_thought_signature_validator")
				if name == "tool-call-step1" {
					require.Contains(t, got,
						`function_call","id":"zggxzq8r","name":"getWeather","arguments":{`)
					require.Contains(t, got,
						`function_result","call_id":"zggxzq8r","name":"getWeather","result":"1"`)
				}

				encoder := &irtest.Stream{Encoder: api.Client.NewEncoder(r, "m")}
				irtest.Play(newDecoder(r, &lost, encoder), chunks)
				require.NotEmpty(t, encoder.Out)
				require.NotContains(t, string(encoder.Out), `"error":{`)
				require.Empty(t, lost.Paths())
			})
		}
	}
}
