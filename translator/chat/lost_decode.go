package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// What an answer may hold that the hub has no place for. Members that single servers invented are not among it.
const (
	lostChoice = iota
	lostLogprobs
	lostAnnotations
	lostAudio
	lostImages
	lostFunctionCall
	lostPart
)

// lostPaths are their paths. They are those of a plain answer in a stream too, where "message" is called "delta".
var lostPaths = [...]string{
	lostChoice:       "choices[1]",
	lostLogprobs:     "choices[0].logprobs",
	lostAnnotations:  "choices[0].message.annotations",
	lostAudio:        "choices[0].message.audio",
	lostImages:       "choices[0].message.images",
	lostFunctionCall: "choices[0].message.function_call",
	lostPart:         "choices[0].message.content",
}

// lost notes each of them once.
type lost struct {
	list  *ir.Lost
	noted [len(lostPaths)]bool
}

// add notes one, unless its value is nothing.
func (l *lost) add(what int, v ir.Raw) {
	if l.noted[what] || isNothing(v) {
		return
	}
	l.noted[what] = true
	l.list.Add(lostPaths[what])
}

// isNothing reports whether a value is null or empty: servers send such for what an answer does not have.
func isNothing(v ir.Raw) bool {
	r := jsonr.NewReader(string(v))
	switch r.Kind() {
	case jsonr.Missing, jsonr.Null:
		return true
	case jsonr.String:
		return v == `""`
	case jsonr.Array:
		r.Open()
		return !r.Element()
	case jsonr.Object:
		r.Open()
		return !r.Member()
	}
	return false
}
