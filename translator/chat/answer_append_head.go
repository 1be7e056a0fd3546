package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendAnswerHead appends the members at the start of a chunk or plain body, up to the first
// choice. object names the kind of body, and ev is the answer's Start. If the upstream gave no
// time, created is the time at which the request came in.
func appendAnswerHead(dst []byte, object string, ev *ir.Event, r *ir.Request, model ir.Escaped) []byte {
	created := ev.Created
	if created <= 0 {
		created = r.Received
	}
	dst = jsonw.AppendTextMember(dst, `{"id":`, ir.AnswerID("chatcmpl-", ev.ID))
	dst = append(dst, `,"object":"`...)
	dst = append(dst, object...)
	dst = jsonw.AppendIntMember(dst, `","created":`, created)
	dst = jsonw.AppendTextMember(dst, `,"model":`, model)
	return append(dst, `,"choices":[`...)
}
