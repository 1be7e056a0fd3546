package chat

import (
	"strconv"

	"edgelingua/translator/ir"
)

// appendAnswerHead appends the members with which a chunk and a whole answer begin, up to the first choice: "object" tells the two
// apart. The time is the upstream's where it gave one, since the translator has no clock.
func appendAnswerHead(dst []byte, object string, ev *ir.Event, r *ir.Request, model ir.Escaped) []byte {
	created := ev.Created
	if created <= 0 {
		created = r.Received
	}
	dst = append(dst, `{"id":"`...)
	dst = append(dst, completionID(ev.ID)...)
	dst = append(dst, `","object":"`...)
	dst = append(dst, object...)
	dst = append(dst, `","created":`...)
	dst = strconv.AppendInt(dst, created, 10)
	dst = append(dst, `,"model":"`...)
	dst = append(dst, model...)
	return append(dst, `","choices":[`...)
}

// completionID returns the id of the answer, which follows from the upstream's.
func completionID(upstream ir.Escaped) ir.Escaped {
	const lead = "chatcmpl-"
	if upstream == "" {
		return lead + "unnamed"
	}
	if len(upstream) > len(lead) && upstream[:len(lead)] == lead {
		return ir.Identifier(upstream, 0)
	}
	return lead + ir.Identifier(upstream, 0)
}
