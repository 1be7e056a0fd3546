package host

import (
	"bytes"

	"edgelingua/wasmtest/host/js"
)

// maxRemember is how many bytes of items a connection remembers.
const maxRemember = 15 << 20

// history is what a connection remembers: a response's id, and items of the conversation up to it.
// "": it remembers nothing.
type history struct {
	id    string
	items []byte
}

// keep replaces what the connection remembers. It remembers nothing where that would be too much,
// for it or for the host.
func (s *socket) keep(m history) {
	s.sockets.memory.give(s.endpoint, cap(s.history.items))
	s.history = history{}
	if len(m.items) <= maxRemember && s.sockets.memory.take(s.endpoint, cap(m.items), 0) {
		s.history = m
	}
}

// recall implements the bridge's recall: it takes what the connection remembers.
func (x *exchange) recall(args arguments) js.Value {
	id := args.string(0)
	t := x.turnFor(args)
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

// remember keeps what the program wants to be remembered of a turn whose answer is no error and has
// ended well.
func (x *exchange) remember() error {
	if x.turn == nil || x.response.Status >= 400 || x.aborted() || x.stream != nil && !x.stream.complete() {
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
		if sign == '+' && len(x.turn.recalled) > 0 {
			m.items = x.turn.recalled
			if len(items) > 0 {
				m.items = append(m.items, ',')
			}
		}
		m.items = append(m.items, items...)
		x.turn.socket.keep(m)
	})
}
