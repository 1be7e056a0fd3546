package stages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// barred returns the texts of an answer's blocks, with a bar after each finished block.
func barred(r *irtest.Recorder) (all string) {
	for _, b := range r.Blocks() {
		all += string(b.Text())
		if b.Stop.Kind == ir.BlockStop {
			all += "|"
		}
	}
	return all
}

// answered sends sink a text in pieces of n bytes, without cutting escapes.
func answered(sink ir.Sink, text string, n int) {
	sink.Event(&ir.Event{Kind: ir.Start})
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	for e := jsonw.Escape(text); e != ""; {
		width := 0
		for width < n && width < len(e) {
			step := 1
			if e[width] == '\\' {
				_, step = jsonw.UnitAt(e[width:])
			}
			width += step
		}
		piece := append([]byte(nil), e[:width]...) // a view of a buffer that changes
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(piece)})
		for i := range piece {
			piece[i] = '#'
		}
		e = e[width:]
	}
	sink.Event(&ir.Event{Kind: ir.BlockStop})
	sink.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn})
}

// TestFencesElsewhere: only text blocks lose their fences.
func TestFencesElsewhere(t *testing.T) {
	s := irtest.Record(t)
	u := fence{sink: s}
	for _, ev := range []ir.Event{{Kind: ir.Start}, {Kind: ir.BlockStart, Block: ir.ReasoningBlock},
		{Kind: ir.Delta, Delta: ir.TextDelta, Text: "```json\\n{}\\n```"}, {Kind: ir.BlockStop}} {
		u.Event(&ev)
	}
	require.Equal(t, "```json\\n{}\\n```|", barred(s))
}

func TestFences(t *testing.T) {
	long := strings.Repeat(" ", 2*maxFence)
	for text, want := range map[string]string{
		`{"a":1}`:                                `{"a":1}`,
		"```json\n{\"a\":1}\n```":                `{"a":1}`,
		"```\n[1]\n```\n":                        `[1]`,
		" \n```JSON5 \r\n\n {\"a\":1} ```":       `{"a":1}`,
		"```json\n{\"a\":\"``` é\\n\"}\n```":     "{\"a\":\"``` é\\n\"}",
		"```json\n{\"a\":1}":                     `{"a":1}`,
		"```json\n{\"a\":1}\n``":                 "{\"a\":1}\n``",
		"```json\n{\"a\":1}\n```\nDone.":         "{\"a\":1}\n```\nDone.",
		"```json\n{}" + long + "```":             "{}" + long + "```",
		"```json\ntext\n```":                     "```json\ntext\n```",
		"```json {\"a\":1}```":                   "```json {\"a\":1}```",
		"Here: ```json\n{\"a\":1}\n```":          "Here: ```json\n{\"a\":1}\n```",
		"``\n{}":                                 "``\n{}",
		"````\n{}\n````":                         "````\n{}\n````",
		"```" + strings.Repeat("x", 300) + "\n{": "```" + strings.Repeat("x", 300) + "\n{",
		long + "```\n{}\n```":                    long + "```\n{}\n```",
		"```":                                    "```",
		"":                                       "",
		"😀```\n{}\n```":                          "😀```\n{}\n```",
	} {
		for n := range 12 {
			s := irtest.Record(t)
			answered(&fence{sink: s}, text, n+1)
			require.Equal(t, string(jsonw.Escape(want))+"|", barred(s), "%q by %d", text, n+1)
		}
	}
	s := irtest.Record(t)
	u := &fence{sink: s}
	u.Event(&ir.Event{Kind: ir.Start})
	u.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	u.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "```json\\n{}\\n```"})
	u.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{}})
	require.Equal(t, "{}\\n```", barred(s), "nothing is kept of an answer that fails")
}

func TestAnswerByTool(t *testing.T) {
	call := func(sink ir.Sink, arguments string) {
		sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "c", Name: "answer"})
		if arguments != "" {
			sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(arguments)})
		}
		sink.Event(&ir.Event{Kind: ir.BlockStop})
	}
	text := func(sink ir.Sink, words string) {
		sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(words)})
		sink.Event(&ir.Event{Kind: ir.BlockStop})
	}
	for _, c := range []struct {
		name   string
		answer func(a *toolAnswer)
		stop   ir.StopReason
		want   string
		is     ir.StopReason
	}{
		{"a call", func(a *toolAnswer) { call(a, "{1}") }, ir.ToolUse, "{1}|", ir.EndTurn},
		{"text around it", func(a *toolAnswer) { text(a, "x"); call(a, "{1}"); text(a, "y") }, ir.ToolUse,
			"{1}|", ir.EndTurn},
		{"two calls", func(a *toolAnswer) { call(a, "{1}"); call(a, "{2}") }, ir.ToolUse, "{1}|", ir.EndTurn},
		{"cut", func(a *toolAnswer) { call(a, "{1") }, ir.MaxTokens, "{1|", ir.MaxTokens},
		{"a call without arguments", func(a *toolAnswer) { call(a, "") }, ir.ToolUse, "{}|", ir.EndTurn},
		{"cut before its arguments", func(a *toolAnswer) { call(a, "") }, ir.MaxTokens, "|", ir.MaxTokens},
		{"no call", func(a *toolAnswer) { text(a, "x"); text(a, "y") }, ir.EndTurn, "xy|", ir.EndTurn},
		{"a refusal", func(a *toolAnswer) {}, ir.Refusal, "", ir.Refusal},
	} {
		s := irtest.Record(t)
		a := &toolAnswer{sink: s}
		a.Event(&ir.Event{Kind: ir.Start})
		c.answer(a)
		a.Event(&ir.Event{Kind: ir.Finish, Stop: c.stop})
		require.Equal(t, c.want, barred(s), c.name)
		require.Equal(t, c.is, s.Last().Stop, c.name)
	}
	s := irtest.Record(t)
	a := &toolAnswer{sink: s}
	a.Event(&ir.Event{Kind: ir.Start})
	a.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	piece := ir.Escaped(strings.Repeat("x", 1<<20))
	for range ir.MaxBuffered>>20 + 2 {
		a.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: piece})
	}
	require.NotNil(t, s.Failure(), "no more is held")
}
