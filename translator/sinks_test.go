package translator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/events"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/policy"
	"edgelingua/translator/stages"
	"edgelingua/translator/textcalls"
)

// wide is an answer with every kind of block and delta, and every possible field of an event.
func wide() []ir.Event {
	text := func(id ir.Escaped, newMessage bool, begun, ended ir.Phase, words ir.Escaped) []ir.Event {
		return []ir.Event{
			{Kind: ir.BlockStart, Block: ir.TextBlock, ID: id, NewMessage: newMessage, Phase: begun},
			{Kind: ir.Delta, Delta: ir.LogprobsDelta, Raw: `[{"token":"x"}]`},
			{Kind: ir.Delta, Delta: ir.TextDelta, Text: words},
			{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "u", Start: 0, End: 1}},
			{Kind: ir.BlockStop, Phase: ended},
		}
	}
	list := []ir.Event{{Kind: ir.Start, ID: "a", Model: "m", Created: 7, Usage: ir.NoUsage,
		Tier: ir.PriorityTier}}
	list = append(list, text("m1", true, ir.Commentary, ir.NoPhase, "One")...)
	list = append(list, text("m1", false, ir.NoPhase, ir.Commentary, " word")...)
	list = append(list,
		ir.Event{Kind: ir.BlockStart, Block: ir.ReasoningBlock, ID: "r"},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "t"},
		ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "s", Origin: "responses"},
		ir.Event{Kind: ir.BlockStop},
		ir.Event{Kind: ir.BlockStart, Block: ir.HostedBlock, ID: "h"},
		ir.Event{Kind: ir.Delta, Delta: ir.HostedDelta, Hosted: &ir.Hosted{ID: "h", Output: "o"}},
		ir.Event{Kind: ir.BlockStop},
		ir.Event{Kind: ir.BlockStart, Block: ir.ServerToolBlock, ID: "o"},
		ir.Event{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: `{}`},
		ir.Event{Kind: ir.BlockStop},
		ir.Event{Kind: ir.BlockStart, Block: ir.WebSearchBlock, ID: "w"},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "query"},
		ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "v"}},
		ir.Event{Kind: ir.BlockStop},
		ir.Event{Kind: ir.BlockStart, Block: ir.RefusalBlock, ID: "m2", NewMessage: true, Phase: ir.FinalAnswer},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "No"},
		ir.Event{Kind: ir.BlockStop, Phase: ir.FinalAnswer},
		ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, ID: "fc", CallID: "c", Name: "f"},
		ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "{}"},
		ir.Event{Kind: ir.BlockStop},
	)
	list = append(list, text("m3", true, ir.NoPhase, ir.FinalAnswer, "Two")...)
	return append(list, ir.Event{Kind: ir.Finish, Stop: ir.Refusal, Raw: `{"a":1}`, Usage: ir.Usage{Input: 1,
		CacheRead: 2, CacheWrite: 3, Output: 4, Reasoning: 5}, Tier: ir.FlexTier})
}

// TestSinksPassWhatTheyDoNotChange: no stage of an answer loses an event or a field outside its
// task.
func TestSinksPassWhatTheyDoNotChange(t *testing.T) {
	r := &ir.Request{API: API("responses"), Tools: []ir.Tool{{Name: "f"}, {Name: "g", Kind: ir.CustomTool}}}
	x := &Exchange{pair: Pair{Client: API("responses"), Upstream: API("chat")}, target: &ir.Target{}, Request: r,
		upstreamRequest: r}
	p := &policy.Policy{PrefixIDs: true, Tools: []policy.Tool{{Name: "h", As: "i"}}}
	for name, stage := range map[string]func(ir.Sink) ir.Sink{
		"textcalls": func(s ir.Sink) ir.Sink { return textcalls.New(r, 64, false, s) },
		"custom":    func(s ir.Sink) ir.Sink { return stages.CustomCalls(r, s) },
		"policy":    func(s ir.Sink) ir.Sink { return p.Restore(r, s) },
		"fence":     func(s ir.Sink) ir.Sink { return stages.AnswerFormat(stages.Instructed, s) },
		"stops":     func(s ir.Sink) ir.Sink { return stages.Stops([]ir.Escaped{"zzz"}, stages.Streamed, s) },
		"reasoning": func(s ir.Sink) ir.Sink {
			return stages.HideReasoning(r, x.target, API("chat"), nil,
				s)
		},
		"limit":   func(s ir.Sink) ir.Sink { return stages.Limit(0, s) },
		"watched": func(s ir.Sink) ir.Sink { return &watched{x, s} },
	} {
		var g irtest.Recorder
		sink := stage(&g)
		want := wide()
		irtest.Send(sink, want...)
		for i := range g.Events {
			if g.Events[i].Kind == ir.BlockStart && g.Events[i].CallID != "" {
				g.Events[i].CallID = "c" // a policy's ids
			}
		}
		require.Equal(t, want, g.Events, name)
	}
}

