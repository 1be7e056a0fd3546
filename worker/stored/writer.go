//go:build js && wasm

package stored

import (
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/archive"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/personal"
)

// Writer stores the answer to one request.
type Writer struct {
	Object string // where the answer is stored
	keep   ir.Keep
	parent string // the id of the response that the request goes on from, "" for none
	body   []byte // the client's
	input  string // the client's own items, as they are stored
	ttl    int64  // how long the answer is stored, in seconds
	most   int64  // bytes that the endpoint's responses may count
	whose  *endpoint.Endpoint
}

func newWriter(e *endpoint.Endpoint, asks *responses.Storing, body []byte) *Writer {
	return &Writer{
		Object: e.Object(), parent: asks.Previous, body: body, ttl: e.State.TTL, most: e.State.Bytes, whose: e,
		keep: ir.Keep{ID: ir.Escaped(responses.ResponseID(bridge.Random())), Hide: !asks.Encrypts, Action: e.State.RequiredAction},
	}
}

// Statements returns what is to run in Object so that the answer is stored, once it is complete. nil: there is nothing to store,
// since the answer has failed.
//
//go:noinline
func (w *Writer) Statements() (*bridge.Statements, *ir.Error) {
	k := &w.keep
	if !k.Done {
		return nil, nil
	}
	k.Head, k.Items, k.Tail = translator.Valid(k.Head), translator.Valid(k.Items), translator.Valid(k.Tail)
	now := time.Now().Unix()
	r := archive.Response{
		ID: string(k.ID), Parent: w.parent, Expires: now + w.ttl, Most: w.most, Hidden: k.Hide, Input: w.input,
		Head: string(jsonw.View(k.Head)), Output: string(jsonw.View(k.Items)), Tail: string(jsonw.View(k.Tail)),
	}
	if k.Action && responses.FunctionCalls(r.Output) != nil {
		r.Parameters = string(jsonw.View(responses.AppendParameters(nil, w.body)))
	}
	if r.Size() > archive.MaxResponse {
		return nil, &ir.Error{Kind: ir.TooLarge, Message: "The response can't be stored: its input and output are over 16 MB. Send it with \"store\":false."}
	}
	s := r.Write(now)
	personal.Alive(s, w.whose)
	return s, nil
}

// Write stores the answer, which is complete.
func (w *Writer) Write() *ir.Error {
	statements, err := w.Statements()
	if err != nil || statements == nil {
		return err
	}
	if _, failed := bridge.Batch(w.Object, statements); failed != nil {
		return NotStored(failed)
	}
	return nil
}
