package conform

import "strings"

// candidates returns the candidate of each chunk that has one.
func (r *Record) candidates() (all []value) {
	for _, chunk := range r.chunks() {
		if chunk.has("error") {
			fail("chunks", chunk.v)
		}
		if list := chunk.opt("candidates"); !list.null() {
			all = append(all, list.list()...)
		}
	}
	demand(len(all) > 0, "candidates", tail(r.end().Body))
	return all
}

// parts returns the parts of all chunks.
func (r *Record) parts() (all []value) {
	for _, c := range r.candidates() {
		if content := c.opt("content"); content.has("parts") {
			all = append(all, content.get("parts").list()...)
		}
	}
	return all
}

func init() {
	each := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		add(&Case{ID: "gemini/stream/" + id, Title: title, Must: must, Why: why, Source: source,
			Since: sinceAPI.gemini, Severity: s, probe: p, judge: judge, mutation: m})
	}
	scripted := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		each(id, title, must, why, source, s, p, judge, m)
		cases[len(cases)-1].needs = script
	}
	types := geminiTypes + "GenerateContentResponse"
	live := func(judge func(r *Record)) func(r *Record) {
		return func(r *Record) {
			r.called()
			judge(r)
		}
	}
	each("1.1", "events have no name", "no line event:", "@google/genai splits at data: only", types,
		Fails, textStream,
		func(r *Record) {
			for _, e := range r.events() {
				demand(e.Name == "", "no name", e.Name)
			}
		}, first("data: ", "event: chunk\ndata: "))
	each("1.2", "chunks have candidates", "a list of candidates", "SDKs read candidates[0]", types,
		Fails, textStream,
		func(r *Record) {
			for _, c := range r.chunks() {
				demand(c.has("candidates") || c.has("usageMetadata") || c.has("promptFeedback"),
					"candidates", c.v)
			}
			r.candidates()
		}, swap(`"candidates"`, `"choices"`))
	each("1.3", "content has the role model", "role is model, with parts",
		"chats of the SDK drop other contents", types,
		Fails, textStream, func(r *Record) {
			for _, c := range r.candidates() {
				if content := c.opt("content"); !content.null() {
					content.get("role").is("model")
					content.get("parts").list()
				}
			}
		}, swap(`"role":"model"`, `"role":"assistant"`))
	each("1.4", "one responseId", "all chunks have the same responseId", "logs join chunks by it", types,
		Style,
		textStream, func(r *Record) {
			id := r.chunks()[0].get("responseId").name()
			for _, c := range r.chunks() {
				c.get("responseId").is(id)
			}
		}, first(`"responseId":"`, `"responseId":"x`))
	each("1.5", "chunks have modelVersion", "a name", "Gemini CLI shows it", types, Style, textStream,
		func(r *Record) {
			r.chunks()[0].get("modelVersion").name()
		}, lacking("modelVersion"))
	each("1.6", "each chunk has a part", "no chunk has an empty list of parts",
		"chats of the SDK drop the whole answer "+
			"from the history (isValidResponse)", geminiTypes+"chats.ts", Fails, textStream, func(r *Record) {
			for _, c := range r.candidates() {
				if content := c.opt("content"); !content.null() {
					demand(len(content.get("parts").list()) > 0, "a part", c.v)
				}
			}
		}, first(`"parts":\[[^\]]*\]`, `"parts":[]`))
	each("1.7", "parts are of one kind", "text, functionCall, inlineData and so on; no unknown kind",
		"SDKs warn, and drop the part", geminiTypes+"Part", Fails, textStream, func(r *Record) {
			for _, p := range r.parts() {
				ok := false
				for _, name := range []string{"text", "functionCall", "inlineData", "executableCode",
					"codeExecutionResult", "toolCall", "toolResponse", "fileData"} {
					ok = ok || p.has(name)
				}
				demand(ok, "a part of the API", p.v)
			}
		}, swap(`"text":"`, `"words":"`))
	each("1.8", "text is text", "text is a string", "SDKs concatenate it", geminiTypes+"Part", Fails,
		textStream,
		func(r *Record) {
			for _, p := range r.parts() {
				if p.has("text") {
					p.get("text").text()
				}
			}
		}, first(`"text":"`, `"text":7,"x":"`))
	each("2.1", "one finishReason", "exactly one chunk has a finishReason",
		"Gemini CLI: \"stream ended without a finish "+
			"reason\", and tries again", types, Fails, textStream, func(r *Record) {
			n := 0
			for _, c := range r.candidates() {
				if reason := c.opt("finishReason"); !reason.null() {
					reason.oneOf(known.gemini...)
					n++
				}
			}
			demand(n == 1, "one finishReason", n)
		}, lacking("finishReason"))
	each("2.2", "finishReason is in the last chunk", "no candidate after it",
		"clients have closed the answer", types, Fails,
		textStream, func(r *Record) {
			all := r.candidates()
			for i, c := range all {
				demand(c.opt("finishReason").null() || i == len(all)-1, "finishReason at the end", c.v)
			}
		}, first(`"index":0`, `"index":0,"finishReason":"STOP"`))
	each("2.3", "the last chunk has usageMetadata",
		"promptTokenCount, candidatesTokenCount and totalTokenCount",
		"Gemini CLI compacts by it", usageTypes.gemini, Fails, textStream, func(r *Record) {
			all := r.chunks()
			u := all[len(all)-1].get("usageMetadata")
			u.get("promptTokenCount").count()
			u.get("candidatesTokenCount").count()
			u.get("totalTokenCount").count()
		}, lacking("totalTokenCount"))
	each("2.4", "no [DONE]", "the stream ends with its last chunk",
		"@google/genai parses each event as JSON", types, Fails,
		textStream, func(r *Record) {
			for _, e := range r.events() {
				demand(e.Data != "[DONE]", "no [DONE]", e.Data)
			}
		}, Mutation{answer: func(w *wire) { w.body = append(w.body, "data: [DONE]\n\n"...) }})
	each("3.1", "a call is whole in one part", "functionCall has name and args",
		"the SDK does not join calls",
		geminiTypes+"FunctionCall", Fails, callStream, live(func(r *Record) {
			n := 0
			for _, p := range r.parts() {
				if p.has("functionCall") {
					n++
					p.get("functionCall").get("name").name()
					p.get("functionCall").get("args").object()
				}
			}
			demand(n > 0, "a functionCall", n)
		}), swap(`"args":`, `"arguments":`))
	scripted("3.2", "parallel calls have different ids, or none", "no id twice",
		"results go to the wrong call",
		geminiTools, Fails, twoStream, func(r *Record) {
			calls := r.called()
			demand(len(calls) == 2 && (calls[0].ID == "" || calls[0].ID != calls[1].ID), "different ids",
				calls)
		}, swap("call_a2", "call_a1"))
	scripted("3.3", "a call has its signature", "the first functionCall has thoughtSignature",
		"models since Gemini 3 reject the call without it (CCR#1057)", geminiThinking, Fails, callStream,
		func(r *Record) {
			for _, p := range r.parts() {
				if p.has("functionCall") {
					if r.Upstream != "gemini" && r.Upstream != "interactions" && !p.has("thoughtSignature") {
						panic(&skipped{"this upstream signs nothing"})
					}
					p.get("thoughtSignature").name()
					return
				}
			}
			fail("a functionCall", tail(r.end().Body))
		}, lacking("thoughtSignature"))
	scripted("3.4", "thoughts are marked", "parts of reasoning have thought: true",
		"users read thoughts as the answer",
		geminiThinking, Loses, reasonStream, func(r *Record) {
			n := 0
			for _, p := range r.parts() {
				if p.opt("thought").v == true {
					n++
				} else if p.has("text") {
					demand(!strings.Contains(p.get("text").text(), "rain"), "no thoughts in the text", p.v)
				}
			}
			demand(n > 0, "a part with thought: true", n)
		}, swap(`"thought":true`, `"thought":false`))
}
