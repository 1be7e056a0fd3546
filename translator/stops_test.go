package translator

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

func stopsAt(whole bool, list ...ir.Escaped) func(ir.Sink) ir.Sink {
	return func(sink ir.Sink) ir.Sink { return newStops(sink, list, whole) }
}

func TestStops(t *testing.T) {
	for name, c := range map[string]struct {
		stops []ir.Escaped
		text  string
		want  string
	}{
		"none comes up":              {[]ir.Escaped{"END"}, `some text`, `some text] finish`},
		"at the end":                 {[]ir.Escaped{"END"}, `some END`, `some ] finish at END`},
		"in the middle":              {[]ir.Escaped{"END"}, `some END more END`, `some ] finish at END`},
		"at once":                    {[]ir.Escaped{"END"}, `END more`, `] finish at END`},
		"a beginning only":           {[]ir.Escaped{"END"}, `EN`, `EN] finish`},
		"a beginning, then it":       {[]ir.Escaped{"aab"}, `xaaab!`, `xa] finish at aab`},
		"a border":                   {[]ir.Escaped{"abcabd"}, `abcabcabd`, `abc] finish at abcabd`},
		"the first complete one":     {[]ir.Escaped{"abcd", "bc"}, `xabcd`, `xa] finish at bc`},
		"the longer of two":          {[]ir.Escaped{"c", "abc", "bc"}, `xabc`, `x] finish at abc`},
		"the same twice":             {[]ir.Escaped{"a", "a", ""}, `xa`, `x] finish at a`},
		"escaped in another way":     {[]ir.Escaped{`\n\n`}, `a\nb\u000A\nc`, `a\nb] finish at \n\n`},
		"escapes around it":          {[]ir.Escaped{`\"`}, `\\\u00e9\"x`, `\\\u00e9] finish at \"`},
		"a slash":                    {[]ir.Escaped{"</s>"}, `a<\/s>`, `a] finish at </s>`},
		"escaped letters":            {[]ir.Escaped{"é😀"}, `x\u00e9\ud83d\ude00y`, `x] finish at é😀`},
		"letters as they are":        {[]ir.Escaped{`\u00e9\ud83d\ude00`}, `xé😀y`, `x] finish at \u00e9\ud83d\ude00`},
		"half of a pair is no match": {[]ir.Escaped{"😀"}, `\ud83dx😁`, `\ud83dx😁] finish`},
		"only empty ones":            {[]ir.Escaped{""}, `abc`, `abc] finish`},
	} {
		t.Run(name, func(t *testing.T) {
			eachCut(c.text, func(deltas ...ir.Escaped) {
				s := played(t, stopsAt(false, c.stops...), answerOf(block(ir.TextBlock, "", deltas...), block(ir.TextBlock, "", "more")))
				want := "text[" + c.want
				if strings.HasSuffix(want, "] finish") {
					want = strings.TrimSuffix(want, " finish") + "text[more] finish"
				}
				require.Equal(t, want, s.whole(), "%q", deltas)
			})
		})
	}
}

// TestStopsHoldOnlyBeginnings sees what goes out with which delta.
func TestStopsHoldOnlyBeginnings(t *testing.T) {
	s := played(t, stopsAt(false, "END"), answerOf(block(ir.TextBlock, "", "a", "E", "Eb", "cEN", "F", "EN")))
	require.Equal(t, "text[a|EEb|c|ENF|EN] finish", string(s.text))
}

func TestStopsAreForTextOnly(t *testing.T) {
	s := played(t, stopsAt(false, "END"), answerOf(
		block(ir.ReasoningBlock, "", "END"),
		block(ir.TextBlock, "", "xEN"), block(ir.TextBlock, "", "D"),
		block(ir.ToolCallBlock, "f", `{\"a\":\"END\"}`)))
	require.Equal(t, `reasoning[END]text[x|EN]text[D]call[{\"a\":\"END\"}] finish`, string(s.text))
}

// TestStopsBehindACall: the client is to run it.
func TestStopsBehindACall(t *testing.T) {
	s := played(t, stopsAt(false, "END"), answerOf(block(ir.ToolCallBlock, "f", `{}`), block(ir.TextBlock, "", "xEND"), block(ir.TextBlock, "", "y")))
	require.Equal(t, `call[{}]text[x] finish`, string(s.text))
	require.Equal(t, ir.ToolUse, s.last.Stop)
	require.Empty(t, s.last.StopSequence)
}

