package conform

import (
	"encoding/json"
	"fmt"
	"strings"

	"edgelingua/wasmtest/vendors"
)

// weather and clock are the tools of the probes. The schema's members are not in alphabetical order.
var (
	weather = Tool{"get_weather", "The weather in a city.",
		json.RawMessage(`{"type":"object","properties":{` +
			`"town":{"type":"string","description":"The city's name."},"days":{"type":"integer"}},` +
			`"required":["town"]}`)}
	clock = Tool{"get_time", "The time in a city.", json.RawMessage(`{"type":"object","properties":{` +
		`"town":{"type":"string"}},"required":["town"]}`)}
)

// input is the input of a call, with members that are not in alphabetical order.
func input(town string) json.RawMessage {
	return json.RawMessage(`{"town":"` + town + `","days":2}`)
}

func weatherCall(id, town string) vendors.Call {
	return vendors.Call{ID: id, Name: weather.Name, Input: input(town)}
}

func clockCall(id, town string) vendors.Call {
	return vendors.Call{ID: id, Name: clock.Name, Input: json.RawMessage(`{"town":"` + town + `"}`)}
}

// goOn adds an answer and the client's next words to the history.
func (c *client) goOn(q *question, r *Reply, next ...any) {
	q.history = append(append(q.history, c.api.back(r)...), next...)
}

// calls is a conversation with calls and their results: turn 1 calls, turn 2 has the results.
func (c *client) calls(q *question, outputs ...string) {
	r := c.ask(q)
	if r.Status != 200 || len(r.Calls) < len(outputs) {
		return
	}
	q.forced = ""
	c.goOn(q, r, c.api.results(r.Calls[:len(outputs)], outputs)...)
	c.ask(q)
}

// ownOpenAI selects OpenAI's own Chat Completions: other servers know no key of a cache.
func ownOpenAI(upstream string) vendors.Options { return vendors.Options{OpenAI: upstream == "chat"} }

const cacheKey = "session-of-a-conformance-test"

var (
	usualText = &vendors.Turn{Text: "It is sunny there.", Usage: usualUsage}
	cacheTalk = &Probe{name: "a conversation with a prompt cache", options: ownOpenAI, turns: answers(
		&vendors.Turn{Text: "Which city?", Usage: usualUsage},
		&vendors.Turn{Calls: []vendors.Call{weatherCall("call_a1", "Paris")}, Usage: usualUsage}, usualText),
		run: func(c *client) {
			q := c.question("How is the weather?")
			q.system, q.tools, q.marks, q.cacheKey = "You know the weather.", []Tool{weather, clock},
				true, cacheKey
			q.stream = true
			r := c.ask(q)
			if r.Status != 200 {
				return
			}
			c.goOn(q, r, c.api.user(texts("In Paris.")...))
			c.calls(q, "Sunny, 21 °C")
		}}
	cacheText = &Probe{name: "a conversation of texts", turns: answers(&vendors.Turn{Text: hello,
		Usage: usualUsage},
		&vendors.Turn{Text: hello + " Again.", Usage: usualUsage}, usualText),
		run: func(c *client) {
			q := c.question("Tell me a story.")
			q.system = "You tell stories."
			for i := range 3 {
				r := c.ask(q)
				if r.Status != 200 {
					return
				}
				c.goOn(q, r, c.api.user(texts(fmt.Sprintf("And then? (%d)", i))...))
			}
		}}
	cacheParallel = &Probe{name: "a conversation with parallel calls", turns: answers(&vendors.Turn{
		Calls: []vendors.Call{weatherCall("call_a1", "Paris"), clockCall("call_a2", "Oslo")},
		Usage: usualUsage},
		&vendors.Turn{Text: "Sunny, and noon.", Usage: usualUsage}, usualText),
		run: func(c *client) {
			q := c.question("Weather in Paris and time in Oslo?")
			q.tools, q.stream = []Tool{weather, clock}, true
			c.calls(q, "Sunny", "Noon")
			if last := c.record.last(); last.Status == 200 {
				c.goOn(q, last, c.api.user(texts("Thanks. And tomorrow?")...))
				c.ask(q)
			}
		}}
	cacheImage = &Probe{name: "a conversation with an image", turns: answers(usualText, usualText),
		run: func(c *client) {
			q := c.question("")
			q.history = []any{c.api.user(part{text: c.words("What is this?")}, part{image: picture})}
			if r := c.ask(q); r.Status == 200 {
				c.goOn(q, r, c.api.user(texts("Are you sure?")...))
				c.ask(q)
			}
		}}
	cacheTwice = &Probe{name: "the same request twice", turns: answers(usualText, usualText),
		run: func(c *client) {
			q := c.question("How is the weather?")
			q.system, q.tools = "You know the weather.", []Tool{weather, clock}
			c.ask(q)
			c.ask(q)
		}}
	cachedPlain = &Probe{name: "a cached prompt, plain", run: textPlain.run,
		turns: answers(&vendors.Turn{Text: hello, Usage: vendors.Usage{Input: 20, Cached: 100, Output: 7}})}
	cachedStream = &Probe{name: "a cached prompt, streamed", run: textStream.run,
		turns: answers(&vendors.Turn{Text: hello, Usage: vendors.Usage{Input: 20, Cached: 100, Output: 7}})}
)

