package compact

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
)

// Summary is the summary at the beginning of an answer.
type Summary struct {
	Text     ir.Escaped
	Envelope ir.Escaped // the envelope for the client
	ID       string     // the upstream's id of the answer to Request
	Usage    ir.Usage   // of the answer with the summary
}

// ReplaceIn puts the summary into the conversation of r, instead of the summarized messages. The
// old list of messages stays unchanged.
func (s *Summary) ReplaceIn(r *ir.Request) {
	c := ir.Content{Kind: ir.TextContent, At: ir.Pos{Form: r.Compaction.Path}, Summary: true}
	c.SetSummary(s.Text)
	before := ir.BeforeSummary(append([]ir.Message(nil), r.Messages...))
	r.Messages = append(before, ir.Message{Role: ir.User, Content: []ir.Content{c}})
}

// Begin returns a sink that passes events to sink, with the summary after the answer's Start.
func (s *Summary) Begin(sink ir.Sink) ir.Sink { return &beginning{sink, s} }

// Answer sends sink an answer to r with only the summary.
func (s *Summary) Answer(r *ir.Request, sink ir.Sink) {
	sink = s.Begin(sink)
	ev := ir.Event{Kind: ir.Start, ID: ir.Escaped(s.ID), Model: r.Model, Usage: s.Usage}
	sink.Event(&ev)
	if ev.Kind, ev.Stop = ir.Finish, ir.EndTurn; r.Compaction.Pause {
		ev.Stop = ir.Compacted
	}
	sink.Event(&ev)
}

// beginning is a sink for an answer that begins with a summary.
type beginning struct {
	sink    ir.Sink
	summary *Summary
}

// Event implements ir.Sink.
func (b *beginning) Event(ev *ir.Event) {
	b.sink.Event(ev)
	if ev.Kind == ir.Start {
		s := b.summary
		block := ir.Event{Kind: ir.BlockStart, Block: ir.CompactionBlock, Delta: ir.SummaryDelta,
			Text: s.Text, Envelope: s.Envelope, Usage: s.Usage}
		for ; block.Kind <= ir.BlockStop; block.Kind++ {
			b.sink.Event(&block)
		}
	}
}

// Reader is a sink that reads the summary from the answer to Request.
type Reader struct {
	ID     string // the upstream's id of the answer
	text   []byte
	inText bool // the open block is a text
	err    *ir.Error
}

// Event implements ir.Sink.
func (s *Reader) Event(ev *ir.Event) {
	switch {
	case s.err != nil:
	case ev.Kind == ir.Start:
		s.ID = strings.Clone(string(ev.ID))
	case ev.Kind == ir.BlockStart:
		s.inText = ev.Block == ir.TextBlock
	case ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && s.inText:
		if s.text = append(s.text, ev.Text...); len(s.text) > ir.MaxSummary {
			s.err = tooLong()
		}
	case ev.Kind == ir.Failure:
		s.err = ev.Err
	case ev.Kind == ir.Finish && (ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow):
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The summary was cut off at the model's limit."}
	case ev.Kind == ir.Finish && ev.Stop == ir.Refusal:
		s.err = &ir.Error{Kind: ir.Unavailable,
			Message: "The model or a filter refused to write the summary."}
	}
}

// Text returns the summary after the last event of the answer. It returns an error if the answer
// failed or was cut, has no text, or has more than ir.MaxSummary bytes.
func (s *Reader) Text() (string, *ir.Error) {
	s.text = passing.Valid(s.text)
	if ir.IsEnvelope(jsonw.View(s.text)) { // the client would return a text that looks like an envelope
		s.text = append([]byte{' '}, s.text...)
	}
	text := jsonw.Unescape(jsonw.View(s.text))
	switch {
	case s.err != nil:
	case strings.TrimSpace(text) == "":
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The model wrote no summary."}
	case len(text) > ir.MaxSummary:
		s.err = tooLong()
	}
	if s.err != nil {
		return "", s.err
	}
	return text, nil
}

func tooLong() *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The summary is longer than the limit of 64 KB."}
}

// Check rejects a request whose conversation depends on a summary readable only by another vendor:
// the request would lose its past. If all messages before such a summary are still there, Check
// accepts the request, and the upstream's encoder reports the loss. own means that the upstream
// speaks the client's API: a vendor's summary is then sent unchanged, because the upstream may be a
// gateway to the vendor. summarized means that the requested summary exists; without it Check also
// rejects a request for a summary only. If the client leaves a threshold to its vendor, Check adds
// it to lost. The error is the client's fault.
func Check(r *ir.Request, t *ir.Target, own, summarized bool, lost *ir.Lost) *ir.Error {
	c := r.Compaction
	switch {
	case c == nil, own && t.OwnCompaction:
	case c.Trigger && !summarized:
		return &ir.Error{Kind: ir.InvalidRequest, Path: c.Path,
			Message: "this requests a summary instead of an answer, which takes a separate request to " +
				"the upstream"}
	case c.Unset != "":
		lost.Add(c.Unset)
	}
	answered := false
	for i := range r.Messages {
		m := &r.Messages[i]
		answered = answered || m.Role == ir.Assistant
		for k := range m.Content {
			c := &m.Content[k]
			switch {
			case own || c.Kind != ir.OpaqueContent || !c.Summary:
			case !answered:
				return &ir.Error{Kind: ir.InvalidRequest, Path: c.At.String(),
					Message: "this compaction is encrypted by the vendor that created it, so this " +
						"upstream can't read it. Continue at that vendor's own API, or also send the " +
						"messages from before the compaction"}
			}
		}
	}
	return nil
}
