package responses

import (
	"edgelingua/translator/jsonw"
)

// The paths of possible losses in an answer, besides whole items. Streams use the paths of a plain
// answer.
const (
	lostLogprobs    = "output[].content[].logprobs"
	lostAnnotations = "output[].content[].annotations"
	lostText        = "output[].content[].text"
	lostCaller      = "output[].caller"
	lostName        = "output[].name"
	lostNamespace   = "output[].namespace"
)

// loseItem records a whole item as a loss, by its type.
func (d *decoder) loseItem(it *item) {
	kind := jsonw.View(it.call.Name)
	switch it.kind {
	case messageItem:
		kind = "message"
	case reasoningItem:
		kind = "reasoning"
	case functionItem:
		kind = "function_call"
	case customItem:
		kind = "custom_tool_call"
	}
	d.lost.AddNamed("output[].", kind)
}
