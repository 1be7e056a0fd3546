package translator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/stages"
)

// deferring has a request with deferred tools in the form of each client that can defer tools. %t is
// stream; the first %s is the history, the second a further tool.
var deferring = map[string]string{
	"anthropic": `{"model":"m","max_tokens":99,"stream":%t,"messages":[{"role":"user","content":"q"}%s],"tools":[
		{"name":"get_tide","description":"Says the tide.","input_schema":{"type":"object","properties":{"harbor":{"type":"string"}}},"defer_loading":true},
		{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"},
		{"name":"own","input_schema":{"type":"object","properties":{}}},
		{"name":"get_weather","description":"Says the weather.","input_schema":{"type":"object","properties":{"city":{"type":"string","description":"Where."}}},"defer_loading":true},
		{"name":"send_mail","input_schema":{"type":"object","properties":{}},"defer_loading":true}%s]}`,
	"responses": `{"model":"m","stream":%t,"input":[{"role":"user","content":"q"}%s],"tools":[
		{"type":"function","name":"get_tide","description":"Says the tide.","parameters":{"type":"object","properties":{"harbor":{"type":"string"}}},"strict":false,"defer_loading":true},
		{"type":"tool_search"},
		{"type":"function","name":"own","parameters":{"type":"object","properties":{}},"strict":false},
		{"type":"namespace","name":"sky","description":"All about the sky.","tools":[
			{"type":"function","name":"weather","description":"Says the weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false,"defer_loading":true}]},
		{"type":"function","name":"send_mail","parameters":{"type":"object","properties":{}},"strict":false,"defer_loading":true}%s]}`,
}

// finding runs a client's request with deferred tools in rounds.
func finding(t *testing.T, client, upstream, history string, streamed bool, rounds ...spoken) *conversation {
	return conversesWith(t, client, upstream, fmt.Sprintf(deferring[client], streamed, history, ""), streamed,
		rounds, func(stages.Search) ([]stages.Hit, string) { t.Fatal("no search of the web"); return nil, "" })
}

// toolNames returns the names of the functions in an upstream's request.
func toolNames(protocol string, request gjson.Result) (names []string) {
	path := map[string]string{"anthropic": "tools.#.name", "chat": "tools.#.function.name",
		"responses": "tools.#.name", "gemini": "tools.0.functionDeclarations.#.name",
		"interactions": "tools.#.name"}[protocol]
	for _, name := range request.Get(path).Array() {
		names = append(names, name.Str)
	}
	return names
}

func findCall(client, query string) [2]string {
	if client == "anthropic" {
		return [2]string{"tool_search_tool_regex", fmt.Sprintf(`{"pattern":%q}`, query)}
	}
	return [2]string{"tool_search", fmt.Sprintf(`{"query":%q}`, query)}
}

// historyIn returns the conversation in an upstream's request, without the brackets of the list.
func historyIn(protocol string, request gjson.Result) string {
	return strings.Trim(request.Get(historyOf[protocol]).Raw, "[] \n")
}

// losesDescription is the path of a namespace's description: no tool that the model sees from the start
// could have it.
const losesDescription = "].description"

// without returns the paths without those that have part.
func without(paths []string, part string) (rest []string) {
	for _, path := range paths {
		if !strings.Contains(path, part) {
			rest = append(rest, path)
		}
	}
	return rest
}

