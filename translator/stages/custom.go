package stages

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// custom is the sink of CustomCalls. A client can't see that TEXT was cut, and runs half of a patch
// or of a script. Therefore the answer fails if the upstream ends the answer normally after such a
// call.
type custom struct {
	sink    ir.Sink
	request *ir.Request
	inside  bool // the open block is a call of a custom tool
	cut     bool // the last block was a call whose TEXT has no end
	failed  bool
	state   customState
	offset  int      // beforeText: how many bytes of opening have come
	all     []byte   // beforeText and otherForm: the arguments so far, escaped
	text    []byte   // the part of TEXT in the current delta, escaped
	escape  []byte   // the beginning of an escape of TEXT
	ev      ir.Event // the event for sink
}

// customState is the position in the arguments of a call.
type customState uint8

const (
	beforeText customState = iota
	insideText
	afterText
	otherForm // the arguments are not {"input":TEXT...
)

// opening precedes TEXT, with optional space between its tokens. Inside of the key,
// opening[keyFrom:keyTo], space is a mismatch.
const (
	opening = `{"input":"`
	keyFrom = len(`{"`)
	keyTo   = len(`{"input"`)
)

// CustomCalls returns a sink that passes events to sink and restores calls of the request's custom
// tools, which accept free text. An upstream without custom tools gets such a tool as a function
// with one argument, {"input":TEXT} (schema.CustomInput). The sink removes the JSON around TEXT
// while the arguments arrive (FAULTS 64).
func CustomCalls(r *ir.Request, sink ir.Sink) ir.Sink {
	for i := range r.Tools {
		if r.Tools[i].Kind == ir.CustomTool {
			return &custom{sink: sink, request: r}
		}
	}
	return sink
}

// Event implements ir.Sink.
func (c *custom) Event(ev *ir.Event) {
	switch {
	case c.failed:
		return
	case c.cut && !reportsCut(ev):
		c.fail("the input of a tool call is incomplete")
		return
	case ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock:
		if t := c.request.Tool(ev.Name); t != nil && t.Kind == ir.CustomTool {
			c.inside, c.state, c.offset = true, beforeText, 0
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
		c.cut = c.state == insideText || c.state == beforeText && c.offset > 0
	}
	c.sink.Event(ev)
}

// isSpace reports whether a character is space in JSON.
func isSpace(unit uint16) bool {
	return unit == ' ' || unit == '\n' || unit == '\r' || unit == '\t'
}

// reportsCut reports whether ev says that the answer was cut.
func reportsCut(ev *ir.Event) bool {
	return ev.Kind == ir.Failure || ev.Kind == ir.Finish &&
		ev.Stop != ir.EndTurn && ev.Stop != ir.ToolUse && ev.Stop != ir.StopSequence
}

// fail ends the answer.
func (c *custom) fail(problem string) {
	c.failed = true
	c.sink.Event(&ir.Event{Kind: ir.Failure, Err: failure.Unreadable(problem)})
}

// arguments reads a piece of the call's arguments: JSON, escaped.
func (c *custom) arguments(e ir.Escaped) {
	if c.state == beforeText || c.state == otherForm {
		if len(c.all)+len(e) > ir.MaxBuffered {
			c.fail("the input of a tool call is larger than 8 MB")
			return
		}
		c.all = append(c.all, e...)
	}
	c.text = c.text[:0]
	for i := 0; i < len(e) && c.state < afterText; {
		unit, width := uint16(e[i]), 1
		if e[i] == '\\' {
			unit, width = jsonw.UnitAt(e[i:])
		}
		if c.state == beforeText {
			c.open(unit)
		} else {
			c.input(unit, e[i:i+width])
		}
		i += width
	}
	c.pass(jsonw.View(c.text))
}

// open reads a character before TEXT.
func (c *custom) open(unit uint16) {
	switch {
	case unit < 0x80 && opening[c.offset] == byte(unit):
		if c.offset++; c.offset == len(opening) {
			c.state = insideText
		}
	case (c.offset < keyFrom || c.offset >= keyTo) && isSpace(unit):
	default:
		c.state = otherForm
	}
}

// input reads a character of TEXT. TEXT is escaped twice: as a string in the arguments, and with
// the arguments in the upstream's JSON. input removes the second level only, because sink expects
// the inside of a string. An escape passes when it is complete. A control character, which is
// invalid in a string, keeps its original escape.
func (c *custom) input(unit uint16, written ir.Escaped) {
	switch {
	case len(c.escape) > 0:
		if unit >= 0x80 { // no escape contains such a character: pass both on as text
			c.text = append(jsonw.AppendText(c.text, string(jsonw.View(c.escape))), written...)
			c.escape = c.escape[:0]
			return
		}
		c.escape = append(c.escape, byte(unit))
		if len(c.escape) == 6 || len(c.escape) == 2 && unit != 'u' {
			c.complete()
		}
	case unit == '"':
		c.state = afterText
	case unit == '\\':
		c.escape = append(c.escape, '\\')
	case unit < ' ' || unit >= 0x80:
		c.text = append(c.text, written...)
	default:
		c.text = append(c.text, byte(unit))
	}
}

// complete adds a whole escape of TEXT. A malformed escape is text.
func (c *custom) complete() {
	if jsonw.IsEscape(jsonw.View(c.escape)) {
		c.text = append(c.text, c.escape...)
	} else {
		c.text = jsonw.AppendText(c.text, string(jsonw.View(c.escape)))
	}
	c.escape = c.escape[:0]
}

// close ends the call. Arguments of another form may be an object with "input" at another place.
// Otherwise all of them are TEXT: the model has left out the JSON. {} is a call without a text.
func (c *custom) close() {
	if c.state != otherForm {
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

// pass passes text on as a delta.
func (c *custom) pass(text ir.Escaped) {
	if text != "" {
		c.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		c.sink.Event(&c.ev)
	}
}
