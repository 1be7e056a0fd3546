// Package stages has the stages between the decoder of an upstream's answer and the encoder of the
// client's: one file per stage. A stage is an ir.Sink that passes events to the next sink and
// changes some of them. Some stages also change the request before encoding, because the answer has
// to match. Each stage serves every API that lacks a feature, and only runs if a request needs the
// feature. Stages copy the parts of an event that they retain beyond the call, and limit their
// size.
package stages

// Arrival is how the upstream's answer arrives.
type Arrival uint8

const (
	Streamed Arrival = iota // piece by piece: the rest may never come
	Complete                // all at once
)
