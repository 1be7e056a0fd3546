package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/models"
	"edgelingua/translator/responses"
)

// whole returns the range of all of a document.
func whole(document string) [][2]int { return [][2]int{{0, len(document)}} }

// embedded has requests for embeddings: path and body by client.
var embedded = map[string][][2]string{
	"chat": {{"/v1/embeddings", `{"model":"m","input":["a","b"],"dimensions":2,"encoding_format":"base64","user":"u"}`},
		{"/v1/embeddings", `{"model":"m","input":[[1,2],[3]]}`},
		{"/v1/embeddings", `{"model":"m","input":"a"}`}},
	"gemini": {{"/v1beta/models/m:embedContent", `{"model":"models/m","content":{"role":"user","parts":[{"text":"a"},` +
		`{"text":"b"}]},"taskType":"CLUSTERING","title":"t","outputDimensionality":2}`},
		{"/v1beta/models/m:batchEmbedContents", `{"requests":[{"model":"models/m","content":{"parts":[{"text":"a"}]},` +
			`"outputDimensionality":2},{"content":{"parts":[{"text":"b"}]},"output_dimensionality":2}]}`}},
}

// TestKindsOfEmbeddings replaces the values of requests for embeddings.
func TestKindsOfEmbeddings(t *testing.T) {
	for client, requests := range embedded {
		e := effects{seen: map[string]bool{}}
		for _, r := range requests {
			asks := func(body []byte) (list []string, refusal error) {
				for _, upstream := range []string{"chat", "gemini"} {
					x, err := translator.DecodeEmbed(translator.API(client), r[0], body)
					if err != nil {
						return nil, err
					}
					out, err := x.AppendRequest(nil, translator.API(upstream).Embeddings.Upstream, "up", &ir.Target{})
					if err != nil {
						out = []byte(err.Error())
					}
					list = append(list, strings.Join(x.Lost.Paths(), ",")+" "+string(out))
				}
				return list, nil
			}
			before, err := asks([]byte(r[1]))
			require.NoError(t, err)
			e.add([]byte(r[1]), whole(r[1]), func(body []byte, p *place) string {
				after, err := asks(body)
				if err != nil {
					about(t, p, ir.AsError(err))
					return err.Error()
				}
				return difference(before, after)
			})
		}
		e.check(t, client+".embeddings.txt")
	}
}

// TestKindsOfVectors replaces the values of answers with embeddings.
func TestKindsOfVectors(t *testing.T) {
	e := effects{seen: map[string]bool{}}
	for _, a := range [][2]string{
		{"chat", `{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0.5,-1e-3]},{"index":0,` +
			`"embedding":[1,2]}],"model":"m","usage":{"prompt_tokens":3,"total_tokens":3}}`},
		{"gemini", `{"embeddings":[{"values":[0.5,-1e-3]},{"values":[1,2]}],"usageMetadata":{"promptTokenCount":2}}`},
	} {
		form, answer := translator.API(a[0]).Embeddings.Upstream, a[1]
		receives := func(answer []byte) (list []string) {
			for _, client := range []string{"chat", "gemini"} {
				r := embedded[client][map[string]int{"gemini": 1}[client]]
				x, err := translator.DecodeEmbed(translator.API(client), r[0], []byte(r[1]))
				require.NoError(t, err)
				out, _, err := x.AppendAnswer(nil, answer, form)
				if err != nil {
					out = []byte(err.Error())
				}
				list = append(list, string(out))
			}
			return list
		}
		before := receives([]byte(answer))
		e.add([]byte(answer), whole(answer), func(answer []byte, _ *place) string {
			return difference(before, receives(answer))
		})
	}
	e.check(t, "vectors.txt")
}

