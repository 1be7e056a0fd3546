package stored

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
)

// Turn is what one request has to do with stored responses, and with the response that its connection remembers. The zero Turn has nothing
// to do with them.
type Turn struct {
	Bound  bool    // the request keeps its answer, or goes on from kept items: its body is translated, and never passes as it is
	Writer *Writer // nil: the answer is not stored

	host     bridge.Host
	object   string            // the endpoint's; "": it stores no responses
	socket   bool              // the request came as a frame of a connection, which remembers the answer
	recalled bool              // the history is the one that the connection has remembered
	asks     responses.Storing // what the client's body says
	keep     ir.Keep           // how the answer is kept
	own      string            // the client's own items, as they are kept
	all      string            // the history's items with the client's own behind them
	history  []byte            // the list of items before the client's own, as it begins; nil: there are none
}

// Read makes t, which is zero, the turn of a request with this body; socket: it came as a frame of a connection. body is JSON;
// responses.ReadStoring changes it. notes is for ir.Keep of such a request.
//
//go:noinline
func (t *Turn) Read(host bridge.Host, e *endpoint.Endpoint, body []byte, socket bool, notes func([]byte) []byte) (err error) {
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

// goesOn reports whether the request goes on from stored items.
func (t *Turn) goesOn() bool { return t.asks.Previous != "" || len(t.asks.References) > 0 }

// Join returns the client's body with the stored conversation in front of its own input, and stored items in place of references to
// them: body itself where there is neither. The result has at most so many bytes, else the error says so. Without an input, body
// stays as it is, for the decoder to refuse.
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

// load reads the conversation that the request goes on from, and the responses whose items its references name. What the connection
// remembers goes before what is stored.
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

// ownInput returns the items of the client's own input, with stored items in place of references. The stored items have at most so
// many bytes together: a large one may be named often.
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

// itemOf returns the stored item with an id, "" where there is none.
func itemOf(h *archive.History, id string) ir.Raw {
	at, ok := responses.Place(id)
	if !ok {
		return ""
	}
	return responses.Item(h.Items(at.Response, at.Input), at.Index)
}

// assemble returns body with a list as its input: the conversation, and the client's own items behind that.
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

// Mark tells the decoded request how its answer is stored, and which response it goes on from.
func (t *Turn) Mark(r *ir.Request) {
	if t.keep.ID != "" {
		r.Keep = &t.keep
	}
	if t.asks.Previous != "" {
		r.Previous = ir.Raw(jsonw.AppendString(nil, t.asks.Previous))
	}
}

// Relocate returns an error about the joined body with the paths of the body that the client has sent.
func (t *Turn) Relocate(err error) error {
	if t.history == nil {
		return err
	}
	told, own := *ir.AsError(err), t.ownPaths()
	told.Path, told.Message = own(told.Path), own(told.Message)
	return &told
}

// RelocateLost does the same with the paths of what was lost.
func (t *Turn) RelocateLost(l *ir.Lost) {
	if t.history != nil && len(l.Paths()) > 0 {
		l.Rewrite(t.ownPaths())
	}
}

// ownPaths returns a function that puts the client's paths in place of those in a text. The items of the history, which may be large,
// are counted once.
func (t *Turn) ownPaths() func(text string) string {
	items := responses.Items(string(jsonw.View(t.history)))
	return func(text string) string { return responses.OwnPaths(text, items) }
}
