package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// The paths of what is lost where an answer holds it: the hub has no place for it, or the client's
// API no form. In a stream the paths are those of a plain answer too. lostPart is the beginning of
// a path: code that the upstream has run, an image that it has made, and whatever else a part can
// be are lost by their names.
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

// lostOfBlock has the path of each kind of block, for clients whose API has no form for that.
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
