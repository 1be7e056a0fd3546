package translator

import (
	"edgelingua/translator/ir"
)

// maxHeld bounds the bytes that a filter holds back.
const maxHeld = 8 << 20

// customs gives calls of tools that take free text their text. An upstream that only knows functions was told of such a tool as
// one with a member "input" (package schema), and calls it so: {"input":"the text"}. Here such a ToolCallBlock becomes a
// CustomToolCallBlock with the text, piece by piece as it comes.
//
// The arguments of a call are the source of an object, escaped as text. One level of unescaping leaves the inside of the
// member's literal, which is the text in its escaped form. Models don't always keep to the schema, so members beside
// "input" are passed over, control characters in its literal stand for themselves, as does a backslash that begins no escape;
// and where there is no such member at all the whole of the arguments is the text.
type customs struct {
	sink    ir.Sink
	request *ir.Request
	ev      ir.Event
	place   place
	depth   int    // arrays and objects that are open in a value that is passed over
	key     int    // how many characters of "input" the key has so far, -1 where it is another one
	escape  []byte // an escape in the text, or a key or value, as far as it has come
	held    []byte // the arguments, while "input" has not been found
	text    []byte // of one delta
	failed  bool
}

// place is where in the arguments a customs is.
type place uint8

const (
	elsewhere   place = iota // in no call of such a tool
	beforeBrace              // before the object
	beforeKey
	inKey
	beforeColon
	beforeValue
	inValue  // of another member, outside a string
	inString // of such a value
	inInput  // in the text
	behind   // it, or where it can't be found any more
)

const inputKey = "input"

// hasCustomTool reports whether a request has a tool that takes free text.
func hasCustomTool(r *ir.Request) bool {
	for i := range r.Tools {
		if r.Tools[i].Kind == ir.CustomTool {
			return true
		}
	}
	return false
}

// Event takes the next event of the answer.
func (c *customs) Event(ev *ir.Event) {
	switch {
	case c.failed:
	case ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock && c.takesText(ev.Name):
		c.place, c.depth, c.escape, c.held = beforeBrace, 0, c.escape[:0], c.held[:0]
		c.ev = *ev
		c.ev.Block = ir.CustomToolCallBlock
		c.sink.Event(&c.ev)
	case c.place != elsewhere && ev.Kind == ir.Delta:
		c.delta(ev.Text)
	case c.place != elsewhere && ev.Kind == ir.BlockStop:
		if len(c.held) > 0 {
			c.pass(c.held)
		}
		c.place = elsewhere
		c.sink.Event(ev)
	default:
		c.sink.Event(ev)
	}
}

func (c *customs) takesText(name ir.Escaped) bool {
	t := c.request.Tool(name)
	return t != nil && t.Kind == ir.CustomTool
}

// delta takes a piece of the arguments.
func (c *customs) delta(arguments ir.Escaped) {
	found := c.found()
	c.text = c.text[:0]
	for i := 0; i < len(arguments) && c.place != behind; {
		if c.place == inInput && len(c.escape) == 0 {
			n := i
			for n < len(arguments) && arguments[n] != '\\' {
				n++
			}
			c.text = append(c.text, arguments[i:n]...)
			if i = n; i == len(arguments) {
				break
			}
		}
		char, n := unescaped(arguments[i:])
		c.read(char, arguments[i:i+n])
		i += n
	}
	switch {
	case found:
	case c.found():
		c.held = c.held[:0]
	case len(c.held)+len(arguments) > maxHeld:
		c.failed = true
		c.ev = ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable,
			Message: "The upstream's answer can't be read: arguments of a tool call of more than 8 MB."}}
		c.sink.Event(&c.ev)
		return
	default:
		c.held = append(c.held, arguments...)
	}
	if len(c.text) > 0 {
		c.pass(c.text)
	}
}

// found reports whether the text has begun.
func (c *customs) found() bool {
	return c.place == inInput || c.place == behind && c.key == len(inputKey)
}

func (c *customs) pass(text []byte) {
	c.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(view(text))}
	c.sink.Event(&c.ev)
}

