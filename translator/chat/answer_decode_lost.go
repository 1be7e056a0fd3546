package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Paths of losses in an answer: the hub or the client's API has no form for these members. The
// paths are those of a plain answer, also in a stream. Of vendors' own members, only those that the
// vendor requires back are noted.
const (
	lostChoice       = "choices[1]"
	lostLogprobs     = "choices[0].logprobs"
	lostAnnotations  = "choices[0].message.annotations"
	lostCitations    = "citations"
	lostAudio        = "choices[0].message.audio"
	lostImages       = "choices[0].message.images"
	lostPart         = "choices[0].message.content"
	lostReasoning    = "choices[0].message.reasoning_content"
	lostDetails      = "choices[0].message.reasoning_details"
	lostRefusal      = "choices[0].message.refusal"
	lostCalls        = "choices[0].message.tool_calls"
	lostName         = "choices[0].message.tool_calls[0].function.name"
	lostExtra        = "choices[0].message.tool_calls[0].extra_content"
	lostMessageExtra = "choices[0].message.extra_content"
)

// lostOfBlock has the path of each kind of block, for clients whose API has no form for the kind.
var lostOfBlock = [...]string{
	ir.TextBlock:           lostPart,
	ir.ReasoningBlock:      lostReasoning,
	ir.RedactedBlock:       lostDetails,
	ir.RefusalBlock:        lostRefusal,
	ir.ToolCallBlock:       lostCalls,
	ir.CustomToolCallBlock: lostCalls,
}

// lose notes a member as lost, unless its value is missing, null or empty.
func (d *decoder) lose(path string, v ir.Raw) {
	if !jsonr.IsNothing(v) {
		d.lost.Add(path)
	}
}
