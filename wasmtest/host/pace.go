package host

import (
	"bytes"
	"time"

	"edgelingua/wasmtest/host/outbound"
)

// slow is the time from one event to the next at which a stream is slow: none of its events waits.
const slow = 50 * time.Millisecond

// pace knows how fast the events of a stream come, and so how long the pump may let them gather
// before it reads on.
type pace struct {
	window time.Duration // the most that an event may wait
	fast   bool
	full   bool      // more may be there than the last chunk
	last   time.Time // when the last chunk came
}

// wait returns how long the next read is to wait.
func (p *pace) wait() time.Duration {
	if p.fast && !p.full {
		return p.window
	}
	return 0
}

// came takes what a read has returned.
func (p *pace) came(chunk []byte, now time.Time) {
	if p.window == 0 {
		return
	}
	p.full = len(chunk) >= outbound.ReadBuffer/2
	if p.fast {
		p.fast = p.full || bytes.Count(chunk, []byte("data:")) > 1
	} else {
		p.fast = now.Sub(p.last) < min(p.window, slow)
	}
	p.last = now
}