// read takes the next character of the arguments: an ASCII one, or anything from 0x80 on for others; as is how it stands in
// the delta.
func (c *customs) read(char byte, as ir.Escaped) {
	space := char == ' ' || char == '\n' || char == '\r' || char == '\t'
	switch c.place {
	case beforeBrace:
		c.expect(char == '{', space, beforeKey)
	case beforeKey:
		c.key = 0
		c.expect(char == '"', space || char == ',', inKey)
	case inKey:
		c.readKey(char)
	case beforeColon:
		c.expect(char == ':', space, beforeValue)
	case beforeValue:
		if space {
			return
		}
		c.place = inValue
		switch char {
		case '"':
			c.place = inString
			if c.key == len(inputKey) {
				c.place = inInput
			}
		case '{', '[':
			c.depth = 1
		}
	case inValue:
		c.readValue(char)
	case inString:
		switch {
		case len(c.escape) > 0:
			c.escape = c.escape[:0]
		case char == '\\':
			c.escape = append(c.escape, char)
		case char == '"':
			c.place = inValue
		}
	case inInput:
		c.readInput(char, as)
	}
}

// expect goes on where a character is the one that must come. Where it may not even stand there the form is another one.
func (c *customs) expect(comes, passes bool, next place) {
	if comes {
		c.place = next
	} else if !passes {
		c.give()
	}
}

// give gives up the search for the text.
func (c *customs) give() { c.place, c.key = behind, -1 }

func (c *customs) readKey(char byte) {
	switch {
	case len(c.escape) > 0:
		c.escape = c.escape[:0]
	case char == '\\':
		c.escape, c.key = append(c.escape, char), -1
	case char == '"':
		c.place = beforeColon
	case c.key >= 0 && c.key < len(inputKey) && char == inputKey[c.key]:
		c.key++
	default:
		c.key = -1
	}
}

// readValue takes a character of a value that is passed over.
func (c *customs) readValue(char byte) {
	switch char {
	case '"':
		c.place = inString
	case '{', '[':
		c.depth++
	case '}', ']':
		if c.depth--; c.depth < 0 {
			c.give()
		}
	case ',':
		if c.depth == 0 {
			c.place = beforeKey
		}
	}
}

// readInput takes a character of the text's literal.
func (c *customs) readInput(char byte, as ir.Escaped) {
	n := len(c.escape)
	switch {
	case n == 0 && char == '"':
		c.place = behind
	case n == 0 && char == '\\':
		c.escape = append(c.escape, char)
	case n == 0 && char < 0x80 && char >= ' ':
		c.text = append(c.text, char)
	case n == 0:
		c.text = append(c.text, as...)
	case n == 1 && isSimpleEscape(char):
		c.text = append(c.text, '\\', char)
		c.escape = c.escape[:0]
	case n == 1 && char == 'u', n > 1 && isHex(char):
		if c.escape = append(c.escape, char); len(c.escape) == len(`\u0000`) {
			c.text = append(c.text, c.escape...)
			c.escape = c.escape[:0]
		}
	default: // no escape: the backslash is one
		c.text = append(c.text, '\\')
		c.text = append(c.text, c.escape...)
		c.escape = c.escape[:0]
		c.readInput(char, as)
	}
}

func isSimpleEscape(char byte) bool {
	switch char {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// unescaped returns the first character of a text if it is an ASCII one, else 0x80 or more, and how many bytes of the text stand
// for it, or for a part of it.
func unescaped(e ir.Escaped) (char byte, n int) {
	if e[0] != '\\' || len(e) < 2 {
		return e[0], 1
	}
	switch e[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		unit, ok := codeUnit(e)
		switch {
		case !ok:
			return e[0], 1
		case unit >= 0x80:
			return 0x80, 6
		}
		return byte(unit), 6
	}
	return e[1], 2
}

// codeUnit reads the \uXXXX that e begins with.
func codeUnit(e ir.Escaped) (unit uint16, ok bool) {
	if len(e) < 6 || e[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(e[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}
