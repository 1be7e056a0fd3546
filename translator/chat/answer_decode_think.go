package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// thinking separates the reasoning from a content that begins with <think>...</think> or
// <reasoning>...</reasoning>, if the endpoint's option think_tags is on, or the server is known to
// send such a content. Servers without a reasoning parser, as Ollama and vLLM without one for the
// model, pass on the model's output unchanged. Perplexity does so by design (langchain#38070), and
// Bedrock's /openai/v1 puts gpt-oss' reasoning there (BerriAI/litellm#40775). White space before
// the tags and after either tag is left out. The tags may be escaped, and pieces may end inside a
// tag.
type thinking struct {
	state thinkingState
	end   string // the tag that ends the reasoning
	part  []byte // buffered: perhaps the beginning of a tag, or white space before a tag
}

// thinkingState is the state after the content read so far.
type thinkingState uint8

const (
	beforeThinking thinkingState = iota // nothing, or white space
	atThinking                          // the opening tag, and perhaps white space
	inThinking                          // reasoning
	afterThinking                       // the closing tag, and perhaps white space
	noThinking                          // text: no tag counts any more
)

// tags are the opening and closing tags of reasoning.
var tags = [...][2]string{{"<think>", "</think>"}, {"<reasoning>", "</reasoning>"}}

const maxSpace = 256 // bytes before the first tag

// content takes a piece of content.
func (d *decoder) content(e ir.Escaped) {
	if !d.target.ThinkTags || d.think.state == noThinking {
		d.text(e)
		return
	}
	t := &d.think
	if len(t.part) > 0 {
		t.part = append(t.part, e...)
		e = jsonw.View(t.part)
	}
	rest := d.cut(e)
	// append moves the bytes within the same array if e is a view of the array
	t.part = append(t.part[:0], rest...)
}

// cut yields the reasoning and text that are certain, and returns the rest, which needs the next
// piece.
//
//go:noinline
func (d *decoder) cut(e ir.Escaped) (rest ir.Escaped) {
	t := &d.think
	if t.state == beforeThinking {
		space := spaceAt(e)
		behind, begun := 0, false // the end of the tag, and whether e may be the beginning of a tag
		for i := range tags {
			n, matched := tagAt(e[space:], tags[i][0])
			if begun = begun || space+n == len(e); matched {
				behind, t.end = space+n, tags[i][1]
			}
		}
		switch {
		case space > maxSpace || behind == 0 && !begun:
			t.state = noThinking
			d.text(e)
			return ""
		case behind == 0:
			return e
		}
		e, t.state = e[behind:], atThinking
	}
	if t.state == atThinking {
		if e = e[spaceAt(e):]; e == "" {
			return ""
		}
		t.state = inThinking
	}
	if t.state == inThinking {
		end, n, matched := findTag(e, t.end)
		d.thought(e[:end])
		if !matched {
			return e[end:]
		}
		e, t.state = e[end+n:], afterThinking
	}
	if e = e[spaceAt(e):]; e != "" {
		t.state = noThinking
		d.text(e)
	}
	return ""
}

// flushHeld yields the buffered text, since it did not become a tag.
func (d *decoder) flushHeld() {
	t := &d.think
	if len(t.part) == 0 {
		return
	}
	if t.state == inThinking {
		d.thought(jsonw.View(t.part))
	} else {
		t.state = noThinking
		d.text(jsonw.View(t.part))
	}
	t.part = t.part[:0]
}

// thought yields a piece of reasoning.
func (d *decoder) thought(e ir.Escaped) {
	if e != "" {
		d.add(ir.ReasoningBlock, e)
	}
}

// text yields a piece of the answer's text.
func (d *decoder) text(e ir.Escaped) {
	if e != "" {
		d.add(ir.TextBlock, e)
	}
}

// findTag returns where in e the tag begins, and how many bytes of the tag are there. If e ends
// inside the tag, matched is false; if e has no beginning of the tag, at is the end of e.
func findTag(e ir.Escaped, tag string) (at, n int, matched bool) {
	for at < len(e) {
		if n, matched = tagAt(e[at:], tag); matched || at+n == len(e) {
			return at, n, matched
		}
		at += charAt(e[at:])
	}
	return len(e), 0, false
}

// spaceAt returns the number of bytes of white space at the beginning of e.
func spaceAt(e ir.Escaped) (n int) {
	for n < len(e) {
		switch {
		case e[n] == ' ':
			n++
		case e[n] == '\\' && n+1 < len(e) && (e[n+1] == 'n' || e[n+1] == 'r' || e[n+1] == 't'):
			n += 2
		default:
			return n
		}
	}
	return n
}

// tagAt returns how many bytes of e agree with the tag, and whether the tag is complete. A partial
// match before the end of e is no tag.
func tagAt(e ir.Escaped, tag string) (n int, matched bool) {
	for i := 0; i < len(tag); i++ {
		if n == len(e) {
			return n, false
		}
		size := charAt(e[n:])
		c := e[n]
		if size == 6 {
			c = ascii(e[n+2:])
		}
		if c != tag[i] && !(tag[i] == '/' && e[n:n+size] == `\/`) {
			return n, false
		}
		n += size
	}
	return n, true
}

// charAt returns the length of the first character of e as it is escaped. e must not be empty.
func charAt(e ir.Escaped) int {
	switch {
	case e[0] != '\\' || len(e) == 1:
		return 1
	case e[1] == 'u' && len(e) >= 6:
		return 6
	}
	return 2
}
