package conform

import (
	"strings"

	"edgelingua/wasmtest/vendors"
)

const (
	thought = "The user thinks of rain, and I know better."
	blob    = "c2lnbmF0dXJlLW9mLWEtY29uZm9ybWFuY2UtdGVzdA=="
)

// thinks returns a turn that begins with reasoning, in the form of an upstream. id is the id of the
// reasoning item in Responses.
func thinks(upstream, id string, t vendors.Turn) *turn {
	r := vendors.Reasoning{Text: thought, Blob: blob}
	if id != "rs_1" {
		r.Blob = "c2Vjb25k" + blob
	}
	switch upstream {
	case "chat":
		r.Blob = ""
	case "responses":
		r.ID = id
	}
	t.Reasoning = []vendors.Reasoning{r}
	t.Usage = usualUsage
	return &turn{Turn: t}
}

// deepSeek selects DeepSeek's rules: Chat Completions of OpenAI have no reasoning.
func deepSeek(upstream string) vendors.Options {
	if upstream == "chat" {
		return vendors.Options{Reasoning: "reasoning_content"}
	}
	return vendors.Options{}
}

// deepSeekModel is a model of DeepSeek for upstreams of Chat Completions.
func deepSeekModel(upstream string) string {
	if upstream == "chat" {
		return "deepseek-v4-flash"
	}
	return ""
}

func reasonProbe(stream bool) *Probe {
	return &Probe{name: name("reasoning", stream), options: deepSeek, model: deepSeekModel,
		turns: func(upstream string) []*turn {
			return []*turn{thinks(upstream, "rs_1",
				vendors.Turn{Text: hello})}
		},
		run: func(c *client) {
			q := c.question("Think about the weather.")
			q.thinking, q.stream, q.maxTokens = true, stream, 8192
			c.ask(q)
		}}
}

var (
	reasonStream, reasonPlain = reasonProbe(true), reasonProbe(false)

	// reasonTalk has reasoning before a call. Vendors require this reasoning back with the results.
	reasonTalk = &Probe{name: "a conversation with reasoning", options: deepSeek, model: deepSeekModel,
		turns: func(upstream string) []*turn {
			return []*turn{
				thinks(upstream, "rs_1", vendors.Turn{Calls: []vendors.Call{weatherCall("call_a1",
					"Paris")}}),
				thinks(upstream, "rs_2", vendors.Turn{Text: "It is sunny."}), {Turn: *usualText},
			}
		},
		run: func(c *client) {
			q := c.question("Think about the weather in Paris.")
			q.thinking, q.stream, q.tools, q.maxTokens = true, true, []Tool{weather}, 8192
			c.calls(q, "Sunny")
			if last := c.record.last(); last.Status == 200 && len(c.record.Replies) == 2 {
				c.goOn(q, last, c.api.user(texts("And tomorrow?")...))
				c.ask(q)
			}
		}}
)

func thoughtArrives(r *Record) {
	reply := r.end()
	demand(strings.Contains(reply.Thinking, thought), thought, reply.Thinking+" in "+Show(tail(reply.Body)))
}

