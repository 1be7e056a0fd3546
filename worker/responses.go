//go:build js && wasm

package main

import (
	"net/http"
	"net/url"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/worker/archive"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// named returns the id of the response that a path names.
func (a *answer) named(r *http.Request) string {
	_, id, _ := a.client.Route(r.URL.Path)
	return id
}

// unknown is the error for a response that is not stored: unknown, deleted, expired and another endpoint's are the same.
//
//go:noinline
func unknown(id string, e *endpoint.Endpoint) *ir.Error {
	why := "."
	if !e.State.Responses {
		why = ": responses are not stored here. The endpoint's option \"store\":\"on\" would store them."
	}
	return &ir.Error{Kind: ir.NotFound, Message: "Response with id '" + id[:min(len(id), 80)] + "' not found" + why}
}

// batch runs statements about one response. It returns nil, and has answered, where there can't be such a response, or the store
// fails.
func (a *answer) batch(e *endpoint.Endpoint, id string, make func(id string, now int64) *bridge.Statements) *bridge.Rows {
	if !e.State.Responses || !responses.IsResponseID(id) {
		a.fail(unknown(id, e))
		return nil
	}
	rows, failed := bridge.Batch(e.Object(), make(id, time.Now().Unix()))
	if failed != nil {
		a.fail(unread(failed))
		return nil
	}
	return rows
}

// read returns a stored response. It returns nil, and has answered, where there is none, or the store fails.
func (a *answer) read(e *endpoint.Endpoint, id string) *archive.Found {
	rows := a.batch(e, id, archive.Read)
	if rows == nil {
		return nil
	}
	f := archive.ReadResponse(rows)
	if f == nil {
		a.fail(unknown(id, e))
	}
	return f
}

// stored answers with a stored response, or deletes it.
func (a *answer) stored(r *http.Request, e *endpoint.Endpoint) {
	id := a.named(r)
	if r.Method == http.MethodDelete {
		switch rows := a.batch(e, id, archive.Delete); {
		case rows == nil:
		case !archive.Was(rows):
			a.fail(unknown(id, e))
		default:
			a.send(200, typeJSON, bridge.Bytes([]byte(`{"id":"`+id+`","object":"response","deleted":true}`)))
		}
		return
	}
	q := r.URL.Query()
	if q.Get("stream") == "true" || q.Get("starting_after") != "" {
		a.fail(&ir.Error{Kind: ir.InvalidRequest, Path: "stream", Message: "A stored response is not streamed: ask for it without 'stream' and 'starting_after'."})
		return
	}
	f := a.read(e, id)
	if f == nil {
		return
	}
	out := append(make([]byte, 0, len(f.Head)+len(f.Output)+len(f.Tail)), f.Head...)
	if f.Hidden && !encrypted(q) {
		out = responses.AppendShown(out, f.Output)
	} else {
		out = append(out, f.Output...)
	}
	a.send(200, typeJSON, bridge.Bytes(append(out, f.Tail...)))
}

// encrypted reports whether a query asks for what carries reasoning to the next turn.
//
//go:noinline
func encrypted(q url.Values) bool {
	for _, name := range [...]string{"include", "include[]"} {
		for _, value := range q[name] {
			if value == "reasoning.encrypted_content" {
				return true
			}
		}
	}
	return false
}

// inputItems answers with a page of the items that a stored response has answered.
func (a *answer) inputItems(r *http.Request, e *endpoint.Endpoint) {
	id, q := a.named(r), r.URL.Query()
	p, err := archive.ReadPage(q.Get)
	if err != nil {
		a.fail(err)
		return
	}
	p.Encrypted = encrypted(q)
	query := archive.Query{Previous: id}
	rows := a.batch(e, id, func(_ string, now int64) *bridge.Statements { return query.Statements(now) })
	if rows == nil {
		return
	}
	h, err := query.Read(rows)
	if err != nil {
		if missing := unknown(id, e); err.Code == responses.NoPrevious(id).Code {
			err = missing
		}
		a.fail(err)
		return
	}
	out, err := h.AppendPage(nil, p)
	if err != nil {
		a.fail(err)
		return
	}
	a.send(200, typeJSON, bridge.Bytes(out))
}

// submit goes on from a stored response with the outputs of its calls.
func (a *answer) submit(r *http.Request, e *endpoint.Endpoint) {
	id := a.named(r)
	body, err := receive(maxTranslatedBody)
	if err == nil {
		err = translator.Check(body)
	}
	if err == nil && e.State.Responses && !e.State.RequiredAction {
		err = refuse("Outputs are not submitted here: send them as 'function_call_output' items in 'input', with 'previous_response_id'. " +
			"The endpoint's option \"required_action\":\"on\" would take them.")
	}
	if err != nil {
		a.fail(err)
		return
	}
	f := a.read(e, id)
	if f == nil {
		return
	}
	if f.Parameters == "" {
		a.fail(refuse("The response waits for no outputs: it calls no functions, or not only these, or is older than the option \"required_action\"."))
		return
	}
	calls := responses.FunctionCalls(f.Output)
	size := len(f.Parameters) + len(body) + 1<<10
	bridge.Reserve(size)
	if body, err = responses.AppendSubmission(make([]byte, 0, size), body, id, f.Parameters, calls); err != nil {
		a.fail(err)
		return
	}
	a.relayBody(r, e, body)
}

// cancel refuses: nothing runs in the background.
func (a *answer) cancel(*http.Request, *endpoint.Endpoint) {
	a.fail(refuse("Only background responses can be cancelled, and there are none here. To end a response, close its connection."))
}

//go:noinline
func refuse(message string) *ir.Error { return &ir.Error{Kind: ir.InvalidRequest, Message: message} }
