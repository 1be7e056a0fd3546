package translator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/stages"
)

const (
	advisorTool = `{"type":"advisor_20260301","name":"advisor","model":"claude-opus-5","max_uses":2,` +
		`"max_tokens":900,"caching":{"type":"ephemeral"}}`
	advised = `{"model":"m","max_tokens":99,"stream":%t,"system":"S","tools":[` + advisorTool +
		`,{"name":"own","input_schema":{"type":"object"}}],"messages":%s}`
	question = `{"role":"user","content":"q"}`
)

// consults runs a Messages client's request in rounds at an upstream. The advisor speaks protocol, and
// each of its answers is the next of advice.
func consults(t *testing.T, upstream, protocol string, stream bool, messages string,
	rounds, advice []spoken) (x *translator.Exchange, sent, asked []string, got string) {
	t.Helper()
	pair, _ := translator.Lookup("anthropic", upstream)
	x, err := pair.Decode("/v1/messages", fmt.Appendf(nil, advised, stream, messages))
	require.NoError(t, err)
	inner := translator.ForWorker(x)
	inner.SetAdvisor(5)
	body, err := x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	sent = append(sent, string(body))
	var s *translator.Stream
	var p *translator.Plain
	if stream {
		s = x.Stream()
	} else {
		p = x.Plain(nil)
	}
	for i, r := range rounds {
		r.round = i
		answer := []byte(r.plain(upstream))
		if stream {
			got += string(s.Take(answer, false))
		} else {
			p.Take(answer, false)
		}
		for search, ok := x.Search(); ok && x.Waits(); search, ok = x.Search() {
			require.True(t, search.Advice)
			require.EqualValues(t, 900, search.MaxTokens)
			y := inner.Consult(translator.API(protocol), "strong", search.MaxTokens)
			body, err := y.AppendRequest(nil, &ir.Target{})
			require.NoError(t, err)
			asked = append(asked, string(body))
			a, err := translator.ForWorker(y).ReadAdvice([]byte(advice[0].plain(protocol)), false)
			code := ""
			if err != nil {
				code = ir.SearchUnavailable
			}
			advice = advice[1:]
			inner.Advise(y, a)
			if stream {
				out, _ := s.Found(nil, code)
				got += string(out)
			} else {
				p.Found(nil, code)
			}
		}
		if !x.Waits() {
			break
		}
		if stream {
			body, err = s.AppendNext(nil)
		} else {
			body, err = p.AppendNext(nil)
		}
		require.NoError(t, err)
		sent = append(sent, string(body))
	}
	if !stream {
		whole, err := p.Body()
		require.NoError(t, err)
		got = string(whole)
	}
	return x, sent, asked, got
}

func calls(name string) [][2]string { return [][2]string{{name, `{"x":1}`}} }

