package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// The paths of losses in an answer: the hub has no place for the value, or the client's API no
// form. A stream's losses have the same paths as a plain answer's. lostPart is a prefix before the
// name of a member: code that the upstream ran, an image that the model made, and anything else in
// a part.
const (
	lostCandidate = "candidates[1]"
	lostLogprobs  = "candidates[0].logprobsResult"
	lostGrounding = "candidates[0].groundingMetadata"
	lostChunks    = "candidates[0].groundingMetadata.groundingChunks"
	lostSupports  = "candidates[0].groundingMetadata.groundingSupports"
	lostQueries   = "candidates[0].groundingMetadata.webSearchQueries"
	lostCitations = "candidates[0].citationMetadata"
	lostPages     = "candidates[0].urlContextMetadata"
	lostPart      = "candidates[0].content.parts[0]."
	lostText      = "candidates[0].content.parts[0].text"
	lostThought   = "candidates[0].content.parts[0].thought"
	lostCall      = "candidates[0].content.parts[0].functionCall"
	lostSignature = "candidates[0].content.parts[0].thoughtSignature"
	lostReason    = "candidates[0].finishMessage"
)

// lostOfBlock has the path for each kind of block, if the client's API has no form for the block.
var lostOfBlock = [...]string{
	ir.TextBlock:      lostText,
	ir.ReasoningBlock: lostThought,
	ir.RedactedBlock:  lostSignature,
	ir.RefusalBlock:   lostReason,
	ir.ToolCallBlock:  lostCall,
	ir.WebSearchBlock: lostQueries,
}

// lose notes a member as lost, unless its value is missing, null or empty.
func (d *decoder) lose(path string, v ir.Raw) {
	if !jsonr.IsNothing(v) {
		d.lost.Add(path)
	}
}
