package serve

import (
	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/upstream"
)

// passthroughStream is the stream of a passthrough answer. tap reads the usage; nil: the usage is
// not read.
type passthroughStream struct {
	tap    *translator.Tap
	timing *timing
}

// Head is never called: a passthrough request waits for the upstream's head.
func (t *passthroughStream) Head(int, string) bool { return false }

// Push implements bridge.Stream. It returns the tap's output for the chunk.
func (t *passthroughStream) Push(chunk []byte) ([]byte, bool) {
	if t.tap == nil {
		t.timing.noteOutput(chunk)
		return chunk, false
	}
	out, done := t.tap.Push(chunk)
	t.timing.noteOutput(out)
	return out, done
}

// Complete returns false: only the upstream ends the answer.
func (t *passthroughStream) Complete() bool { return false }

// Close implements bridge.Stream.
func (t *passthroughStream) Close(cause bridge.Cause) []byte {
	if t.tap == nil {
		return nil
	}
	out := t.tap.Close(upstream.Severed(cause))
	if t.tap.TooLarge() {
		println("edgelingua: an answer of more than 16 MB has passed, and its tokens are not counted")
	}
	return out
}
