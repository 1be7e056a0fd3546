// Package stages has the stages between the decoder of an upstream's answer and the encoder of the
// client's: one file per stage. A stage is an ir.Sink that passes events on to the next sink and
// changes some of them. Some stages also change the request before it is encoded, because the
// answer has to match. Each stage is there for every API that lacks a feature, and only if a
// request needs it. Stages keep what they need of an event beyond the call as copies, and limit it.
package stages

// Arrival is how the upstream's answer arrives.
type Arrival uint8

const (
	Streamed Arrival = iota // piece by piece: the rest may never come
	Complete                // all at once
)
