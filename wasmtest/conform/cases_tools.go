package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// called returns the calls of the last answer. Without a script, a model may answer with a text, or use
// its tokens up: then the case does not apply.
func (r *Record) called() []Call {
	reply := r.end()
	if r.Upstream == "" && (len(reply.Calls) == 0 || reply.Stop == limits.of(r.api)) {
		panic(&skipped{"the model did not finish a call, though the call is forced"})
	}
	demand(len(reply.Calls) > 0, "a call", tail(reply.Body))
	return reply.Calls
}

// callIs demands that call i has a name, and arguments that are the JSON value want.
func (r *Record) callIs(i int, name, want string) {
	calls := r.called()
	demand(i < len(calls), fmt.Sprintf("%d calls", i+1), calls)
	demand(calls[i].Name == name, "a call of "+name, calls[i].Name)
	got := decode("the arguments", []byte(calls[i].Arguments)).v
	var wanted any
	_ = json.Unmarshal([]byte(want), &wanted)
	demand(encode(got) == encode(wanted), want, calls[i].Arguments)
}

func (r *Record) number(want int) {
	calls := r.called()
	demand(len(calls) == want, fmt.Sprintf("%d calls", want), calls)
}

var callEnds = by[[]string]{[]string{"tool_use"}, []string{"tool_calls", "stop"}, []string{"completed"},
	[]string{"STOP"}}

// otherName changes the names of calls.
var otherName = swap("get_weather", "get_wether")

func arguments(i int, name, want string) func(r *Record) {
	return func(r *Record) { r.callIs(i, name, want) }
}

// holdsText demands a text in a raw answer, with or without JSON's escapes.
func holdsText(reply *Reply, text string) {
	raw := bytes.ReplaceAll(reply.Body, []byte(`\"`), []byte(`"`))
	demand(bytes.Contains(raw, []byte(text)), text, tail(reply.Body))
}

