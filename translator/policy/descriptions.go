package policy

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Cut limits a tool's description for the model. The zero value is no limit.
type Cut struct {
	FirstSentence bool // only the first sentence is kept
	Max           int  // the maximum number of characters; 0: any number
}

// ToolCut replaces Policy.Descriptions for some tools.
type ToolCut struct {
	Names string // the name of a tool, as in ir.Tool.Name, or a prefix of names and a *
	Cut   Cut
}

// Cuts reports whether the policy cuts descriptions of tools.
func (p *Policy) Cuts() bool {
	cuts := p.Descriptions != Cut{}
	for i := range p.ToolDescriptions {
		cuts = cuts || p.ToolDescriptions[i].Cut != Cut{}
	}
	return cuts
}

// cutOf returns the limit for a tool: the entry for its name, else for the longest prefix, else
// Policy.Descriptions. A tool run by a vendor has no limit, because the vendor describes such a
// tool to its model.
func (p *Policy) cutOf(t *ir.Tool) Cut {
	if !t.Kind.RunByClient() {
		return Cut{}
	}
	cut, longest := p.Descriptions, -1
	if len(p.ToolDescriptions) == 0 {
		return cut
	}
	name := jsonw.Unescape(t.Name)
	for i := range p.ToolDescriptions {
		of := &p.ToolDescriptions[i]
		begin, more := strings.CutSuffix(of.Names, "*")
		switch {
		case of.Names == name:
			return of.Cut
		case more && len(begin) > longest && strings.HasPrefix(name, begin):
			cut, longest = of.Cut, len(begin)
		}
	}
	return cut
}

// isDescribed reports whether the client wrote the description of a tool. If the client's vendor
// defined the tool, as bash_20250124, the request usually contains no description, and ours is as
// short as possible.
func isDescribed(t *ir.Tool) bool {
	if t.Type == "" {
		return true
	}
	value, _, _ := jsonr.LastMember(string(t.Raw), "description")
	text, ok := jsonr.Text(value)
	return ok && text == t.Description
}

// of returns the beginning of a description for the model.
func (c Cut) of(text ir.Escaped) ir.Escaped {
	// The beginning is the same every time, so prompt caches hold, and authors say first what a
	// tool is for. A shorter text by a model would cost a call and differ each time. No dots mark
	// the cut: in each description they would be tokens for a model that can't ask for the rest.
	// ShrinkRequired still reads the whole description. Grammars and examples stay, since no call
	// could be right without them.
	if c.FirstSentence {
		text = text[:sentence(text, 0)]
	}
	if c.Max > 0 && len(text) > c.Max {
		text = text[:limited(text, c.Max)]
	}
	return text
}

// limited returns where to cut a text to at most most characters: after the last sentence that
// fits, or else after the last word. limited cuts inside a word if both would leave less than half.
func limited(text ir.Escaped, most int) int {
	end, word, inWord := 0, 0, false
	for n := 0; ; n++ {
		if end == len(text) {
			return end
		}
		r, width := runeAt(text[end:])
		if inWord && isSpace(r) {
			word = end
		}
		if n == most {
			break
		}
		inWord = !isSpace(r)
		end += width
	}
	last := 0
	for {
		next := sentence(text, last)
		if next > end {
			break
		}
		last = next
	}
	switch {
	case 2*last >= end:
		return last
	case 2*word >= end:
		return word
	}
	return end
}

// sentence returns the end of the sentence at index from, or at the first non-space after from;
// len(text) if nothing ends the sentence. A full stop does not end a sentence after a single letter
// or the number of a list item, nor before a small letter: "e.g. this". A line break ends a
// sentence before an empty line or a list item. A heading is not a sentence.
func sentence(text ir.Escaped, from int) int {
	last := from // after the last non-space
	// the number of letters directly before i; a digit, or a character of a script without letters,
	// counts as two
	letters := 0
	begun := false  // a non-space was read
	number := false // the line so far is only a number
	line := true    // the line so far is empty
	heading := false
	for i := from; i < len(text); {
		r, width := runeAt(text[i:])
		next := i + width
		switch {
		case r == '\n':
			if begun && !heading && endsParagraph(text[next:]) {
				return last
			}
			begun, heading = begun && !heading, false
			letters, number, line = 0, false, true
		case isSpace(r):
			letters = 0
		default:
			if !begun {
				begun, heading = true, r == '#'
			}
			ends := false
			switch {
			case r == '。' || r == '！' || r == '？':
				ends = true
			case r == '.':
				ends = letters != 1 && !number && !goesOn(text[afterQuotes(text, next):])
			case r == '!' || r == '?':
				ends = !startsWord(text[afterQuotes(text, next):])
			}
			if ends && !heading {
				return afterQuotes(text, next)
			}
			digit := '0' <= r && r <= '9'
			number, line = digit && (line || number), false
			switch {
			case isLetter(r):
				letters++
			case digit || r >= 0x2000:
				letters = 2
			default:
				letters = 0
			}
			last = next
		}
		i = next
	}
	return len(text)
}

// goesOn reports whether the text after a full stop continues the sentence: a word follows, or
// spaces and a small letter.
func goesOn(text ir.Escaped) bool {
	if startsWord(text) {
		return true
	}
	for text != "" {
		r, width := runeAt(text)
		if !isSpace(r) {
			return 'a' <= r && r <= 'z'
		}
		text = text[width:]
	}
	return false
}

// startsWord reports whether a text begins with a non-space.
func startsWord(text ir.Escaped) bool {
	if text == "" {
		return false
	}
	r, _ := runeAt(text)
	return !isSpace(r)
}

// endsParagraph reports whether the text after a line break begins a new paragraph or a list item.
func endsParagraph(text ir.Escaped) bool {
	digits := false
	for text != "" {
		r, width := runeAt(text)
		text = text[width:]
		switch {
		case r == '\n':
			return true
		case '0' <= r && r <= '9':
			digits = true
		case digits:
			return r == '.' || r == ')'
		case !isSpace(r):
			switch r {
			case '-', '*', '+', '#', '<', '|', '`', '•':
				return true
			}
			return false
		}
	}
	return !digits
}

// afterQuotes returns the index after the closing quotation marks, brackets and similar characters
// at index i.
func afterQuotes(text ir.Escaped, i int) int {
	for i < len(text) {
		r, width := runeAt(text[i:])
		switch r {
		case ')', ']', '}', '"', '\'', '*', '_', '`', '”', '’', '»', '）', '」', '』':
			i += width
		default:
			return i
		}
	}
	return i
}

// runeAt returns the first character of a non-empty escaped text, and its width in bytes. Two
// escapes of one character are one.
func runeAt(text ir.Escaped) (r rune, width int) {
	if text[0] != '\\' {
		return utf8.DecodeRuneInString(string(text))
	}
	if r, width = jsonw.UnicodeEscape(text); width == 0 {
		unit, n := jsonw.UnitAt(text)
		return rune(unit), n
	}
	return r, width
}

func isSpace(r rune) bool { return r <= ' ' || r == 0xA0 || r == 0x3000 }

func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || 0xC0 <= r && r < 0x2000
}