// TestFindingTools: in all pairs the model gets a function instead of deferred tools. What its search
// has found comes after the other tools, in the next round and in the client's next turn, whose prompt
// begins as this answer's last round did.
func TestFindingTools(t *testing.T) {
	weather := map[string]string{"anthropic": "get_weather", "responses": "sky__weather"}
	for client := range deferring {
		search := findCall(client, "weather")[0]
		for _, upstream := range protocols {
			for _, streamed := range []bool{false, true} {
				c := finding(t, client, upstream, "", streamed,
					spoken{text: "I look.", calls: [][2]string{findCall(client, "weather")}},
					spoken{calls: [][2]string{findCall(client, "tide")}},
					spoken{calls: [][2]string{{weather[client], `{"city":"Paris"}`}}})
				lost := without(c.exchange.Lost.Paths(), losesDescription)
				if client == upstream { // the details of the rounds have no sum
					require.Equal(t, []string{"usage"}, lost, client)
					lost = nil
				}
				require.Empty(t, lost, "%s to %s", client, upstream)
				require.EqualValues(t, 30, c.exchange.Usage.Input)
				require.EqualValues(t, 6, c.exchange.Usage.Output)
				require.Equal(t, []string{search, "own"}, toolNames(upstream, c.sent[0]))
				require.Equal(t, []string{search, "own", weather[client]}, toolNames(upstream, c.sent[1]))
				want := []string{search, "own", weather[client], "get_tide"}
				require.Equal(t, want, toolNames(upstream, c.sent[2]))
				require.NotContains(t, c.sent[2].Raw, "defer_loading")
				require.Contains(t, c.sent[1].Raw, "Tools loaded: "+weather[client])
				require.NotContains(t, c.got, `"name":"`+search+`","arguments"`)
				shownSearch(t, client, c, streamed)
				if streamed {
					continue
				}
				history := historyOfAnswer(client, c.got)
				next := finding(t, client, upstream, history, false, spoken{text: "It rains."})
				require.Equal(t, want, toolNames(upstream, next.sent[0]))
				before, after := historyIn(upstream, c.sent[2]), historyIn(upstream, next.sent[0])
				require.True(t, strings.HasPrefix(after, before), "%s to %s:\n%s\n%s", client, upstream, before,
					after)
				lost = without(next.exchange.Lost.Paths(), losesDescription)
				require.Empty(t, lost, "%s to %s", client, upstream)
			}
		}
	}
}

// shownSearch checks the searches in a client's answer.
func shownSearch(t *testing.T, client string, c *conversation, streamed bool) {
	if client == "anthropic" {
		require.Contains(t, c.got, `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_run_1_toolu_10",`+
			`"content":{"type":"tool_search_tool_search_result","tool_references":[`+
			`{"type":"tool_reference","tool_name":"get_weather"}]}}`)
		require.Contains(t, c.got, `{"type":"server_tool_use","id":"srvtoolu_run_1_toolu_10",`+
			`"name":"tool_search_tool_regex","input":{`)
		if !streamed {
			require.Equal(t, `["text","server_tool_use","tool_search_tool_result","server_tool_use",`+
				`"tool_search_tool_result","tool_use"]`, gjson.Get(c.got, "content.#.type").Raw)
			require.Equal(t, "tool_use", gjson.Get(c.got, "stop_reason").Str)
		}
		return
	}
	require.Contains(t, c.got, `{"type":"tool_search_call","execution":"server","call_id":null,`+
		`"status":"completed","id":"tsc_run_1_toolu_10","arguments":{"query":"weather"}}`)
	require.Contains(t, c.got, `{"type":"tool_search_output","execution":"server","call_id":null,`+
		`"status":"completed","id":"tso_run_1_toolu_10","tools":[{"type":"namespace","name":"sky",`)
	if !streamed {
		require.Equal(t, `["message","tool_search_call","tool_search_output","tool_search_call",`+
			`"tool_search_output","function_call"]`, gjson.Get(c.got, "output.#.type").Raw)
	}
}

// historyOfAnswer returns a plain answer with a call, and the call's result, as a part of the client's
// history.
func historyOfAnswer(client, answer string) string {
	if client == "anthropic" {
		return `,{"role":"assistant","content":` + gjson.Get(answer, "content").Raw + `},{"role":"user",` +
			`"content":[{"type":"tool_result","tool_use_id":"toolu_30","content":"rain"}]}`
	}
	return "," + strings.Trim(gjson.Get(answer, "output").Raw, "[]") +
		`,{"type":"function_call_output","call_id":"toolu_30","output":"rain"}`
}

