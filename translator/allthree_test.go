package translator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/stages"
)

// allThree is a request with a web search, a search for tools and an advisor, all run here. %t is stream;
// %s are the messages.
const allThree = `{"model":"m","max_tokens":99,"stream":%t,"system":"S","tools":[` +
	`{"type":"web_search_20250305","name":"web_search"},` +
	`{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"},` +
	`{"type":"advisor_20260301","name":"advisor","model":"claude-opus-5"},` +
	`{"name":"own","input_schema":{"type":"object","properties":{}}},` +
	`{"name":"get_tide","description":"Says the tide.","input_schema":{"type":"object","properties":{"a":{"type":"string"}}},"defer_loading":true},` +
	`{"name":"get_weather","description":"Says the weather.","input_schema":{"type":"object","properties":{}},"defer_loading":true}` +
	`],"messages":%s}`

// converseInAll runs a request with all three in rounds at an upstream.
func converseInAll(t *testing.T, upstream string, stream bool, messages string, rounds []spoken) (
	x *translator.Exchange, sent, asked []string, got string) {
	t.Helper()
	pair, _ := translator.Lookup("anthropic", upstream)
	x, err := pair.Decode("/v1/messages", fmt.Appendf(nil, allThree, stream, messages))
	require.NoError(t, err)
	x.FindTools = true
	x.MaxSearches = 5
	inner := translator.ForWorker(x)
	inner.SetAdvisor(5)
	body, err := x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	sent = append(sent, string(body))
	p := x.Plain(nil)
	var s *translator.Stream
	if stream {
		s = x.Stream()
	}
	for i, r := range rounds {
		r.round = i + 1
		answer := []byte(r.plain(upstream))
		if stream {
			got += string(s.Take(answer, false))
		} else {
			p.Take(answer, false)
		}
		for search, ok := x.Search(); ok && x.Waits(); search, ok = x.Search() {
			hits := []stages.Hit{{URL: "https://a.example/" + search.Query, Title: "T", Text: "Text."}}
			if search.Advice {
				y := inner.Consult(translator.API("chat"), "strong", 500)
				body, err := y.AppendRequest(nil, &ir.Target{})
				require.NoError(t, err)
				asked = append(asked, string(body))
				a, err := translator.ForWorker(y).ReadAdvice([]byte((&spoken{text: "Advice."}).plain("chat")), false)
				require.NoError(t, err)
				inner.Advise(y, a)
			}
			if stream {
				out, _ := s.Found(hits, "")
				got += string(out)
			} else {
				p.Found(hits, "")
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

// TestAllThree: an answer with web searches, searches for tools and advice has their blocks in the order of
// the calls, plain and streamed, and the client's next turn begins as the answer's last round did.
func TestAllThree(t *testing.T) {
	t.Parallel()
	const question = `{"role":"user","content":"q"}`
	tide, weather := findCall("anthropic", "tide"), findCall("anthropic", "weather")
	consult, search := [2]string{"advisor", `{}`}, [2]string{"web_search", `{"query":"w"}`}
	rounds := []spoken{
		{text: "One.", calls: [][2]string{tide, consult, search}},
		{text: "Two.", calls: [][2]string{search, consult}},
		{text: "Three.", calls: [][2]string{consult, weather}},
		{calls: [][2]string{consult}},
		{calls: [][2]string{{"get_tide", `{"a":"b"}`}}}}
	for _, upstream := range protocols {
		for _, stream := range []bool{false, true} {
			x, sent, asked, got := converseInAll(t, upstream, stream, `[`+question+`]`, rounds)
			require.Len(t, sent, 5, upstream)
			require.Len(t, asked, 4, upstream)
			require.EqualValues(t, 50, x.Usage.Input)
			require.Contains(t, asked[0], "Tools loaded: get_tide", "the result of a call before")
			require.NotContains(t, asked[0], "https://a.example/w", "the search follows")
			require.Contains(t, asked[1], "https://a.example/w")
			require.Equal(t, 4, strings.Count(got, `"advisor_result"`))
			if stream {
				continue
			}
			names := gjson.Get(got, `content.#(type=="server_tool_use")#.name`).Raw
			require.Equal(t, `["tool_search_tool_regex","advisor","web_search","web_search","advisor","advisor",`+
				`"tool_search_tool_regex","advisor"]`, names)
			id := gjson.Get(got, `content.#(type=="tool_use").id`).Raw
			_, next, _, _ := converseInAll(t, upstream, false, `[`+question+`,{"role":"assistant","content":`+
				gjson.Get(got, "content").Raw+`},{"role":"user","content":[{"type":"tool_result","tool_use_id":`+
				id+`,"content":"x"}]}]`, []spoken{{text: "."}})
			last := gjson.Parse(sent[len(sent)-1])
			before, after := historyIn(upstream, last), historyIn(upstream, gjson.Parse(next[0]))
			require.True(t, strings.HasPrefix(after, before), "%s:\n%s\n%s", upstream, before, after)
			require.Equal(t, last.Get("tools").Raw, gjson.Get(next[0], "tools").Raw)
		}
	}
}
