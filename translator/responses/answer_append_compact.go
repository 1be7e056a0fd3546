package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// maxRetained is the maximum size, in bytes of text, of all user messages in a compacted
// conversation, newest first. Codex names 64,000 tokens as OpenAI's default
// (codex-rs/core/src/compact_remote_v2.rs, RETAINED_MESSAGE_TOKEN_BUDGET), here at four bytes per
// token. The summary also covers the older messages.
const maxRetained = 256_000

// compactWriter writes a compacted conversation (API reference, "Compact a response": "a list of
// all user messages, followed by a single compaction item"). It implements ir.BodyWriter.
type compactWriter struct{ bodyWriter }

// AppendEvent appends the bytes for ev to the conversation.
//
//go:noinline
func (c *compactWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		c.identify(ev)
		dst = jsonw.AppendTextMember(dst, `{"id":`, c.id)
		dst = jsonw.AppendIntMember(dst, `,"object":"response.compaction","created_at":`, c.created)
		c.out = raw(dst, `,"output":[`)
		c.retain()
	case ir.Finish:
		c.settle(last, false)
		usage := ev.Usage
		usage.Input, usage.Output = max(usage.Input, 0), max(usage.Output, 0)
		c.out = append(appendUsage(raw(c.out, `],"usage":`), usage), '}')
	default:
		return c.bodyWriter.AppendEvent(dst, ev)
	}
	return c.out
}

// retain writes the user's messages in the form in which the next request has them, before the
// summary.
func (c *compactWriter) retain() {
	list := c.request.Messages
	from, size := len(list), 0
	for i := len(list) - 1; i >= 0; i-- {
		for k := range list[i].Content {
			if !list[i].Content[k].Summary {
				size += len(list[i].Content[k].Text)
			}
		}
		if size > maxRetained {
			break
		}
		from = i
	}
	for i := from; i < len(list); i++ {
		m := &list[i]
		if m.Role != ir.User || m.Content[0].Summary {
			continue
		}
		c.separate()
		c.begin("msg_", `"message","status":"completed","role":"user","content":[`)
		w := requestWriter{Writer: openai.Writer{Writer: ir.Writer{Dst: c.out, Request: c.request,
			Target: &ir.Target{OpenAI: true}, Lost: &ir.Lost{}}}}
		w.parts(m.Content, ir.User, false)
		c.out = raw(w.Dst, `]}`)
		c.count++
	}
}