// TestFindingNothing: searches that find nothing or fail are shown in the client's API, and the model
// reads why.
func TestFindingNothing(t *testing.T) {
	for _, c := range []struct{ arguments, code, words string }{
		{`{"pattern":"((("}`, "invalid_tool_input",
			"Invalid regular expression pattern: missing ), unterminated subpattern at position 3"},
		{`{"pattern":"` + strings.Repeat("x", 201) + `"}`, "invalid_tool_input",
			"Pattern exceeds maximum length of 200 characters"},
		{`{"pattern":"` + strings.Repeat("x", 5000) + `"}`, "invalid_tool_input",
			"The arguments must be one JSON object that follows the function's schema"},
		{`{}`, "invalid_tool_input", "The arguments must be one JSON object that follows the function's schema"},
		{`{"pattern":"zebra"}`, "", ""},
		{`{"query":"zebra"}`, "", ""},
	} {
		for _, upstream := range protocols {
			got := finding(t, "anthropic", upstream, "", false,
				spoken{calls: [][2]string{{"tool_search_tool_regex", c.arguments}, findCall("anthropic", "zoo")}},
				spoken{text: "There is none."})
			result := gjson.Get(got.got, "content.#(type==tool_search_tool_result).content")
			next := finding(t, "anthropic", upstream, historyOfAnswer("anthropic", got.got), false, spoken{text: "Yes."})
			before, after := historyIn(upstream, got.sent[1]), historyIn(upstream, next.sent[0])
			require.True(t, strings.HasPrefix(after, before), "%s\n%s", before, after)
			if c.code == "" {
				require.Equal(t, `{"type":"tool_search_tool_search_result","tool_references":[]}`, result.Raw)
				require.Contains(t, got.sent[1].Raw, "No tools were found.")
				continue
			}
			require.Equal(t, "tool_search_tool_result_error", result.Get("type").Str)
			require.Equal(t, c.code, result.Get("error_code").Str)
			require.Equal(t, c.words, result.Get("error_message").Str)
			require.Contains(t, got.sent[1].Raw, "The search for tools has failed: "+c.words+".")
		}
	}
	failed := finding(t, "responses", "chat", "", false, spoken{calls: [][2]string{{"tool_search", `[]`}}},
		spoken{text: "There is none."})
	require.Equal(t, "incomplete", gjson.Get(failed.got, "output.#(type==tool_search_output).status").Str)
	require.Contains(t, finding(t, "responses", "chat", historyOfAnswer("responses", failed.got), false,
		spoken{text: "Yes."}).sent[0].Raw, "The search for tools has failed.")
}

// TestFindingIsBounded: after eight searches a further one is refused, and the answer ends after ten
// rounds, as at Anthropic.
func TestFindingIsBounded(t *testing.T) {
	var rounds []spoken
	for range 10 {
		rounds = append(rounds, spoken{calls: [][2]string{findCall("anthropic", "weather")}})
	}
	c := conversesBare(t, rounds)
	require.Len(t, c.sent, 10)
	require.Equal(t, "pause_turn", gjson.Get(c.got, "stop_reason").Str)
	codes := gjson.Get(c.got, `content.#(type==tool_search_tool_result)#.content.error_code`).Raw
	require.Equal(t, `["too_many_requests","too_many_requests"]`, codes)
	require.Equal(t, "none", c.sent[9].Get("tool_choice").Str)
	for _, sent := range c.sent[1:] {
		require.Equal(t, []string{"tool_search_tool_regex", "own", "get_weather"}, toolNames("chat", sent))
	}
}

// conversesBare runs a request of a Messages client at a Chat upstream, without web tools.
func conversesBare(t *testing.T, rounds []spoken) *conversation {
	pair, _ := translator.Lookup("anthropic", "chat")
	x, err := pair.Decode("/v1/messages", fmt.Appendf(nil, deferring["anthropic"], false, "", ""))
	require.NoError(t, err)
	x.FindTools = true
	c := &conversation{exchange: x}
	sent, err := x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	p := x.Plain(nil)
	for n := range rounds {
		c.sent = append(c.sent, gjson.ParseBytes(sent))
		rounds[n].round = n + 1
		p.Take([]byte(rounds[n].plain("chat")), false)
		if !x.Waits() {
			break
		}
		_, more := x.Search()
		require.False(t, more)
		sent, err = p.AppendNext(nil)
		require.NoError(t, err)
	}
	body, err := p.Body()
	require.NoError(t, err)
	c.got = string(body)
	return c
}

