package translator

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/policy"
)

// answerTool is the name of the tool whose arguments are the answer, where the client's schema has none.
const answerTool = "answer"

// structured returns r in a form for an upstream that can't hold its answer to the format that r asks for: see ir.Structured. That
// the answer was to be held to the format is noted as lost. form says what the answer goes through.
func (x *Exchange) structured(r *ir.Request, t *ir.Target) (sent *ir.Request, form form) {
	f := &r.Format
	if f.Schema == "" && !f.Object || t.Structured == ir.Unstructured || x.pair.Upstream.Upstream.TakesFormat(f, t) {
		return r, asItComes
	}
	return x.unheld(r, t)
}

// unheld is structured for a format that the upstream can't hold its answer to.
//
//go:noinline
func (x *Exchange) unheld(r *ir.Request, t *ir.Target) (sent *ir.Request, form form) {
	f, up := &r.Format, x.pair.Upstream.Upstream
	switch {
	case f.Enforced:
		x.Lost.Add(f.At)
	case f.Strict == ir.True:
		x.Lost.Add(f.At + ".strict")
	}
	told := *r
	told.Format = ir.Format{}
	if t.Structured == ir.ByTool && takesAnswerTool(r, t) {
		name := f.Name
		if name == "" {
			name = answerTool
		}
		about := f.Description
		if about == "" {
			about = "Takes the whole answer."
		}
		told.Tools = []ir.Tool{{At: ir.Pos{Form: f.SchemaPath()}, Name: name, Description: about, Schema: f.Schema}}
		told.ToolChoice = ir.ToolChoice{Mode: ir.ToolsNamed, Name: name}
		return &told, byTool
	}
	if object := (ir.Format{Object: true}); f.Schema != "" && up.TakesFormat(&object, t) {
		told.Format = object
	}
	told.Messages = append([]ir.Message(nil), r.Messages...)
	policy.Guide(&told, instruction(f))
	return &told, instructed
}

// takesAnswerTool reports whether a forced tool may take the place of the answer: not beside other tools, whose calls the model could not
// make, nor in a history that has calls; not where the model reasons, which Anthropic refuses beside a forced tool (FAULTS 81); and
// only for a schema of objects, as arguments are.
func takesAnswerTool(r *ir.Request, t *ir.Target) bool {
	if len(r.Tools) > 0 || t.NoForcedTool || t.Thinking == ir.AlwaysThinking || r.Adaptive || r.Budget > 0 || r.Effort != "" && r.Effort != "none" {
		return false
	}
	for i := range r.Messages {
		for c := range r.Messages[i].Content {
			if r.Messages[i].Content[c].Kind.IsCall() {
				return false
			}
		}
	}
	s := jsonr.NewReader(string(r.Format.Schema))
	for s.OpenObject(); s.Member(); {
		if s.Key() == "type" {
			return s.Value() == `"object"`
		}
	}
	return false
}

// instruction tells the model of a format. OpenAI and DeepSeek demand the word JSON of a prompt whose answer is to be an object.
func instruction(f *ir.Format) ir.Escaped {
	text := []byte(`Whenever you answer without calling a tool, the whole answer must be one JSON `)
	if f.Schema == "" {
		text = append(text, `object, with no text around it and no code fence.`...)
		return ir.Escaped(jsonw.View(text))
	}
	text = append(text, `value that follows the JSON Schema below, with no text around it and no code fence.`...)
	if f.Description != "" {
		text = append(append(text, `\n\n`...), f.Description...)
	}
	return ir.Escaped(jsonw.View(jsonw.AppendQuotedRaw(append(text, `\n\n`...), f.Schema)))
}

// form is what an answer goes through on its way to a client that has asked for a format.
type form uint8

const (
	asItComes  form = iota
	byTool          // the arguments of the only tool are the answer
	instructed      // the answer may stand in a code fence
)

// argued is a sink that makes the answer's text of the arguments of the only tool. Text beside the call is left out: it is kept until
// the answer's end, and is the answer where the model has not called the tool.
type argued struct {
	sink   ir.Sink
	inside ir.BlockKind // the open block where it is a text or a call, else 0
	called bool
	said   bool // the call has arguments
	owes   bool // the call has ended without any: its block stays open until the next event says whether the answer was cut there
	ended  bool
	held   []byte
	ev     ir.Event
}

// Event implements ir.Sink.
func (a *argued) Event(ev *ir.Event) {
	switch {
	case a.ended:
		return
	case ev.Kind == ir.BlockStart && ev.Block == ir.TextBlock, ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock && a.called:
		a.inside = ir.TextBlock
		return
	case ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock:
		a.inside, a.called, a.held = ir.ToolCallBlock, true, nil
		a.ev = ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock}
		ev = &a.ev
	case a.inside == ir.TextBlock && ev.Kind == ir.Delta:
		if ev.Delta == ir.TextDelta && !a.called {
			a.hold(ev.Text)
		}
		return
	case ev.Kind == ir.BlockStop && a.inside != 0:
		call := a.inside == ir.ToolCallBlock
		a.inside, a.owes = 0, call && !a.said
		if !call || a.owes {
			return
		}
	case ev.Kind == ir.Finish || ev.Kind == ir.Failure:
		if !a.called {
			a.flush()
		}
		if ev.Kind == ir.Finish && ev.Stop == ir.ToolUse && a.called {
			a.ev = *ev
			a.ev.Stop = ir.EndTurn
			ev = &a.ev
		}
	}
	a.said = a.said || a.inside == ir.ToolCallBlock && ev.Kind == ir.Delta
	if a.owes {
		a.settle(ev)
	}
	a.sink.Event(ev)
}

