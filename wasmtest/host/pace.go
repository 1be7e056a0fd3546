package host

import (
	"bytes"
	"time"

	"edgelingua/wasmtest/host/outbound"
)

// slow is the time between events from which a stream is slow: its events never wait.
const slow = 50 * time.Millisecond

// batch is how many events of a fast stream the pump collects, as long as their time is within the
// window. A stream that comes at once does not wait for the whole window.
const batch = 10

// pace measures the rate of a stream's events, and decides how long the pump may collect events
// before the next read.
type pace struct {
	window time.Duration // the maximum delay of an event
	fast   bool
	full   bool          // more may be there than the last chunk
	last   time.Time     // when the last chunk came
	gap    time.Duration // the time between events, in the last chunk
}

// wait returns how long the next read is to wait.
func (p *pace) wait() time.Duration {
	if p.fast && !p.full {
		return min(p.window, batch*p.gap)
	}
	return 0
}

// came records the result of a read.
func (p *pace) came(chunk []byte, now time.Time) {
	if p.window == 0 {
		return
	}
	events := bytes.Count(chunk, []byte("data:"))
	p.full = len(chunk) >= outbound.ReadBuffer/2
	p.gap = now.Sub(p.last) / time.Duration(max(events, 1))
	if p.fast {
		p.fast = p.full || events > 1
	} else {
		p.fast = now.Sub(p.last) < min(p.window, slow)
	}
	p.last = now
}