// TestAdvisor: the advisor reads the conversation as text, the model its advice, and a Messages client
// both blocks and the advisor's tokens.
func TestAdvisor(t *testing.T) {
	t.Parallel()
	for _, upstream := range []string{"anthropic", "chat", "responses", "gemini", "interactions"} {
		for _, protocol := range []string{"anthropic", "chat", "responses", "gemini", "interactions"} {
			t.Run(upstream+" asks "+protocol, func(t *testing.T) {
				t.Parallel()
				history := `[` + question + `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_9","name":"own",` +
					`"input":{"y":2}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_9",` +
					`"content":"done"}]}]`
				rounds := []spoken{{text: "I ask.", calls: calls("advisor")}, {text: "End."}}
				x, sent, asked, got := consults(t, upstream, protocol, false, history, rounds,
					[]spoken{{text: "Say \"no\"."}})
				require.Len(t, sent, 2)
				require.Len(t, asked, 1)
				assert.NotContains(t, sent[0], "claude-opus-5", "the model of the tool goes nowhere")
				assert.NotContains(t, sent[0], "advisor_20260301")
				for _, part := range []string{"S", "q", `of the tool own`, "done", "I ask.", "strong",
					"advisor"} {
					assert.Contains(t, asked[0]+"strong", part)
				}
				assert.NotContains(t, asked[0], `"tools"`)
				assert.Contains(t, asked[0], "900")
				assert.Contains(t, sent[1], `Say \"no\".`)
				assert.Equal(t, `["text","server_tool_use","advisor_tool_result","text"]`,
					gjson.Get(got, "content.#.type").Raw)
				assert.Equal(t, "advisor", gjson.Get(got, "content.1.name").Str)
				assert.JSONEq(t, `{}`, gjson.Get(got, "content.1.input").Raw)
				assert.JSONEq(t, `{"type":"advisor_result","text":"Say \"no\".","stop_reason":"end_turn"}`,
					gjson.Get(got, "content.2.content").Raw)
				assert.Equal(t, gjson.Get(got, "content.1.id").Str, gjson.Get(got, "content.2.tool_use_id").Str)
				assert.Equal(t, `["message","advisor_message","message"]`,
					gjson.Get(got, "usage.iterations.#.type").Raw)
				assert.Equal(t, `[10,10,10]`, gjson.Get(got, "usage.iterations.#.input_tokens").Raw)
				assert.Equal(t, `[2,2,2]`, gjson.Get(got, "usage.iterations.#.output_tokens").Raw)
				assert.Equal(t, `["strong"]`, gjson.Get(got, `usage.iterations.#(type="advisor_message")#.model`).Raw)
				assert.EqualValues(t, 20, gjson.Get(got, "usage.input_tokens").Int(), "without the advisor's")
				assert.Contains(t, x.Lost.Paths(), "tools[0].caching")

				_, _, _, streamed := consults(t, upstream, protocol, true, history, rounds,
					[]spoken{{text: "Say \"no\"."}})
				assert.Contains(t, streamed, `"type":"advisor_result","text":"Say \"no\".","stop_reason":"end_turn"`)
				assert.Contains(t, streamed, `"iterations":[{"type":"message"`)
				assert.Contains(t, streamed, `{"type":"advisor_message","model":"strong"`)

				// the client sends the answer back: the model reads the same again
				content := gjson.Get(got, "content").Raw
				again := strings.TrimSuffix(history, "]") + `,{"role":"assistant","content":` + content + `},` +
					question + `]`
				_, sent, _, _ = consults(t, upstream, protocol, false, again, []spoken{{text: "."}}, nil)
				assert.Contains(t, sent[0], `Say \"no\".`)
				assert.NotContains(t, sent[0], "advisor_tool_result")
				assert.NotContains(t, sent[0], "el1_")
			})
		}
	}
}

// TestAdvisorEnds: failures, the limit of uses, and calls of the client's tools.
func TestAdvisorEnds(t *testing.T) {
	t.Parallel()
	ask := spoken{calls: calls("advisor")}
	_, sent, asked, got := consults(t, "chat", "chat", false, `[`+question+`]`,
		[]spoken{ask, ask, ask, ask, ask, ask}, []spoken{{text: " "}, {calls: calls("own")}})
	assert.Len(t, asked, 2, "max_uses of the request")
	assert.Len(t, sent, 4, "and two rounds more")
	assert.Equal(t, `["unavailable","unavailable","max_uses_exceeded","max_uses_exceeded"]`,
		gjson.Get(got, "content.#.content.error_code").Raw)
	assert.Contains(t, sent[1], "There is no advice (unavailable).")
	assert.Equal(t, `"none"`, gjson.Get(sent[3], "tool_choice").Raw)
	assert.Equal(t, "pause_turn", gjson.Get(got, "stop_reason").Str)
	assert.Equal(t, 2, strings.Count(got, "advisor_message"), "failed advice costs too")

	_, sent, asked, got = consults(t, "chat", "chat", false, `[`+question+`]`,
		[]spoken{{calls: append(calls("advisor"), calls("own")...)}}, []spoken{{text: "A."}})
	assert.Len(t, sent, 1)
	assert.Len(t, asked, 1)
	assert.Equal(t, "tool_use", gjson.Get(got, "stop_reason").Str)
	assert.Equal(t, `["server_tool_use","advisor_tool_result","tool_use"]`, gjson.Get(got, "content.#.type").Raw)
}

