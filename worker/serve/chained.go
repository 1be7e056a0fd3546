package serve

import (
	"errors"

	"edgelingua/translator/stages"
	"edgelingua/worker/bridge"
)

// chained is a stream's part in an answer of several rounds: see bridge.Chained.
type chained struct {
	*rounds
	again     bool   // the stream goes on with that call
	searching bool   // the call is a search's, or a page's
	fetching  bool   // it is a page's
	code      string // with which that has failed before the call
	status    int
	lines     string // of the head
	failed    error
	body      []byte
}

// chain lets a stream go on with the calls of further rounds, where its answer may take some.
func (h *handler) chain(r *relayed, t translation) {
	if r.chained = nil; t.exchange.Rounds() {
		r.chained = &chained{rounds: h.rounds(t, r.of)}
	}
}

// follow returns the call that the stream goes on with. One without a URL fails, and its outcome is known.
func (c *chained) follow(r *relayed) (call bridge.Call) {
	asked, ok := c.exchange.Search()
	c.searching, c.fetching, c.status, c.lines, c.failed, c.body = ok, ok && asked.URL != "", 0, "", nil, nil
	r.status, r.begun, r.whole = 0, false, nil
	if ok {
		call, c.code = c.ask(&asked)
		return call
	}
	call, err := c.next(r.stream.AppendNext)
	if err != nil {
		r.reason = err
	} else {
		c.h.taken = true
	}
	return call
}

// goesOn notes that the stream goes on with another call where its answer waits for one. It returns done.
func (c *chained) goesOn(done bool) bool {
	c.again = done && c.exchange.Waits()
	return done
}

// Again implements bridge.Chained.
func (r *relayed) Again() bool {
	if !r.waits() {
		return false
	}
	r.chained.again = false
	return true
}

// waits reports whether Again will return true.
func (r *relayed) waits() bool { return r.chained != nil && r.chained.again }

// head takes the head of the answer to a search, or of a page, or why there is none.
func (c *chained) head(status int, lines string) {
	if c.status, c.lines = status, lines; status == 0 {
		c.failed = errors.New(lines)
	}
}

// push takes a chunk of that answer.
func (c *chained) push(r *relayed, chunk []byte) ([]byte, bool) {
	c.body = append(c.body, chunk...)
	switch {
	case len(c.body) > most(c.fetching):
		c.failed = bridge.ErrTooLarge
	case c.h.times.now()-c.began > searchTime:
		c.failed = errors.New("timeout")
	default:
		return nil, false
	}
	return c.end(r)
}

// end ends a search or a fetch. One that leads to another page goes on with that.
func (c *chained) end(r *relayed) ([]byte, bool) {
	c.searching = false
	code := c.code
	var hits []stages.Hit
	again := false
	switch {
	case code != "":
	case c.fetching:
		hits, code, again = c.fetched(c.status, c.lines, c.body, c.failed)
	default:
		hits, code = c.found(c.status, c.body, c.failed)
	}
	c.body = nil
	if again {
		return nil, c.goesOn(true)
	}
	out, done := r.stream.Found(hits, code)
	return out, c.goesOn(done || c.exchange.Waits())
}
