package translator

import (
	"strings"

	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
)

// summaryPrompt asks for a summary, where the client has no words of its own for that.
const summaryPrompt = `Stop here and write a summary of this conversation. It will take the place of what was said and done so far, for a model that ` +
	`goes on with the work and sees nothing else of it. Say:\n` +
	`- what the user wants, with all rules and preferences that the user has stated;\n` +
	`- what was decided and why, and what was tried and given up;\n` +
	`- which files, commands and other things the work is about, and in what state they are;\n` +
	`- what tools have returned that is still needed, and which calls have no result yet;\n` +
	`- what is done, what is left, and what the next step is.\n` +
	`Give names, paths, values and error messages exactly. Do not go on with the work and do not call a tool: answer with the text of the summary alone.`

// summary is the summary of the conversation that an Exchange answers from.
type summary struct {
	text, sealed ir.Escaped
	id           string // the upstream's id of the answer that is the summary, for an answer that is nothing else
	usage        ir.Usage
}

// Compacts reports whether a summary has to be asked for, before the request goes to an upstream that accepts what t says: the
// client has asked for it, and the upstream does not compact by itself for clients of its own API.
func (x *Exchange) Compacts(t *ir.Target) bool {
	c := x.Request.Compaction
	if c == nil || t.OwnCompaction && x.pair.Client == x.pair.Upstream && !c.Alone {
		return false
	}
	x.target = t // for edited
	return c.Trigger || c.Threshold > 0 && ir.IsCompactable(x.Request.Messages) && count.Tokens(x.edited()) >= c.Threshold
}

// Summarize returns the exchange whose answer, a stream that Summary reads, is the summary of this one's conversation: with the
// same model, without tools, and with their calls and results told as texts. Servers refuse calls in a history without their
// tools (Anthropic: "Requests which include tool_use or tool_result blocks must define tools"), and calls that have no result
// yet; and a model that is offered tools may call one in place of an answer. The error is for a conversation in which nobody
// has said anything.
//
//go:noinline
func (x *Exchange) Summarize() (*Exchange, *ir.Error) {
	r := x.Request
	if !holdsTurn(r.Messages) {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Path: r.FieldPath(ir.FieldMessages), Message: "there is no conversation to compact: send the messages that the summary is to stand for"}
	}
	asked := &ir.Request{API: r.API, Model: r.Model, Received: r.Received, Stream: true, StreamUsage: true, UserID: r.UserID, UserIDPath: r.UserIDPath,
		PrivateUserID: r.PrivateUserID, Session: r.Session, HideThoughts: true}
	asked.Messages = make([]ir.Message, 0, len(r.Messages)+1)
	for i := range r.Messages {
		m := ir.Message{Role: r.Messages[i].Role, Content: told(r.Messages[i].Content)}
		if len(m.Content) > 0 {
			asked.Messages = append(asked.Messages, m)
		}
	}
	prompt := r.Compaction.Instructions
	if jsonr.IsBlank(prompt) {
		prompt = summaryPrompt
	}
	asked.Messages = append(asked.Messages, ir.Message{Role: ir.User, Content: []ir.Content{{Kind: ir.TextContent, Text: prompt}}})
	return &Exchange{pair: x.pair, Request: asked, sent: asked, asked: x.asked, target: &ir.Target{}, Usage: ir.NoUsage, AskUsage: x.AskUsage, Secrets: x.Secrets}, nil
}

// holdsTurn reports whether anybody but the system says anything.
func holdsTurn(list []ir.Message) bool {
	for i := range list {
		if list[i].Role != ir.System && len(list[i].Content) > 0 {
			return true
		}
	}
	return false
}

