package conform

import (
	"strings"

	"edgelingua/wasmtest/vendors"
)

// hello has characters with escapes in JSON, and characters of several bytes.
const hello = `Zoë said "hi" \ in 漢字 & 😀, then left.`

// textProbe asks for a text.
func textProbe(stream bool) *Probe {
	return &Probe{name: name("text", stream), live: true,
		turns: answers(&vendors.Turn{Text: hello, Usage: usualUsage}),
		run: func(c *client) {
			q := c.question("Say hello in one short sentence.")
			q.stream = stream
			c.ask(q)
		}}
}

func name(what string, stream bool) string {
	if stream {
		return what + ", streamed"
	}
	return what + ", plain"
}

var (
	textStream, textPlain = textProbe(true), textProbe(false)

	lengthPlain = &Probe{name: "the limit of tokens, plain", run: textPlain.run,
		turns: answers(&vendors.Turn{Text: hello, Stop: "length", Usage: usualUsage})}
	lengthStream = &Probe{name: "the limit of tokens, streamed", run: textStream.run,
		turns: answers(&vendors.Turn{Text: hello, Stop: "length", Usage: usualUsage})}
	refusalPlain = &Probe{name: "a refusal, plain", run: textPlain.run,
		turns: answers(&vendors.Turn{Refusal: "I can't help with that.", Usage: usualUsage})}
	refusalStream = &Probe{name: "a refusal, streamed", run: textStream.run,
		turns: answers(&vendors.Turn{Refusal: "I can't help with that.", Usage: usualUsage})}

	// settings sends a system prompt and parameters.
	settings = &Probe{name: "parameters", turns: answers(&vendors.Turn{Text: hello, Usage: usualUsage}),
		run: func(c *client) {
			q := c.question("Say hello.")
			q.system, q.sampling, q.stop = "You are a careful gardener.", true, "STOPHERE"
			c.ask(q)
		}}
	systemOnly = &Probe{name: "a system prompt", turns: answers(&vendors.Turn{Text: hello,
		Usage: usualUsage}),
		run: func(c *client) {
			q := c.question("Say hello.")
			q.system = "You are a careful gardener."
			c.ask(q)
		}}
	historyProbe = &Probe{name: "a history", turns: answers(&vendors.Turn{Text: "First answer.",
		Usage: usualUsage},
		&vendors.Turn{Text: "Second answer.", Usage: usualUsage}),
		run: func(c *client) {
			q := c.question("The first question.")
			r := c.ask(q)
			q.history = append(append(q.history, c.api.back(r)...),
				c.api.user(texts("The second question.")...))
			c.ask(q)
		}}
)

func jsonType(r *Record) {
	kind := r.end().contentType()
	demand(kind == "application/json", "content-type application/json", kind)
}

// ends are the words for an answer that has ended by itself, that a limit ended, and a refusal.
var (
	natural = by[string]{"end_turn", "stop", "completed", "STOP"}
	limits  = by[string]{"max_tokens", "length", "max_output_tokens", "MAX_TOKENS"}
	known   = by[[]string]{
		[]string{"end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal",
			"model_context_window_exceeded", "compaction"},
		[]string{"stop", "length", "tool_calls", "content_filter", "function_call"},
		[]string{"completed", "max_output_tokens", "content_filter"},
		[]string{"STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST",
			"PROHIBITED_CONTENT",
			"SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"},
	}
)

func stops(words by[string]) func(r *Record) {
	return func(r *Record) {
		got := r.end().Stop
		demand(got == words.of(r.api), "an answer that ends with "+words.of(r.api), got)
	}
}

func says(text string) func(r *Record) {
	return func(r *Record) { demand(r.end().Text == text, Show(text), r.end().Text) }
}

func refuses(r *Record) {
	reply := r.end()
	demand(strings.Contains(reply.Refusal+reply.Text, "with that"), "the model's words", reply.Body)
	if r.Upstream == "interactions" {
		panic(&skipped{"the Interactions API has no sign of a refusal"})
	}
	words := by[string]{"refusal", "stop", "completed", "SAFETY"}
	demand(reply.Stop == words.of(r.api) || reply.Refusal != "" || reply.Stop == "content_filter",
		"an answer that says that it is a refusal", reply.Stop)
}

