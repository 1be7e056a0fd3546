package interactions

import "edgelingua/translator/ir"

// The paths of losses in an answer: the hub has no place for the value, or the client's API no
// form. A stream's losses have the same paths as a plain answer's. lostStep, lostDelta,
// lostAnnotation and lostResult are prefixes, before a type or a name: of a step that the upstream
// ran (code_execution_call), of output other than text (image), of a citation of anything but a
// webpage, and of a member of a result.
const (
	lostStep        = "steps[]."
	lostDelta       = "steps[].content[]."
	lostSummary     = "steps[].summary[]."
	lostAnnotation  = "steps[].content[].annotations[]."
	lostResult      = "steps[].result[]."
	lostQueries     = "steps[].arguments.queries"
	lostSearchError = "steps[].is_error"
)

// lostOfBlock has the path for each kind of block, if the client's API has no form for the block.
var lostOfBlock = [...]string{
	ir.TextBlock:      "steps[].content",
	ir.ReasoningBlock: "steps[].summary",
	ir.RedactedBlock:  "steps[].signature",
	ir.ToolCallBlock:  "steps[].arguments",
}
