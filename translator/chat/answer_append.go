package chat

import "edgelingua/translator/ir"

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
