package ir

import "strings"

// Compaction is what a request asks for where a summary is to take the place of its conversation.
// Package worker asks the upstream for the summary, with a call of its own
// (translator.Exchange.Summarize), unless the upstream compacts by itself.
type Compaction struct {
	// the summary is all that the client wants, whatever the length: it is the whole answer
	Trigger bool
	// with Trigger: the answer is a compacted conversation, as POST /v1/responses/compact has it
	Alone bool
	// with a Threshold: where the conversation was compacted, the answer ends with the summary, as
	// Compacted
	Pause bool
	// in tokens: a request of as many or more is compacted, and answered from the summary; 0: only
	// a Trigger counts
	Threshold int64
	// what the summary is to hold, in place of our words for it; "" where the client has none
	Instructions Escaped
	// the member of the client's body that asks for it, for an upstream that compacts by itself; ""
	// for none
	Raw Raw
	// the path of a threshold that the client leaves to its vendor, who knows the model's window;
	// "" for none
	Unset string
	Path  string // of what asks for it, in the client's body, for errors
}

// Summaries travel through a client in an Envelope without an origin, of the kind c where they are
// readable and s where they are sealed:
//
//	el1::c::<text>
//	el1::s::<sealed text, see worker/bridge>
const (
	readable = Envelope + ":c::"
	sealed   = Envelope + ":s::"
)

// MaxSummary bounds a summary, in bytes: it is what can be sealed.
const MaxSummary = 64 << 10

// summaryLead stands before a summary where a model reads it. It never changes, so that prompt
// caches hold.
const summaryLead = `This is a summary of the conversation up to here. It stands in place of earlier ` +
	`messages; go on from it.\n\n`

// ReadableSummary returns the envelope of a readable summary, SealedSummary that of a sealed one.
func ReadableSummary(text Escaped) Escaped { return readable + text }

// SealedSummary returns the envelope of a summary that worker/bridge has sealed.
func SealedSummary(text string) Escaped { return Escaped(sealed + text) }

// IsSealed reports whether the envelope of a summary is a sealed one.
func IsSealed(e Escaped) bool { return strings.HasPrefix(string(e), sealed) }

// Unsealed is the Signature of a block that Summary has made of a readable envelope.
const Unsealed Escaped = "-"

// Summary returns the block that an earlier summary becomes: a text of the user's, for whatever
// upstream is then asked, since a model has written it and it must get no other weight. text is the
// summary itself or its envelope. Of a sealed one the block has what is sealed as its Signature and
// no Text yet, of a readable one it has Unsealed: see Request.Enveloped. ok is false where text is
// empty, or an envelope of something else.
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

// SetSummary gives a block of Summary its text.
func (c *Content) SetSummary(text Escaped) {
	c.Text, c.Signature = summaryLead+text, ""
}

// Enveloped returns the block of the request that is a summary in an envelope, nil where none is.
// Before the request goes out the caller has to open what is sealed, in the block's Signature, and
// hand the text to SetSummary; and it decides whether one that is Unsealed is taken.
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

// BeforeSummary removes from a conversation what a summary that comes behind it stands for: all
// that the model has said and done, what its calls have returned, and earlier summaries. The
// messages of the system and of the user stay, as POST /v1/responses/compact documents its output
// ("a list of all user messages, followed by a single compaction item"), and as Codex keeps them
// beside the item that a trigger has brought (codex-rs/core/src/compact_remote_v2.rs). It works in
// place.
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

// ownWords returns the blocks of a user's message without results of calls and summaries: list
// itself where it has none.
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

// IsCompactable reports whether a conversation holds anything that BeforeSummary removes.
func IsCompactable(list []Message) bool {
	for i := range list {
		if list[i].Role == Assistant && len(list[i].Content) > 0 {
			return true
		}
	}
	return false
}
