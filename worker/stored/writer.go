package stored

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
	"edgelingua/worker/tenant"
)

// Writer stores the answer to one request.
type Writer struct {
	Object string // where the answer is stored
	turn   *Turn
	body   []byte // the client's
	whose  *endpoint.Endpoint
}

// Statements returns what is to run in Object so that the answer is stored, once it is complete. nil: there is nothing to store,
// since the answer has failed.
func (w *Writer) Statements() (*bridge.Statements, error) {
	k := &w.turn.keep
	if !k.Done {
		return nil, nil
	}
	k.Head, k.Items, k.Tail = passing.Valid(k.Head), passing.Valid(k.Items), passing.Valid(k.Tail)
	now := w.turn.host.Now().Unix()
	state := &w.whose.State
	r := archive.Response{
		ID: string(k.ID), Parent: w.turn.asks.Previous, Expires: now + state.TTL, Most: state.Bytes, Hidden: k.Hide, Input: w.turn.own,
		Head: string(jsonw.View(k.Head)), Output: string(jsonw.View(k.Items)), Tail: string(jsonw.View(k.Tail)),
	}
	if r.Parent != "" && !responses.IsResponseID(r.Parent) { // only the connection has remembered it: the response is the first of what is stored
		r.Parent, r.Input = "", w.turn.all
	}
	if k.Action && responses.FunctionCalls(r.Output) != nil {
		r.Parameters = string(jsonw.View(responses.AppendParameters(nil, w.body)))
	}
	if r.Size() > archive.MaxResponse {
		k.Done = false
		return nil, &ir.Error{Kind: ir.TooLarge, Message: "The response can't be stored: its input and output are over 16 MB. Send it with \"store\":false."}
	}
	s := r.Write(now)
	tenant.Alive(s, w.whose)
	return s, nil
}

// Write stores the answer, which is complete.
func (w *Writer) Write() error {
	statements, err := w.Statements()
	if err != nil || statements == nil {
		return err
	}
	if _, failed := w.turn.host.Batch(w.Object, statements); failed != nil {
		return w.Failed(failed)
	}
	return nil
}

// Failed returns the error for an answer whose statements have failed. The client gets it in place of the answer, which is not remembered.
func (w *Writer) Failed(failed error) error {
	w.turn.keep.Done = false
	return NotStored(failed)
}
