package chat

import (
	"strconv"

	"edgelingua/translator/ir"
)

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
