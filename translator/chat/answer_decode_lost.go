package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// The paths of what is lost where an answer holds it: the hub has no place for it, or the client's
// API no form. In a stream the paths are those of a plain answer too. Of the members that vendors
// have added, only those are noted that their vendor wants back.
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

// lostOfBlock has the path of each kind of block, for clients whose API has no form for that.
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