func init() {
	addEach(
		template{id: "reasoning/1.1", title: "reasoning arrives, plain",
			must:   "its text is where the API has reasoning",
			why:    "a client shows nothing while the model thinks, and cannot send the reasoning back",
			source: thoughtDocs, since: sinceThinking, severity: Loses, needs: script, probe: reasonPlain,
			judge: thoughtArrives, mutation: same(swap("thinks of|The user", "x"))},
		template{id: "reasoning/1.2", title: "reasoning arrives, streamed",
			must: "its text is in the API's deltas of " +
				"reasoning", why: "a client shows nothing while the model thinks (litellm#33224)",
			source: thoughtDocs, since: sinceThinking, severity: Loses, needs: script, probe: reasonStream,
			judge: thoughtArrives, mutation: same(swap("The user", "x"))},
		template{id: "reasoning/1.3", title: "reasoning is not in the text, plain",
			must: "the text is the answer only",
			why:  "users read thoughts as the answer, and scripts parse them", source: thoughtDocs,
			since:    sinceThinking,
			severity: Loses, needs: script, probe: reasonPlain, judge: says(hello),
			mutation: same(swap("Zoë", "I think: Zoë"))},
		template{id: "reasoning/1.4", title: "reasoning is not in the text, streamed",
			must: "the text is the answer only",
			why:  "users read thoughts as the answer, and scripts parse them", source: thoughtDocs,
			since:    sinceThinking,
			severity: Loses, needs: script, probe: reasonStream, judge: says(hello),
			mutation: same(swap("Zoë", "I think: Zoë"))},
		template{id: "reasoning/1.5", title: "the upstream is asked to reason",
			must: "the request switches reasoning on " +
				"in the vendor's way", why: "the model answers without thinking", source: thoughtDocs,
			since:    sinceThinking,
			severity: Loses, needs: upstream, probe: reasonPlain,
			judge: func(r *Record) {
				g := r.got(0)
				if r.Upstream == "chat" && r.Client != "chat" {
					panic(&skipped{"most servers of Chat Completions reason without being asked"})
				}
				some := func(v any) bool { return v != nil && v != "none" }
				for _, name := range []string{"thinking", "reasoning_effort", "reasoning", "thinkingConfig",
					"thinking_level", "thinking_summaries"} {
					if g.has(name, some) {
						return
					}
				}
				fail("a request for reasoning", g.Body)
			}, mutation: by[Mutation]{lackingRequest("thinking"), lackingRequest("reasoning_effort"),
				lackingRequest("reasoning"), lackingRequest("thinkingConfig")}},
		template{id: "reasoning/2.1", title: "reasoning is replayed with the results",
			must: "the vendor accepts the " +
				"request with the results: the reasoning before the call is back, signed as it was",
			why: "status 400 on the second turn of each agent (CCR#1057, bifrost#5887, " +
				"open-code-review#812)",
			source: thoughtDocs, since: sinceThinking, severity: Fails, needs: upstream, probe: reasonTalk,
			judge: func(r *Record) { r.got(1) },
			mutation: by[Mutation]{laterRequest(`"signature":"c2ln`, `"signature":"d2ln`),
				lackingRequest("reasoning_content"), laterRequest(`"encrypted_content":"c2ln`,
					`"encrypted_content":"x`),
				lackingRequest("thoughtSignature")}},
		template{id: "reasoning/2.2", title: "reasoning is replayed in its own bytes",
			must: "the upstream gets the " +
				"signature, the encrypted reasoning or the text that it sent",
			why:    "a changed signature is rejected (UncommonRoute#19, CLIProxyAPI#2172)",
			source: thoughtDocs, since: sinceThinking, severity: Fails, needs: upstream, probe: reasonTalk,
			judge: func(r *Record) {
				if r.Upstream == "chat" {
					r.got(1).holds(thought)
				} else {
					r.got(1).holds(blob)
				}
			},
			mutation: by[Mutation]{laterRequest(`"signature":"c2ln`, `"signature":"d2ln`),
				laterRequest("I know better", "I know"), laterRequest(`"encrypted_content":"c2ln`,
					`"encrypted_content":"x`),
				laterRequest(`"thoughtSignature":"c2ln`, `"thoughtSignature":"d2ln`)}},
		template{id: "reasoning/2.3", title: "a further turn after reasoning",
			must: "the vendor accepts the third " +
				"request, too", why: "agents run for many turns", source: thoughtDocs, since: sinceThinking,
			severity: Fails,
			needs:    upstream, probe: reasonTalk, judge: func(r *Record) { r.got(2); r.end() },
			mutation: same(Mutation{request: func(w *wire) {
				if w.n == 2 {
					w.body = []byte("{")
				}
			}})},
	)
}
