package chat

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

const (
	maxThought   = 1 << 20 // bytes of a block of reasoning that are kept to be said once more beside its signature
	maxCitations = 1024    // of one block
)

// answer is what an encoder and a folder have to remember of an answer: both write the same elements.
type answer struct {
	legacy    bool         // calls go out in the older form
	block     ir.BlockKind // the open block, 0 for one that has no form here
	calls     int64        // how many have begun
	arguments bool         // the open call has some
	refused   bool         // a refusal was shown

	item    []byte // the vendor's id of the open block of reasoning
	details int64  // how many reasoning_details were written

	characters int64 // of the content so far
	begin      int64 // of these in front of the open block
	citations  []citation
}

// citation is a source that the open block of text names.
type citation struct {
	url, title ir.Escaped
	start, end int64 // of all of the content; end is -1 for the end of the block
	raw        ir.Raw
}

// open takes the beginning of a block. The older form of calls has room for one: the model is told so, and further ones, which it
// makes again when it gets the first one's result, are left out, as are calls with free text there.
func (a *answer) open(ev *ir.Event) {
	a.block, a.arguments = ev.Block, false
	switch ev.Block {
	case ir.TextBlock:
		a.begin, a.citations = a.characters, a.citations[:0]
	case ir.ReasoningBlock, ir.RedactedBlock:
		a.item = append(a.item[:0], ev.ID...)
	case ir.RefusalBlock:
		a.refused = true
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		if a.legacy && (a.calls > 0 || ev.Block == ir.CustomToolCallBlock) {
			a.block = 0
			return
		}
		a.calls++
	default:
		a.block = 0
	}
}

// appendCall appends the beginning of the open call: as the element of tool_calls up to its arguments or input, or in the older
// form the value of function_call. The stream numbers them.
func (a *answer) appendCall(dst []byte, ev *ir.Event, numbered bool) []byte {
	if a.legacy {
		dst = append(dst, `{"name":`...)
		dst = jsonw.AppendEscaped(dst, ev.Name)
		return append(dst, `,"arguments":"`...)
	}
	dst = append(dst, '{')
	if numbered {
		dst = append(dst, `"index":`...)
		dst = strconv.AppendInt(dst, a.calls-1, 10)
		dst = append(dst, ',')
	}
	dst = append(dst, `"id":`...)
	dst = jsonw.AppendEscaped(dst, ev.CallID)
	if ev.Block == ir.CustomToolCallBlock {
		dst = append(dst, `,"type":"custom","custom":{"name":`...)
		dst = jsonw.AppendEscaped(dst, ev.Name)
		return append(dst, `,"input":"`...)
	}
	dst = append(dst, `,"type":"function","function":{"name":`...)
	dst = jsonw.AppendEscaped(dst, ev.Name)
	return append(dst, `,"arguments":"`...)
}

// appendCallEnd closes what appendCall has opened.
func (a *answer) appendCallEnd(dst []byte) []byte {
	if a.legacy {
		return append(dst, `"}`...)
	}
	return append(dst, `"}}`...)
}

// appendDetail appends an element of reasoning_details, in the form of OpenRouter: with the signature that its vendor wants back,
// or all that is hidden, in an envelope that says whose it is. thought is the text that was signed.
func (a *answer) appendDetail(dst []byte, ev *ir.Event, thought []byte) []byte {
	redacted := a.block == ir.RedactedBlock
	if redacted {
		dst = append(dst, `{"type":"reasoning.encrypted","data":"`...)
	} else {
		dst = append(dst, `{"type":"reasoning.text","text":"`...)
		dst = append(dst, thought...)
		dst = append(dst, `","signature":"`...)
	}
	if ev.Origin == Name {
		dst = append(dst, ev.Text...)
		if len(a.item) > 0 {
			dst = append(dst, `","id":"`...)
			dst = append(dst, a.item...)
		}
	} else {
		dst = ir.AppendEnvelope(dst, ev.Origin, redacted, ir.Escaped(a.item), ev.Text)
	}
	dst = append(dst, `","index":`...)
	dst = strconv.AppendInt(dst, a.details, 10)
	a.details++
	return append(dst, '}')
}

// cite keeps a citation of the open block.
func (a *answer) cite(c *ir.Citation) {
	if a.block != ir.TextBlock || len(a.citations) == maxCitations {
		return
	}
	if c.URL == "" && c.Raw != "" { // of this protocol, and nothing that the hub knows
		a.citations = append(a.citations, citation{raw: ir.Raw(jsonw.AppendFlat(nil, c.Raw))})
		return
	}
	kept := citation{url: ir.Escaped(strings.Clone(string(c.URL))), title: ir.Escaped(strings.Clone(string(c.Title))), start: a.begin, end: -1}
	if c.Start >= 0 && c.End >= c.Start {
		kept.start, kept.end = a.begin+c.Start, a.begin+c.End
	}
	a.citations = append(a.citations, kept)
}

// appendCitations appends the citations of the block that ends, as elements of annotations. Their places count the characters
// of all of the content; where the upstream gave none it is the block.
func (a *answer) appendCitations(dst []byte) []byte {
	for i := range a.citations {
		c := &a.citations[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.raw != "" {
			dst = append(dst, c.raw...)
			continue
		}
		end := c.end
		if end < 0 {
			end = a.characters
		}
		dst = append(dst, `{"type":"url_citation","url_citation":{"start_index":`...)
		dst = strconv.AppendInt(dst, c.start, 10)
		dst = append(dst, `,"end_index":`...)
		dst = strconv.AppendInt(dst, end, 10)
		dst = append(dst, `,"url":`...)
		dst = jsonw.AppendEscaped(dst, c.url)
		dst = append(dst, `,"title":`...)
		dst = jsonw.AppendEscaped(dst, c.title)
		dst = append(dst, `}}`...)
	}
	return dst
}

// fill returns what the arguments of the open call lack at its end: a call without any has {}.
func (a *answer) fill() ir.Escaped {
	if a.block == ir.ToolCallBlock && !a.arguments {
		return "{}"
	}
	return ""
}

// argue takes a piece of the open call's arguments.
func (a *answer) argue(e ir.Escaped) {
	a.arguments = a.arguments || !jsonr.IsBlank(e)
}
