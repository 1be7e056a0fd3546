package irtest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// TestRecorderCopies changes the memory of an event after Event: the Recorder's copy must not
// change.
func TestRecorderCopies(t *testing.T) {
	buf := []byte("text")
	text := jsonw.View(buf)
	pages := []ir.Escaped{text}
	ev := ir.Event{Kind: ir.Delta, Text: text, Citation: &ir.Citation{Quote: text},
		Hosted: &ir.Hosted{Pages: pages}}
	var r irtest.Recorder
	r.Event(&ev)
	copy(buf, "####")
	pages[0], ev.Citation.URL, ev.Hosted.ID = "other", "other", "other"
	require.Equal(t, ir.Event{Kind: ir.Delta, Text: "text", Citation: &ir.Citation{Quote: "text"},
		Hosted: &ir.Hosted{Pages: []ir.Escaped{"text"}}}, r.Last())
}

// failing is a test that records its failures and continues.
type failing struct {
	testing.TB
	words []string
}

func (*failing) Helper()          {}
func (f *failing) Fatal(a ...any) { f.words = append(f.words, fmt.Sprint(a...)) }
func (f *failing) Fatalf(format string, a ...any) {
	f.words = append(f.words, fmt.Sprintf(format, a...))
}

// TestBreaches: a breach of the grammar and an answer without an end must fail the test.
func TestBreaches(t *testing.T) {
	f := &failing{}
	r := irtest.Record(f)
	irtest.Send(r, ir.Event{Kind: ir.Start}, ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "x"})
	r.RequireEnd()
	require.Equal(t, []string{
		"ir: Delta outside a block: +x", "ir: the sequence has no Finish and no Failure",
	}, f.words)
	require.Len(t, r.Events, 2)

	f = &failing{}
	r = irtest.Record(f)
	irtest.Send(r, ir.Event{Kind: ir.Start}, ir.Event{Kind: ir.Finish, Stop: ir.EndTurn})
	r.RequireEnd()
	require.Empty(t, f.words)
}

// TestRecorder records an answer with an open block.
func TestRecorder(t *testing.T) {
	r := irtest.Record(t)
	irtest.Send(r,
		ir.Event{Kind: ir.Start, ID: "a", Model: "m"},
		ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "a"},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "b"},
		ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "u", Start: 0, End: 2}},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "c"},
		ir.Event{Kind: ir.BlockStop, Phase: ir.FinalAnswer},
	)
	require.Equal(t, []string{"start a m", "text", "+a", "+b", "cites u () 0-2", "+c", "end"}, r.Take())
	require.Nil(t, r.Failure())
	irtest.Send(r,
		ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "c", Name: "f"},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "{"},
		ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Timeout, Message: "Late."}},
	)
	require.Equal(t, []string{"tool c f", "+{", "failure timeout Late."}, r.Take())
	require.Empty(t, r.Take())
	require.Equal(t, []string{
		"start a m", "text", "+ab", "cites u () 0-2", "+c", "end", "tool c f", "+{", "failure timeout Late.",
	}, r.Joined())
	require.Equal(t, "Late.", r.Failure().Message)
	require.Equal(t, ir.Escaped("abc{"), r.Text())
	require.Equal(t, []ir.Phase{ir.FinalAnswer}, r.Phases())
	blocks := r.Blocks()
	require.Len(t, blocks, 2)
	require.Equal(t, ir.Escaped("abc"), blocks[0].Text())
	require.Len(t, blocks[0].Deltas, 4)
	require.Equal(t, ir.BlockStop, blocks[0].Stop.Kind)
	require.Equal(t, ir.Escaped("f"), blocks[1].Start.Name)
	require.Zero(t, blocks[1].Stop)
	r.RequireEnd()
}

// TestLines covers events not in the tests above.
func TestLines(t *testing.T) {
	cited := &ir.Citation{Title: "T", Quote: "q", Start: -1, End: -1, Raw: "{}"}
	hosted := &ir.Hosted{Server: "s", Name: "n", Input: "{}", Output: "o"}
	for want, ev := range map[string]ir.Event{
		"start":                     {Kind: ir.Start},
		"end unavailable":           {Kind: ir.BlockStop, Code: ir.SearchUnavailable},
		"signed s by chat":          {Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "s", Origin: "chat"},
		"cites (T) -1--1 q {}":      {Kind: ir.Delta, Delta: ir.CitationDelta, Citation: cited},
		"logprobs []":               {Kind: ir.Delta, Delta: ir.LogprobsDelta, Raw: "[]"},
		"opaque {}":                 {Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: "{}"},
		"hosted s n {} o":           {Kind: ir.Delta, Delta: ir.HostedDelta, Hosted: hosted},
		"summary t el1":             {Kind: ir.Delta, Delta: ir.SummaryDelta, Text: "t", Envelope: "el1"},
		"finish stop_sequence STOP": {Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: "STOP"},
		"no event":                  {},
		"no delta":                  {Kind: ir.Delta},
	} {
		require.Equal(t, want, irtest.Line(&ev))
	}
}

// TestSinksAllocateNothing: tests that count allocations may use these sinks.
func TestSinksAllocateNothing(t *testing.T) {
	var n irtest.Counter
	ev := &ir.Event{Kind: ir.Delta}
	require.Zero(t, testing.AllocsPerRun(9, func() { n.Event(ev); irtest.Discard.Event(ev) }))
	require.Equal(t, irtest.Counter(10), n)
}