// TestFindingBesideCalls: an answer with a search and a call of the client's own ends after the search:
// the client's next turn has the tools found.
func TestFindingBesideCalls(t *testing.T) {
	for client := range deferring {
		for _, upstream := range protocols {
			c := finding(t, client, upstream, "", false,
				spoken{text: "Both.", calls: [][2]string{findCall(client, "tide"), {"own", `{}`}}})
			answer := strings.ReplaceAll(c.got, "toolu_11", "toolu_30")
			next := finding(t, client, upstream, historyOfAnswer(client, answer), false, spoken{text: "Done."})
			names := toolNames(upstream, next.sent[0])
			require.Equal(t, []string{findCall(client, "")[0], "own", "get_tide"}, names)
			require.Contains(t, next.sent[0].Raw, "Tools loaded: get_tide")
			require.Empty(t, without(next.exchange.Lost.Paths(), losesDescription))
		}
	}
}

// TestNoFinding: whose deferred tools are not hidden here.
func TestNoFinding(t *testing.T) {
	for _, c := range []struct {
		name, client, upstream, from, to string
		target                           ir.Target
		finds                            bool
	}{
		{name: "an upstream that searches", client: "anthropic", upstream: "responses",
			target: ir.Target{ToolSearch: true, OpenAI: true}},
		{name: "a gateway to Claude", client: "anthropic", upstream: "anthropic",
			target: ir.Target{OwnToolSearch: true}},
		{name: "a gateway to Claude, for another client", client: "responses", upstream: "anthropic",
			target: ir.Target{OwnToolSearch: true}, finds: true},
		{name: "the client's search", client: "responses", upstream: "chat", from: `{"type":"tool_search"}`,
			to: `{"type":"tool_search","execution":"client"}`},
		{name: "no search", client: "responses", upstream: "chat", from: `{"type":"tool_search"},`},
		{name: "nothing deferred", client: "anthropic", upstream: "chat", from: `"defer_loading":true`,
			to: `"defer_loading":false`},
		{name: "a choice without the search", client: "responses", upstream: "chat", from: `"model":"m"`,
			to: `"model":"m","tool_choice":{"type":"allowed_tools","mode":"auto",` +
				`"tools":[{"type":"function","name":"own"}]}`},
		{name: "a caller of single rounds", client: "anthropic", upstream: "chat"},
	} {
		pair, _ := translator.Lookup(c.client, c.upstream)
		body := strings.ReplaceAll(fmt.Sprintf(deferring[c.client], false, "", ""), c.from, c.to)
		if c.from == "" {
			body = fmt.Sprintf(deferring[c.client], false, "", "")
		}
		path := map[string]string{"anthropic": "/v1/messages", "responses": "/v1/responses"}[c.client]
		x, err := pair.Decode(path, []byte(body))
		require.NoError(t, err, c.name)
		x.FindTools = c.name != "a caller of single rounds"
		_, err = x.AppendRequest(nil, &c.target)
		require.NoError(t, err, c.name)
		require.Equal(t, c.finds, x.Rounds(), c.name)
	}
}

// TestFindingByName: a client's tool may have the name of the function, and a tool_choice may name a
// deferred tool, the search, or only some tools.
func TestFindingByName(t *testing.T) {
	sent := func(further, choice string) gjson.Result {
		pair, _ := translator.Lookup("responses", "chat")
		body := fmt.Sprintf(deferring["responses"], false, "", further)
		x, err := pair.Decode("/v1/responses", []byte(strings.Replace(body, `"model":"m"`, `"model":"m"`+choice, 1)))
		require.NoError(t, err)
		x.FindTools = true
		out, err := x.AppendRequest(nil, &ir.Target{OpenAI: true})
		require.NoError(t, err)
		return gjson.ParseBytes(out)
	}
	r := sent(`,{"type":"custom","name":"tool_search_"}`, "")
	require.Equal(t, []string{"tool_search", "own"}, toolNames("chat", r)[:2])
	r = sent("", `,"tool_choice":{"type":"function","name":"send_mail"}`)
	require.Equal(t, []string{"tool_search", "own", "send_mail"}, toolNames("chat", r))
	require.Equal(t, "send_mail", r.Get("tool_choice.function.name").Str)
	r = sent("", `,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"tool_search"},`+
		`{"type":"function","name":"send_mail"}]}`)
	require.Equal(t, `["tool_search"]`, r.Get("tool_choice.allowed_tools.tools.#.function.name").Raw)

	pair, _ := translator.Lookup("anthropic", "chat")
	body := fmt.Sprintf(deferring["anthropic"], false, "", `,{"name":"tool_search_tool_regex_","input_schema":{"type":"object"}},`+
		`{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}`)
	x, err := pair.Decode("/v1/messages", []byte(body))
	require.NoError(t, err)
	x.FindTools = true
	out, err := x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	names := toolNames("chat", gjson.ParseBytes(out))
	require.Equal(t, []string{"tool_search_tool_regex", "own", "tool_search_tool_regex_"}, names)
	require.Equal(t, []string{"tools[6]"}, x.Lost.Paths())
}

