package demo

import "time"

// paced is the name of the model that streams at the pace of a real model.
const paced = "demo-paced"

// The pace of a stream: about 50 tokens per second, if a token has 4 characters and an event has 12.
const (
	firstPause = 500 * time.Millisecond // before the first event
	nextPause  = 60 * time.Millisecond  // before each other event
)

// pause waits for the time of the next event. It returns false if the client left.
func (e *events) pause() bool {
	wait := nextPause
	if e.sent == 0 {
		wait = firstPause
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.ctx.Done():
		return false
	}
}
