package translator

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// custom gives calls of tools that take free text their form. An upstream that only knows functions was told of such a tool as
// a function with one argument (schema.CustomInput); here its calls lose the JSON around the text again, as it comes.
type custom struct {
	sink    ir.Sink
	request *ir.Request
	inside  bool // of such a call
	ended   bool
	place   place
	step    int    // how much of the beginning has come
	all     []byte // of arguments that may be of another form: all so far, as written
	text    []byte // of the input: what the current delta brings
	escape  []byte // the beginning of an escape sequence of the input
	ev      ir.Event
}

// place is where in the arguments a call is.
type place uint8

const (
	leading place = iota // before the input's text
	within               // in it
	behind               // behind it
	foreign              // the arguments have another form
)

// beginning is what stands before the text, without the space that may stand between any two of its tokens.
const (
	beginning = `{"input":"`
	keyFrom   = len(`{"`)
	keyTo     = len(`{"input"`)
)

// Event takes the next event of the answer.
func (c *custom) Event(ev *ir.Event) {
	switch {
	case c.ended:
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
	}
	c.sink.Event(ev)
}

// arguments takes a piece of the call's arguments.
func (c *custom) arguments(e ir.Escaped) {
	if c.place == leading || c.place == foreign {
		if len(c.all)+len(e) > ir.MaxHeld {
			c.ended = true
			c.sink.Event(&ir.Event{Kind: ir.Failure, Err: failure.Unreadable("the input of a tool call of more than 8 MB")})
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

// lead takes a character before the text.
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

// input takes a character of the JSON literal that is the text: what is written there is how the text is written. An escape
// sequence of it goes on when it is complete. Characters that may not stand in a literal are escaped.
func (c *custom) input(unit uint16, written ir.Escaped) {
	switch {
	case len(c.escape) > 0:
		if unit >= 0x80 { // no escape sequence: what it is, is for the client to say
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

// complete passes on an escape sequence; what is none is taken for the text that it is written as.
func (c *custom) complete() {
	if jsonw.IsEscape(jsonw.View(c.escape)) {
		c.text = append(c.text, c.escape...)
	} else {
		c.text = jsonw.AppendText(c.text, view(c.escape))
	}
	c.escape = c.escape[:0]
}

// close ends the call. Arguments of another form may have the text elsewhere; else all of them are the text.
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

func (c *custom) pass(text ir.Escaped) {
	if text != "" {
		c.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		c.sink.Event(&c.ev)
	}
}
