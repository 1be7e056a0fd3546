package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// The paths of what an answer may hold that the hub, or the client, has no place for: those of a plain answer for a stream too, where
// "message" is called "delta". Of the members that single servers have added only those are listed that the upstream wants back.
const (
	lostChoice       = "choices[1]"
	lostLogprobs     = "choices[0].logprobs"
	lostAnnotations  = "choices[0].message.annotations"
	lostAudio        = "choices[0].message.audio"
	lostImages       = "choices[0].message.images"
	lostPart         = "choices[0].message.content"
	lostReasoning    = "choices[0].message.reasoning_content"
	lostDetails      = "choices[0].message.reasoning_details"
	lostRefusal      = "choices[0].message.refusal"
	lostCalls        = "choices[0].message.tool_calls"
	lostExtra        = "choices[0].message.tool_calls[0].extra_content"
	lostMessageExtra = "choices[0].message.extra_content"
)

// lostOfBlock is what is lost where the client's API has no form for a block.
var lostOfBlock = [...]string{
	ir.TextBlock:           lostPart,
	ir.ReasoningBlock:      lostReasoning,
	ir.RedactedBlock:       lostDetails,
	ir.RefusalBlock:        lostRefusal,
	ir.ToolCallBlock:       lostCalls,
	ir.CustomToolCallBlock: lostCalls,
}

// lose notes a member as lost, unless its value is nothing.
func (d *decoder) lose(path string, v ir.Raw) {
	if !jsonr.IsNothing(v) {
		d.lost.Add(path)
	}
}
