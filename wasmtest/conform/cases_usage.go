package conform

import (
	"fmt"
	"strings"
)

// noUsage asks Chat Completions for a stream without usage.
var noUsage = &Probe{name: "a stream without usage", live: true, turns: textStream.turns,
	run: func(c *client) {
		q := c.question("Say hello in one short sentence.")
		q.stream, q.noUsage = true, true
		c.ask(q)
	}}

func counted(r *Record) {
	u := r.end().Usage
	demand(r.end().Counted && u.Input > 0 && u.Output > 0, "counts above 0", fmt.Sprintf("%+v", u))
}

func exactly(input, output int) func(r *Record) {
	return func(r *Record) {
		u := r.end().Usage
		demand(u.Input == input && u.Output == output, fmt.Sprintf("%d input and %d output tokens",
			input, output),
			fmt.Sprintf("%+v", u))
	}
}

// cachedInput demands the sum of 20 new and 100 cached tokens in the arithmetic of the client's API.
func cachedInput(r *Record) {
	u, want := r.end().Usage, 120
	if r.Client == "messages" {
		want = 20 // Messages counts cached tokens apart
	}
	demand(u.Input == want, fmt.Sprintf("%d input tokens", want), fmt.Sprintf("%+v", u))
}

func total(r *Record) {
	u := r.end().Usage
	demand(u.Total == u.Input+u.Output, "a total that is the sum", fmt.Sprintf("%+v", u))
}

func init() {
	each := func(id, title, must, why string, s Severity, n need, p *Probe, judge func(r *Record),
		m by[Mutation],
		only string) {
		addEach(template{id: "usage/" + id, title: title, must: must, why: why, source: usageTypes,
			since:    sinceUsage,
			severity: s, needs: n, probe: p, judge: judge, mutation: m, only: only})
	}
	none := same(lacking("usage"))
	none.gemini = lacking("usageMetadata")
	noUsageEvent := by[Mutation]{swap(`"output_tokens":\d+`, `"output_tokens":0`), without(`"usage":\{`),
		swap(`"usage":\{`, `"used":{`), swap(`"usageMetadata"`, `"used"`)}
	why := "clients bill, and compact conversations, by these counts"
	each("1.1", "counts of a plain answer", "input and output tokens above 0", why, Fails, form,
		textPlain, counted,
		none, "")
	each("1.2", "counts of a stream", "input and output tokens above 0", why, Fails, form, textStream,
		counted,
		noUsageEvent, "")
	each("1.3", "the vendor's counts, plain", "11 input and 7 output tokens, as the vendor said", why,
		Loses, script,
		textPlain, exactly(11, 7), same(swap(`:11\b`, ":12")), "")
	each("1.4", "the vendor's counts, streamed", "11 input and 7 output tokens, as the vendor said",
		"a count that comes late is lost (FAULTS of llms)", Loses, script, textStream, exactly(11, 7),
		same(swap(`:7([,}])`, ":8$1")), "")
	each("2.1", "cached tokens in the sum, plain", "Messages: apart; elsewhere: part of the input",
		"clients count cached tokens twice, or not at all (CLIProxyAPI#5956, OmniRoute#9536)", Loses, script,
		cachedPlain, cachedInput, same(swap(`(:1?20)\b`, ":77")), "")
	each("2.2", "cached tokens in the sum, streamed", "Messages: apart; elsewhere: part of the input",
		"clients count cached tokens twice, or not at all (CLIProxyAPI#5956, OmniRoute#9536)", Loses, script,
		cachedStream, cachedInput, same(swap(`(:1?20)\b`, ":77")), "")
	totals := same(swap(`"(total_tokens|totalTokenCount)":\d+`, `"$1":1`))
	each("2.3", "the total, plain", "input and output together", why, Style, form, textPlain, total, totals,
		"chat responses gemini")
	each("2.4", "the total, streamed", "input and output together", why, Style, form, textStream, total,
		totals,
		"chat responses gemini")
	each("3.1", "no usage unless asked", "no chunk without choices if stream_options is absent",
		"clients that read choices[0] of each chunk fail", Fails, form, noUsage, func(r *Record) {
			for _, chunk := range r.chunks() {
				demand(len(chunk.get("choices").list()) > 0, "choices in each chunk", chunk.v)
			}
		}, same(ahead(`\[DONE\]`, "data: {\"choices\":[],\"usage\":{}}\n\n")), "chat")
	each("3.2", "usage is after the end", "the chunk with usage has no choices, and comes after "+
		"finish_reason",
		"clients close the stream, or add choices twice (bifrost#7440)", Style, form, textStream,
		func(r *Record) {
			finished := false
			for _, chunk := range r.chunks() {
				if len(chunk.get("choices").list()) == 0 {
					demand(finished, "usage after finish_reason", chunk.v)
					chunk.get("usage").object()
				} else if reason := chunk.get("choices").list()[0].opt("finish_reason"); !reason.null() {
					finished = true
				}
			}
		}, same(Mutation{answer: func(w *wire) {
			parts := strings.SplitAfter(string(w.body), "\n\n")
			if n := len(parts); n > 4 {
				parts[n-4], parts[n-3] = parts[n-3], parts[n-4]
			}
			w.body = []byte(strings.Join(parts, ""))
		}}), "chat")
	each("3.3", "message_start has counts", "input_tokens and output_tokens are numbers",
		"@ai-sdk/anthropic fails on a start without them (bifrost#5885)", Fails, form, textStream,
		func(r *Record) {
			u := r.the("message_start").get("message").get("usage")
			u.get("input_tokens").count()
			u.get("output_tokens").count()
		}, same(first(`"usage":\{`, `"used":{`)), "messages")
	each("3.4", "the end has the output tokens", "message_delta has usage.output_tokens",
		"SDKs take the last count as the whole (MessageStream)", Fails, form, textStream, func(r *Record) {
			r.the("message_delta").get("usage").get("output_tokens").count()
		}, same(swap(`"usage":\{"output_tokens"`, `"usage":{"output"`)), "messages")
	each("3.5", "details are there",
		"input_tokens_details.cached_tokens and output_tokens_details.reasoning_tokens",
		"openai-go and Codex read them without a check", Fails, form, textPlain, func(r *Record) {
			u := r.body().get("usage")
			u.get("input_tokens_details").get("cached_tokens").count()
			u.get("output_tokens_details").get("reasoning_tokens").count()
		}, same(lacking("input_tokens_details")), "responses")
}
