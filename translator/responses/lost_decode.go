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

// name notes something that has a name of the upstream's. It is asked for with every event: what was noted allocates nothing.
func (l *answerLost) name(lead string, name ir.Escaped) {
	name = ir.Escaped(ir.Shortened(string(name)))
	for _, p := range l.list.Paths() {
		if len(p) == len(lead)+len(name) && p[:len(lead)] == lead && p[len(lead):] == string(name) {
			return
		}
	}
	if !l.list.CountOnly() {
		l.list.Add(lead + string(name))
	}
}
