package stored

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
)

// Conversation relates a request to stored responses and to the response in the connection's
// memory. The zero Conversation relates to neither.
type Conversation struct {
	// the request stores its answer or continues from stored items, so its body never passes
	// unchanged
	Translates bool
	Writer     *Writer // nil: the answer is not stored
	Background bool    // the answer is made in the background: see Join

	host       bridge.Host
	object     string        // the endpoint's object; "": the endpoint stores no responses
	socket     bool          // the request is a frame of a connection with a memory
	fromMemory bool          // the history comes from the connection's memory
	api        *ir.Stored    // of the client's protocol
	storing    ir.Storing    // the client's body
	request    *ir.Request   // of the last attempt; only of a background response
	streams    bool          // the client of a background response asks for a stream
	answer     ir.AnswerCopy // how the answer is stored
	ownItems   string        // the client's own items, in their stored form
	items      string        // the history's items followed by the client's own
	// the beginning of the list, with the items before the client's own; nil: there are none
	history []byte
}

// Read sets the zero Conversation for a request. body is JSON, and ir.API.ReadStoring changes
// it. socket: the request is a frame of a connection. notes is the Notes of ir.AnswerCopy for such a
// frame.
//
//go:noinline
func (c *Conversation) Read(host bridge.Host, e *endpoint.Endpoint, client *ir.API, body []byte, socket bool,
	notes func([]byte) []byte) (err error) {
	c.api = client.Stored
	if c.storing, err = client.ReadStoring(body); err != nil {
		return err
	}
	stores := e.State.Responses && c.storing.Store
	if e.State.Responses {
		c.object = e.Object()
	}
	c.host, c.socket = host, socket
	c.Translates = socket || stores || c.continues()
	if !c.storing.HasInput() || !socket && !stores {
		return nil
	}
	random := host.Random()
	// The store is never searched for the shorter id of a remembered response. A response stored
	// afterwards contains the whole conversation, since the parent is not stored.
	c.answer.ID = ir.Escaped(responses.BriefID(random))
	c.answer.Brief = !stores
	if socket {
		c.answer.Notes = notes
	}
	if stores {
		c.answer.ID = ir.Escaped(c.api.ID(random))
		c.answer.Hide, c.answer.Action = !c.storing.Encrypts, e.State.RequiredAction && c.api.Submits
		c.Writer = &Writer{Object: c.object, conversation: c, body: body, endpoint: e}
	}
	return nil
}

// continues reports whether the request continues from stored items.
func (c *Conversation) continues() bool {
	return c.storing.Previous != "" || len(c.storing.References) > 0
}

// Join returns the client's body with the stored conversation before its own input, and with stored
// items instead of references. Without both, Join returns body itself. If the result would be over
// limit bytes, Join returns an error. A body without an input stays unchanged, and the decoder
// refuses the body.
//
//go:noinline
func (c *Conversation) Join(body []byte, limit int) ([]byte, error) {
	if c.storing.Background {
		if err := c.reserve(); err != nil {
			return nil, err
		}
	}
	if !c.Translates || !c.storing.HasInput() {
		return body, nil
	}
	if !c.continues() {
		c.ownItems = c.storing.Own(nil)
		c.items = c.ownItems
		return body, nil
	}
	h, err := c.load()
	if err != nil {
		return nil, err
	}
	if c.ownItems, err = c.ownInput(h, limit); err != nil {
		return nil, err
	}
	return c.assemble(body, h, limit)
}

