package conform

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"sync"

	"edgelingua/wasmtest/vendors"
)

// turn is one answer of the upstream.
type turn struct {
	vendors.Turn
	status  int                                // of an error, with message; 0: none
	message string                             // of the error
	head    http.Header                        // further headers
	failing bool                               // the stream fails after some events, with message
	cut     bool                               // the connection breaks in the middle of the answer
	hold    bool                               // the stream repeats an event until its client leaves
	unended bool                               // the answer is complete, but its connection stays open
	glued   bool                               // the whole stream is one write
	sliced  bool                               // each write has 7 bytes
	change  func(body, upstream string) string // of the whole answer
}

// session is the upstream's side of a probe.
type session struct {
	upstream *Upstream
	vendor   *vendors.Vendor
	turns    []*turn
	mu       sync.Mutex
	got      []*Got
	left     chan struct{} // closed when the client of a turn with hold has left
	began    chan struct{} // closed when a turn with hold has sent its events
	ctx      context.Context
}

var marker = regexp.MustCompile(`\(c:[0-9a-f]{12}\)`)

// begin makes a session, which ends with ctx.
func (u *Upstream) begin(ctx context.Context, mark string, p *Probe) *session {
	options := vendors.Options{}
	if p.options != nil {
		options = p.options(u.name)
	}
	s := &session{upstream: u, vendor: vendors.New(u.double, options, nil), ctx: ctx,
		left:  make(chan struct{}),
		began: make(chan struct{})}
	if p.turns != nil {
		s.turns = p.turns(u.name)
	}
	u.mu.Lock()
	u.sessions[mark] = s
	u.mu.Unlock()
	return s
}

func (u *Upstream) end(mark string) {
	u.mu.Lock()
	delete(u.sessions, mark)
	u.mu.Unlock()
}

// receive adds a request.
func (s *session) receive(got *Got) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, got)
}

// next returns the next turn, or nil if there is none.
func (s *session) next() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		return nil
	}
	t := s.turns[0]
	s.turns = s.turns[1:]
	return t
}

// refuse notes why the double rejected a request. Judges may read an earlier request at the same time, so
// the noted request is a new one.
func (s *session) refuse(got *Got, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := *got
	refused.Refused = why.Error()
	if i := slices.Index(s.got, got); i >= 0 {
		s.got[i] = &refused
	}
}

// requests returns the requests so far.
func (s *session) requests() []*Got {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}