func init() {
	each := func(id, title, must, why string, s Severity, needs need, p *Probe, judge func(r *Record),
		m by[Mutation], only string) {
		addEach(template{id: "tools/" + id, title: title, must: must, why: why, source: toolDocs,
			since:    sinceTools,
			severity: s, needs: needs, probe: p, judge: judge, mutation: m, only: only})
	}
	weatherInput := `{"town":"Paris","days":2}`
	isWeather := func(r *Record) {
		for _, c := range r.called() {
			demand(c.Name == weather.Name, "a call of get_weather", c.Name)
		}
	}
	isObject := func(r *Record) {
		for _, c := range r.called() {
			decode("the arguments", []byte(c.Arguments)).get("town").text()
		}
	}
	hasIDs := func(r *Record) {
		for _, c := range r.called() {
			demand(c.ID != "", "an id", c)
		}
	}
	why := "agents run nothing, or the wrong tool"
	each("1.1", "a forced call has the tool's name, plain", "the name of the offered tool", why, Fails, form,
		callPlain, isWeather, same(otherName), "")
	each("1.2", "a forced call has the tool's name, streamed", "the name of the offered tool, once",
		"clients concatenate names (bifrost#5900, llama.cpp PR#12379)", Fails, form, callStream, isWeather,
		same(otherName), "")
	each("1.3", "arguments are an object, plain", "JSON of an object with the required property", why,
		Fails, form,
		callPlain, isObject, same(swap(`town`, "twn")), "")
	each("1.4", "arguments are an object, streamed", "the deltas add up to JSON of an object", why,
		Fails, form,
		callStream, isObject, same(swap(`town|"tow|to`, "x")), "")
	each("1.5", "a call has an id, plain", "an id that is not empty", "results refer to it", Fails, form,
		callPlain,
		hasIDs, same(swap(`call_a1`, "")), "messages chat responses")
	each("1.6", "a call has an id, streamed", "an id that is not empty", "results refer to it", Fails, form,
		callStream, hasIDs, same(swap(`call_a1`, "")), "messages chat responses")
	callEnd := func(r *Record) {
		r.called()
		demand(contains(callEnds.of(r.api), r.end().Stop),
			"an answer that ends with "+callEnds.of(r.api)[0], r.end().Stop)
	}
	wrongEnd := by[Mutation]{swap(`"tool_use",`, `"end_turn",`), swap(`"tool_calls"([,}])`, `"length"$1`),
		swap(`"status":"completed"`, `"status":"incomplete"`), swap(`"STOP"`, `"OTHER"`)}
	each("1.7", "an answer with a call says so, plain", "tool_use, tool_calls (OpenAI: stop for a forced "+
		"call), "+
		"completed, or STOP", "agents stop instead of running the tool (litellm#34692, "+
		"claude-code#16785)", Fails, form,
		callPlain, callEnd, wrongEnd, "")
	each("1.8", "an answer with a call says so, streamed",
		"tool_use, tool_calls (OpenAI: stop for a forced call), "+
			"completed, or STOP", "agents stop instead of running the tool (litellm#34692, "+
			"claude-code#16785)", Fails, form,
		callStream, callEnd, wrongEnd, "")

	each("2.1", "parallel calls, plain", "both calls, each with its own arguments",
		"one of two tools never runs (litellm PR#15315)", Loses, script, twoPlain, func(r *Record) {
			r.number(2)
			r.callIs(0, weather.Name, weatherInput)
			r.callIs(1, clock.Name, `{"town":"Oslo"}`)
		}, same(swap("Oslo|Os", "Bo")), "")
	each("2.2", "parallel calls, streamed", "both calls, each with its own arguments",
		"clients merge the arguments of two calls (sglang#39782, litellm#5231)", Fails, script, twoStream,
		func(r *Record) {
			r.number(2)
			r.callIs(0, weather.Name, weatherInput)
			r.callIs(1, clock.Name, `{"town":"Oslo"}`)
		}, same(swap("Oslo|Os", "Bo")), "")
	each("2.3", "parallel calls have different ids", "no id twice", "results go to the wrong call",
		Fails, script,
		twoStream, func(r *Record) {
			r.number(2)
			demand(r.called()[0].ID != r.called()[1].ID, "different ids", r.called())
		}, same(swap("call_a2", "call_a1")), "")
	each("2.4", "three calls of one tool", "three calls in the model's order",
		"clients that key by name lose calls", Loses, script, threeStream, func(r *Record) {
			r.number(3)
			for i, town := range []string{"Paris", "Oslo", "Lima"} {
				r.callIs(i, weather.Name, `{"town":"`+town+`","days":2}`)
			}
		}, same(swap("Lim", "Rom")), "")
	each("2.5", "parallel calls, plain: ids", "no id twice", "results go to the wrong call", Fails, script,
		twoPlain, func(r *Record) {
			r.number(2)
			demand(r.called()[0].ID != r.called()[1].ID, "different ids", r.called())
		}, same(swap("call_a2", "call_a1")), "")

	each("3.1", "a call without arguments, plain", "the arguments {}", "clients parse an empty text "+
		"(litellm#5063, agentgateway#3002)", Fails, script, emptyPlain, arguments(0, noInput.Name, "{}"),
		by[Mutation]{swap(`"input":\{\}`, `"input":null`), swap(`"arguments":"\{\}"`, `"arguments":""`),
			swap(`"arguments":"\{\}"`, `"arguments":""`), swap(`"args":\{\}`, `"args":null`)}, "")
	each("3.2", "a call without arguments, streamed", "the arguments {}", "clients parse an empty text "+
		"(litellm#5063, agentgateway#3002)", Fails, script, emptyStream, arguments(0, noInput.Name, "{}"),
		by[Mutation]{swap(`"partial_json":"[{}]"`, `"partial_json":"null"`), swap(`"[{}]"`, `""`),
			swap(`"arguments":"\{\}"`, `"arguments":""`), swap(`"args":\{\}`, `"args":null`)}, "")
	each("3.3", "a call without arguments in the history", "the vendor accepts the request with the result",
		"status 400 on the next turn (Router-Maestro PR#162)", Fails, upstream, tripEmpty,
		func(r *Record) { r.got(1).holds("Paris, Oslo") }, same(laterRequest("Paris, Oslo", "")), "")

	longWant := encode(object{"text": longText})
	each("4.1", "a long call, plain", "22 KB of code arrive unchanged", "files are written with gaps",
		Loses, script,
		longPlain, arguments(0, editor.Name, longWant), same(swap("Zoë", "Zoe")), "")
	each("4.2", "a long call, streamed", "22 KB of code arrive unchanged", "files are written with gaps",
		Loses,
		script, longStream, arguments(0, editor.Name, longWant), same(swap("Zoë", "Zoe")), "")
	each("4.3", "numbers above 2^53, plain", "9007199254740993 arrives with all its digits",
		"ids of messages and rows change", Loses, script, hardPlain,
		func(r *Record) { r.called(); holdsText(r.end(), "9007199254740993") }, same(swap("40993",
			"40992")), "")
	each("4.4", "nested arguments, plain", "arrays in arrays, null, true and empty objects are unchanged",
		"tools get other values", Loses, script, hardPlain, func(r *Record) {
			got := decode("the arguments", []byte(r.called()[0].Arguments)).get("deep")
			demand(encode(got.v) == `[[[[{"a":[null,true,{}]}]]]]`, "the nested value", got.v)
		}, same(swap("null,true", "true,null")), "")
	each("4.5", "escapes in arguments, streamed", "quotes, backslashes, line ends and U+2028 are unchanged",
		"code and patches break", Loses, script, hardStream, func(r *Record) {
			decode("the arguments", []byte(r.called()[0].Arguments)).get("text").is("a\"b\\c\n\u2028é")
		}, same(swap("é", "e")), "")

	each("5.1", "a text before a call, plain", "both arrive", "the model's words are lost (clewdr#153)",
		Loses,
		script, sayAndPlain, func(r *Record) {
			r.callIs(0, weather.Name, weatherInput)
			says("Let me see.")(r)
		}, same(swap("Let me|Let m", "Le")), "")
	each("5.2", "a text before a call, streamed", "both arrive",
		"the model's words are lost (clewdr#153)", Loses,
		script, sayAndStream, func(r *Record) {
			r.callIs(0, weather.Name, weatherInput)
			says("Let me see.")(r)
		}, same(swap("Let me|Let m", "Le")), "")
	each("5.3", "a text before a call in the history", "text, call and result reach the upstream",
		"the model forgets what it has said", Loses, upstream, tripSay, func(r *Record) {
			g := r.got(1)
			g.holds("Sunny")
			g.holds(weather.Name)
			text := strings.Join(stringsOf(g.Body), "")
			demand(strings.Contains(text, "Let m") && strings.Contains(text, "see."), "Let me see.", g.Body)
		}, same(laterRequest("see[.]", "")), "")
	each("5.4", "a call at the limit of tokens", "the end is the limit, not a call",
		"agents run a tool with half its arguments (free-claude-code#1178)", Loses, script, cutStream,
		stops(limits),
		by[Mutation]{swap(`"max_tokens"`, `"tool_use"`), swap(`"length"`, `"tool_calls"`),
			swap(`"max_output_tokens"`, `"content_filter"`), swap(`"MAX_TOKENS"`, `"STOP"`)}, "")

	each("6.1", "a result reaches the upstream, plain", "the result's text, unchanged",
		"the model never sees the result",
		Loses, upstream, tripPlain, func(r *Record) { r.got(1).holds(`Sunny, 21 °C, "dry"`) },
		same(laterRequest("21 °C", "22 °C")), "")
	each("6.2", "a result reaches the upstream, streamed", "the result's text, unchanged",
		"the model never sees the result", Loses, upstream, tripStream,
		func(r *Record) { r.got(1).holds(`Sunny, 21 °C, "dry"`) }, same(laterRequest("21 °C", "22 °C")), "")
	each("6.3", "the call is back before its result", "name and arguments of the call are in the history",
		"vendors reject a result without its call", Fails, upstream, tripStream, func(r *Record) {
			g := r.got(1)
			demand(bytes.Count(g.Body, []byte(weather.Name)) > 1 && bytes.Contains(g.Body, []byte("Paris")),
				"the call in the history", g.Body)
		}, same(laterRequest(`Paris`, "Rome")), "")
	each("6.4", "two results reach their calls", "both results, in the order of the calls",
		"vendors reject results in other messages or orders (CLIProxyAPI#4656)", Fails, upstream, tripTwo,
		func(r *Record) { r.got(1).ordered("Result one", "Result two") },
		same(laterRequest("Result one", "Result won")), "")
	each("6.5", "an empty result", "the vendor accepts it", "many tools say nothing (claude-code#59812)",
		Fails, upstream,
		tripNothing, func(r *Record) { r.got(1); r.end() }, same(Mutation{request: func(w *wire) {
			if w.n == 1 {
				w.body = []byte("{")
			}
		}}), "")
	each("6.6", "a long result", "22 KB arrive unchanged", "files are read with gaps", Loses, upstream,
		tripLong,
		func(r *Record) { r.got(1).holds(longText) }, same(laterRequest(`fn main\(\) `, "fn main ")), "")
	each("6.7", "the answer after a result", "the model's text", "the conversation ends", Fails, script,
		tripStream,
		says(usualText.Text), same(swap("sunny|It is", "wet")), "")

	each("7.1", "a tool's description reaches the upstream", "the text of the description",
		"the model does not know what the tool does", Loses, upstream, forcedTool,
		func(r *Record) { r.got(0).holds(weather.Description) }, same(swapRequest("The weather in",
			"In")), "")
	each("7.2", "a tool's schema reaches the upstream", "properties, types and descriptions",
		"the model invents arguments", Loses, upstream, forcedTool, func(r *Record) {
			r.got(0).holds("The city's name.")
			r.got(0).holds("days")
		}, same(swapRequest("The city's name", "")), "")
	each("7.3", "the forced tool reaches the upstream", "the choice names the tool",
		"the model calls another tool, or none",
		Loses, upstream, forcedTool, func(r *Record) {
			demand(bytes.Count(r.got(0).Body, []byte(weather.Name)) > 1, "a choice of get_weather",
				r.got(0).Body)
		}, by[Mutation]{lackingRequest("tool_choice"), lackingRequest("tool_choice"),
			lackingRequest("tool_choice"),
			lackingRequest("toolConfig")}, "")
	each("7.4", "the choice of any tool reaches the upstream", "any, required, or ANY",
		"the model answers with a text",
		Loses, upstream, anyTool, func(r *Record) {
			all := strings.Join(stringsOf(r.got(0).Body), "\n") + "\n"
			demand(strings.Contains(all, "any\n") || strings.Contains(all, "required\nrequired") ||
				strings.Contains(all, "ANY\n") || r.got(0).has("tool_choice",
				func(v any) bool { return v == "required" }),
				"a choice of any tool", r.got(0).Body)
		}, by[Mutation]{lackingRequest("tool_choice"), lackingRequest("tool_choice"),
			lackingRequest("tool_choice"),
			lackingRequest("toolConfig")}, "")
	each("7.5", "one call at a time", "the wish reaches Messages and OpenAI's APIs",
		"clients that run one tool at a time break (bifrost PR#6888)", Loses, upstream, serialTool,
		func(r *Record) {
			if r.Upstream == "gemini" || r.Upstream == "interactions" {
				panic(&skipped{"Google's APIs have no such choice"})
			}
			if r.Upstream == "chat" && r.Client != "chat" {
				panic(&skipped{"many servers of Chat Completions reject parallel_tool_calls"})
			}
			g := r.got(0)
			demand(g.has("disable_parallel_tool_use", func(v any) bool { return v == true }) ||
				g.has("parallel_tool_calls", func(v any) bool { return v == false }),
				"no parallel calls", g.Body)
		}, by[Mutation]{lackingRequest("disable_parallel_tool_use"), lackingRequest("parallel_tool_calls"),
			lackingRequest("parallel_tool_calls"), Mutation{}}, "messages chat responses")
	each("7.6", "a name of 64 characters", "the call has the client's name",
		"the client does not know the tool "+
			"(cline PR#11885, claude-code#21136)", Fails, script, namedStream, arguments(0, longName.Name,
			`{"town":"Paris"}`), same(swap("longer_name_01", "longer_name")), "")
	each("7.7", "64 tools", "all of them reach the upstream, in order",
		"agents with MCP servers have hundreds", Loses,
		upstream, manyTools, func(r *Record) {
			var names []string
			for i := range 64 {
				names = append(names, fmt.Sprintf(`"tool_%02d"`, i))
			}
			r.got(0).ordered(names...)
		}, same(swapRequest(`"tool_40"`, `"tool_x"`)), "")
}