// TestPromptOfDeferredTools measures what the model's prompt saves: a session of five requests with 100
// deferred tools, of which it needs one.
func TestPromptOfDeferredTools(t *testing.T) {
	tools := ""
	for i := range 100 {
		tools += fmt.Sprintf(`,{"name":"mcp__server%d__do_thing_%d","description":"%s","defer_loading":true,`+
			`"input_schema":{"type":"object","properties":{"path":{"type":"string","description":"%s"}}}}`, i/10, i,
			strings.Repeat("Does one of many things. ", 12), strings.Repeat("Where it does so. ", 8))
	}
	session := func(finds bool) (bytes int, tokens int64) {
		history := ""
		for turn := range 5 {
			pair, _ := translator.Lookup("anthropic", "chat")
			x, err := pair.Decode("/v1/messages", fmt.Appendf(nil, deferring["anthropic"], false, history, tools))
			require.NoError(t, err)
			x.FindTools = finds
			sent, err := x.AppendRequest(nil, &ir.Target{})
			require.NoError(t, err)
			bytes, tokens = bytes+len(sent), tokens+x.InputTokens()
			history += fmt.Sprintf(`,{"role":"assistant","content":[{"type":"text","text":"%d"}]},`+
				`{"role":"user","content":"Go on."}`, turn)
			if turn == 0 {
				p := x.Plain(nil)
				say := &spoken{text: "I look.", calls: [][2]string{findCall("anthropic", "thing_42$")}, round: 1}
				if !finds {
					say = &spoken{text: "I look."}
				}
				p.Take([]byte(say.plain("chat")), false)
				if finds {
					require.True(t, x.Waits())
					sent, err = p.AppendNext(nil)
					require.NoError(t, err)
					require.Contains(t, string(sent), `"mcp__server4__do_thing_42"`)
					bytes, tokens = bytes+len(sent), tokens+x.InputTokens()
					p.Take([]byte((&spoken{text: "Found."}).plain("chat")), false)
				}
				body, err := p.Body()
				require.NoError(t, err)
				history = `,{"role":"assistant","content":` + gjson.GetBytes(body, "content").Raw +
					`},{"role":"user","content":"Go on."}`
			}
		}
		return bytes, tokens
	}
	all, allTokens := session(false)
	found, foundTokens := session(true)
	t.Logf("with all tools %d bytes, %d tokens; with a search %d bytes, %d tokens", all, allTokens, found, foundTokens)
	require.Less(t, foundTokens*10, allTokens)
	require.Less(t, found*10, all)
}

// TestFindingForced: a tool of a tool_choice comes after the tools found by earlier turns, in this turn and
// in the next one, so the list of tools keeps its prefix.
func TestFindingForced(t *testing.T) {
	forced := map[string]string{"anthropic": `"tool_choice":{"type":"tool","name":"send_mail"},`,
		"responses": `"tool_choice":{"type":"function","name":"send_mail"},`}
	weather := map[string]string{"anthropic": "get_weather", "responses": "sky__weather"}
	for client := range deferring {
		turn := func(choice, history string, rounds ...spoken) *conversation {
			body := strings.Replace(fmt.Sprintf(deferring[client], false, history, ""), `"model"`, choice+`"model"`, 1)
			return conversesWith(t, client, "chat", body, false, rounds, nil)
		}
		first := turn("", "", spoken{calls: [][2]string{findCall(client, "weather")}},
			spoken{calls: [][2]string{{"own", `{}`}}})
		history := historyOfAnswer(client, strings.ReplaceAll(first.got, "toolu_20", "toolu_30"))
		second := turn(forced[client], history, spoken{calls: [][2]string{{"send_mail", `{}`}}})
		want := []string{findCall(client, "")[0], "own", weather[client], "send_mail"}
		require.Equal(t, want[:3], toolNames("chat", first.sent[1]))
		require.Equal(t, want, toolNames("chat", second.sent[0]), client)
		history += historyOfAnswer(client, strings.ReplaceAll(second.got, "toolu_10", "toolu_30"))
		third := turn("", history, spoken{text: "Sent."})
		require.Equal(t, want, toolNames("chat", third.sent[0]), client)
	}
}