// breakpoint demands that the upstream's object at the end of a path has cache_control.
func breakpoint(path ...string) func(r *Record) {
	return func(r *Record) {
		if r.Upstream != "messages" {
			panic(&skipped{"only Messages has breakpoints"})
		}
		for i := range 2 {
			v := decode("the request", r.got(i).Body)
			for _, name := range path {
				list := v.get(name).list()
				demand(len(list) > 0, "elements of "+name, "none")
				v = list[len(list)-1]
			}
			v.get("cache_control").get("type").is("ephemeral")
		}
	}
}

// before demands that texts follow each other in the bytes of the upstream's first request.
func before(texts ...string) func(r *Record) {
	return func(r *Record) { r.got(0).ordered(texts...) }
}

// ordered demands that texts follow each other in the bytes of a request.
func (g *Got) ordered(texts ...string) {
	at := 0
	for _, text := range texts {
		i := strings.Index(string(g.Body[at:]), text)
		demand(i >= 0, "the order "+strings.Join(texts, ", "), g.Body)
		at += i + len(text)
	}
}

func init() {
	const complaint = " (bifrost#2347, bifrost PR#7431: the prompt of the next turn is paid in full)"
	addEach(
		template{id: "cache/1.1", title: "prefix: texts", must: "each upstream request of a conversation " +
			"begins with " +
			"the bytes of the request before", why: "vendors cache by the prompt's prefix" + complaint,
			source: cacheDocs, since: sinceCaching, severity: Loses, needs: upstream, probe: cacheText,
			judge: (*Record).prefix, mutation: same(laterRequest("Tell me a story", "tell me a story"))},
		template{id: "cache/1.2", title: "prefix: calls and results",
			must: "a call, its arguments and its result stay " +
				"as they were, with tools and a system prompt", why: "vendors cache by the prompt's prefix" +
				complaint,
			source: cacheDocs, since: sinceCaching, severity: Loses, needs: upstream, probe: cacheTalk,
			judge: (*Record).prefix, mutation: same(laterRequest("You know the", "You know"))},
		template{id: "cache/1.3", title: "prefix: parallel calls",
			must:   "calls and results keep their order and ids",
			why:    "ids made for each request change the prompt's prefix (CLIProxyAPI PR#3468)",
			source: cacheDocs, since: sinceCaching, severity: Loses, needs: upstream, probe: cacheParallel,
			judge: (*Record).prefix, mutation: same(laterRequest(`Oslo\?`, "Oslo!"))},
		template{id: "cache/1.4", title: "prefix: reasoning",
			must: "a history with reasoning begins with the request " +
				"before", why: "reasoning that is dropped or rewritten later changes the prefix " +
				"(CLIProxyAPI#3624)",
			source: cacheDocs, since: sinceThinking, severity: Loses, needs: upstream, probe: reasonTalk,
			judge: (*Record).prefix, mutation: same(laterRequest(`Think about`, "think about"))},
		template{id: "cache/1.5", title: "prefix: an image",
			must: "an image of the history has the same bytes",
			why:  "an image costs more than most texts", source: cacheDocs, since: sinceImages,
			severity: Loses,
			needs:    upstream, probe: cacheImage, judge: (*Record).prefix,
			mutation: same(laterRequest("What is this", "What's this"))},
		template{id: "cache/1.6", title: "equal requests are equal upstream",
			must: "the same request twice gives the " +
				"same bytes, without a date, a number or an id of the gateway's own",
			why: "a counter in the prompt makes each prompt new", source: cacheDocs, since: sinceCaching,
			severity: Loses,
			needs:    upstream, probe: cacheTwice,
			judge: func(r *Record) {
				a, b := string(r.got(0).Body), string(r.got(1).Body)
				demand(a == b, "the same bytes", differ(a, b))
			}, mutation: same(laterRequest("You know the", "Now you know the"))},
		template{id: "cache/1.7", title: "a schema keeps the order of its members",
			must: "the properties of a tool " +
				"reach the upstream in the client's order",
			why:    "tools are the first part of a prompt (bifrost#2347)",
			source: cacheDocs, since: sinceCaching, severity: Style, needs: upstream, probe: cacheTwice,
			judge:    before(`"town"`, `"days"`),
			mutation: same(swapRequest(`"town":\{"type":"string","description":"The city's name."\},`, ""))},
		template{id: "cache/1.8", title: "arguments keep the order of their members",
			must: "the arguments of a call in " +
				"the history reach the upstream as the model wrote them",
			why:    "the model's own words are in its cache",
			source: cacheDocs, since: sinceCaching, severity: Loses, needs: upstream, probe: cacheTalk,
			only: "chat responses",
			judge: func(r *Record) {
				text := strings.ReplaceAll(string(r.got(2).Body), `\"`, `"`)
				demand(strings.Contains(strings.ReplaceAll(text, ": ", ":"), `{"town":"Paris","days":2}`),
					`the arguments {"town":"Paris","days":2}`, text)
			}, mutation: same(laterRequest(`\\"days\\":2`, `\"days\":3`))},
		template{id: "cache/1.9", title: "tools keep their order",
			must: "get_weather is before get_time, as the client " +
				"has them", why: "tools are the first part of a prompt", source: cacheDocs,
			since:    sinceCaching,
			severity: Loses, needs: upstream, probe: cacheTwice, judge: before(`"get_weather"`, `"get_time"`),
			mutation: same(swapRequest(`"get_weather"`, `"get_weather_2"`))},
		template{id: "cache/2.1", title: "the breakpoint of the system prompt",
			must: "cache_control is on the system " +
				"prompt's block", why: "Messages caches nothing without a breakpoint, and reads it only on " +
				"blocks",
			source: cacheDocs, since: sinceCaching, severity: Loses, needs: upstream, probe: cacheTalk,
			only:  "messages",
			judge: breakpoint("system"), mutation: same(lackingRequest("cache_control"))},
		template{id: "cache/2.2", title: "the breakpoint of the tools",
			must: "cache_control is on the last tool",
			why:  "tools of an agent have tens of thousands of tokens", source: cacheDocs,
			since:    sinceCaching,
			severity: Loses, needs: upstream, probe: cacheTalk, only: "messages", judge: breakpoint("tools"),
			mutation: same(lackingRequest("cache_control"))},
		template{id: "cache/2.3", title: "the breakpoint of the last message",
			must: "cache_control is on the last block " +
				"of the last message", why: "otherwise only tools and system prompt are cached",
			source: cacheDocs,
			since:  sinceCaching, severity: Loses, needs: upstream, probe: cacheTalk, only: "messages",
			judge: breakpoint("messages", "content"), mutation: same(lackingRequest("cache_control"))},
		template{id: "cache/2.4", title: "the key or a breakpoint reaches the vendor",
			must: "prompt_cache_key reaches " +
				"the Responses API, or a Messages upstream gets a breakpoint",
			why:    "Messages caches nothing without a breakpoint, and OpenAI routes by the key",
			source: cacheDocs, since: sinceCaching, severity: Loses, needs: upstream, probe: cacheTalk,
			only: "chat responses",
			judge: func(r *Record) {
				g := r.got(0)
				switch {
				case r.Upstream == "messages":
					demand(g.has("cache_control", func(any) bool { return true }), "a breakpoint", g.Body)
				case r.Upstream == r.Client || r.Upstream == "responses":
					g.holds(cacheKey)
				default:
					panic(&skipped{"this upstream caches without a key"})
				}
			}, mutation: same(lackingRequest("prompt_cache_key"))},
		template{id: "cache/3.1", title: "cached tokens, plain",
			must: "the 100 cached tokens are where the API has them",
			why:  "a client cannot see whether its cache works (CLIProxyAPI#5956)", source: usageTypes,
			since: sinceCaching, severity: Loses, needs: script, probe: cachedPlain, judge: cachedTokens,
			mutation: same(swap(`:100\b`, ":0"))},
		template{id: "cache/3.2", title: "cached tokens, streamed",
			must: "the 100 cached tokens are in the stream",
			why:  "a client cannot see whether its cache works (CLIProxyAPI#5956)", source: usageTypes,
			since: sinceCaching, severity: Loses, needs: script, probe: cachedStream, judge: cachedTokens,
			mutation: same(swap(`:100\b`, ":0"))},
	)
}

func cachedTokens(r *Record) {
	demand(r.end().Usage.Cached == 100, "100 cached tokens", fmt.Sprintf("%+v", r.end().Usage))
}