// TestAdvisorHistory: blocks of Anthropic's own advisor become a call and its result where the caller
// asks an advisor, and are lost elsewhere.
func TestAdvisorHistory(t *testing.T) {
	t.Parallel()
	block := func(content string) string {
		return `[` + question + `,{"role":"assistant","content":[{"type":"text","text":"T"},` +
			`{"type":"server_tool_use","id":"srvtoolu_1","name":"advisor","input":{}},` +
			`{"type":"advisor_tool_result","tool_use_id":"srvtoolu_1","content":` + content + `},` +
			`{"type":"text","text":"U"}]},` + question + `]`
	}
	for content, want := range map[string]string{
		`{"type":"advisor_result","text":"Do it."}`:                               "Do it.",
		`{"type":"advisor_result","text":"Do","stop_reason":"max_tokens"}`:        "cut off",
		`{"type":"advisor_redacted_result","encrypted_content":"xyz"}`:            "can't be read",
		`{"type":"advisor_tool_result_error","error_code":"overloaded"}`:          "(overloaded)",
		`{"type":"advisor_tool_result_error","error_code":"too_many_requests"}`:   "budget",
		`{"type":"advisor_tool_result_error","error_code":"a\"}],\u0000 \ud83d"}`: "no advice",
	} {
		x, sent, _, _ := consults(t, "chat", "chat", false, block(content), []spoken{{text: "."}}, nil)
		require.True(t, json.Valid([]byte(sent[0])))
		assert.Contains(t, gjson.Get(sent[0], "messages.3.content").Str, want, sent[0])
		assert.Equal(t, "advisor", gjson.Get(sent[0], "messages.2.tool_calls.0.function.name").Str)
		assert.Equal(t, "U", gjson.Get(sent[0], "messages.4.content").Str)
		assert.NotContains(t, x.LostHeader(), "messages")
	}
	pair, _ := translator.Lookup("anthropic", "chat")
	x, err := pair.Decode("/v1/messages", fmt.Appendf(nil, advised, false,
		block(`{"type":"advisor_result","text":"Do it."}`)))
	require.NoError(t, err)
	body, err := x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	assert.NotContains(t, string(body), "Do it.")
	assert.ElementsMatch(t, []string{"messages[1].content[1]", "messages[1].content[2]", "tools[0]"},
		x.Lost.Paths())
	assert.False(t, x.Rounds())
}

// TestReadAdvice: what an advisor may answer.
func TestReadAdvice(t *testing.T) {
	t.Parallel()
	pair, _ := translator.Lookup("anthropic", "chat")
	read := func(answer string) (stages.Advice, error) {
		x, err := pair.Decode("/v1/messages", fmt.Appendf(nil, advised, false, `[`+question+`]`))
		require.NoError(t, err)
		x.Secrets = func() []string { return []string{"sk-very-secret-key-0123"} }
		_, err = x.AppendRequest(nil, &ir.Target{})
		require.NoError(t, err)
		return translator.ForWorker(x).ReadAdvice([]byte(answer), false)
	}
	long := spoken{text: strings.Repeat("x", ir.MaxSummary+1)}
	_, err := read(long.plain("chat"))
	assert.ErrorContains(t, err, "64 KB")
	_, err = read(`{"error":{"message":"bad sk-very-secret-key-0123"}}`)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "sk-very")
	for _, broken := range []string{"", "{", "null", `{"choices":[]}`, "data: x\n\n"} {
		_, err = read(broken)
		assert.Error(t, err, broken)
	}
	cut := spoken{text: "Half"}
	a, err := read(strings.Replace(cut.plain("chat"), `"stop"`, `"length"`, 1))
	require.NoError(t, err)
	assert.Equal(t, stages.Advice{Text: "Half", Stop: ir.MaxTokens}, a)
	_, err = read(strings.Replace(cut.plain("chat"), `"stop"`, `"content_filter"`, 1))
	assert.ErrorContains(t, err, "refused")
}

// TestAdvisorGone: advice that was given here stays a call and its result after the caller has no advisor
// any more, even alone in its message.
func TestAdvisorGone(t *testing.T) {
	t.Parallel()
	pair, _ := translator.Lookup("anthropic", "chat")
	x, err := pair.Decode("/v1/messages", []byte(`{"model":"m","max_tokens":9,"messages":[`+question+
		`,{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_el1_run_1_a","name":"advisor",`+
		`"input":{}},{"type":"advisor_tool_result","tool_use_id":"srvtoolu_el1_run_1_a","content":{`+
		`"type":"advisor_result","text":"Do it."}}]},`+question+`]}`))
	require.NoError(t, err)
	body, err := x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	assert.Contains(t, string(body), "Do it.")
	assert.Empty(t, x.LostHeader())
}
