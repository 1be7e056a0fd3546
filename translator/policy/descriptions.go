package policy

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Cut says how much the model gets to see of a description. The zero value is all of it.
type Cut struct {
	FirstSentence bool // no more than the first sentence
	Max           int  // no more than so many characters; 0: any number
}

// ToolCut is what holds for some tools in place of Policy.Descriptions.
type ToolCut struct {
	Names string // the name of a tool, as ir.Tool.Name has it, or what names begin with and a *
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

// cutOf returns what holds for a tool: what is said of its name, else of the longest beginning of
// it, else of all tools. What a vendor runs it describes to its model itself.
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

// isDescribed reports whether the client has written the description of a tool: that of most of its
// vendor's, as bash_20250124, stands nowhere in the request, and is as short as it can be.
func isDescribed(t *ir.Tool) bool {
	if t.Type == "" {
		return true
	}
	value, _, _ := jsonr.LastMember(string(t.Raw), "description")
	text, ok := jsonr.Text(value)
	return ok && text == t.Description
}

// of returns the beginning of a description that the model gets to see.
func (c Cut) of(text ir.Escaped) ir.Escaped {
	if c.FirstSentence {
		text = text[:sentence(text, 0)]
	}
	if c.Max > 0 && len(text) > c.Max {
		text = text[:limited(text, c.Max)]
	}
	return text
}

// limited returns where a text is cut that may have most characters: behind the last sentence that
// fits in, else behind the last word, and inside of a word where a word or a sentence would leave
// less than half.
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

// sentence returns where the sentence ends that begins at index from, or behind the space that is
// there: len(text) where nothing ends it. A full stop ends none behind a single letter or the
// number of a list's item, and none in front of a small letter: "e.g. this". A line break ends one
// in front of an empty line or an item of a list. A heading is no sentence.
func sentence(text ir.Escaped, from int) int {
	last := from // behind the last character that is no space
	// how many stand in front of i; a digit, or a character of a script without such letters,
	// counts as two
	letters := 0
	begun := false  // there was more than space
	number := false // there was nothing but a number in this line
	line := true    // there was nothing in this line
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
				ends = letters != 1 && !number && !goesOn(text[behindQuotes(text, next):])
			case r == '!' || r == '?':
				ends = !startsWord(text[behindQuotes(text, next):])
			}
			if ends && !heading {
				return behindQuotes(text, next)
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

// goesOn reports whether the text behind a full stop belongs to the same sentence: a word follows,
// or a small letter behind a space.
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

// startsWord reports whether a text begins with anything but space.
func startsWord(text ir.Escaped) bool {
	if text == "" {
		return false
	}
	r, _ := runeAt(text)
	return !isSpace(r)
}

// endsParagraph reports whether the text behind a line break begins another paragraph, or an item
// of a list.
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

// behindQuotes returns the index behind the quotation marks, brackets and the like that stand at
// index i, and belong to what is before them.
func behindQuotes(text ir.Escaped, i int) int {
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

// runeAt returns the first character of an escaped text that is not "", and in how many bytes it is
// written. Two escapes of one character are one.
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
