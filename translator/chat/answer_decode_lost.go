package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// What an answer may hold that the hub, or the client, has no place for. Of what single servers invented only that is among it
// which the upstream would have wanted back.
const (
	lostChoice = iota
	lostLogprobs
	lostAnnotations
	lostAudio
	lostImages
	lostPart
	lostReasoning
	lostDetails
	lostRefusal
	lostCalls
	lostExtra
	lostMessageExtra
)

// lostPaths are their paths. They are those of a plain answer in a stream too, where "message" is called "delta".
var lostPaths = [...]string{
	lostChoice:       "choices[1]",
	lostLogprobs:     "choices[0].logprobs",
	lostAnnotations:  "choices[0].message.annotations",
	lostAudio:        "choices[0].message.audio",
	lostImages:       "choices[0].message.images",
	lostPart:         "choices[0].message.content",
	lostReasoning:    "choices[0].message.reasoning_content",
	lostDetails:      "choices[0].message.reasoning_details",
	lostRefusal:      "choices[0].message.refusal",
	lostCalls:        "choices[0].message.tool_calls",
	lostExtra:        "choices[0].message.tool_calls[0].extra_content",
	lostMessageExtra: "choices[0].message.extra_content",
}

// lostOfBlock is what is lost where the client can't show a block.
var lostOfBlock = [...]int{
	ir.TextBlock:           lostPart,
	ir.ReasoningBlock:      lostReasoning,
	ir.RedactedBlock:       lostDetails,
	ir.RefusalBlock:        lostRefusal,
	ir.ToolCallBlock:       lostCalls,
	ir.CustomToolCallBlock: lostCalls,
}

// answerLost notes what an answer loses, each kind of it once.
type answerLost struct {
	list  *ir.Lost
	noted [len(lostPaths)]bool
}

// add notes one, unless its value is nothing.
func (l *answerLost) add(what int, v ir.Raw) {
	if !l.noted[what] && !jsonr.IsNothing(v) {
		l.note(what)
	}
}

// note notes one.
func (l *answerLost) note(what int) {
	if !l.noted[what] {
		l.noted[what] = true
		l.list.Add(lostPaths[what])
	}
}
