package responses

import (
	"edgelingua/translator/jsonw"
)

// The paths of what is lost where an answer holds it, beside whole items. In a stream the paths are
// those of a plain answer too.
const (
	lostLogprobs    = "output[].content[].logprobs"
	lostAnnotations = "output[].content[].annotations"
	lostText        = "output[].content[].text"
	lostCaller      = "output[].caller"
	lostName        = "output[].name"
	lostNamespace   = "output[].namespace"
)

// loseItem notes a whole item as lost, by its type.
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
