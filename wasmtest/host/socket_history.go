package host

import (
	"bytes"

	"edgelingua/wasmtest/host/js"
)

// maxRemember is how many bytes of items a connection remembers.
const maxRemember = 15 << 20

// history is the memory of a connection: a response's id, and the items of the conversation up to
// this response. An empty id means that the memory is empty.
type history struct {
	id    string
	items []byte
}

// keep replaces the history. The history becomes empty if the new one is too large for the
// connection or for the host.
func (s *socket) keep(m history) {
	s.sockets.memory.give(s.endpoint, cap(s.history.items))
	s.history = history{}
	if len(m.items) <= maxRemember && s.sockets.memory.take(s.endpoint, cap(m.items), 0) {
		s.history = m
	}
}

// recall implements the bridge's recall: it takes the history away.
func (x *hostRequest) recall(args arguments) js.Value {
	id := args.string(0)
	t := x.frameFor(args)
	x.loop.Later(func() {
		m := t.socket.history
		if m.id != id || id == "" {
			x.settle(1, nil)
			return
		}
		t.recalled = m.items
		t.socket.keep(history{})
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
		x.frame.socket.keep(m)
	})
}