var noStop = by[Mutation]{swap(`"stop_reason":"\w+"`, `"stop_reason":"done"`),
	swap(`"finish_reason":"\w+"`, `"finish_reason":"done"`), swap(`"status":"completed"`, `"status":"done"`),
	swap(`"finishReason":"\w+"`, `"finishReason":"DONE"`)}

func init() {
	addEach(
		template{id: "plain/1.1", title: "a plain answer is JSON",
			must: "status 200 with content-type application/json",
			why: "SDKs parse the body by its content type; the Stainless SDKs return other types as a " +
				"string",
			source: same("stainless-sdks, internal/parse.ts (openai-node and anthropic-sdk-typescript)"),
			since:  sinceAPI, severity: Fails, probe: textPlain, judge: jsonType,
			mutation: same(head("Content-Type", "text/plain"))},
		template{id: "plain/1.2", title: "a plain answer has a text",
			must: "the text is where the SDK reads it",
			why:  "clients show an empty answer", source: apiDocs, since: sinceAPI, severity: Fails,
			probe: textPlain,
			judge: func(r *Record) {
				reply := r.end()
				demand(reply.Text != "" || reply.Stop == limits.of(r.api), "a text", reply.Body)
			},
			mutation: same(swap(`"text"|"content"`, `"words"`))},
		template{id: "plain/1.3", title: "a plain answer says why it ended",
			must:   "the end is a word of the API",
			why:    "agents decide by this word whether to run tools or to go on",
			source: apiDocs, since: sinceAPI, severity: Fails, probe: textPlain,
			judge: func(r *Record) {
				got := r.end().Stop
				demand(contains(known.of(r.api), got), "one of "+strings.Join(known.of(r.api), ", "), got)
			}, mutation: noStop},
		template{id: "plain/1.4", title: "a plain answer has an id and a model", must: "both are strings",
			why: "SDKs declare them as required, and logs and chains of responses use them",
			source: by[string]{messagesTypes + "Message", openAITypes + "ChatCompletion", openAITypes +
				"Response", geminiTypes + "GenerateContentResponse"},
			since: sinceAPI, severity: Fails, probe: textPlain,
			judge: func(r *Record) {
				b := r.body()
				if r.Client == "gemini" {
					b.get("responseId").name()
					b.get("modelVersion").name()
					return
				}
				b.get("id").name()
				b.get("model").name()
			}, mutation: by[Mutation]{lacking("id"), lacking("id"), lacking("id"), lacking("responseId")}},
		template{id: "plain/1.5", title: "each character of a text arrives",
			must: "quotes, backslashes, letters " +
				"with accents, Chinese characters and emoji are unchanged",
			why:    "a reader that decodes bytes or escapes wrongly corrupts code and names",
			source: same("rfc-editor.org/rfc/rfc8259, section 7"), since: sinceAPI, severity: Loses,
			needs: script,
			probe: textPlain, judge: says(hello), mutation: same(swap("Zoë", "Zoe"))},
		template{id: "plain/1.6", title: "an answer that ended by itself says so",
			must: "the API's usual word",
			why:  "Claude Code and Codex go on or stop by it", source: apiDocs, since: sinceAPI,
			severity: Fails,
			needs:    script, probe: textPlain, judge: stops(natural), mutation: noStop},
		template{id: "plain/1.7", title: "an answer that the limit cut says so",
			must:   "the API's word for the limit",
			why:    "a client takes half an answer for a whole one (free-claude-code#1178, bifrost#4679)",
			source: apiDocs, since: sinceAPI, severity: Loses, needs: script, probe: lengthPlain,
			judge: stops(limits),
			mutation: by[Mutation]{swap(`"max_tokens"`, `"end_turn"`), swap(`"length"`, `"stop"`),
				swap(`"max_output_tokens"`, `"content_filter"`), swap(`"MAX_TOKENS"`, `"STOP"`)}},
		template{id: "plain/1.8", title: "the text of a cut answer arrives",
			must: "the text before the limit",
			why:  "the client has paid for the text", source: apiDocs, since: sinceAPI, severity: Loses,
			needs: script,
			probe: lengthPlain, judge: says(hello), mutation: same(swap("Zoë", ""))},
		template{id: "plain/1.9", title: "a refusal arrives as one",
			must: "the model's words, and the API's sign of a " +
				"refusal", why: "a client takes a refusal for an answer, or for nothing",
			source: by[string]{messagesRefusals,
				openAITypes + "ChatCompletionMessage.refusal", openAITypes + "ResponseOutputRefusal",
				geminiTypes + "FinishReason"}, since: sinceAPI, severity: Loses, needs: script,
			probe: refusalPlain,
			judge: refuses, mutation: same(swap("with that", ""))},
		template{id: "plain/2.1", title: "the upstream gets the client's words",
			must: "the user's text is in the " +
				"upstream's request, in a request that the vendor accepts", why: "nothing works otherwise",
			source: apiDocs, since: sinceAPI, severity: Fails, needs: upstream, probe: textPlain,
			judge:    func(r *Record) { r.got(0).holds("Say hello in one short sentence.") },
			mutation: same(swapRequest("Say hello", "Say bye"))},
		template{id: "plain/2.2", title: "the upstream gets the system prompt",
			must:   "the text of the system prompt",
			why:    "agents are nothing without their instructions (litellm#36917, CLIProxyAPI#3608)",
			source: apiDocs, since: sinceAPI, severity: Loses, needs: upstream, probe: systemOnly,
			judge:    func(r *Record) { r.got(0).holds("You are a careful gardener.") },
			mutation: same(swapRequest("careful gardener", "gardener"))},
		template{id: "plain/2.3", title: "the upstream gets the limit of tokens",
			must: "200, as the client set it",
			why:  "an answer costs more than the client allowed", source: apiDocs, since: sinceAPI,
			severity: Loses,
			needs:    upstream, probe: settings,
			judge: func(r *Record) {
				g := r.got(0)
				is := func(v any) bool { return v == 200.0 }
				demand(g.has("max_tokens", is) || g.has("max_completion_tokens", is) ||
					g.has("max_output_tokens", is) ||
					g.has("maxOutputTokens", is), "a limit of 200 tokens", g.Body)
			}, only: "messages chat responses gemini",
			mutation: by[Mutation]{swapRequest(`:200\b`, ":199"), swapRequest(`:200\b`, ":199"),
				swapRequest(`:200\b`, ":199"), swapRequest(`:200\b`, ":199")}},
		template{id: "plain/2.4", title: "the upstream gets the temperature",
			must: "0.5, unless the vendor's model " +
				"takes none", why: "a client that asks for steady answers gets others", source: apiDocs,
			since:    sinceAPI,
			severity: Loses, needs: upstream, probe: settings, only: "messages chat gemini",
			judge: func(r *Record) {
				if r.Upstream == "responses" {
					panic(&skipped{"OpenAI's reasoning models take no temperature"})
				}
				g := r.got(0)
				demand(g.has("temperature", func(v any) bool { return v == 0.5 }), "the temperature 0.5",
					g.Body)
			}, mutation: same(lackingRequest("temperature"))},
		template{id: "plain/2.5", title: "the upstream gets the stop sequence",
			must: "STOPHERE, if the vendor's API " +
				"has stop sequences", why: "the answer goes on past the place where the client cuts it " +
				"(litellm#37118)",
			source: apiDocs, since: sinceAPI, severity: Loses, needs: upstream, probe: settings,
			only: "messages chat gemini",
			judge: func(r *Record) {
				if r.Upstream == "responses" {
					panic(&skipped{"the Responses API has no stop sequences"})
				}
				r.got(0).holds("STOPHERE")
			}, mutation: same(swapRequest("STOPHERE", "ELSE"))},
		template{id: "plain/2.6", title: "the history keeps its speakers",
			must: "the model's earlier words come from " +
				"the model, between both questions",
			why: "a model takes its own words for the user's, and repeats itself", source: apiDocs,
			since:    sinceAPI,
			severity: Loses, needs: upstream, probe: historyProbe,
			judge: func(r *Record) {
				_, messages := r.got(1).prompt()
				at := func(text string) int {
					for i, m := range messages {
						if strings.Contains(m, text) {
							return i
						}
					}
					fail("an upstream request with "+text, r.got(1).Body)
					return 0
				}
				a, b, c := at("The first question."), at("First"), at("The second question.")
				demand(a < b && b < c, "the order of the conversation", []int{a, b, c})
				demand(strings.Contains(messages[b], `"assistant"`) || strings.Contains(messages[b],
					`"model"`) ||
					strings.Contains(messages[b], "model_output"), "the model's words as the model's",
					messages[b])
			}, mutation: same(laterRequest("First", "Other"))},
	)
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}