// TestKindsOfModels replaces the values of vendors' lists of models.
func TestKindsOfModels(t *testing.T) {
	for client, body := range map[string]string{
		"anthropic": `{"data":[{"type":"model","id":"claude-opus-4-6","display_name":"Claude","created_at":` +
			`"2026-02-04T00:00:00Z","max_input_tokens":200000,"max_tokens":64000}],"has_more":false}`,
		"chat": `{"object":"list","data":[{"id":"gpt-5.5","object":"model","created":7,"owned_by":"o"},{"id":"or/m",` +
			`"name":"M","context_length":9000,"top_provider":{"max_completion_tokens":800}},{"id":"groq","context_window":` +
			`9000,"max_completion_tokens":700}]}`,
		"gemini": `{"models":[{"name":"models/gemini-3-pro","displayName":"G","inputTokenLimit":9000,"outputTokenLimit":` +
			`800,"thinking":true}]}`,
	} {
		e := effects{seen: map[string]bool{}}
		form := translator.API(client).Models
		receives := func(body []byte) (all []string) {
			list, ok := models.DecodeList(form, string(body))
			if !ok {
				return []string{"no list", "", "", "", ""}
			}
			for i := range list {
				models.Complete(&list[i], string(list[i].ID), &ir.Target{MaxOutputTokens: 555})
			}
			for _, api := range translator.APIs {
				if api.Models != nil {
					all = append(all, string(api.Models.AppendList(nil, list)))
				}
			}
			return all
		}
		before := receives([]byte(body))
		e.add([]byte(body), whole(body), func(body []byte, _ *place) string {
			return difference(before, receives(body))
		})
		e.check(t, client+".models.txt")
	}
}

// TestKindsOfSubmissions replaces the values of a submission of two calls' outputs.
func TestKindsOfSubmissions(t *testing.T) {
	output := `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},` +
		`{"type":"function_call","call_id":"b","name":"f","arguments":"{}"}`
	calls := responses.FunctionCalls(output)
	require.Len(t, calls, 2)
	body := `{"tool_outputs":[{"tool_call_id":"a","output":"A"},{"tool_call_id":"b","output":[{"type":"input_text",` +
		`"text":"B"}]}],"stream":true}`
	e := effects{seen: map[string]bool{}}
	submits := func(body []byte) (string, error) {
		out, err := responses.AppendSubmission(nil, body, "resp_1", `"model":"m"`, calls)
		return string(out), err
	}
	before, err := submits([]byte(body))
	require.NoError(t, err)
	e.add([]byte(body), whole(body), func(body []byte, p *place) string {
		after, err := submits(body)
		if err != nil {
			return err.Error()
		}
		return difference([]string{before}, []string{after})
	})
	e.check(t, "submission.txt")
}

// counted has requests for a count of tokens: path and body by client.
var counted = map[string][][2]string{
	"anthropic": {{"/v1/messages/count_tokens", `{"model":"claude-x","system":"Be brief.","tools":[{"name":"f",` +
		`"description":"A function","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[` +
		`{"type":"text","text":"Look"},{"type":"image","source":{"type":"base64","media_type":"image/png",` +
		`"data":"aGk="}}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}],` +
		`"context_management":{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"tool_uses","value":1},` +
		`"keep":{"type":"tool_uses","value":0}}]}}`}},
	"responses": {{"/v1/responses/input_tokens", `{"model":"m","instructions":"Be brief.","input":[{"role":"user",` +
		`"content":"Hello there"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c","output":"done"}],"tools":[{"type":"function","name":"f"}]}`}},
	"gemini": {
		{"/v1beta/models/m:countTokens", `{"contents":[{"role":"user","parts":[{"text":"Hello there"}]}]}`},
		{"/v1beta/models/m:countTokens", `{"generateContentRequest":{"model":"models/m","systemInstruction":` +
			`{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Hello there"}]}]}}`},
		{"/v1beta/models/m:countTokens", `{"generate_content_request":{"contents":[{"role":"user","parts":` +
			`[{"text":"Hello"}]}]}}`},
	},
}

// TestKindsOfCounts replaces the values of requests for a count.
func TestKindsOfCounts(t *testing.T) {
	for client, requests := range counted {
		e := effects{seen: map[string]bool{}}
		for _, r := range requests {
			count := func(body []byte) string {
				out, err := translator.AppendCount(nil, translator.API(client), r[0], body, nil)
				if err != nil {
					out = []byte(err.Error())
				}
				return string(out)
			}
			e.note("all of "+r[1], count([]byte(r[1])))
			e.add([]byte(r[1]), whole(r[1]), func(body []byte, _ *place) string { return count(body) })
		}
		e.check(t, client+".count.txt")
	}
}
