package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// details gathers the details of a reasoning block that the client must return: the elements of
// OpenRouter's reasoning_details ("Reasoning Tokens", "Preserving reasoning blocks"), or Google's
// extra_content.
//
// In a stream an element of type reasoning.text or reasoning.summary comes in pieces, which are
// joined to one element. A piece continues the element before it if both have the same type and the
// piece has no other index or id. The piece with the signature is the last piece of its element. An
// element of any other type comes whole, and goes back byte for byte.
type details struct {
	list []byte // whole elements, separated by commas
	bare bool   // list is extra_content, a single value instead of a list of elements
	// the type of the element whose pieces are coming, "" for none
	kind ir.Raw
	text []byte // the element's text
	// the element's other members: the first value of each that is not null
	rest [len(detailKeys)][]byte
}

const (
	textDetail    = `"reasoning.text"`
	summaryDetail = `"reasoning.summary"`
)

const (
	detailSignature = iota
	detailID
	detailFormat
	detailIndex
)

// detailKeys are the members beside the text: each piece may repeat them, or only the last piece
// has them.
var detailKeys = [...]string{detailSignature: "signature", detailID: "id", detailFormat: "format",
	detailIndex: "index"}

// detailPiece is one element of reasoning_details in a chunk.
type detailPiece struct {
	kind ir.Raw // textDetail, summaryDetail, or "" for other types
	text ir.Escaped
	rest [len(detailKeys)]ir.Raw
	data bool // the element has a signature, or data that only the model's vendor can read
}

func readDetail(r *jsonr.Reader) (p detailPiece) {
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		v := r.Value()
		switch key {
		case "type":
			switch v {
			case textDetail:
				p.kind = textDetail
			case summaryDetail:
				p.kind = summaryDetail
			}
		case "text", "summary":
			if e, _ := jsonr.Text(v); e != "" {
				p.text = e
			}
		case "data":
			p.data = p.data || !jsonr.IsNothing(v)
		}
		for i := range detailKeys {
			if key == detailKeys[i] && v != "null" {
				p.rest[i] = v
			}
		}
	}
	p.data = p.data || !jsonr.IsNothing(p.rest[detailSignature])
	return p
}

// details reads reasoning_details. OpenRouter repeats their text in reasoning, and edgelingua
// itself repeats all reasoning beside the signature. So the text is shown only if neither reasoning
// nor reasoning_content has come.
//
//go:noinline
func (d *decoder) details(list *jsonr.Reader, whole bool) {
	for list.OpenArray(); !d.out.Ended() && list.Element(); {
		one := *list
		raw := list.Value()
		p := readDetail(&one)
		if !d.reasoned && p.text != "" {
			d.add(ir.ReasoningBlock, p.text)
		}
		if d.target.ReasoningEcho == ir.EchoDetails {
			d.buffer(raw, &p, whole)
		} else if p.data {
			d.lose(lostDetails, raw)
		}
	}
}

// buffer adds an element to the details of the last block, if that block is reasoning. Otherwise
// buffer begins an empty block for the element: Gemini's signature may follow its call.
func (d *decoder) buffer(raw ir.Raw, p *detailPiece, whole bool) {
	n := len(d.blocks) - 1
	if n < 0 || d.blocks[n].kind != ir.ReasoningBlock && d.blocks[n].kind != ir.RedactedBlock {
		n = d.begin(block{kind: ir.RedactedBlock})
	}
	if n < 0 || !d.out.Reserve(len(raw), "it has more than 8 MB of reasoning_details") {
		return
	}
	c := &d.blocks[n]
	if c.details == nil {
		c.details = &details{}
	}
	c.details.add(raw, p, whole)
}

// keepExtra begins an empty block for the extra_content of the next call: Google's signature of the
// reasoning before the call (Gemini API, "Thought signatures").
func (d *decoder) keepExtra(raw ir.Raw) {
	if d.out.Reserve(len(raw), "it has more than 8 MB of extra_content") {
		d.begin(block{kind: ir.RedactedBlock, details: &details{list: append([]byte(nil), raw...),
			bare: true}})
	}
}

// add takes an element of a chunk. In a plain body elements are whole.
func (s *details) add(raw ir.Raw, p *detailPiece, whole bool) {
	if whole || p.kind == "" {
		s.close()
		s.separate()
		s.list = append(s.list, raw...)
		return
	}
	if !s.continues(p) {
		s.close()
		s.kind = p.kind
	}
	s.text = append(s.text, p.text...)
	for i := range s.rest {
		if len(s.rest[i]) == 0 {
			s.rest[i] = append(s.rest[i], p.rest[i]...)
		}
	}
}

// continues reports whether p is a further piece of the unfinished element.
func (s *details) continues(p *detailPiece) bool {
	if s.kind != p.kind || len(s.rest[detailSignature]) > 0 && p.text != "" {
		return false
	}
	for _, i := range [...]int{detailID, detailIndex} {
		if len(s.rest[i]) > 0 && p.rest[i] != "" && ir.Raw(jsonw.View(s.rest[i])) != p.rest[i] {
			return false
		}
	}
	return true
}

// close completes the unfinished element.
func (s *details) close() {
	if s.kind == "" {
		return
	}
	s.separate()
	s.list = append(s.list, `{"type":`...)
	s.list = append(s.list, s.kind...)
	if s.kind == textDetail {
		s.list = append(s.list, `,"text":"`...)
	} else {
		s.list = append(s.list, `,"summary":"`...)
	}
	s.list = append(s.list, s.text...)
	s.list = append(s.list, '"')
	for i := range s.rest {
		if len(s.rest[i]) > 0 {
			s.list = append(s.list, `,"`...)
			s.list = append(s.list, detailKeys[i]...)
			s.list = append(s.list, `":`...)
			s.list = append(s.list, s.rest[i]...)
			s.rest[i] = s.rest[i][:0]
		}
	}
	s.list = append(s.list, '}')
	s.kind, s.text = "", s.text[:0]
}

func (s *details) separate() {
	if len(s.list) > 0 {
		s.list = append(s.list, ',')
	}
}

// signature returns all gathered details, as the inside of a JSON string.
func (s *details) signature() ir.Escaped {
	s.close()
	out := make([]byte, 0, len(s.list)+len(s.list)/8+2)
	if s.bare {
		return jsonw.View(jsonw.AppendQuotedRaw(out, ir.Raw(jsonw.View(s.list))))
	}
	out = append(out, '[')
	out = jsonw.AppendQuotedRaw(out, ir.Raw(jsonw.View(s.list)))
	return jsonw.View(append(out, ']'))
}
