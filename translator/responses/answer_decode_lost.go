package responses

import (
	"edgelingua/translator/jsonw"
)

// The paths of what an answer may hold that the hub has no place for, beside whole items: those of a plain answer for a stream too.
const (
	lostLogprobs    = "output[].content[].logprobs"
	lostAnnotations = "output[].content[].annotations"
	lostText        = "output[].content[].text"
	lostCaller      = "output[].caller"
	lostNamespace   = "output[].namespace"
)

// loseItem notes an item as lost, by its type.
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
