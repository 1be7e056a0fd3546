package conform

import (
	"fmt"
	"slices"
	"strings"
)

// blockEvents demands the order of the events of blocks: start, deltas, stop, one block after the other.
func blockEvents(r *Record) {
	open, next := -1, 0
	for _, e := range r.events() {
		v := value{e.Name, e.JSON}
		switch e.Name {
		case "content_block_start":
			demand(open < 0, "content_block_stop before the next content_block_start", e.Data)
			v.get("index").is(next)
			open = next
			next++
		case "content_block_delta":
			demand(open >= 0, "an open block before its delta", e.Data)
			v.get("index").is(open)
		case "content_block_stop":
			demand(open >= 0, "an open block before its stop", e.Data)
			v.get("index").is(open)
			open = -1
		case "message_delta":
			demand(open < 0, "content_block_stop before message_delta", e.Data)
		}
	}
	demand(next > 0, "a block", kinds(r.events()))
}

// blocks returns the kinds of the blocks of a stream, without reasoning.
func (r *Record) blocks() (all []string) {
	for _, b := range r.some("content_block_start") {
		kind := b.get("content_block").get("type").name()
		if kind != "thinking" && kind != "redacted_thinking" {
			all = append(all, kind)
		}
	}
	return all
}

// deltaKinds has the deltas of each kind of block.
var deltaKinds = map[string][]string{"text": {"text_delta", "citations_delta"},
	"tool_use": {"input_json_delta"},
	"thinking": {"thinking_delta", "signature_delta"}, "redacted_thinking": nil}

func fittingDeltas(r *Record) {
	kind := ""
	for _, e := range r.events() {
		v := value{e.Name, e.JSON}
		switch e.Name {
		case "content_block_start":
			kind = v.get("content_block").get("type").name()
		case "content_block_delta":
			if allowed, found := deltaKinds[kind]; found {
				v.get("delta").get("type").oneOf(allowed...)
			}
		}
	}
}

