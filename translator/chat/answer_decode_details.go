package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// details gathers what is to be given back of a block of reasoning: the elements of reasoning_details, as OpenRouter says them
// ("Reasoning Tokens", "Preserving reasoning blocks"). In a stream an element of text or of a summary comes in pieces, which
// become one again: pieces of the same kind one behind the other, as far as neither index nor id tell them apart. A signature
// ends its element. All others are whole, and go back byte for byte.
type details struct {
	list []byte // whole elements, with commas between them
	bare bool   // list is one value of its own, and no elements
	kind ir.Raw // of the element that comes in pieces: one of the constants, "" where there is none
	text []byte
	rest [len(detailKeys)][]byte // its other members, the first value that is not null
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

// detailKeys are the members that pieces of an element repeat, or bring later.
var detailKeys = [...]string{detailSignature: "signature", detailID: "id", detailFormat: "format", detailIndex: "index"}

// detailPiece is one element of reasoning_details as it comes.
type detailPiece struct {
	kind ir.Raw // one of the constants, or ""
	text ir.Escaped
	rest [len(detailKeys)]ir.Raw
	data bool // it holds what only its vendor can read
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

// details reads reasoning_details. Their text is shown where the answer has it nowhere else: some servers repeat all of it beside its
// signature.
func (d *decoder) details(list *jsonr.Reader, whole bool) {
	for list.OpenArray(); list.Element() && !d.out.Ended(); {
		one := *list
		raw := list.Value()
		p := readDetail(&one)
		if !d.reasoned && p.text != "" {
			d.add(ir.ReasoningBlock, p.text)
		}
		if d.target.ReasoningEcho == ir.EchoDetails {
			d.keep(raw, &p, whole)
		} else if p.data {
			d.lose(lostDetails, raw)
		}
	}
}

// keep adds an element to what is to be given back of the last block, where that is one of reasoning, else of one that only
// its vendor can read.
func (d *decoder) keep(raw ir.Raw, p *detailPiece, whole bool) {
	n := len(d.blocks) - 1
	if n < 0 || d.blocks[n].kind != ir.ReasoningBlock && d.blocks[n].kind != ir.RedactedBlock {
		n = d.begin(block{kind: ir.RedactedBlock})
	}
	if n < 0 || !d.out.Keep(len(raw), "reasoning_details of more than 8 MB") {
		return
	}
	c := &d.blocks[n]
	if c.details == nil {
		c.details = &details{}
	}
	c.details.add(raw, p, whole)
}

// keepExtra begins a block for what is to be given back beside the call that follows.
func (d *decoder) keepExtra(raw ir.Raw) {
	if d.out.Keep(len(raw), "extra_content of more than 8 MB") {
		d.begin(block{kind: ir.RedactedBlock, details: &details{list: append([]byte(nil), raw...), bare: true}})
	}
}

// add takes an element, or a piece of one.
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

// continues reports whether p is a further piece of the open element.
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

// close completes the element that comes in pieces.
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

// signature returns all of it as the inside of a literal.
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
