package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxThought bounds, in bytes, the text of a block of reasoning that is repeated beside its
// signature. A signature is worth nothing without its text, so that of a longer block is left out.
const maxThought = 1 << 20

// think begins a block of reasoning.
func (w *messageWriter) think(item ir.Escaped) {
	w.item = append(w.item[:0], item...)
	if !w.plain {
		w.gathered[inReasoning] = w.gathered[inReasoning][:0]
	}
	w.thought = len(w.gathered[inReasoning])
}

// remember keeps a piece of reasoning that goes out in a stream, up to one byte more than can be
// repeated. A plain body has all of it.
func (w *messageWriter) remember(text ir.Escaped) {
	if !w.plain {
		kept := w.gathered[inReasoning]
		w.gathered[inReasoning] = append(kept, text[:min(len(text), maxThought+1-len(kept))]...)
	}
}

// sign adds the open block to reasoning_details, in OpenRouter's form ("Reasoning Tokens",
// "reasoning_details array structure"): with the signature that its vendor wants back, or with all
// that is hidden. What a vendor of another protocol has signed goes into an envelope, which says
// whose it is (ir.Envelope). A stream sends the details of all blocks in one chunk: OpenAI's SDK
// does not know the member, and of several chunks that have it keeps the last one's.
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
