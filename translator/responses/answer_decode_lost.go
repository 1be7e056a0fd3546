package responses

import "edgelingua/translator/ir"

// What an answer may hold that the hub has no place for, beside whole items.
const (
	lostLogprobs = iota
	lostAnnotations
	lostText
	lostCaller
	lostNamespace
)

// lostPaths are their paths, those of a plain answer in a stream too.
var lostPaths = [...]string{
	lostLogprobs:    "output[].content[].logprobs",
	lostAnnotations: "output[].content[].annotations",
	lostText:        "output[].content[].text",
	lostCaller:      "output[].caller",
	lostNamespace:   "output[].namespace",
}

// answerLost notes what an answer loses, each kind of it once.
type answerLost struct {
	list  *ir.Lost
	noted [len(lostPaths)]bool
}

// add notes one of lostPaths.
func (l *answerLost) add(what int) {
	if !l.noted[what] {
		l.noted[what] = true
		l.list.Add(lostPaths[what])
	}
}
