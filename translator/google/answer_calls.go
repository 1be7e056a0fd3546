package google

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// AnswerCall is a call for the client, as far as the upstream has sent it.
type AnswerCall struct {
	ID, Name  []byte
	arguments []byte // or the free text of a custom tool's call
	custom    bool   // the call has free text
}

// Calls holds the calls of an answer until they are known to be complete. A call with incomplete
// arguments waits for the end of the answer, and so do all later calls: only the end says whether a
// limit has cut the arguments. If calls were streamed in parallel, a limit may cut several.
type Calls struct {
	call  AnswerCall   // the open call
	waits bool         // the call has ended: the next event says whether it is complete or was cut
	later []AnswerCall // the calls that wait for the end of the answer
	held  int          // bytes of their arguments
}

// Begin begins the call of a BlockStart.
func (q *Calls) Begin(ev *ir.Event) {
	c := &q.call
	c.custom = ev.Block == ir.CustomToolCallBlock
	c.ID, c.Name = append(c.ID[:0], ev.CallID...), append(c.Name[:0], ev.Name...)
	c.arguments = c.arguments[:0]
}

// Add adds a piece of the arguments.
func (q *Calls) Add(text ir.Escaped) { q.call.arguments = append(q.call.arguments, text...) }

// Stop ends the block of the call. The call is written before the next block: see Ready.
func (q *Calls) Stop() { q.waits = true }

// Ready returns the call whose block has ended, to be written before another block or nil: there is
// no such call, or it has to wait for the end of the answer.
func (q *Calls) Ready() *AnswerCall {
	if !q.waits {
		return nil
	}
	q.waits = false
	if c := &q.call; q.held < ir.MaxBuffered && (len(q.later) > 0 || c.isBroken()) {
		q.held += len(c.arguments)
		q.later = append(q.later, *c)
		q.call = AnswerCall{}
		return nil
	}
	return &q.call
}

// Last returns the next of the calls to be written at the end of the answer, nil if there are no more.
// cut says that the answer has ended at a limit or by a filter: then calls with incomplete arguments
// are left out, since no Google API has a form for such a call.
func (q *Calls) Last(cut bool) *AnswerCall {
	if cut && q.waits && (q.call.custom || !q.call.isWhole()) {
		q.waits = false
	}
	if c := q.Ready(); c != nil {
		return c
	}
	for len(q.later) > 0 {
		c := &q.later[0]
		if q.later = q.later[1:]; !cut || !c.isBroken() {
			return c
		}
	}
	return nil
}

// isBroken reports whether the arguments of a call have begun but are not valid JSON.
func (c *AnswerCall) isBroken() bool {
	return !c.custom && len(c.arguments) > 0 && jsonr.Check(jsonw.Unescape(jsonw.View(c.arguments))) != nil
}

// isWhole reports whether the arguments of a call are an object.
func (c *AnswerCall) isWhole() bool {
	text := jsonw.Unescape(jsonw.View(c.arguments))
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") && jsonr.Check(text) == nil
}

// AppendArguments appends the arguments, an object. The free text of a custom tool is the argument
// "input".
func (c *AnswerCall) AppendArguments(dst []byte) []byte {
	if c.custom {
		return append(jsonw.AppendTextMember(dst, `{"input":`, jsonw.View(c.arguments)), '}')
	}
	at := len(dst)
	dst = jsonr.AppendObject(dst, jsonw.View(c.arguments))
	jsonw.Flatten(dst[at:])
	return dst
}