func TestStopsUsage(t *testing.T) {
	events := answerOf(block(ir.TextBlock, "", "xEND"))
	s := played(t, stopsAt(false, "END"), events)
	require.Equal(t, ir.Usage{Input: 7, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}, s.last.Usage, "of the beginning: the end is not waited for")
	s = played(t, stopsAt(true, "END"), events)
	require.Equal(t, "text[x] finish at END", string(s.text))
	require.Equal(t, ir.Usage{Input: 7, Output: 9}, s.last.Usage)
	events[len(events)-1] = ir.Event{Kind: ir.Failure, Err: &ir.Error{Message: "cut"}}
	s = played(t, stopsAt(true, "END"), events)
	require.Equal(t, "text[x] finish at END", string(s.text), "what comes behind the cut is no matter")
}

// TestStopsAgainstSearch compares with a search in the whole text.
func TestStopsAgainstSearch(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[random.Intn(2)]
		}
		return string(b)
	}
	for range 3000 {
		var list []ir.Escaped
		for range 1 + random.Intn(3) {
			list = append(list, ir.Escaped(word(1+random.Intn(6))))
		}
		text := word(random.Intn(40))
		end, at := len(text)+1, ""
		for _, stop := range list {
			if i := strings.Index(text, string(stop)); i >= 0 && (i+len(stop) < end || i+len(stop) == end && len(stop) > len(at)) {
				end, at = i+len(stop), string(stop)
			}
		}
		want := "text[" + text + "] finish"
		if at != "" {
			want = "text[" + text[:end-len(at)] + "] finish at " + at
		}
		var deltas []ir.Escaped
		for rest := text; rest != ""; {
			n := 1 + random.Intn(len(rest))
			deltas = append(deltas, ir.Escaped(rest[:n]))
			rest = rest[n:]
		}
		require.Equal(t, want, played(t, stopsAt(false, list...), answerOf(block(ir.TextBlock, "", deltas...))).whole(), "%q in %q", list, deltas)
	}
}

func TestStopsAreBounded(t *testing.T) {
	pair, _ := Lookup("anthropic", "chat")
	ask := func(stops string, target *ir.Target) *ir.Error {
		x, err := pair.Decode([]byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"stop_sequences":[` + stops + `]}`))
		require.Nil(t, err)
		_, err = x.AppendRequest(nil, target)
		return err
	}
	many, long := `"a"`+strings.Repeat(`,"a"`, 64), `"`+strings.Repeat("a", 4097)+`"`
	for _, stops := range []string{many, long} {
		require.Nil(t, ask(stops, &ir.Target{}), "the upstream looks for them")
		err := ask(stops, &ir.Target{NoStop: true})
		require.NotNil(t, err)
		require.Equal(t, "stop_sequences: the upstream knows no stop sequences, and no more than 64 of together 4096 bytes can be looked for in its answer", err.Error())
	}
	require.Nil(t, ask(`"`+strings.Repeat("a", 4096)+`"`, &ir.Target{NoStop: true}))
}

// TestStopsEndTheStream: the upstream is let go at once, and a plain answer is cut too.
func TestStopsEndTheStream(t *testing.T) {
	pair, _ := Lookup("anthropic", "chat")
	x, err := pair.Decode([]byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}],"stop_sequences":["END"]}`))
	require.Nil(t, err)
	_, err = x.AppendRequest(nil, &ir.Target{NoStop: true})
	require.Nil(t, err)
	stream := x.Stream()
	event := func(text string) []byte {
		return []byte(`data: {"id":"c","choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n")
	}
	out, done := stream.Push(event("some E"))
	require.False(t, done)
	require.Contains(t, string(out), `"text":"some "`)
	out, done = stream.Push(append(event("ND more"), event("and more")...))
	require.True(t, done)
	require.Equal(t, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"+
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"END\"},\"usage\":{\"output_tokens\":0}}\n\n"+
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", string(out))
	require.Empty(t, stream.Close(nil))
	body, err := x.AppendBody(nil, []byte(`{"choices":[{"message":{"content":"some END more"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`))
	require.Nil(t, err)
	require.Contains(t, string(body), `[{"type":"text","text":"some "}],"stop_reason":"stop_sequence","stop_sequence":"END","usage":{"input_tokens":3`)
}

func TestStopsDeltaAllocatesNothing(t *testing.T) {
	s := newStops(nothing{}, []ir.Escaped{"END", jsonw.Escape("\n\nHuman:")}, false)
	open := ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock}
	s.Event(&open)
	delta := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `some words\n\nHum and EN, \u00e9 \"q\" \n`}
	s.Event(&delta)
	s.Event(&delta)
	require.Zero(t, testing.AllocsPerRun(1000, func() { s.Event(&delta) }))
	require.Less(t, cap(s.held), 1000, "held bytes go when they are passed")
}
