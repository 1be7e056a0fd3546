package translator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// script collects the events that a filter passes, in short: blocks in brackets, deltas as they are, separated by |.
type script struct {
	t       *testing.T
	checker ir.Checker
	text    []byte
	last    ir.Event
}

func (s *script) Event(ev *ir.Event) {
	require.NoError(s.t, s.checker.Check(ev), string(s.text))
	s.last = *ev
	switch ev.Kind {
	case ir.BlockStart:
		s.text = append(s.text, map[ir.BlockKind]string{
			ir.TextBlock: "text[", ir.ReasoningBlock: "reasoning[", ir.ToolCallBlock: "call[", ir.CustomToolCallBlock: "custom["}[ev.Block]...)
	case ir.Delta:
		if !strings.HasSuffix(string(s.text), "[") {
			s.text = append(s.text, '|')
		}
		s.text = append(s.text, ev.Text...)
	case ir.BlockStop:
		s.text = append(s.text, ']')
	case ir.Finish:
		s.text = append(s.text, " finish"...)
		if ev.Stop == ir.StopSequence {
			s.text = append(s.text, " at "...)
			s.text = append(s.text, ev.StopSequence...)
		}
	case ir.Failure:
		s.text = append(s.text, " failure: "+ev.Err.Message...)
	}
}

func block(kind ir.BlockKind, name ir.Escaped, deltas ...ir.Escaped) []ir.Event {
	start := ir.Event{Kind: ir.BlockStart, Block: kind, Name: name}
	if name != "" {
		start.CallID = "call_1"
	}
	list := []ir.Event{start}
	for _, text := range deltas {
		list = append(list, ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text})
	}
	return append(list, ir.Event{Kind: ir.BlockStop})
}

// answerOf is a whole answer of blocks, with all usage known at its end.
func answerOf(blocks ...[]ir.Event) []ir.Event {
	usage := ir.NoUsage
	usage.Input = 7
	list := []ir.Event{{Kind: ir.Start, ID: "id", Usage: usage}}
	for _, b := range blocks {
		list = append(list, b...)
	}
	return append(list, ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Usage: ir.Usage{Input: 7, Output: 9}})
}

// played returns what comes out of the filter that made returns.
func played(t *testing.T, made func(sink ir.Sink) ir.Sink, events []ir.Event) *script {
	s := &script{t: t}
	filter := made(s)
	for i := range events {
		ev := events[i]
		filter.Event(&ev)
	}
	require.NoError(t, s.checker.End(), string(s.text))
	return s
}

// eachCut calls f with text cut in two at every place where a delta may end: not inside one of its own escapes.
func eachCut(text string, f func(deltas ...ir.Escaped)) {
	f(ir.Escaped(text))
	var all []ir.Escaped
	for i := 0; i < len(text); {
		n := 1
		if text[i] == '\\' {
			if n = 2; text[i+1] == 'u' {
				n = 6
			}
		} else {
			for i+n < len(text) && text[i+n]&0xC0 == 0x80 {
				n++
			}
		}
		all = append(all, ir.Escaped(text[i:i+n]))
		if i += n; i < len(text) {
			f(ir.Escaped(text[:i]), ir.Escaped(text[i:]))
		}
	}
	f(all...)
}

// whole is what a script collected without the places where deltas end.
func (s *script) whole() string { return strings.ReplaceAll(string(s.text), "|", "") }
