package stages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// answer sends sink a whole answer with one block. pieces are its text.
func answer(sink ir.Sink, block ir.BlockKind, pieces ...ir.Escaped) {
	sink.Event(&ir.Event{Kind: ir.Start, Usage: ir.Usage{Input: 5, CacheRead: -1, CacheWrite: -1, Output: -1,
		Reasoning: -1}})
	open := ir.Event{Kind: ir.BlockStart, Block: block}
	if block == ir.ToolCallBlock {
		open.CallID, open.Name = "call_1", "patch"
	}
	sink.Event(&open)
	for _, piece := range pieces {
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: piece})
	}
	sink.Event(&ir.Event{Kind: ir.BlockStop})
	sink.Event(&ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Usage: atTheEnd})
}

var atTheEnd = ir.Usage{Input: 5, CacheRead: 0, CacheWrite: -1, Output: 3, Reasoning: -1}

// pieces cuts an escaped text into its characters and escapes.
func pieces(e ir.Escaped) (list []ir.Escaped) {
	for len(e) > 0 {
		_, _, width := unitsAt(e)
		list = append(list, e[:width])
		e = e[width:]
	}
	return list
}

func TestStops(t *testing.T) {
	for _, c := range []struct {
		name  string
		stops []ir.Escaped
		text  ir.Escaped
		want  string // the text for sink
		met   string // the stop sequence found; "" for none
	}{
		{"none in it", []ir.Escaped{"STOP"}, "a text STO", "a text STO", ""},
		{"at the end", []ir.Escaped{"STOP"}, "a text STOP", "a text ", "STOP"},
		{"in the middle", []ir.Escaped{"STOP"}, "a STOP b", "a ", "STOP"},
		{"at the start", []ir.Escaped{"STOP"}, "STOP", "", "STOP"},
		{"a beginning that repeats", []ir.Escaped{"aab"}, "aaaab!", "aa", "aab"},
		{"a beginning inside a beginning", []ir.Escaped{"ababc"}, "abababcd", "ab", "ababc"},
		{"the first of several", []ir.Escaped{"two", "one"}, "x one two", "x ", "one"},
		{"the longest of those that end together", []ir.Escaped{"b", "ab"}, "xab", "x", "ab"},
		{"one inside another", []ir.Escaped{"abcd", "bc"}, "xabcd", "xa", "bc"},
		{"an escape in the text", []ir.Escaped{"\n\n"}, `one\n\u000atwo`, "one", "\n\n"},
		{"an escape in the sequence", []ir.Escaped{`\u003cend\u003e`}, "x<end>", "x", `\u003cend\u003e`},
		{"escapes that are passed on as written", []ir.Escaped{"zz"}, `\u00e9z\/\"`, `\u00e9z\/\"`, ""},
		{"a character of four bytes", []ir.Escaped{"😀!"}, `x😀\ud83d\ude00!`, "x😀", "😀!"},
		{"empty", []ir.Escaped{""}, "text", "text", ""},
	} {
		for _, cut := range [][]ir.Escaped{{c.text}, pieces(c.text)} {
			s := irtest.Record(t)
			answer(Stops(c.stops, Streamed, s), ir.TextBlock, cut...)
			want := []string{"start", "text"}
			if c.want != "" {
				want = append(want, "+"+c.want)
			}
			end := "finish end_turn"
			if c.met != "" {
				end = "finish stop_sequence " + c.met
			}
			require.Equal(t, append(want, "end", end), s.Joined(), c.name)
		}
	}
}

// TestStopsHoldNoMore: Stops passes text on at once, except for a possible beginning of a sequence
// at its end.
func TestStopsHoldNoMore(t *testing.T) {
	s := irtest.Record(t)
	filter := Stops([]ir.Escaped{"abc"}, Streamed, s)
	filter.Event(&ir.Event{Kind: ir.Start})
	filter.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	for _, c := range []struct{ piece, sofar string }{{"xa", "x"}, {"b", "x"}, {"ab", "xab"},
		{"d", "xababd"}} {
		filter.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(c.piece)})
		require.Equal(t, []string{"start", "text", "+" + c.sofar}, s.Joined())
	}
}

// TestStopsWatchTextOnly: a sequence in reasoning or in arguments does not end the answer, nor does
// a sequence across two blocks.
func TestStopsWatchTextOnly(t *testing.T) {
	for _, block := range []ir.BlockKind{ir.ReasoningBlock, ir.ToolCallBlock} {
		s := irtest.Record(t)
		answer(Stops([]ir.Escaped{"STOP"}, Streamed, s), block, "STOP")
		require.Equal(t, "+STOP", s.Joined()[2])
		require.Equal(t, "finish end_turn", s.Joined()[4])
	}
	s := irtest.Record(t)
	filter := Stops([]ir.Escaped{"ab"}, Streamed, s)
	filter.Event(&ir.Event{Kind: ir.Start})
	for _, piece := range []ir.Escaped{"a", "b"} {
		filter.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
		filter.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: piece})
		filter.Event(&ir.Event{Kind: ir.BlockStop})
	}
	require.Equal(t, []string{"start", "text", "+a", "end", "text", "+b", "end"}, s.Joined())
}