// TestTierOfChangedEnds: if a stage writes the end of an answer itself, the end still has the
// service tier.
func TestTierOfChangedEnds(t *testing.T) {
	r := &ir.Request{API: API("responses"), Tools: []ir.Tool{{Name: "f"}}}
	answer := func(sink ir.Sink, text ir.Escaped) {
		irtest.Send(sink, ir.Event{Kind: ir.Start, Tier: ir.FlexTier}, ir.Event{Kind: ir.BlockStart,
			Block: ir.TextBlock},
			ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}, ir.Event{Kind: ir.BlockStop},
			ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Tier: ir.FlexTier})
	}
	for name, stage := range map[string]func(ir.Sink) ir.Sink{
		"a call in the text": func(s ir.Sink) ir.Sink { return textcalls.New(r, 64, false, s) },
		"a stop sequence, streamed": func(s ir.Sink) ir.Sink {
			return stages.Stops([]ir.Escaped{"call"},
				stages.Streamed, s)
		},
		"a stop sequence, all there": func(s ir.Sink) ir.Sink {
			return stages.Stops([]ir.Escaped{"call"},
				stages.Complete, s)
		},
	} {
		var g irtest.Recorder
		answer(stage(&g), `<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>`)
		end := g.Last()
		require.Equal(t, ir.Finish, end.Kind, name)
		require.NotEqual(t, ir.EndTurn, end.Stop, name)
		require.Equal(t, ir.FlexTier, end.Tier, name)
	}
	var g irtest.Recorder
	w := events.NewWriter(&g)
	w.SetTier(ir.FlexTier)
	w.Refuse(`{}`, ir.NoUsage)
	require.Equal(t, ir.FlexTier, g.Events[0].Tier)
}

// TestWhatIsKeptIsCounted: all content that lengthens an answer counts towards the bound, with at
// least its length for the client.
func TestWhatIsKeptIsCounted(t *testing.T) {
	big := strings.Repeat("x", 100<<10)
	for name, ev := range map[string]ir.Event{
		"tokens of which nothing is said": {Kind: ir.Delta, Delta: ir.LogprobsDelta,
			Raw: ir.Raw("[" + strings.Repeat("{},", 3000) + "{}]")},
		"the likeliest tokens": {Kind: ir.Delta, Delta: ir.LogprobsDelta,
			Raw: ir.Raw(`[{"top_logprobs":[` + strings.Repeat("{},", 3000) + "{}]}]")},
		"an input": {Kind: ir.Delta, Delta: ir.HostedDelta,
			Hosted: &ir.Hosted{Input: ir.Raw(`"` + big + `"`)}},
		"a result": {Kind: ir.Delta, Delta: ir.HostedDelta,
			Hosted: &ir.Hosted{Output: ir.Escaped(big)}},
		"names": {Kind: ir.Delta, Delta: ir.HostedDelta,
			Hosted: &ir.Hosted{FoundTools: []ir.Escaped{ir.Escaped(big)}}},
		"a name": {Kind: ir.BlockStart, Block: ir.ToolCallBlock,
			Name: ir.Escaped(big)},
		"an id": {Kind: ir.BlockStart, Block: ir.ToolCallBlock,
			CallID: ir.Escaped(big)},
	} {
		var g irtest.Recorder
		l := stages.Limit(64<<10, &g)
		l.Event(&ev)
		require.Equal(t, ir.Failure, g.Events[0].Kind, name)
	}
}

// TestFormatInWordsIsNoCall: if the request could ask for the format only in words, a JSON answer
// in the form of a call is the answer.
func TestFormatInWordsIsNoCall(t *testing.T) {
	pair, _ := Lookup("chat", "anthropic")
	x, refused := pair.Decode("",
		[]byte(`{"model":"m","response_format":{"type":"json_object"},"tools":[{"type":"function",`+
			`"function":{"name":"f","parameters":{"type":"object"}}}],"messages":[{"role":"user",`+
			`"content":"x"}]}`))
	require.Nil(t, refused)
	_, refused = x.AppendRequest(nil, &ir.Target{TextCalls: true})
	require.Nil(t, refused)
	out, refused := x.AppendBody(nil,
		[]byte(`{"type":"message","content":[{"type":"text","text":"{\"name\":\"f\",\"arguments\":{}}"}],`+
			`"stop_reason":"end_turn"}`))
	require.Nil(t, refused)
	require.NotContains(t, string(out), "tool_calls")
}
