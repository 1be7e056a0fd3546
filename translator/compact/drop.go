package compact

import "edgelingua/translator/ir"

// Drop removes everything before the last summary in r except the system prompt, as Messages
// documents ("Compaction at a token threshold": all content blocks before a compaction block are
// ignored). A summary is an opaque block with Content.Summary and a text. It becomes a message of
// the user: a model wrote the summary, so it must not get the weight of a system prompt. own means
// that the upstream speaks the client's API: its vendor's own summary is sent unchanged, with
// everything before it, unless there is an earlier summary of ours. The error is the client's
// fault.
func Drop(r *ir.Request, own bool) *ir.Error {
	for m := len(r.Messages) - 1; m >= 0; m-- {
		content := r.Messages[m].Content
		for b := len(content) - 1; b >= 0; b-- {
			if c := &content[b]; c.Kind == ir.OpaqueContent && c.Summary && c.Text != "" {
				return dropBefore(r, m, b, own)
			}
		}
	}
	return nil
}

// dropBefore is Drop for the summary in block b of message m.
//
//go:noinline
func dropBefore(r *ir.Request, m, b int, own bool) *ir.Error {
	list, at := r.Messages, r.Messages[m]
	c := &at.Content[b]
	if own && !ir.IsEnvelope(c.Text) {
		if holdsOurs(list[:m]) {
			r.Messages = append(systemPrompt(list[:m]), ir.Message{Role: at.Role, Content: at.Content[b:]})
			r.Messages = append(r.Messages, list[m+1:]...)
		}
		return nil
	}
	summary, ok := ir.Summary(c.Text, c.At)
	if !ok {
		return &ir.Error{Kind: ir.InvalidRequest, Path: c.At.String(),
			Message: "This summary was changed or is incomplete. Send it exactly as it was received."}
	}
	summary.Cache = c.Cache
	r.Messages = append(systemPrompt(list[:m]), ir.Message{Role: ir.User, Content: []ir.Content{summary}},
		ir.Message{Role: at.Role, Content: at.Content[b+1:]})
	r.Messages = append(r.Messages, list[m+1:]...)
	return nil
}

// systemPrompt returns the system messages at the beginning of a list.
func systemPrompt(list []ir.Message) []ir.Message {
	n := 0
	for n < len(list) && list[n].Role == ir.System {
		n++
	}
	return list[:n:n]
}

// holdsOurs reports whether a list has a summary of ours, in an envelope.
func holdsOurs(list []ir.Message) bool {
	for m := range list {
		for b := range list[m].Content {
			if c := &list[m].Content[b]; c.Kind == ir.OpaqueContent && c.Summary && ir.IsEnvelope(c.Text) {
				return true
			}
		}
	}
	return false
}
