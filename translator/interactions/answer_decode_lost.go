package interactions

import "edgelingua/translator/ir"

// The paths of what is lost where an answer holds it: the hub has no place for it, or the client's
// API no form. In a stream the paths are those of a plain answer too. lostStep, lostDelta,
// lostAnnotation and lostResult are the beginnings of paths, with a type or a name behind: of steps
// that the upstream has run, as code_execution_call, of what a model has made beside text, as
// image, of what a text cites that is no page, and of results.
const (
	lostStep        = "steps[]."
	lostDelta       = "steps[].content[]."
	lostAnnotation  = "steps[].content[].annotations[]."
	lostResult      = "steps[].result[]."
	lostQueries     = "steps[].arguments.queries"
	lostSearchError = "steps[].is_error"
)

// lostOfBlock has the path of each kind of block, for clients whose API has no form for that.
var lostOfBlock = [...]string{
	ir.TextBlock:      "steps[].content",
	ir.ReasoningBlock: "steps[].summary",
	ir.RedactedBlock:  "steps[].signature",
	ir.ToolCallBlock:  "steps[].arguments",
}