// settle ends the block of a call without arguments: one that was not cut is an empty object. ev comes next.
func (a *argued) settle(ev *ir.Event) {
	a.owes = false
	cut := ev.Kind == ir.Failure || ev.Kind == ir.Finish && (ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow || ev.Stop == ir.Refusal)
	if !cut {
		a.sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "{}"})
	}
	a.sink.Event(&ir.Event{Kind: ir.BlockStop})
}

func (a *argued) hold(text ir.Escaped) {
	if len(a.held)+len(text) > ir.MaxHeld {
		a.ended = true
		a.sink.Event(&ir.Event{Kind: ir.Failure, Err: failure.Unreadable("a text of more than 8 MB in place of a tool call")})
		return
	}
	a.held = append(a.held, text...)
}

// flush hands on the text that was held.
func (a *argued) flush() {
	if len(a.held) == 0 {
		return
	}
	a.sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	a.sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(a.held)})
	a.sink.Event(&ir.Event{Kind: ir.BlockStop})
}

// unfenced is a sink that takes away a code fence which encloses a text of the answer: models write one around JSON also where they were
// told not to, and SDKs then can't parse the answer. The fence must begin the text and have an object or a list behind it. Behind it what
// may be its end is held back: space and backticks, which JSON has only within its strings, where a line break is escaped.
type unfenced struct {
	sink   ir.Sink
	inText bool
	place  int    // how far the beginning of the text is read: see begins
	ticks  int    // how many backticks have come
	fenced bool   // the text began with a fence
	held   []byte // what is held back, as it is written
	out    []byte // what the current delta hands on
	ev     ir.Event
}

// Places in the beginning of a text.
const (
	beforeFence = iota
	inLanguage
	behindFence
	inBody
)

// maxFence is how many bytes are held back at most.
const maxFence = 256

// Event implements ir.Sink.
//
//go:noinline
func (u *unfenced) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && ev.Block == ir.TextBlock:
		u.inText, u.place, u.ticks, u.fenced = true, beforeFence, 0, false
	case u.inText && ev.Kind == ir.Delta && ev.Delta == ir.TextDelta:
		u.text(ev.Text)
		return
	case u.inText && (ev.Kind == ir.BlockStop || ev.Kind == ir.Failure):
		u.inText = false
		if !u.fenced || ev.Kind == ir.Failure || strings.TrimSpace(jsonw.Unescape(jsonw.View(u.held))) != "```" {
			u.pass(jsonw.View(u.held))
		}
		u.held = u.held[:0]
	}
	u.sink.Event(ev)
}

// text takes a piece of text.
func (u *unfenced) text(e ir.Escaped) {
	u.out = u.out[:0]
	for i := 0; i < len(e); {
		if u.place == inBody && !u.fenced {
			u.out = append(u.out, e[i:]...)
			break
		}
		unit, width := uint16(e[i]), 1
		if e[i] == '\\' {
			unit, width = jsonw.UnitAt(e[i:])
		}
		u.held = append(u.held, e[i:i+width]...)
		i += width
		if u.place < inBody {
			u.begins(unit)
		}
		if u.place == inBody && (!isTail(unit) || len(u.held) > maxFence) {
			u.out = append(u.out, u.held...)
			u.held = u.held[:0]
		}
	}
	u.pass(jsonw.View(u.out))
}

// begins takes a character of the beginning of the text: space, a fence with the name of a language, a line break, space, and the
// beginning of an object or a list.
func (u *unfenced) begins(unit uint16) {
	space := unit == ' ' || unit == '\n' || unit == '\r' || unit == '\t'
	switch {
	case len(u.held) > maxFence:
	case u.place == beforeFence && unit == '`':
		if u.ticks++; u.ticks == 3 {
			u.place = inLanguage
		}
		return
	case u.place == beforeFence && space && u.ticks == 0, u.place == behindFence && space:
		return
	case u.place == inLanguage && unit == '\n':
		u.place = behindFence
		return
	case u.place == inLanguage && unit != '`' && unit != '{' && unit != '[':
		return
	case u.place == behindFence && (unit == '{' || unit == '['):
		u.place, u.fenced = inBody, true
		u.out = append(u.out, byte(unit))
		u.held = u.held[:0]
		return
	}
	u.place = inBody
	u.out = append(u.out, u.held...)
	u.held = u.held[:0]
}

// isTail reports whether a character may belong to the end of a fence.
func isTail(unit uint16) bool {
	return unit == '`' || unit == ' ' || unit == '\n' || unit == '\r' || unit == '\t'
}

// pass hands text on as a delta.
func (u *unfenced) pass(text ir.Escaped) {
	if text != "" {
		u.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		u.sink.Event(&u.ev)
	}
}