// TestStopsInAWholeAnswer: a plain answer that ends at a sequence has the usage of its own end. A
// call before the sequence makes the stop reason ToolUse, because the client must run the call.
func TestStopsInAWholeAnswer(t *testing.T) {
	var end ir.Event
	filter := Stops([]ir.Escaped{"STOP"}, Complete, irtest.Func(func(ev *ir.Event) { end = *ev }))
	answer(filter, ir.TextBlock, "a STOP b")
	require.Equal(t, ir.Event{Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: "STOP", Usage: atTheEnd},
		end)
	s := irtest.Record(t)
	filter = Stops([]ir.Escaped{"STOP"}, Streamed, s)
	filter.Event(&ir.Event{Kind: ir.Start})
	filter.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "c", Name: "f"})
	filter.Event(&ir.Event{Kind: ir.BlockStop})
	filter.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	filter.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: "STOP"})
	require.Equal(t, "finish tool_use", s.LastLine())
}

func TestCustom(t *testing.T) {
	request := &ir.Request{Tools: []ir.Tool{{Name: "patch", Kind: ir.CustomTool}}}
	for _, c := range []struct{ name, arguments, want string }{
		{"plain", `{"input":"*** Begin"}`, `*** Begin`},
		{"space", " {\n \"input\" :\t\"a b\" } ", `a b`},
		{"escapes", `{"input":"a\n\"b\" \\ \u00e9 \/ \ud83d\ude00"}`, `a\n\"b\" \\ \u00e9 \/ \ud83d\ude00`},
		{"characters", `{"input":"é😀"}`, `é😀`},
		{"empty text", `{"input":""}`, ``},
		{"spaces around", "{ \t\"input\" : \n\"a\" }", `a`},
		{"a space within the key", `{"in put":"a"}`, `{\"in put\":\"a\"}`},
		{"members behind it", `{"input":"a","x":"b"}`, `a`},
		{"members before it", `{"x":"b","input":"a"}`, `a`},
		{"an escaped key", `{"\u0069nput":"a"}`, `a`},
		{"no object", `*** Begin "x"`, `*** Begin \"x\"`},
		{"another key", `{"patch":"a"}`, `{\"patch\":\"a\"}`},
		{"no text", `{"input":5}`, `{\"input\":5}`},
		{"nothing", ``, ``},
		{"an empty object", `{}`, ``},
		{"cut off in the text", `{"input":"abc`, `abc`},
		{"cut off in an escape", `{"input":"abc\`, `abc`},
		{"cut off before the text", `{"inp`, ``},
		{"no escape", `{"input":"a\qb"}`, `a\\qb`},
		{"half an escape", `{"input":"a\u12é"}`, `a\\u12é`},
		{"a line break as it is", "{\"input\":\"a\nb\"}", `a\nb`},
	} {
		escaped := jsonw.Escape(c.arguments)
		var slashes strings.Builder // the same text with every character as an escape
		for _, unit := range unitsOf(escaped) {
			slashes.WriteString(`\u` + string(hexOf(unit)))
		}
		for _, cut := range [][]ir.Escaped{{escaped}, pieces(escaped), pieces(ir.Escaped(slashes.String()))} {
			s := irtest.Record(t)
			answer(&custom{sink: s, request: request}, ir.ToolCallBlock, cut...)
			got := ""
			lines := s.Joined()
			if len(lines) == 5 {
				got = strings.TrimPrefix(lines[2], "+")
			}
			require.Equal(t, "custom call_1 patch", lines[1], c.name)
			require.Equal(t, jsonw.Unescape(ir.Escaped(c.want)), jsonw.Unescape(ir.Escaped(got)), c.name)
			if len(cut) == 1 {
				require.Equal(t, c.want, got, c.name)
			}
		}
	}
	s := irtest.Record(t)
	answer(&custom{sink: s, request: &ir.Request{}}, ir.ToolCallBlock, `{}`)
	require.Equal(t, "tool call_1 patch", s.Joined()[1], "a call of a function")
}

func hexOf(unit uint16) []byte {
	const digits = "0123456789abcdef"
	return []byte{digits[unit>>12], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15]}
}

func TestLimit(t *testing.T) {
	s := irtest.Record(t)
	answer(&limit{sink: s, max: 5, left: 5}, ir.TextBlock, "abc", "de")
	require.Equal(t, []string{"start", "text", "+abcde", "end", "finish end_turn"}, s.Joined())
	s = irtest.Record(t)
	answer(&limit{sink: s, max: 5, left: 5}, ir.TextBlock, "abc", "def", "g")
	require.Len(t, s.Joined(), 4)
	require.Contains(t, s.Joined()[3], "max_output_bytes")
}

func TestFiltersAllocateNothing(t *testing.T) {
	delta := ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `some text\n with ST in it`}
	filter := Stops([]ir.Escaped{"STOP", "END"}, Streamed, irtest.Discard)
	filter.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.TextBlock})
	filter.Event(&delta)
	require.Zero(t, testing.AllocsPerRun(100, func() { filter.Event(&delta) }))
	c := &custom{sink: irtest.Discard, request: &ir.Request{Tools: []ir.Tool{{Name: "patch",
		Kind: ir.CustomTool}}}}
	c.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "a", Name: "patch"})
	c.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: `{\"input\":\"`})
	c.Event(&delta)
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Event(&delta) }))
}
