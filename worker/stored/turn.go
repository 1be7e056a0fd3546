package stored

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
)

// Turn is the relation of a request to stored responses, and to the response that its connection
// remembers. The zero Turn has no relation.
type Turn struct {
	// the request stores its answer or continues from stored items: its body never passes unchanged
	Bound  bool
	Writer *Writer // nil: the answer is not stored

	host     bridge.Host
	object   string            // the endpoint's object; "": the endpoint stores no responses
	socket   bool              // the request is a frame of a connection, which remembers the answer
	recalled bool              // the history comes from the connection's memory
	asks     responses.Storing // the client's body
	keep     ir.Keep           // how the answer is stored
	own      string            // the client's own items, in their stored form
	all      string            // the history's items followed by the client's own
	// the beginning of the list, with the items before the client's own; nil: there are none
	history []byte
}

// Read makes the zero Turn t the Turn of a request with this body. body is JSON, and
// responses.ReadStoring changes it. socket: the request is a frame of a connection. notes is the
// Notes of ir.Keep for such a frame.
//
//go:noinline
func (t *Turn) Read(host bridge.Host, e *endpoint.Endpoint, body []byte, socket bool,
	notes func([]byte) []byte) (err error) {
	if t.asks, err = responses.ReadStoring(body); err != nil {
		return err
	}
	stores := e.State.Responses && t.asks.Store
	if e.State.Responses {
		t.object = e.Object()
	}
	t.host, t.socket = host, socket
	t.Bound = socket || stores || t.goesOn()
	if !t.asks.HasInput() || !socket && !stores {
		return nil
	}
	random := host.Random()
	// The store is never searched for the shorter id of a remembered response. A response stored
	// afterwards contains the whole conversation, since the parent is not stored.
	t.keep.ID = ir.Escaped(responses.BriefID(random))
	t.keep.Brief = !stores
	if socket {
		t.keep.Notes = notes
	}
	if stores {
		t.keep.ID = ir.Escaped(responses.ResponseID(random))
		t.keep.Hide, t.keep.Action = !t.asks.Encrypts, e.State.RequiredAction
		t.Writer = &Writer{Object: t.object, turn: t, body: body, whose: e}
	}
	return nil
}

// goesOn reports whether the request continues from stored items.
func (t *Turn) goesOn() bool { return t.asks.Previous != "" || len(t.asks.References) > 0 }

// Join returns the client's body with the stored conversation before its own input, and with stored
// items instead of references. Without a conversation and references, Join returns body itself. If
// the result would be over most bytes, Join returns an error. A body without an input stays as it
// is, and the decoder refuses the body.
//
//go:noinline
func (t *Turn) Join(body []byte, most int) ([]byte, error) {
	if !t.Bound || !t.asks.HasInput() {
		return body, nil
	}
	if !t.goesOn() {
		t.own = t.asks.Own(nil)
		t.all = t.own
		return body, nil
	}
	h, err := t.load()
	if err != nil {
		return nil, err
	}
	if t.own, err = t.ownInput(h, most); err != nil {
		return nil, err
	}
	return t.assemble(body, h, most)
}

// load reads the conversation from which the request continues, and the responses to which its
// references refer. The connection's memory has priority over stored responses.
func (t *Turn) load() (*archive.History, error) {
	q := archive.Query{Previous: t.asks.Previous}
	var remembered []byte
	if t.socket && q.Previous != "" {
		if remembered, t.recalled = t.host.Recall(q.Previous); t.recalled {
			q.Previous = ""
		} else if t.object == "" {
			return nil, responses.NoPrevious(q.Previous)
		}
	}
	for i := range t.asks.References {
		if at, ok := responses.Place(t.asks.References[i].ID); ok && t.object != "" {
			q.Named = append(q.Named, at.Response)
		}
	}
	h := &archive.History{}
	if q.Previous != "" || len(q.Named) > 0 {
		rows, failed := t.host.Batch(t.object, q.Statements(t.host.Now().Unix()))
		if failed != nil {
			return nil, notRead(failed)
		}
		var problem *archive.Problem
		if h, problem = q.Read(rows); problem != nil {
			return nil, unusable(problem)
		}
	}
	h.Add(remembered)
	return h, nil
}

// ownInput returns the items of the client's own input, with stored items instead of references.
// The limit of the stored items is most bytes in total: a body may refer to a large item many times.
func (t *Turn) ownInput(h *archive.History, most int) (own string, err error) {
	size := 0
	own = t.asks.Own(func(ref *responses.Reference) ir.Raw {
		if err != nil {
			return ""
		}
		item := itemOf(h, ref.ID)
		size += len(item)
		switch {
		case size > most:
			err = tooLong(megabytes(most))
			return ""
		case item == "" && !ref.Soft:
			err = ref.Refused()
		}
		return item
	})
	return own, err
}

// itemOf returns the stored item with an id, or "".
func itemOf(h *archive.History, id string) ir.Raw {
	at, ok := responses.Place(id)
	if !ok {
		return ""
	}
	return responses.Item(h.Items(at.Response, at.Input), at.Index)
}

// assemble returns body with a new list as its input: the conversation, followed by the client's
// own items.
func (t *Turn) assemble(body []byte, h *archive.History, most int) ([]byte, error) {
	before, behind := t.asks.Around(body)
	size := len(before) + h.Size() + len(t.own) + len(behind) + len("[,]")
	if size > most {
		return nil, tooLong(megabytes(most))
	}
	bridge.Reserve(size)
	whole := append(append(make([]byte, 0, size), before...), '[')
	begin := len(whole)
	if whole = h.Append(whole); len(whole) > begin {
		t.history = whole[begin-1:]
		if t.own != "" {
			whole = append(whole, ',')
		}
	}
	whole = append(whole, t.own...)
	t.all = string(jsonw.View(whole[begin:]))
	whole = append(whole, ']')
	return append(whole, behind...), nil
}

// Mark sets in the decoded request how its answer is stored, and from which response it continues.
func (t *Turn) Mark(r *ir.Request) {
	if t.keep.ID != "" {
		r.Keep = &t.keep
	}
	if t.asks.Previous != "" {
		r.Previous = ir.Raw(jsonw.AppendString(nil, t.asks.Previous))
	}
}

// Relocate returns an error about the joined body with the paths of the client's body.
func (t *Turn) Relocate(err error) error {
	if t.history == nil {
		return err
	}
	told, own := *ir.AsError(err), t.ownPaths()
	told.Path, told.Message = own(told.Path), own(told.Message)
	return &told
}

// RelocateLost does the same for the paths of losses.
func (t *Turn) RelocateLost(l *ir.Lost) {
	if t.history != nil && len(l.Paths()) > 0 {
		l.Rewrite(t.ownPaths())
	}
}

// ownPaths returns a function that replaces paths of the joined body in a text by the client's
// paths. The items of the history, which may be large, are counted only once.
func (t *Turn) ownPaths() func(text string) string {
	items := responses.Items(string(jsonw.View(t.history)))
	return func(text string) string { return responses.OwnPaths(text, items) }
}
