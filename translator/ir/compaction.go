package ir

import "strings"

// Compaction is a client's request to replace the conversation with a summary. If the upstream can't
// compact, worker/serve asks it for the summary in a request of its own
// (translator.WorkerExchange.Summarize).
type Compaction struct {
	// the client requests only the summary, for a conversation of any length: the summary is the
	// whole answer
	Trigger bool
	// with Trigger: the answer is a compacted conversation, as from POST /v1/responses/compact
	Alone bool
	// with a Threshold: if the conversation was compacted, the answer ends after the summary, as
	// Compacted
	Pause bool
	// in tokens: a request of as many or more is compacted, and answered from the summary; 0: only
	// a Trigger counts
	Threshold int64
	// the client's instructions for the summary, instead of ours; "" for none
	Instructions Escaped
	// the member of the client's body that asks for the compaction, for an upstream that can
	// compact; "" for none
	Raw Raw
	// the path of a threshold that the client left to its vendor, who knows the model's window; ""
	// for none
	Unset string
	Path  string // the path of the member that asks for the compaction, for errors
}

// Summaries pass through a client in an Envelope without an origin. Its kind is c for a readable
// summary, s for a sealed one:
//
//	el1::c::<text>
//	el1::s::<sealed text, see worker/bridge>
const (
	readable = Envelope + ":c::"
	sealed   = Envelope + ":s::"
)

// MaxSummary is the limit of a summary in bytes: the longest text that can be sealed.
const MaxSummary = 64 << 10

// summaryLead precedes a summary in the prompt. The text never changes, because a change would
// invalidate prompt caches.
const summaryLead = `This is a summary of the conversation up to here. It stands in place of earlier ` +
	`messages; go on from it.\n\n`

// ReadableSummary returns the envelope of a readable summary.
func ReadableSummary(text Escaped) Escaped { return readable + text }

// SealedSummary returns the envelope of a summary sealed by worker/bridge.
func SealedSummary(text string) Escaped { return Escaped(sealed + text) }

// IsSealed reports whether the envelope of a summary is sealed.
func IsSealed(e Escaped) bool { return strings.HasPrefix(string(e), sealed) }

// Unsealed is the Signature of a block that Summary made from a readable envelope.
const Unsealed Escaped = "-"

// Summary returns the block for an earlier summary. text is the summary itself or its envelope. The
// block is a user's text for every upstream: a model wrote the summary, so the summary must have no
// more weight than that. If the envelope is sealed, the block has no Text yet, and the sealed bytes
// are its Signature. If the envelope is readable, Signature is Unsealed: see Request.Enveloped. ok
// is false if text is empty or an envelope of another kind.
func Summary(text Escaped, at Pos) (c Content, ok bool) {
	c = Content{Kind: TextContent, At: at, Summary: true}
	if secret, is := strings.CutPrefix(string(text), sealed); is {
		c.Signature = Escaped(secret)
		return c, secret != ""
	}
	inner, is := strings.CutPrefix(string(text), readable)
	if inner == "" || !is && IsEnvelope(text) {
		return c, false
	}
	c.SetSummary(Escaped(inner))
	if is {
		c.Signature = Unsealed
	}
	return c, true
}

// SetSummary sets the text of a block from Summary.
func (c *Content) SetSummary(text Escaped) {
	c.Text, c.Signature = summaryLead+text, ""
}

// Enveloped returns the request's block with a summary in an envelope, or nil. Before the request
// is sent, the caller must unseal the block's Signature and pass the text to SetSummary. If the
// Signature is Unsealed, the caller decides whether to accept the summary.
func (r *Request) Enveloped() *Content {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		for k := range r.Messages[i].Content {
			if c := &r.Messages[i].Content[k]; c.Summary && c.Signature != "" {
				return c
			}
		}
	}
	return nil
}

// BeforeSummary removes the parts of a conversation that the following summary replaces: the
// model's messages, the results of its calls, and earlier summaries. Messages of the system and the
// user stay, as POST /v1/responses/compact documents its output ("a list of all user messages,
// followed by a single compaction item"), and as Codex keeps them next to the item of a trigger
// (codex-rs/core/src/compact_remote_v2.rs). BeforeSummary works in place.
func BeforeSummary(list []Message) []Message {
	kept := list[:0]
	for _, m := range list {
		if m.Role == Assistant {
			continue
		}
		if m.Role == User {
			m.Content = ownWords(m.Content)
		}
		if len(m.Content) > 0 || m.Role == 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

// ownWords returns the blocks of a user's message without tool results and summaries. If the
// message has neither, the result is list itself.
func ownWords(list []Content) []Content {
	n := 0
	for i := range list {
		if list[i].isOwnWords() {
			n++
		}
	}
	if n == len(list) {
		return list
	}
	own := make([]Content, 0, n)
	for i := range list {
		if list[i].isOwnWords() {
			own = append(own, list[i])
		}
	}
	return own
}

func (c *Content) isOwnWords() bool {
	return c.Kind != ToolResultContent && c.Kind != OpaqueContent && !c.Summary
}

// IsCompactable reports whether BeforeSummary would remove anything from a conversation.
func IsCompactable(list []Message) bool {
	for i := range list {
		if list[i].Role == Assistant && len(list[i].Content) > 0 {
			return true
		}
	}
	return false
}
