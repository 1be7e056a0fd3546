package host

import "sync"

// shares shares out, among endpoints, something of which there is only so much, as the gate of
// package main shares out places.
type shares struct {
	total int // 0: any amount

	mu    sync.Mutex
	taken int
	of    map[string]int // what each endpoint has
}

func newShares(total int) *shares { return &shares{total: total, of: map[string]int{}} }

// share is how many times as much as is free an endpoint may have, and still get more.
const share = 4

// take takes n for an endpoint, and reports whether there was so much for it. most is how much it
// may have then; 0: any amount.
func (s *shares) take(endpoint string, n, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of[endpoint]
	if free := s.total - s.taken; s.total > 0 && (n > free || own/share >= free) || most > 0 && own+n > most {
		return false
	}
	s.taken += n
	s.of[endpoint] = own + n
	return true
}

// give gives back n that an endpoint has taken.
func (s *shares) give(endpoint string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.of[endpoint] -= n; s.of[endpoint] == 0 {
		delete(s.of, endpoint)
	}
}