// load reads the previous conversation, and the responses of the references. The connection's
// memory has priority over stored responses.
func (c *Conversation) load() (*archive.History, error) {
	q := archive.Query{Previous: c.storing.Previous}
	var remembered []byte
	if c.socket && q.Previous != "" {
		if remembered, c.fromMemory = c.host.Recall(q.Previous); c.fromMemory {
			q.Previous = ""
		} else if c.object == "" {
			return nil, c.api.NoPrevious(q.Previous)
		}
	}
	for i := range c.storing.References {
		if at, ok := responses.ParseItemID(c.storing.References[i].ID); ok && c.object != "" {
			q.Named = append(q.Named, at.Response)
		}
	}
	h := &archive.History{}
	if q.Previous != "" || len(q.Named) > 0 {
		rows, failed := c.host.Batch(c.object, q.Statements(c.host.Now().Unix()))
		if failed != nil {
			return nil, notRead(failed, c.api)
		}
		var problem *archive.Problem
		if h, problem = q.Read(rows); problem != nil {
			return nil, unusable(problem, c.api)
		}
	}
	h.Add(remembered)
	return h, nil
}

// ownInput returns the items of the client's own input, with stored items instead of references.
// The limit of the stored items is limit bytes in total: a body may refer to a large item many
// times.
func (c *Conversation) ownInput(h *archive.History, limit int) (own string, err error) {
	size := 0
	own = c.storing.Own(func(ref *ir.Reference) ir.Raw {
		if err != nil {
			return ""
		}
		item := itemOf(h, ref.ID)
		size += len(item)
		switch {
		case size > limit:
			err = tooLong(megabytes(limit), c.api)
			return ""
		case item == "" && !ref.Soft:
			err = responses.Refused(ref)
		}
		return item
	})
	return own, err
}

// itemOf returns the stored item with an id, or "".
func itemOf(h *archive.History, id string) ir.Raw {
	at, ok := responses.ParseItemID(id)
	if !ok {
		return ""
	}
	return responses.Item(h.Items(at.Response, at.Input), at.Index)
}

// assemble returns body with a new input: the conversation, followed by the client's own items.
func (c *Conversation) assemble(body []byte, h *archive.History, limit int) ([]byte, error) {
	before, after := c.storing.Around(body)
	size := len(before) + h.Size() + len(c.ownItems) + len(after) + len("[,]")
	if size > limit {
		return nil, tooLong(megabytes(limit), c.api)
	}
	bridge.Reserve(size)
	whole := append(append(make([]byte, 0, size), before...), '[')
	start := len(whole)
	if whole = h.Append(whole); len(whole) > start {
		c.history = whole[start-1:]
		if c.ownItems != "" {
			whole = append(whole, ',')
		}
	}
	whole = append(whole, c.ownItems...)
	c.items = string(jsonw.View(whole[start:]))
	whole = append(whole, ']')
	return append(whole, after...), nil
}

// Mark sets the storage of the answer and the previous response in the decoded request.
func (c *Conversation) Mark(r *ir.Request) {
	if c.answer.ID != "" {
		r.AnswerCopy = &c.answer
	}
	if c.Background { // its events are kept, whether or not the client asks for a stream
		c.request, c.streams = r, r.Stream
		r.Stream, r.AnswerCopy.Background = true, true
	}
	if c.storing.Previous != "" {
		r.Previous = ir.Raw(jsonw.AppendString(nil, c.storing.Previous))
	}
}

// Relocate returns an error about the joined body with the paths of the client's body.
func (c *Conversation) Relocate(err error) error {
	if c.history == nil {
		return err
	}
	relocated, ownPath := *ir.AsError(err), c.ownPaths()
	relocated.Path, relocated.Message = ownPath(relocated.Path), ownPath(relocated.Message)
	return &relocated
}

// RelocateLost does the same for the paths of losses.
func (c *Conversation) RelocateLost(l *ir.Lost) {
	if c.history != nil && len(l.Paths()) > 0 {
		l.Rewrite(c.ownPaths())
	}
}

// ownPaths returns a function that replaces paths of the joined body in a text by the client's
// paths. The items of the history, which may be large, are counted only once.
func (c *Conversation) ownPaths() func(text string) string {
	items := responses.Items(string(jsonw.View(c.history)))
	return func(text string) string { return responses.OwnPaths(text, items, c.api.Previous) }
}
