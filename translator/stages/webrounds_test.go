package stages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// TestBufferedAfterASearchIsBounded: what the model says after its call of the search waits for the
// search, up to 8 MB of texts, raw values and the events themselves.
func TestBufferedAfterASearchIsBounded(t *testing.T) {
	half := strings.Repeat("a", ir.MaxBuffered/2)
	for name, c := range map[string]struct {
		ev   ir.Event
		fits int // how many of the event fit
	}{
		"texts": {ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(half)}, 1},
		"a text that fits exactly": {ir.Event{Kind: ir.Delta, Delta: ir.TextDelta,
			Text: ir.Escaped(strings.Repeat("a", ir.MaxBuffered-eventSize))}, 1},
		"values": {ir.Event{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: ir.Raw(half)}, 1},
		"events": {ir.Event{Kind: ir.Delta, Delta: ir.TextDelta}, ir.MaxBuffered / eventSize},
	} {
		var failure *ir.Error
		w := &WebTools{searches: function{name: "web_search"}}
		w.SetSink(irtest.Func(func(ev *ir.Event) { failure = ev.Err }))
		w.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, Name: "web_search", CallID: "c1"})
		w.Event(&ir.Event{Kind: ir.BlockStop})
		for range c.fits {
			w.Event(&c.ev)
		}
		require.Nil(t, failure, name)
		w.Event(&c.ev)
		require.NotNil(t, failure, name)
		require.Contains(t, failure.Message, "more than 8 MB", name)
	}
}