// told returns the blocks of a message with its calls and results as texts, and without reasoning. Images and files stay, those
// of results behind the text.
func told(list []ir.Content) []ir.Content {
	out := make([]ir.Content, 0, len(list))
	for i := range list {
		c := &list[i]
		var text ir.Escaped
		switch {
		case c.Kind.IsReasoning():
			continue
		case c.Kind == ir.OpaqueContent && !c.Summary:
			text = c.Text
		case c.Kind == ir.CustomCallContent:
			text = `[Call ` + c.ID + ` of the tool ` + c.Name + `: ` + c.Text + `]`
		case c.Kind == ir.ToolCallContent:
			text = toldCall(c)
		case c.Kind == ir.ToolResultContent:
			text = `[Result of the call ` + c.ID + `:]`
		default:
			out = append(out, *c)
			continue
		}
		if text != "" {
			out = append(out, ir.Content{Kind: ir.TextContent, At: c.At, Text: text})
		}
		if c.Kind == ir.ToolResultContent {
			out = append(out, told(c.Parts)...)
		}
	}
	return out
}

// toldCall returns a call as a text, in one allocation: its arguments may be most of a large conversation.
func toldCall(c *ir.Content) ir.Escaped {
	lead := `[Call ` + c.ID + ` of the tool ` + c.Name + `: `
	dst := make([]byte, 0, len(lead)+jsonw.EscapedSize(string(c.Input))+1)
	dst = jsonw.AppendText(append(dst, lead...), string(c.Input))
	return jsonw.View(append(dst, ']'))
}

// ToldSize returns how many bytes Summarize needs for the calls that it tells as texts, about.
func (x *Exchange) ToldSize() (n int) {
	for i := range x.Request.Messages {
		for k := range x.Request.Messages[i].Content {
			if c := &x.Request.Messages[i].Content[k]; c.Kind == ir.ToolCallContent || c.Kind == ir.CustomCallContent {
				n += jsonw.EscapedSize(string(c.Input)) + len(c.Text) + len(c.ID) + len(c.Name) + 64
			}
		}
	}
	return n
}

// Summary reads the whole body of the upstream's answer to an exchange of Summarize, a stream or a plain answer, which may be
// anything. An answer that is not complete is an error, and so are one without a text and one of more than ir.MaxSummary bytes.
func (x *Exchange) Summary(body []byte, isStream bool) (text string, err *ir.Error) {
	s := &summarySink{}
	d := x.decoder(&watched{x, s}, complete)
	if isStream {
		c := cutter{decoder: d}
		c.push(body)
		c.close(nil)
	} else {
		d.Body(view(body))
	}
	s.text = passing.Valid(s.text)
	if ir.IsEnvelope(jsonw.View(s.text)) { // a client that gives the text back would give back something else
		s.text = append([]byte{' '}, s.text...)
	}
	text = jsonw.Unescape(jsonw.View(s.text))
	switch {
	case s.err != nil:
	case strings.TrimSpace(text) == "":
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The model has written none."}
	case len(text) > ir.MaxSummary:
		s.err = errLongSummary()
	}
	if s.err != nil {
		x.Failed = s.err.Kind
		return "", x.withoutSecrets(s.err)
	}
	x.id = s.id
	return text, nil
}

func errLongSummary() *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "It is longer than 64 KB, which is the limit."}
}

// summarySink gathers the text of a summary.
type summarySink struct {
	text []byte
	id   string
	open bool // the open block is text
	err  *ir.Error
}

// Event implements ir.Sink.
func (s *summarySink) Event(ev *ir.Event) {
	switch {
	case s.err != nil:
	case ev.Kind == ir.Start:
		s.id = strings.Clone(string(ev.ID))
	case ev.Kind == ir.BlockStart:
		s.open = ev.Block == ir.TextBlock
	case ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && s.open:
		if s.text = append(s.text, ev.Text...); len(s.text) > ir.MaxSummary {
			s.err = errLongSummary()
		}
	case ev.Kind == ir.Failure:
		s.err = ev.Err
	case ev.Kind == ir.Finish && (ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow):
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The model's answer was cut at its limit."}
	case ev.Kind == ir.Finish && ev.Stop == ir.Refusal:
		s.err = &ir.Error{Kind: ir.Unavailable, Message: "The model or a filter has refused it."}
	}
}