func init() {
	each := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		add(&Case{ID: "messages/stream/" + id, Title: title, Must: must, Why: why, Source: source,
			Since: sinceAPI.messages, Severity: s, probe: p, judge: judge, mutation: m})
	}
	scripted := func(id, title, must, why, source string, s Severity, p *Probe, judge func(r *Record),
		m Mutation) {
		each(id, title, must, why, source, s, p, judge, m)
		cases[len(cases)-1].needs = script
	}
	types := messagesTypes + "RawMessageStreamEvent"
	each("1.1", "message_start comes first", "the first event is message_start",
		"the SDK fails: \"Unexpected event order\" (lib/MessageStream.ts)", types, Fails, textStream,
		func(r *Record) {
			demand(r.events()[0].Name == "message_start", "message_start", r.events()[0].Name)
		}, without("event: message_start"))
	each("1.2", "message_start comes once", "there is one message_start",
		"the SDK fails at the second (bifrost#4556)",
		types, Fails, textStream, func(r *Record) { r.the("message_start") }, twice("event: message_start"))
	each("1.3", "the message is complete at its start", "id, type, role, model, content, stop_reason, "+
		"stop_sequence "+
		"and usage", "typed SDKs and Claude Code read them at once", messagesTypes+"Message", Fails,
		textStream,
		func(r *Record) {
			m := r.the("message_start").get("message")
			m.get("id").name()
			m.get("type").is("message")
			m.get("role").is("assistant")
			m.get("model").name()
			m.get("stop_sequence")
			m.get("usage").object()
		}, first(`"role":"assistant",`, ""))
	each("1.4", "the message begins empty", "content is [] and stop_reason is null",
		"accumulators add the blocks to it", messagesTypes+"Message", Fails, textStream, func(r *Record) {
			m := r.the("message_start").get("message")
			m.get("content").is([]any{})
			m.get("stop_reason").is(nil)
		}, first(`"content":\[\]`, `"content":null`))
	each("1.5", "the id begins with msg_", "as Anthropic's ids do", "some clients tell messages by it",
		messagesDocs,
		Style, textStream, func(r *Record) {
			id := r.the("message_start").get("message").get("id").name()
			demand(strings.HasPrefix(id, "msg_"), "msg_", id)
		}, first(`"id":"msg_`, `"id":"m_`))
	each("1.6", "each event has its name", "event: is the type in data",
		"the SDK reads only events with a known name "+
			"(core/streaming.ts)", messagesTypes+"Stream", Fails, textStream, func(r *Record) {
			for _, e := range r.events() {
				value{e.Name, e.JSON}.get("type").is(e.Name)
			}
		}, swap("event: content_block_delta", "event: delta"))
	each("1.7", "only events of the API", "message_start, content_block_*, message_delta, message_stop, "+
		"ping and error",
		"strict clients stop at others", messagesStreaming, Style, textStream, func(r *Record) {
			known := []string{"message_start", "content_block_start", "content_block_delta",
				"content_block_stop",
				"message_delta", "message_stop", "ping", "error"}
			for _, e := range r.events() {
				demand(slices.Contains(known, e.Name), "an event of the API", e.Name)
			}
		}, ahead("message_stop", "event: usage\ndata: {\"type\":\"usage\"}\n\n"))

	each("2.1", "blocks come one after the other", "start, deltas, stop, with indexes from 0",
		"\"Content block not found\" (litellm#13373, #14315, codebuddy2api#11)", messagesStreaming,
		Fails, textStream,
		blockEvents, without("event: content_block_start"))
	each("2.2", "each block ends", "content_block_stop for each content_block_start",
		"Claude Code shows the block only at its end", messagesStreaming, Fails, textStream, func(r *Record) {
			demand(len(r.some("content_block_start")) == len(r.named("content_block_stop")),
				"as many stops as starts", kinds(r.events()))
		}, without("event: content_block_stop"))
	each("2.3", "indexes begin at 0", "the first block has the index 0", "accumulators put it at the index "+
		"(litellm#34692, bifrost PR#3441)", messagesStreaming, Fails, callStream, func(r *Record) {
		r.some("content_block_start")[0].get("index").is(0)
	}, swap(`"index":0`, `"index":1`))
	each("2.4", "deltas fit their block", "text_delta in text, input_json_delta in tool_use, and so on",
		"\"Content block is not a text block\" (litellm#33224)", messagesStreaming, Fails, callStream,
		fittingDeltas,
		swap(`"input_json_delta","partial_json"`, `"text_delta","text"`))
	each("2.5", "a block of text begins empty", "text is \"\"", "clients add the deltas to it",
		messagesTypes+"TextBlock",
		Fails, textStream, func(r *Record) {
			for _, b := range r.some("content_block_start") {
				if b := b.get("content_block"); b.get("type").v == "text" {
					b.get("text").is("")
				}
			}
		}, swap(`"type":"text","text":""`, `"type":"text","text":"A"`))
	each("2.6", "a call begins with an empty input", "input is {}", "clients add input_json_delta to it",
		messagesTypes+"ToolUseBlock", Fails, callStream, func(r *Record) {
			for _, b := range r.some("content_block_start") {
				if b := b.get("content_block"); b.get("type").v == "tool_use" {
					b.get("input").is(object{})
					b.get("id").name()
					b.get("name").name()
				}
			}
		}, swap(`"input":\{\}`, `"input":""`))
	each("2.7", "partial_json is text", "each input_json_delta has a string", "SDKs concatenate it",
		types, Fails,
		callStream, func(r *Record) {
			for _, d := range r.named("content_block_delta") {
				if d := d.get("delta"); d.get("type").v == "input_json_delta" {
					d.get("partial_json").text()
				}
			}
		}, swap(`"partial_json":`, `"json":`))
	each("2.8", "ids of calls are of letters that the API accepts", "^[a-zA-Z0-9_-]+$",
		"the API rejects other ids when the client sends them back (bifrost#5097)", messagesTools, Fails,
		callStream,
		func(r *Record) {
			for _, c := range r.called() {
				bad := strings.Trim(strings.Map(func(c rune) rune {
					if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' ||
						c == '-' {
						return -1
					}
					return c
				}, c.ID), "")
				demand(c.ID != "" && bad == "", "an id of letters, digits, _ and -", c.ID)
			}
		}, swap("call_a1", "call:a1"))
	scripted("2.9", "text and call are two blocks", "a block for the text, then one for the call",
		"a block with two kinds of deltas breaks clients (CLIProxyAPI)", messagesStreaming, Fails,
		sayAndStream,
		func(r *Record) {
			got := strings.Join(r.blocks(), ", ")
			demand(got == "text, tool_use", "text, tool_use", got)
			blockEvents(r)
		}, swap(`"index":1`, `"index":0`))
	scripted("2.10", "parallel calls are blocks of their own", "two tool_use blocks, one after the other",
		"two calls in one block give invalid JSON (sglang#39782)", messagesStreaming, Fails, twoStream,
		func(r *Record) {
			got := strings.Join(r.blocks(), ", ")
			demand(got == "tool_use, tool_use", "tool_use, tool_use", got)
			blockEvents(r)
		}, swap(`"index":1`, `"index":0`))
	scripted("2.11", "no empty blocks", "a call alone has no empty text before it",
		"the API rejects empty texts when the client sends them back (claude-code#59812)", messagesDocs,
		Loses,
		callStream, func(r *Record) {
			got := strings.Join(r.blocks(), ", ")
			demand(got == "tool_use", "tool_use only", got)
		}, ahead("event: content_block_start",
			"event: content_block_start\ndata: {\"type\":\"content_block_start\","+
				"\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"))
	scripted("2.12", "thinking ends with its signature", "signature_delta is the last delta of the block",
		"the API rejects thinking without it (axonhub#1105); Qwen Code stops", messagesThinking, Fails,
		reasonStream,
		func(r *Record) {
			kind, last, seen := "", "", false
			for _, e := range r.events() {
				switch e.Name {
				case "content_block_start":
					kind = member[string](e.JSON["content_block"], "type")
				case "content_block_delta":
					last = member[string](e.JSON["delta"], "type")
				case "content_block_stop":
					if kind == "thinking" {
						seen = true
						demand(last == "signature_delta", "signature_delta", last)
					}
				}
			}
			demand(seen, "a block of thinking", kinds(r.events()))
		}, without("signature_delta"))
	scripted("2.13", "thinking comes before the text", "its block has the index 0",
		"the API demands this order of a history", messagesThinking, Fails, reasonStream, func(r *Record) {
			r.some("content_block_start")[0].get("content_block").get("type").is("thinking")
		}, first(`"type":"thinking"`, `"type":"text"`))

	each("3.1", "message_delta has the stop_reason", "one message_delta, with a stop_reason of the API",
		"clients wait, or take the answer for cut (claude-code#20222)", messagesStreaming, Fails, textStream,
		func(r *Record) {
			r.the("message_delta").get("delta").get("stop_reason").oneOf(known.messages...)
		}, without("event: message_delta"))
	each("3.2", "message_stop comes last", "the last event is message_stop",
		"the SDK fails: \"stream ended without "+
			"producing a Message\"", types, Fails, textStream, func(r *Record) {
			last := r.events()[len(r.events())-1]
			demand(last.Name == "message_stop", "message_stop", last.Name)
		}, without("event: message_stop"))
	each("3.3", "nothing comes after message_stop", "no further event",
		"clients have closed the message", types, Style,
		textStream, func(r *Record) {
			for i, e := range r.events() {
				demand(e.Name != "message_stop" || i == len(r.events())-1, "nothing after message_stop",
					kinds(r.events()))
			}
		}, twice("event: message_stop"))
	each("3.4", "message_delta is after all blocks", "no block after the stop_reason",
		"blocks that come later are lost",
		messagesStreaming, Fails, textStream, func(r *Record) {
			ended := false
			for _, e := range r.events() {
				ended = ended || e.Name == "message_delta"
				demand(!ended || !strings.HasPrefix(e.Name, "content_block"),
					"no block after message_delta", e.Name)
			}
		}, ahead("event: content_block_stop",
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":"+
				"{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":1}}\n\n"))
	each("3.5", "stop_sequence is there", "message_delta has stop_sequence, null or a string",
		"typed SDKs require it", types, Style, textStream, func(r *Record) {
			r.the("message_delta").get("delta").get("stop_sequence")
		}, swap(`,"stop_sequence":null\},"usage"`, `},"usage"`))
	scripted("3.6", "an answer with a call stops for tool_use", "stop_reason is tool_use, not end_turn",
		"Claude Code ends the turn without running the tool (claude-code#16785)", messagesTools, Fails,
		twoStream,
		func(r *Record) { r.the("message_delta").get("delta").get("stop_reason").is("tool_use") },
		swap(`"stop_reason":"tool_use"`, `"stop_reason":"end_turn"`))
	scripted("3.7", "counts never fall", "output_tokens of message_delta is not below that of message_start",
		"clients show negative costs", usageTypes.messages, Style, textStream, func(r *Record) {
			start := r.the("message_start").get("message").get("usage").get("output_tokens").count()
			end := r.the("message_delta").get("usage").get("output_tokens").count()
			demand(end >= start, fmt.Sprintf("%d or more", start), end)
		}, swap(`"output_tokens":7`, `"output_tokens":0`))
}
