package host

import (
	"bytes"
	"net/http"
	"slices"

	"edgelingua/wasmtest/host/js"
)

// maxRemember is how many bytes of items a connection remembers.
const maxRemember = 15 << 20

// history is the memory of a lane: a response's id, and the items of the conversation up to this
// response. An empty id means that the memory is empty.
type history struct {
	id     string
	items  []byte
	shared bool // of a recalled history: another lane remembers the items, too
}

// laneHistory is the history of a lane.
type laneHistory struct {
	lane string
	history
}

// keep replaces the history of a lane. The history becomes empty if the new one is too large for the
// connection or for the host. The longest unused histories make room.
func (s *socket) keep(lane string, m history) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(func(h *laneHistory) bool { return h.lane == lane })
	if m.id == "" || len(m.items) > maxRemember {
		return
	}
	size := len(m.items)
	for i := range s.memory {
		size += len(s.memory[i].items)
	}
	for size > maxRemember && len(s.memory) > 0 {
		oldest := s.memory[0].lane
		size -= len(s.memory[0].items)
		s.forget(func(h *laneHistory) bool { return h.lane == oldest })
	}
	if s.sockets.memory.take(s.endpoint, cap(m.items), 0) {
		s.memory = append(s.memory, laneHistory{lane, m})
	}
}

// forget removes histories. The caller holds mu.
func (s *socket) forget(which func(*laneHistory) bool) {
	s.memory = slices.DeleteFunc(s.memory, func(h laneHistory) bool {
		if !which(&h) {
			return false
		}
		s.sockets.memory.give(s.endpoint, cap(h.items))
		return true
	})
}

// release gives all memory back.
func (s *socket) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(func(*laneHistory) bool { return true })
	for _, w := range s.waiting {
		s.giveBack(cap(w.data))
	}
	s.waiting = nil
}

// remembered returns the history with a response's id. The own lane's history is forgotten: if the
// request fails, the client has to send the whole conversation. Another lane's stays, so that both
// lanes can continue from the response.
func (s *socket) remembered(lane, id string) (m history, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.memory {
		h := s.memory[i]
		if h.id != id || id == "" {
			continue
		}
		if m = h.history; h.lane == lane {
			s.forget(func(other *laneHistory) bool { return other.lane == lane })
		} else {
			m.items, m.shared = slices.Clip(m.items), true // appended items must not be in the other lane's
		}
		return m, true
	}
	return m, false
}

// manyForks is the error for a request over the bound of forks.
const manyForks = "Responses in progress on this connection continue from responses of other lanes, and " +
	"together these have no more than 15 MB. Wait for a last event, or send the whole conversation without " +
	"'previous_response_id'."

// forks notes n bytes of items that the request has from another lane, and reports whether the
// connection's requests together have no more of them than the connection remembers.
func (t *socketFrame) forks(n int) bool {
	s := t.socket
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := n
	for _, other := range s.running {
		sum += other.forked
	}
	if sum > maxRemember {
		return false
	}
	t.forked = n
	return true
}

// refuse ends the request with an error.
func (t *socketFrame) refuse(frame []byte) {
	t.answered.Store(true)
	t.cancelled.Store(true)
	t.socket.send(withLane(frame, t.name()))
	t.cancel()
}

// recall implements the bridge's recall: it takes the history away.
func (x *hostRequest) recall(args arguments) js.Value {
	id := args.string(0)
	t := x.frameFor(args)
	x.loop.Later(func() {
		m, ok := t.socket.remembered(t.name(), id)
		if ok && m.shared && !t.forks(len(m.items)) {
			t.refuse(socketError(http.StatusConflict, "response_in_progress", manyForks))
			ok = false
		}
		if !ok {
			x.settle(1, nil)
			return
		}
		t.recalled = m.items
		x.settle(0, t.recalled)
	})
	return nil
}

// remember stores the program's history after a frame, if the answer is not an error and has ended
// cleanly.
func (x *hostRequest) remember() error {
	if x.frame == nil || x.response.Status >= 400 || x.aborted() || x.stream != nil && !x.stream.complete() {
		return nil
	}
	return js.Caught(func() {
		remembered := x.program.remember()
		if remembered == nil {
			return
		}
		id, rest, _ := bytes.Cut(remembered, []byte{0})
		if len(rest) == 0 {
			js.Stop("remember does not say what becomes of the items")
		}
		m := history{id: string(id)}
		sign, items := rest[0], rest[1:]
		if sign == '+' && len(x.frame.recalled) > 0 {
			m.items = x.frame.recalled
			if len(items) > 0 {
				m.items = append(m.items, ',')
			}
		}
		m.items = append(m.items, items...)
		x.frame.socket.keep(x.frame.name(), m)
	})
}
