package translator

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// custom is a sink that turns calls of custom tools, which take free text, back into such calls. An upstream that only knows
// functions is told of a custom tool as a function with one argument, {"input":TEXT} (schema.CustomInput). Here its calls lose
// the JSON around TEXT, as the arguments come (FAULTS 64). A client can't see that TEXT was cut, and runs what it has, as half of a patch or
// of a script. So an upstream that says of such a call that the answer has ended well has failed.
type custom struct {
	sink    ir.Sink
	request *ir.Request
	inside  bool // the open block is a call of a custom tool
	cut     bool // the last block was a call whose TEXT has no end
	ended   bool // the answer has failed
	place   place
	step    int      // leading: how many bytes of beginning have come
	all     []byte   // leading and foreign: the arguments so far, escaped
	text    []byte   // what the current delta adds to TEXT, escaped
	escape  []byte   // the beginning of an escape sequence of TEXT
	ev      ir.Event // the event that is being handed to sink
}

// place is where the arguments of a call have come to.
type place uint8

const (
	leading place = iota // in front of TEXT
	within               // in TEXT
	behind               // behind TEXT
	foreign              // the arguments are not of the form {"input":TEXT...
)

// beginning is what stands in front of TEXT, without the space that may stand between any two of its tokens.
// beginning[keyFrom:keyTo] is the key: a space inside of it is a mismatch, elsewhere it is skipped.
const (
	beginning = `{"input":"`
	keyFrom   = len(`{"`)
	keyTo     = len(`{"input"`)
)

// Event implements ir.Sink.
func (c *custom) Event(ev *ir.Event) {
	switch {
	case c.ended:
		return
	case c.cut && !saysCut(ev):
		c.fail("the input of a tool call has no end")
		return
	case ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock:
		if t := c.request.Tool(ev.Name); t != nil && t.Kind == ir.CustomTool {
			c.inside, c.place, c.step = true, leading, 0
			c.all, c.escape = c.all[:0], c.escape[:0]
			c.ev = *ev
			c.ev.Block = ir.CustomToolCallBlock
			ev = &c.ev
		}
	case c.inside && ev.Kind == ir.Delta:
		c.arguments(ev.Text)
		return
	case c.inside && ev.Kind == ir.BlockStop:
		c.inside = false
		c.close()
		c.cut = c.place == within || c.place == leading && c.step > 0
	}
	c.sink.Event(ev)
}

// saysCut reports whether ev says that the answer was cut.
func saysCut(ev *ir.Event) bool {
	return ev.Kind == ir.Failure || ev.Kind == ir.Finish && ev.Stop != ir.EndTurn && ev.Stop != ir.ToolUse && ev.Stop != ir.StopSequence
}

// fail ends the answer.
func (c *custom) fail(what string) {
	c.ended = true
	c.sink.Event(&ir.Event{Kind: ir.Failure, Err: failure.Unreadable(what)})
}

// arguments takes a piece of the call's arguments: JSON, escaped.
func (c *custom) arguments(e ir.Escaped) {
	if c.place == leading || c.place == foreign {
		if len(c.all)+len(e) > ir.MaxHeld {
			c.fail("the input of a tool call of more than 8 MB")
			return
		}
		c.all = append(c.all, e...)
	}
	c.text = c.text[:0]
	for i := 0; i < len(e) && c.place < behind; {
		unit, width := uint16(e[i]), 1
		if e[i] == '\\' {
			unit, width = jsonw.UnitAt(e[i:])
		}
		if c.place == leading {
			c.lead(unit)
		} else {
			c.input(unit, e[i:i+width])
		}
		i += width
	}
	c.pass(jsonw.View(c.text))
}

// lead takes a character in front of TEXT.
func (c *custom) lead(unit uint16) {
	switch {
	case unit < 0x80 && beginning[c.step] == byte(unit):
		if c.step++; c.step == len(beginning) {
			c.place = within
		}
	case (c.step < keyFrom || c.step >= keyTo) && (unit == ' ' || unit == '\n' || unit == '\r' || unit == '\t'):
	default:
		c.place = foreign
	}
}

// input takes a character of TEXT. TEXT is escaped twice: as a literal in the arguments, and with them in the upstream's JSON. The second
// level is removed, the first stays, since TEXT goes on as the inside of a literal. An escape sequence goes on once it is complete. A control
// character, which may not stand in a literal, keeps the escape that it is written as.
func (c *custom) input(unit uint16, written ir.Escaped) {
	switch {
	case len(c.escape) > 0:
		if unit >= 0x80 { // no escape sequence has such a character: pass both on as text
			c.text = append(jsonw.AppendText(c.text, view(c.escape)), written...)
			c.escape = c.escape[:0]
			return
		}
		c.escape = append(c.escape, byte(unit))
		if len(c.escape) == 6 || len(c.escape) == 2 && unit != 'u' {
			c.complete()
		}
	case unit == '"':
		c.place = behind
	case unit == '\\':
		c.escape = append(c.escape, '\\')
	case unit < ' ' || unit >= 0x80:
		c.text = append(c.text, written...)
	default:
		c.text = append(c.text, byte(unit))
	}
}

// complete adds an escape sequence of TEXT. A malformed one is taken for text.
func (c *custom) complete() {
	if jsonw.IsEscape(jsonw.View(c.escape)) {
		c.text = append(c.text, c.escape...)
	} else {
		c.text = jsonw.AppendText(c.text, view(c.escape))
	}
	c.escape = c.escape[:0]
}

// close ends the call. Arguments of another form may be an object with an "input" elsewhere. Otherwise all of them are TEXT: the
// model has left out the JSON. {} is a call without a text.
func (c *custom) close() {
	if c.place != foreign {
		return
	}
	object := jsonw.Unescape(jsonw.View(c.all))
	if jsonr.Check(object) == nil {
		r := jsonr.NewReader(object)
		for r.OpenObject(); r.Member(); {
			if r.Key() == "input" {
				if text, ok := jsonr.Text(r.Value()); ok {
					c.pass(text)
					return
				}
			}
		}
		if object == "{}" {
			return
		}
	}
	c.pass(jsonw.View(c.all))
}

// pass hands text on as a delta.
func (c *custom) pass(text ir.Escaped) {
	if text != "" {
		c.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		c.sink.Event(&c.ev)
	}
}
