package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxThought bounds, in bytes, the text of a reasoning block that is repeated beside its signature.
// For a longer block the signature is left out too: it is worthless without the text.
const maxThought = 1 << 20

// think begins a block of reasoning.
func (w *messageWriter) think(item ir.Escaped) {
	w.item = append(w.item[:0], item...)
	if !w.plain {
		w.gathered[inReasoning] = w.gathered[inReasoning][:0]
	}
	w.thought = len(w.gathered[inReasoning])
}

// remember stores a piece of reasoning of a stream, up to one byte more than can be repeated. A
// plain body already has the whole text.
func (w *messageWriter) remember(text ir.Escaped) {
	if !w.plain {
		kept := w.gathered[inReasoning]
		w.gathered[inReasoning] = append(kept, text[:min(len(text), maxThought+1-len(kept))]...)
	}
}

// sign adds the open block to reasoning_details, in OpenRouter's form ("Reasoning Tokens",
// "reasoning_details array structure"): its text with the signature that the vendor requires back,
// or the encrypted data of a redacted block. A signature of another protocol's vendor is packed
// into an envelope, which names its origin (ir.Envelope). A stream sends the details of all blocks
// in one chunk: OpenAI's SDK does not know the member, and of several chunks with it retains only
// the last.
//
//go:noinline
func (w *messageWriter) sign(ev *ir.Event) {
	thought := w.gathered[inReasoning][w.thought:]
	if len(thought) > maxThought {
		return
	}
	redacted := w.block == ir.RedactedBlock
	list := separated(w.gathered[inDetails])
	if redacted {
		list = append(list, `{"type":"reasoning.encrypted","data":"`...)
	} else {
		list = jsonw.AppendTextMember(list, `{"type":"reasoning.text","text":`, jsonw.View(thought))
		list = append(list, `,"signature":"`...)
	}
	if ev.Origin != Name {
		list = ir.AppendEnvelope(list, ev.Origin, redacted, jsonw.View(w.item), ev.Text)
	} else if list = append(list, ev.Text...); len(w.item) > 0 {
		list = append(list, `","id":"`...)
		list = append(list, w.item...)
	}
	list = jsonw.AppendIntMember(list, `","index":`, w.details)
	w.gathered[inDetails] = append(list, '}')
	w.details++
}
