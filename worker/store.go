//go:build js && wasm

package main

import (
	"strings"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/archive"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// storing is what a request has to do with stored responses, at an endpoint that stores them.
type storing struct {
	object string   // the endpoint's
	body   []byte   // the client's
	own    string   // its input, as it is stored
	parent string   // the response that it goes on from, "" for none
	ttl    int64    // seconds
	made   int64    // when the endpoint was, in Unix seconds
	keep   *ir.Keep // nil: the answer is not stored

	history []byte // the list of items before its own input, as it begins; nil: there are none
}

// behind reports whether the client's own input stands behind other items.
func (s *storing) behind() bool { return s != nil && s.history != nil }

// ownPaths returns what gives the paths of items in a text as the client knows them. The history, which may be large, is gone over once.
func (s *storing) ownPaths() func(text string) string {
	items := responses.Items(string(jsonw.View(s.history)))
	return func(text string) string { return responses.OwnPaths(text, items) }
}

// place returns an error with the paths that the client knows.
func (s *storing) place(err *ir.Error) *ir.Error {
	if s.behind() {
		own := s.ownPaths()
		err.Path, err.Message = own(err.Path), own(err.Message)
	}
	return err
}

// state returns where the answer's end is stored, "" for nowhere.
func (s *storing) state() string {
	if s == nil || s.keep == nil {
		return ""
	}
	return s.object
}

// mark tells a request how its answer is stored, and which one it goes on from.
//
//go:noinline
func (s *storing) mark(r *ir.Request) {
	if s == nil {
		return
	}
	r.Keep = s.keep
	if s.parent != "" {
		r.Previous = ir.Raw(jsonw.AppendString(nil, s.parent))
	}
}

// statements are those that store the answer, nil where there is nothing to store: it has failed.
//
//go:noinline
func (s *storing) statements() (*bridge.Statements, *ir.Error) {
	if s.state() == "" || !s.keep.Done {
		return nil, nil
	}
	k := s.keep
	k.Head, k.Items, k.Tail = translator.Valid(k.Head), translator.Valid(k.Items), translator.Valid(k.Tail)
	now := time.Now().Unix()
	r := archive.Response{ID: string(k.ID), Parent: s.parent, Made: s.made, Expires: now + s.ttl, Hidden: k.Hide, Input: s.own, Answer: k}
	if k.Action && responses.FunctionCalls(string(jsonw.View(k.Items))) != nil {
		r.Parameters = string(jsonw.View(responses.AppendParameters(nil, s.body)))
	}
	return r.Write(now)
}

// write stores an answer that is there as a whole.
func (s *storing) write() *ir.Error {
	statements, err := s.statements()
	if err != nil || statements == nil {
		return err
	}
	if _, failed := bridge.Batch(s.object, statements); failed != nil {
		return notStored(failed)
	}
	return nil
}

// notStored is the error for an answer that can't be stored.
//
//go:noinline
func notStored(failed error) *ir.Error {
	if err := archive.Deleted(failed); err != nil {
		return err
	}
	return &ir.Error{Kind: ir.Internal, Message: "The response could not be stored: " + strings.TrimSuffix(failed.Error(), ".") +
		". Send the request again, or with \"store\":false."}
}

// unread is the error for a store that can't be read.
//
//go:noinline
func unread(failed error) *ir.Error {
	if err := archive.TooLarge(failed); err != nil {
		return err
	}
	return &ir.Error{Kind: ir.Internal, Message: "Stored responses could not be read: " + strings.TrimSuffix(failed.Error(), ".") + ". Try again."}
}

// stand finds out what a client's request to an endpoint that stores responses has to do with these. It returns the body with the
// whole conversation, or the same where that is all there. A request that neither stores nor stands on anything is none of its
// business.
func (a *answer) stand(e *endpoint.Endpoint, body []byte) ([]byte, *ir.Error) {
	if a.client != &responses.API || !e.State.Responses || translator.Check(body) != nil { // what is no JSON, the decoder or the upstream refuses
		return body, nil
	}
	s, err := responses.ReadStoring(body)
	if err != nil {
		return nil, err
	}
	q := archive.Query{Previous: s.Previous, References: s.References}
	switch {
	case !s.Store && !q.Needed():
		return body, nil
	case !s.HasInput():
		a.storing = &storing{} // which does not pass: the decoder refuses it
		return body, nil
	case len(body) > maxTranslatedBody:
		return nil, tooLarge(maxTranslatedBody)
	}
	a.storing = &storing{object: e.Object(), body: body, parent: s.Previous, ttl: e.State.TTL, made: e.Created}
	if s.Store {
		a.storing.keep = &ir.Keep{ID: ir.Escaped(responses.ResponseID(bridge.Random())), Hide: !s.Encrypts, Action: e.State.RequiredAction}
	}
	if !q.Needed() {
		a.storing.own = s.Own(nil)
		return body, nil
	}
	rows, failed := bridge.Batch(e.Object(), q.Statements(time.Now().Unix()))
	if failed != nil {
		return nil, unread(failed)
	}
	h, err := q.Read(rows)
	if err != nil {
		return nil, err
	}
	named := 0
	own := s.Own(func(ref *responses.Reference) ir.Raw {
		if err != nil {
			return ""
		}
		item := h.Item(ref.ID)
		named += len(item)
		switch {
		case named > maxTranslatedBody: // as where a large one is named often
			err = archive.TooLong(maxTranslatedBody)
			return ""
		case item == "" && !ref.Soft:
			err = ref.Refused()
		}
		return item
	})
	if err != nil {
		return nil, err
	}
	a.storing.own = own
	before, behind := s.Around(body)
	size := len(before) + h.Size() + len(own) + len(behind) + len("[,]")
	if size > maxTranslatedBody {
		return nil, archive.TooLong(maxTranslatedBody)
	}
	bridge.Reserve(size)
	whole := append(append(make([]byte, 0, size), before...), '[')
	begin := len(whole)
	if whole = h.Append(whole); len(whole) > begin {
		a.storing.history = whole[begin-1:]
		if own != "" {
			whole = append(whole, ',')
		}
	}
	whole = append(append(whole, own...), ']')
	return append(whole, behind...), nil
}
