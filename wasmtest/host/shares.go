package host

import "sync"

// shares distributes a limited resource among endpoints, as the gate of package cli distributes
// slots.
type shares struct {
	total int // 0: any amount

	mu    sync.Mutex
	taken int
	of    map[string]int // the share of each endpoint
}

func newShares(total int) *shares { return &shares{total: total, of: map[string]int{}} }

// share is how many times as much as is free an endpoint may have, and still get more.
const share = 4

// take takes n for an endpoint, and reports whether that much was available. most is the maximum
// for the endpoint; 0: any amount.
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

// give returns n from an endpoint.
func (s *shares) give(endpoint string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if s.of[endpoint] -= n; s.of[endpoint] == 0 {
		delete(s.of, endpoint)
	}
}
