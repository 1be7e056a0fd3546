package policy

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// If an upstream's call id does not look like an id of the client's vendor, the client sees an id
// that contains the upstream's:
//
//	toolu_el_<id>    an id with only characters accepted by every API
//	toolu_elx_<hex>  any other id, each byte as two digits
//
// Clients of OpenAI's APIs see call_ instead of toolu_ (ir.API.CallIDPrefix). An id in the vendor's
// form is unchanged, unless it begins with toolu_el_ or toolu_elx_. So the upstream's id can be
// derived from every id that a client sends back.
const (
	plainMark = "el_"
	hexMark   = "elx_"
	hexDigits = "0123456789abcdef"
)

// shownID returns the client's id for an upstream's id.
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

// ownID returns the upstream's id for an id from a client. An id that contains no other id, as in a
// conversation from before this policy, is returned unchanged.
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