// SetSummary puts the summary that an exchange of Summarize has brought in the place of what it stands for: the request goes on
// from it, and the answer begins with it. What could not be told for the summary is lost to the request, too. sealed is the
// envelope for the client.
func (x *Exchange) SetSummary(by *Exchange, text string, sealed ir.Escaped) {
	x.summary = &summary{text: jsonw.Escape(text), sealed: sealed, id: by.id, usage: by.Usage}
	c := ir.Content{Kind: ir.TextContent, At: ir.Pos{Form: x.Request.Compaction.Path}, Summary: true}
	c.SetSummary(x.summary.text)
	for _, path := range by.Lost.Paths() {
		x.Lost.Add(path)
	}
	before := ir.BeforeSummary(append([]ir.Message(nil), x.Request.Messages...))
	x.Request.Messages = append(before, ir.Message{Role: ir.User, Content: []ir.Content{c}})
}

// IsAnswered reports whether the summary is the whole answer: no upstream is asked any more.
func (x *Exchange) IsAnswered() bool {
	return x.summary != nil && (x.Request.Compaction.Trigger || x.Request.Compaction.Pause)
}

// AppendSummary appends the client's answer, streamed or plain as the request asks, where IsAnswered.
func (x *Exchange) AppendSummary(dst []byte) ([]byte, *ir.Error) {
	if x.Request.Stream {
		s := &Stream{output: output{exchange: x, encoder: x.pair.Client.Client.NewEncoder(x.Request, x.asked)}}
		x.answer(&s.output)
		return append(dst, s.out()...), nil
	}
	f := x.pair.Client.Client.NewFolder(x.Request, x.asked, dst)
	x.answer(&watched{x, f})
	return (&Plain{exchange: x, folder: f}).Body()
}

// answer hands to sink the events of an answer that is the summary alone.
func (x *Exchange) answer(sink ir.Sink) {
	sink = x.decoded(sink)
	ev := ir.Event{Kind: ir.Start, ID: ir.Escaped(x.summary.id), Model: x.Request.Model, Usage: x.summary.usage}
	sink.Event(&ev)
	if ev.Kind, ev.Stop = ir.Finish, ir.EndTurn; x.Request.Compaction.Pause {
		ev.Stop = ir.Compacted
	}
	sink.Event(&ev)
}

// decoded returns a sink that puts the summary behind the Start of the answer, where there is one.
func (x *Exchange) decoded(sink ir.Sink) ir.Sink {
	if x.summary == nil {
		return sink
	}
	return &summarized{sink, x.summary}
}

// summarized is a sink of an answer that begins with a summary.
type summarized struct {
	sink ir.Sink
	*summary
}

// Event implements ir.Sink.
func (s *summarized) Event(ev *ir.Event) {
	s.sink.Event(ev)
	if ev.Kind == ir.Start {
		block := ir.Event{Kind: ir.BlockStart, Block: ir.CompactionBlock, Delta: ir.SummaryDelta, Text: s.text, Sealed: s.sealed, Usage: s.usage}
		for ; block.Kind <= ir.BlockStop; block.Kind++ {
			s.sink.Event(&block)
		}
	}
}

// checkSummaries deals with a summary in the history that only the vendor of the client's API can read: upstreams of other APIs
// can't be told what it holds. One of the same API gets it as it stands, since it may be a gateway to the vendor. Where all
// that the summary stands for is still there, it is lost; else the request is refused, since it would lose its past.
func (x *Exchange) checkSummaries(t *ir.Target) *ir.Error {
	c, own := x.Request.Compaction, x.pair.Client == x.pair.Upstream
	switch {
	case c == nil, own && t.OwnCompaction:
	case c.Trigger && x.summary == nil:
		return &ir.Error{Kind: ir.InvalidRequest, Path: c.Path, Message: "this asks for a summary in place of an answer, for which the upstream is asked by a request of its own"}
	case c.Unset != "":
		x.Lost.Add(c.Unset)
	}
	said := false
	for i := range x.Request.Messages {
		m := &x.Request.Messages[i]
		said = said || m.Role == ir.Assistant
		for k := range m.Content {
			c := &m.Content[k]
			switch {
			case own || c.Kind != ir.OpaqueContent || !c.Summary:
			case !said:
				return &ir.Error{Kind: ir.InvalidRequest, Path: c.At.String(), Message: "this compaction is encrypted by the vendor that has made it, so this upstream can't " +
					"read it. Go on at that vendor's own API, or send what the model has said and done before it, as it was before the compaction"}
			}
		}
	}
	return nil
}
