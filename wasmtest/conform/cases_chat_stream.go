package conform

import (
	"fmt"
	"strings"
)

// choices returns the choices of all chunks: at least one.
func (r *Record) choices() (all []value) {
	for _, chunk := range r.chunks() {
		if chunk.has("error") {
			fail("chunks", chunk.v)
		}
		all = append(all, chunk.get("choices").list()...)
	}
	demand(len(all) > 0, "a choice", tail(r.end().Body))
	return all
}

// toolPieces returns the pieces of tool calls.
func (r *Record) toolPieces() (all []value) {
	for _, choice := range r.choices() {
		if calls := choice.get("delta").opt("tool_calls"); !calls.null() {
			all = append(all, calls.list()...)
		}
	}
	demand(len(all) > 0, "pieces of calls", tail(r.end().Body))
	return all
}

func init() {
	each := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		add(&Case{ID: "chat/stream/" + id, Title: title, Must: must, Why: why, Source: source,
			Since: sinceAPI.chat, Severity: s, probe: p, judge: judge, mutation: m})
	}
	scripted := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		each(id, title, must, why, source, s, p, judge, m)
		cases[len(cases)-1].needs = script
	}
	types := openAITypes + "ChatCompletionChunk"
	live := func(judge func(r *Record)) func(r *Record) {
		return func(r *Record) {
			r.called()
			judge(r)
		}
	}
	each("1.1", "the object of a chunk", "object is chat.completion.chunk", "typed SDKs check it", types,
		Fails,
		textStream, func(r *Record) {
			for _, c := range r.chunks() {
				c.get("object").is("chat.completion.chunk")
			}
		}, swap("chat.completion.chunk", "chat.completion"))
	each("1.2", "chunks have one id", "each chunk has the same id", "clients join chunks by it", types,
		Style, textStream,
		func(r *Record) {
			id := r.chunks()[0].get("id").name()
			for _, c := range r.chunks() {
				c.get("id").is(id)
			}
		}, first(`"id":"chatcmpl`, `"id":"other`))
	each("1.3", "chunks have created and model", "an integer, and a name",
		"async-openai and langchaingo require them",
		types, Fails, textStream, func(r *Record) {
			for _, c := range r.chunks() {
				c.get("created").count()
				c.get("model").name()
			}
		}, lacking("created"))
	each("1.4", "chunks have choices", "a list, empty only for usage", "clients iterate over it", types,
		Fails, textStream,
		func(r *Record) {
			for _, c := range r.chunks() {
				c.get("choices").list()
			}
		}, swap(`"choices":\[\]`, `"choices":null`))
	each("1.5", "events have no name", "no line event:", "strict readers take the name for another kind",
		sse, Style,
		textStream, func(r *Record) {
			for _, e := range r.events() {
				demand(e.Name == "", "no name", e.Name)
			}
		}, first("data: ", "event: chunk\ndata: "))
	each("2.1", "the first delta has the role", "role is assistant", "SDKs build the message from it "+
		"(ChatCompletionStream)", types, Fails, textStream, func(r *Record) {
		r.choices()[0].get("delta").get("role").is("assistant")
	}, swap(`"role":"assistant",`, ""))
	each("2.2", "choices have an index", "index is 0", "SDKs put deltas into the list by it", types,
		Fails, textStream,
		func(r *Record) {
			for _, c := range r.choices() {
				c.get("index").is(0)
			}
		}, swap(`"index":0`, `"index":1`))
	each("2.3", "choices have delta and finish_reason", "delta is an object, finish_reason null or a word",
		"openai-node and typed SDKs read both", types, Fails, textStream, func(r *Record) {
			for _, c := range r.choices() {
				c.get("delta").object()
				c.get("finish_reason")
			}
		}, swap(`,"finish_reason":null`, ""))
	each("2.4", "content is text", "content is a string or null", "clients concatenate it", types, Fails,
		textStream,
		func(r *Record) {
			for _, c := range r.choices() {
				if content := c.get("delta").opt("content"); !content.null() {
					content.text()
				}
			}
		}, swap(`"content":"`, `"content":7,"text":"`))
	each("3.1", "one finish_reason", "exactly one choice has a finish_reason", "clients end twice, or never",
		types, Fails, textStream, func(r *Record) {
			n := 0
			for _, c := range r.choices() {
				if reason := c.get("finish_reason"); !reason.null() {
					reason.oneOf(known.chat...)
					n++
				}
			}
			demand(n == 1, "one finish_reason", n)
		}, without(`"finish_reason":"stop"`))
	each("3.2", "nothing after finish_reason", "no further choice", "clients have closed the message",
		types, Fails,
		textStream, func(r *Record) {
			ended := false
			for _, c := range r.choices() {
				demand(!ended, "no choice after finish_reason", c.v)
				ended = !c.get("finish_reason").null()
			}
		}, twice(`"finish_reason":"stop"`))
	each("3.3", "[DONE] comes last", "the last event is [DONE], once",
		"clients wait until a timeout (CLIProxyAPI)",
		openAIDocs+"chat-completions/streaming-events", Fails, textStream, func(r *Record) {
			n := 0
			for _, e := range r.events() {
				if e.Data == "[DONE]" {
					n++
				}
			}
			last := r.events()[len(r.events())-1].Data
			demand(n == 1 && last == "[DONE]", "[DONE] once, at the end", last)
		}, without(`\[DONE\]`))
	each("3.4", "usage if asked for", "one chunk has usage, as stream_options asks",
		"clients show no costs", types, Fails,
		textStream, func(r *Record) {
			n := 0
			for _, c := range r.chunks() {
				if !c.opt("usage").null() {
					n++
				}
			}
			demand(n > 0, "a chunk with usage", n)
		}, without(`"usage":\{`))
	each("4.1", "the first piece of a call", "index, id, type and function.name",
		"SDKs build the call from it",
		types, Fails, callStream, live(func(r *Record) {
			p := r.toolPieces()[0]
			p.get("index").is(0)
			p.get("id").name()
			p.get("type").is("function")
			p.get("function").get("name").name()
		}), first(`"type":"function",`, ""))
	each("4.2", "later pieces have no name", "name and id come once",
		"clients concatenate names (bifrost#5900)", types,
		Fails, callStream, live(func(r *Record) {
			seen := map[string]bool{}
			for _, p := range r.toolPieces() {
				index := encode(p.get("index").v)
				if name := p.opt("function").opt("name"); seen[index] && !name.null() {
					demand(name.v == "", "no name in later pieces", p.v)
				}
				seen[index] = true
			}
		}), swap(`"function":\{"arguments"`, `"function":{"name":"get_weather","arguments"`))
	each("4.3", "arguments are text", "function.arguments is a string in each piece",
		"clients concatenate it", types,
		Fails, callStream, live(func(r *Record) {
			for _, p := range r.toolPieces() {
				p.get("function").get("arguments").text()
			}
		}), swap(`"arguments":`, `"input":`))
	scripted("4.4", "indexes of calls are dense", "0 for the first call, 1 for the second",
		"clients merge the calls, or leave gaps (litellm#5231, #21331)", types, Fails, twoStream,
		func(r *Record) {
			next := 0
			for _, p := range r.toolPieces() {
				index := p.get("index").count()
				if p.has("id") {
					demand(index == next, fmt.Sprintf("the index %d", next), p.v)
					next++
				}
			}
			demand(next == 2, "two calls", next)
		}, swap(`\[\{"index":1`, `[{"index":2`))
	scripted("4.5", "one call at a time", "no piece of a call after the next call has begun",
		"clients that keep one open call lose pieces", types, Style, twoStream, func(r *Record) {
			current := 0
			for _, p := range r.toolPieces() {
				index := p.get("index").count()
				demand(index >= current, "pieces in the order of the calls", p.v)
				current = index
			}
		}, swap(`\[\{"index":1,"function"`, `[{"index":0,"function"`))
	scripted("4.6", "an answer with calls ends with tool_calls", "finish_reason is tool_calls",
		"agents stop (litellm#34692, higress#3506)", types, Fails, twoStream,
		stops(by[string]{chat: "tool_calls"}),
		swap(`"finish_reason":"tool_calls"`, `"finish_reason":"stop"`))
	scripted("4.7", "no content beside calls", "a call alone has no text",
		"agents show an empty message", types, Style,
		twoStream, func(r *Record) { demand(r.end().Text == "", "no text", r.end().Text) },
		swap(`"content":""`, `"content":"."`))
	scripted("4.8", "reasoning is in a member of its own", "reasoning_content or reasoning, not content",
		"users read thoughts as the answer", thoughtDocs.chat, Loses, reasonStream, func(r *Record) {
			demand(!strings.Contains(r.end().Text, "rain") && r.end().Thinking != "",
				"reasoning_content", r.end().Text)
		}, swap("reasoning_content", "content"))
}
