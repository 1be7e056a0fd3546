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

// Writer stores the answer to a request.
type Writer struct {
	Object       string // the object in which the answer is stored
	conversation *Conversation
	body         []byte // the client's body
	endpoint     *endpoint.Endpoint
}

// Statements returns the statements that store the answer in Object. Call it once the answer is
// complete. nil: the answer failed, so there is nothing to store.
func (w *Writer) Statements() (*bridge.Statements, error) {
	k := &w.conversation.answer
	if !k.Done {
		return nil, nil
	}
	k.Head, k.Items, k.Tail = passing.Valid(k.Head), passing.Valid(k.Items), passing.Valid(k.Tail)
	now := w.conversation.host.Now().Unix()
	state := &w.endpoint.State
	r := archive.Response{
		ID: string(k.ID), Parent: w.conversation.storing.Previous, Expires: now + state.TTL,
		Most: state.Bytes, Hidden: k.Hide, Input: w.conversation.ownItems,
		Head: string(jsonw.View(k.Head)), Output: string(jsonw.View(k.Items)),
		Tail: string(jsonw.View(k.Tail)), Finishes: w.conversation.Background,
	}
	// If only the connection remembered the parent, this is the first stored response of the
	// conversation.
	if r.Parent != "" && !w.conversation.api.IsID(r.Parent) {
		r.Parent, r.Input = "", w.conversation.items
	}
	if k.Action && responses.FunctionCalls(r.Output) != nil {
		r.Parameters = string(jsonw.View(responses.AppendParameters(nil, w.body)))
	}
	if r.Size() > archive.MaxResponse {
		k.Done = false
		return nil, &ir.Error{Kind: ir.TooLarge,
			Message: "The response can't be stored: its input and output are over 16 MB. Send it with " +
				"\"store\":false."}
	}
	s := r.Write(now)
	tenant.Alive(s, w.endpoint)
	return s, nil
}

// Write stores a complete answer.
func (w *Writer) Write() error {
	statements, err := w.Statements()
	if err != nil || statements == nil {
		return err
	}
	if _, failed := w.conversation.host.Batch(w.Object, statements); failed != nil {
		return w.Failed(failed)
	}
	return nil
}

// Failed returns the client's error if the statements failed. The client gets the error instead of
// the answer, and the connection does not remember the answer.
func (w *Writer) Failed(failed error) error {
	w.conversation.answer.Done = false
	return NotStored(failed)
}
