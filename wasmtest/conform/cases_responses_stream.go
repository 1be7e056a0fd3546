package conform

import (
	"fmt"
	"slices"
	"strings"
)

// terminal are the events that end a stream of Responses.
var terminal = []string{"response.completed", "response.incomplete", "response.failed"}

// final returns the response of the terminal event.
func (r *Record) final() value {
	last := r.events()[len(r.events())-1]
	demand(slices.Contains(terminal, last.Name), "a terminal event at the end", last.Name)
	return value{last.Name, last.JSON}.get("response")
}

// joined demands that the deltas of a kind add up to a member of the kind's done event.
func joined(kind, name string) func(r *Record) {
	return func(r *Record) {
		sums := map[string]string{}
		for _, d := range r.some(kind + ".delta") {
			sums[d.get("item_id").name()] += d.get("delta").text()
		}
		for _, d := range r.some(kind + ".done") {
			d.get(name).is(sums[d.get("item_id").name()])
		}
	}
}

// itemEnd returns the event that ends item i.
func (r *Record) itemEnd(i int) value {
	all := r.some("response.output_item.done")
	demand(i < len(all), fmt.Sprintf("output_item.done for item %d", i), kinds(r.events()))
	return all[i]
}

func init() {
	each := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		add(&Case{ID: "responses/stream/" + id, Title: title, Must: must, Why: why, Source: source,
			Since: sinceAPI.responses, Severity: s, probe: p, judge: judge, mutation: m})
	}
	scripted := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		each(id, title, must, why, source, s, p, judge, m)
		cases[len(cases)-1].needs = script
	}
	live := func(judge func(r *Record)) func(r *Record) {
		return func(r *Record) {
			r.called()
			judge(r)
		}
	}
	types := openAITypes + "ResponseStreamEvent"
	docs := openAIDocs + "responses/streaming-events"
	each("1.1", "response.created comes first", "the first event is response.created",
		"Codex and SDKs begin the turn "+
			"with it", docs, Fails, textStream, func(r *Record) {
			demand(r.events()[0].Name == "response.created", "response.created", r.events()[0].Name)
		}, without("event: response.created"))
	each("1.2", "response.in_progress follows", "the second event is response.in_progress",
		"OpenAI sends it always",
		docs, Style, textStream, func(r *Record) {
			demand(len(r.events()) > 1 && r.events()[1].Name == "response.in_progress",
				"response.in_progress",
				kinds(r.events()))
		}, without("event: response.in_progress"))
	each("1.3", "each event has its name", "event: is the type in data", "SDKs and Codex read either",
		docs, Fails,
		textStream, func(r *Record) {
			for _, e := range r.events() {
				value{e.Name, e.JSON}.get("type").is(e.Name)
			}
		}, swap("event: response.output_text.delta", "event: delta"))
	each("1.4", "sequence_number counts from 0", "each event has the next number",
		"clients resume by it (CLIProxyAPI)",
		types, Style, textStream, func(r *Record) {
			for i, e := range r.events() {
				value{e.Name, e.JSON}.get("sequence_number").is(i)
			}
		}, swap(`"sequence_number":3`, `"sequence_number":4`))
	each("1.5", "one id", "created, in_progress and the terminal event have the same response.id",
		"chains by previous_response_id fail (litellm PR#37956)", types, Fails, textStream, func(r *Record) {
			r.final().get("id").is(r.the("response.created").get("response").get("id").name())
		}, first(`"id":"resp_`, `"id":"other_`))
	each("1.6", "the response begins empty", "status in_progress, and output []",
		"accumulators add the items to it",
		openAITypes+"Response", Fails, textStream, func(r *Record) {
			begun := r.the("response.created").get("response")
			begun.get("status").is("in_progress")
			begun.get("output").is([]any{})
		}, first(`"output":\[\]`, `"output":null`))
	each("1.7", "required members of a response", "object, created_at, model, error, incomplete_details, "+
		"instructions, "+
		"metadata, parallel_tool_calls, temperature, tool_choice, tools and top_p",
		"typed SDKs fail on a missing member, also on one that may be null (bifrost PR#6723)",
		openAITypes+"Response",
		Fails, textStream, func(r *Record) {
			for _, name := range []string{"object", "created_at", "model", "error", "incomplete_details",
				"instructions",
				"metadata", "parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p"} {
				r.final().get(name)
			}
		}, lacking("tool_choice"))
	each("1.8", "required members of a plain response", "as in a stream",
		"typed SDKs fail on a missing member, also on one that may be null (bifrost PR#6723)",
		openAITypes+"Response",
		Fails, textPlain, func(r *Record) {
			b := r.body()
			b.get("object").is("response")
			for _, name := range []string{"created_at", "error", "incomplete_details", "instructions",
				"metadata",
				"parallel_tool_calls", "temperature", "tool_choice", "tools", "top_p"} {
				b.get(name)
			}
		}, lacking("tools"))
	each("1.9", "only events of the API", "names begin with response., or are error or keepalive",
		"strict clients stop at others", docs, Style, textStream, func(r *Record) {
			for _, e := range r.events() {
				demand(strings.HasPrefix(e.Name, "response.") || e.Name == "error" || e.Name == "keepalive",
					"an event of the API", e.Name)
			}
		}, ahead("response.completed", "event: usage\ndata: {\"type\":\"usage\"}\n\n"))

	each("2.1", "an item begins and ends", "output_item.added and output_item.done for each item",
		"Codex takes items from output_item.done only", docs, Fails, textStream, func(r *Record) {
			demand(len(r.some("response.output_item.added")) == len(r.some("response.output_item.done")),
				"as many done as added", kinds(r.events()))
		}, without("event: response.output_item.done"))
	each("2.2", "output_index counts items", "0 for the first item, and the same at its end",
		"accumulators put items there", types, Fails, textStream, func(r *Record) {
			for i, a := range r.some("response.output_item.added") {
				a.get("output_index").is(i)
				r.itemEnd(i).get("output_index").is(i)
			}
		}, swap(`"output_index":0`, `"output_index":1`))
	each("2.3", "events name their item", "item_id is the id of the open item",
		"SDKs find the item by it", types, Fails,
		textStream, func(r *Record) {
			var id any
			for _, e := range r.events() {
				if item := member[object](e.JSON, "item"); item != nil {
					id = item["id"]
				}
				if v := (value{e.Name, e.JSON}); v.has("item_id") {
					v.get("item_id").is(id)
				}
			}
			demand(id != nil, "an item with an id", kinds(r.events()))
		}, swap(`"item_id":"`, `"item_id":"x`))
	each("2.4", "an item keeps its id", "added and done have the same id and type",
		"clients show it twice", types, Fails,
		textStream, func(r *Record) {
			for i, a := range r.some("response.output_item.added") {
				done := r.itemEnd(i).get("item")
				done.get("id").is(a.get("item").get("id").name())
				done.get("type").is(a.get("item").get("type").name())
			}
		}, first(`"item":\{"type":"message","id":"`, `"item":{"type":"message","id":"x`))
	each("2.5", "a message has its events", "content_part.added, output_text.delta, output_text.done, "+
		"content_part.done",
		"clients that read one of them show nothing", docs, Fails, textStream, func(r *Record) {
			for _, name := range []string{"content_part.added", "output_text.delta", "output_text.done",
				"content_part.done"} {
				r.some("response." + name)
			}
		}, without("event: response.output_text.done"))
	each("2.6", "deltas add up to the text", "output_text.done has the sum of the deltas",
		"clients show another text",
		types, Fails, textStream, joined("response.output_text", "text"),
		without("event: response.output_text.delta"))
	each("2.7", "a text has annotations", "output_text parts have the list annotations",
		"LangChain iterates over it",
		openAITypes+"ResponseOutputText", Fails, textStream, func(r *Record) {
			for _, item := range r.final().get("output").list() {
				if item.get("type").v == "message" {
					for _, p := range item.get("content").list() {
						if p.get("type").v == "output_text" {
							p.get("annotations").list()
						}
					}
				}
			}
		}, lacking("annotations"))
	each("2.8", "deltas have content_index", "0 for the first part", "SDKs put the text there", types,
		Fails, textStream,
		func(r *Record) {
			for _, d := range r.some("response.output_text.delta") {
				d.get("content_index").is(0)
				d.get("output_index").count()
			}
		}, lacking("content_index"))
	each("2.9", "items have a status", "completed at their end", "clients take the item for open",
		openAITypes+"ResponseOutputMessage", Style, textStream, func(r *Record) {
			for _, d := range r.some("response.output_item.done") {
				if item := d.get("item"); item.get("type").v == "message" {
					item.get("status").oneOf("completed", "incomplete")
				}
			}
		}, swap(`"status":"completed","content"`, `"status":"done","content"`))

	each("3.1", "one terminal event at the end",
		"response.completed, response.incomplete or response.failed, once",
		"Codex: \"stream disconnected before completion\", and five more tries (axonhub#1738, "+
			"CLIProxyAPI#2358)", docs,
		Fails, textStream, func(r *Record) {
			r.final()
			n := 0
			for _, e := range r.events() {
				if slices.Contains(terminal, e.Name) {
					n++
				}
			}
			demand(n == 1, "one terminal event", n)
		}, without("event: response.completed"))
	each("3.2", "the terminal event has the output", "all items of the stream, as they were done",
		"SDKs return this response", types, Fails, textStream, func(r *Record) {
			output := r.final().get("output").list()
			done := r.some("response.output_item.done")
			demand(len(output) == len(done), fmt.Sprintf("%d items", len(done)), fmt.Sprint(len(output)))
			for i := range done {
				output[i].get("id").is(done[i].get("item").get("id").name())
			}
		}, Mutation{answer: func(w *wire) {
			at := strings.LastIndex(string(w.body), `"output":[`)
			w.body = append([]byte(string(w.body[:at])+`"output":[],"other":[`),
				w.body[at+len(`"output":[`):]...)
		}})
	each("3.3", "the status fits the event", "completed, incomplete or failed",
		"Codex and SDKs read either", types, Fails,
		textStream, func(r *Record) {
			last := r.events()[len(r.events())-1].Name
			r.final().get("status").is(strings.TrimPrefix(last, "response."))
		}, swap(`"status":"completed","background"`, `"status":"in_progress","background"`))
	each("3.4", "the terminal event has usage", "input_tokens, output_tokens and total_tokens",
		"Codex compacts by it", usageTypes.responses, Fails, textStream, func(r *Record) {
			u := r.final().get("usage")
			u.get("input_tokens").count()
			u.get("output_tokens").count()
			u.get("total_tokens").count()
		}, lacking("usage"))
	each("3.5", "usage has its details", "cached_tokens and reasoning_tokens",
		"Codex and openai-go read them unchecked",
		usageTypes.responses, Fails, textStream, func(r *Record) {
			u := r.final().get("usage")
			u.get("input_tokens_details").get("cached_tokens").count()
			u.get("output_tokens_details").get("reasoning_tokens").count()
		}, lacking("output_tokens_details"))
	scripted("3.6", "an answer at the limit is incomplete",
		"response.incomplete, with the reason max_output_tokens",
		"Codex takes half an answer for a whole one (bifrost#4679)", docs, Loses, lengthStream,
		func(r *Record) {
			r.final().get("status").is("incomplete")
			r.final().get("incomplete_details").get("reason").is("max_output_tokens")
		}, swap("response.incomplete", "response.completed").also(swap(`"incomplete"`, `"completed"`)))

	each("4.1", "a call has its events", "function_call_arguments.delta and .done",
		"clients show no progress", docs, Fails,
		callStream, live(func(r *Record) {
			r.some("response.function_call_arguments.delta")
			r.some("response.function_call_arguments.done")
		}), without("event: response.function_call_arguments.done"))
	each("4.2", "deltas add up to the arguments", "function_call_arguments.done has the sum of the deltas",
		"tools get other arguments", types, Fails, callStream,
		live(joined("response.function_call_arguments", "arguments")),
		without("event: response.function_call_arguments.delta"))
	each("4.3", "a call's item", "type, id, call_id, name and arguments", "Codex runs tools by it",
		openAITypes+"ResponseFunctionToolCall", Fails, callStream, live(func(r *Record) {
			n := 0
			for _, d := range r.some("response.output_item.done") {
				if item := d.get("item"); item.get("type").v == "function_call" {
					n++
					item.get("id").name()
					item.get("call_id").name()
					item.get("name").name()
					item.get("arguments").text()
				}
			}
			demand(n > 0, "an item function_call", n)
		}), swap(`"call_id"`, `"called"`))
	each("4.4", "a call begins with its name", "output_item.added has call_id and name, and arguments \"\"",
		"clients show which tool is about to run", openAITypes+"ResponseFunctionToolCall", Style, callStream,
		live(func(r *Record) {
			for _, a := range r.some("response.output_item.added") {
				if item := a.get("item"); item.get("type").v == "function_call" {
					item.get("call_id").name()
					item.get("name").name()
					item.get("arguments").is("")
				}
			}
		}), swap(`"arguments":""`, `"arguments":null`))
	scripted("4.5", "parallel calls are items of their own", "two items, each with its own output_index",
		"arguments of two calls are mixed (AIClient2API#472)", types, Fails, twoStream, func(r *Record) {
			var added []value
			for i, a := range r.some("response.output_item.added") {
				a.get("output_index").is(i)
				if a.get("item").get("type").v == "function_call" {
					added = append(added, a)
				}
			}
			demand(len(added) == 2, "two items function_call", kinds(r.events()))
			demand(added[0].get("item").get("id").v != added[1].get("item").get("id").v, "different ids",
				added[1].v)
		}, swap(`"output_index":1`, `"output_index":0`))
	scripted("5.1", "reasoning has its events",
		"reasoning_summary_part.added, reasoning_summary_text.delta, .done and "+
			"reasoning_summary_part.done", "clients show no thoughts (bifrost PR#6902)", docs, Loses,
		reasonStream,
		func(r *Record) {
			for _, name := range []string{"part.added", "text.delta", "text.done", "part.done"} {
				for _, e := range r.some("response.reasoning_summary_" + name) {
					e.get("summary_index").count()
				}
			}
		}, without("reasoning_summary_part.done"))
	scripted("5.2", "reasoning is an item before the message",
		"type reasoning, with encrypted_content as included",
		"the reasoning cannot be sent back (open-code-review#812)", openAIThinking, Loses, reasonStream,
		func(r *Record) {
			item := r.some("response.output_item.done")[0].get("item")
			item.get("type").is("reasoning")
			item.get("summary").list()
			if r.Upstream != "chat" {
				item.get("encrypted_content").name()
			}
		}, lacking("encrypted_content"))
	scripted("5.3", "a refusal has its events", "refusal.delta and refusal.done, or a text",
		"the refusal is lost (CLIProxyAPI)", docs, Loses, refusalStream, func(r *Record) {
			demand(strings.Contains(r.end().Refusal+r.end().Text, "with that"), "the refusal",
				kinds(r.events()))
		}, swap("with that", ""))
	scripted("5.4", "a failure names itself", "response.failed has the status failed and an error with "+
		"code and message",
		"Codex tries again only then (axonhub#1421)", docs, Fails, failing, func(r *Record) {
			reply := r.last()
			if !reply.Stream {
				panic(&skipped{"the error came instead of the stream"})
			}
			last := reply.Events[len(reply.Events)-1]
			demand(last.Name == "response.failed", "response.failed at the end", last.Name)
			v := value{last.Name, last.JSON}.get("response")
			v.get("status").is("failed")
			v.get("error").get("code").name()
			v.get("error").get("message").name()
		}, without("event: response.failed"))
}

// also returns a mutation of answers that does both.
func (m Mutation) also(other Mutation) Mutation {
	return Mutation{answer: func(w *wire) {
		m.answer(w)
		other.answer(w)
	}}
}