// TestCountOfDeferredTools: the estimate of a request with a search is that of the request sent to a model
// without one, in each turn. Without a search all tools count.
func TestCountOfDeferredTools(t *testing.T) {
	for client, path := range map[string]string{"anthropic": "/v1/messages", "responses": "/v1/responses"} {
		count := func(body string) int64 {
			out, err := translator.AppendCount(nil, translator.API(client), "", []byte(body), nil)
			require.NoError(t, err)
			return gjson.GetBytes(out, "input_tokens").Int()
		}
		found := finding(t, client, "chat", "", false,
			spoken{text: "I look.", calls: [][2]string{findCall(client, "weather")}},
			spoken{calls: [][2]string{{"own", `{}`}}})
		answer := strings.ReplaceAll(found.got, "toolu_20", "toolu_30")
		for _, history := range []string{"", historyOfAnswer(client, answer)} {
			body := fmt.Sprintf(deferring[client], false, history, `,{"type":"function","name":"late","description":"`+
				strings.Repeat("word ", 1000)+`","defer_loading":true}`)
			if client == "anthropic" {
				body = strings.Replace(body, `"type":"function","name":"late"`, `"name":"late","input_schema":{}`, 1)
			}
			pair, _ := translator.Lookup(client, "chat")
			x, err := pair.Decode(path, []byte(body))
			require.NoError(t, err)
			x.FindTools = true
			_, err = x.AppendRequest(nil, &ir.Target{})
			require.NoError(t, err)
			// searches in the history count as the client's JSON
			require.InDelta(t, x.InputTokens(), count(body), float64(len(history)/4), client)
			require.Less(t, count(body), int64(1000), client)
			if client == "responses" { // the other client's decoder drops deferred tools without a search
				all := strings.Replace(body, `{"type":"tool_search"},`, "", 1)
				require.Greater(t, count(all), int64(1000))
			}
		}
	}
}

// TestFoundKeys: keys of a found tool's arguments that the upstream refuses are renamed, and the client
// gets its own back.
func TestFoundKeys(t *testing.T) {
	pair, _ := translator.Lookup("responses", "anthropic")
	body := strings.ReplaceAll(fmt.Sprintf(deferring["responses"], false, "", ""), `"harbor"`, `"the harbor"`)
	x, err := pair.Decode("/v1/responses", []byte(strings.ReplaceAll(body, `"properties":{}`,
		`"properties":{"an own":{}}`)))
	require.NoError(t, err)
	x.FindTools = true
	_, err = x.AppendRequest(nil, &ir.Target{PlainKeys: true})
	require.NoError(t, err)
	p := x.Plain(nil)
	p.Take([]byte((&spoken{calls: [][2]string{findCall("responses", "tide")}, round: 1}).plain("anthropic")), false)
	sent, err := p.AppendNext(nil)
	require.NoError(t, err)
	names := []string{}
	for _, tool := range gjson.GetBytes(sent, "tools").Array() {
		for key := range tool.Get("input_schema.properties").Map() {
			require.NotContains(t, key, " ")
			names = append(names, key)
		}
	}
	slices.Sort(names)
	require.Len(t, names, 3)
	said := spoken{calls: [][2]string{{"get_tide", fmt.Sprintf(`{%q:"Brest"}`, names[2])},
		{"own", fmt.Sprintf(`{%q:1}`, names[0])}}, round: 2}
	p.Take([]byte(said.plain("anthropic")), false)
	got, err := p.Body()
	require.NoError(t, err)
	require.Equal(t, `["{\"the harbor\":\"Brest\"}","{\"an own\":1}"]`,
		gjson.GetBytes(got, "output.#(type==function_call)#.arguments").Raw)
}
