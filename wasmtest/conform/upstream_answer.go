package conform

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"edgelingua/wasmtest/vendors"
)

// answer sends the answer of the next turn.
func (u *Upstream) answer(w http.ResponseWriter, r *http.Request, s *session, got *Got) {
	request := &vendors.Request{Path: r.RequestURI, Header: r.Header, Body: got.Body}
	if err := s.vendor.Check(request); err != nil {
		s.refuse(got, err)
		s.vendor.Refusal(err).Send(w)
		return
	}
	t := s.next()
	if t == nil {
		t = &turn{status: http.StatusServiceUnavailable, message: "one request more than the probe has turns"}
	}
	for name, values := range t.head {
		w.Header()[name] = values
	}
	if t.status != 0 {
		u.fail(w, t.status, t.message, nil)
		return
	}
	a, err := s.vendor.Play(request, &t.Turn)
	if err != nil {
		s.refuse(got, err)
		s.vendor.Refusal(err).Send(w)
		return
	}
	if t.change != nil {
		a = &vendors.Answer{Status: a.Status, Type: a.Type, Pieces: pieces(t.change(string(a.Body()),
			u.name))}
	}
	u.send(w, r, s, t, a)
}

// pieces cuts a stream into its events.
func pieces(body string) (all [][]byte) {
	for part := range strings.SplitAfterSeq(body, "\n\n") {
		if part != "" {
			all = append(all, []byte(part))
		}
	}
	return all
}

// begun is the number of events of a stream before its failure: they have some text, and no end.
var begun = map[string]int{"messages": 4, "chat": 3, "responses": 5, "gemini": 1, "interactions": 4}

func (u *Upstream) send(w http.ResponseWriter, r *http.Request, s *session, t *turn, a *vendors.Answer) {
	streamed := a.Type == "text/event-stream"
	w.Header().Set("Content-Type", a.Type)
	parts := a.Pieces
	switch {
	case (t.failing || t.cut || t.hold) && streamed:
		parts = parts[:min(begun[u.name], len(parts)-1)]
		if t.failing {
			for _, event := range failingEvents(u.name, len(parts), t.message) {
				parts = append(slices.Clip(parts), []byte(event))
			}
		}
	case t.cut:
		parts = [][]byte{a.Body()[:len(a.Body())/2]}
	case t.glued:
		parts = [][]byte{a.Body()}
	case t.sliced:
		parts = nil
		for slice := range slices.Chunk(a.Body(), 7) {
			parts = append(parts, slice)
		}
	}
	w.WriteHeader(a.Status)
	flush := http.NewResponseController(w).Flush
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			break
		}
		_ = flush() // if the client left, the next Write fails
	}
	switch {
	case t.cut:
		panic(http.ErrAbortHandler)
	case t.hold, t.unended:
		if t.hold {
			close(s.began)
		}
		u.goOn(w, r, s, t, parts)
		if t.hold && r.Context().Err() != nil {
			close(s.left)
		}
	}
}

// goOn waits until the gateway closes the connection, at most a minute. A turn with hold repeats its last
// event meanwhile: some gateways notice only at a write that their client has left.
func (u *Upstream) goOn(w http.ResponseWriter, r *http.Request, s *session, t *turn, parts [][]byte) {
	end := time.After(time.Minute)
	for {
		select {
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		case <-end:
			return
		case <-time.After(200 * time.Millisecond):
		}
		if t.hold && len(parts) > 0 {
			_, _ = w.Write(parts[len(parts)-1]) // an error shows in the request's context
			_ = http.NewResponseController(w).Flush()
		}
	}
}
