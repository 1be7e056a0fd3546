package policy

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// An upstream's id of a call that does not look like one of the client's vendor is shown as one
// that holds it:
//
//	toolu_el_<id>    an id of such characters as every API takes
//	toolu_elx_<hex>  any other, each byte as two digits
//
// and with call_ in place of toolu_ to clients of OpenAI's APIs (ir.API.CallIDPrefix). An id in the
// vendor's form is shown as it is, unless it begins like one that holds another. So every id that
// the client sends back says by itself what the upstream's id was.
const (
	plainMark = "el_"
	hexMark   = "elx_"
	hexDigits = "0123456789abcdef"
)

// shownID returns the id that the client sees in place of the upstream's.
func shownID(id ir.Escaped, prefix string) ir.Escaped {
	own := jsonw.Unescape(id)
	plain := ir.Identifier(id, 0) == ir.Escaped(own)
	rest, has := strings.CutPrefix(own, prefix)
	switch {
	case plain && has && !strings.HasPrefix(rest, plainMark) && !strings.HasPrefix(rest, hexMark):
		return ir.Escaped(own)
	case plain:
		return ir.Escaped(prefix + plainMark + own)
	}
	b := make([]byte, 0, len(prefix)+len(hexMark)+2*len(own))
	b = append(append(b, prefix...), hexMark...)
	for i := 0; i < len(own); i++ {
		b = append(b, hexDigits[own[i]>>4], hexDigits[own[i]&15])
	}
	return jsonw.View(b)
}

// ownID returns the upstream's id for an id that the client sends back. An id that holds no other,
// as in a conversation that began without this policy, is returned as it is.
func ownID(id ir.Escaped, prefix string) ir.Escaped {
	rest, ok := strings.CutPrefix(string(id), prefix)
	if !ok {
		return id
	}
	if own, ok := strings.CutPrefix(rest, plainMark); ok && shownID(ir.Escaped(own), prefix) == id {
		return ir.Escaped(own)
	}
	digits, ok := strings.CutPrefix(rest, hexMark)
	if !ok {
		return id
	}
	b := make([]byte, 0, len(digits)/2)
	for ; len(digits) >= 2; digits = digits[2:] {
		high, low := strings.IndexByte(hexDigits, digits[0]), strings.IndexByte(hexDigits, digits[1])
		if high < 0 || low < 0 {
			return id
		}
		b = append(b, byte(high<<4|low))
	}
	if own := jsonw.Escape(string(b)); shownID(own, prefix) == id {
		return own
	}
	return id
}
