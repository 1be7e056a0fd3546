package compact

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/count"
	"edgelingua/translator/ir"
)

// conversation returns a conversation with one tool call a turn. words are the lengths of the
// results in words.
func conversation(edits []ir.Clearing, words ...int) *ir.Request {
	r := &ir.Request{Edits: &ir.Edits{Clear: edits}, Messages: []ir.Message{{Role: ir.User,
		Content: []ir.Content{{Kind: ir.TextContent, Text: "Go."}}}}}
	for i, n := range words {
		id := ir.Escaped(fmt.Sprint("call_", i))
		r.Messages = append(r.Messages,
			ir.Message{Role: ir.Assistant, Content: []ir.Content{{Kind: ir.ToolCallContent, ID: id,
				Name: ir.Escaped(fmt.Sprint("tool_", i%3)), Input: `{"path":"a"}`}}},
			ir.Message{Role: ir.User, Content: []ir.Content{{Kind: ir.ToolResultContent, ID: id,
				Parts: []ir.Content{{Kind: ir.TextContent, Text: ir.Escaped(strings.Repeat(" word", n))}}}}})
	}
	return r
}

// marks returns a character for each result of a request: "-" if cleared, "x" if the arguments are
// cleared too, "o" if unchanged.
func marks(r *ir.Request) (out string) {
	for m := range r.Messages {
		for _, b := range r.Messages[m].Content {
			switch {
			case b.Kind != ir.ToolResultContent:
			case b.Parts[0].Text != placeholder:
				out += "o"
			case r.Messages[m-1].Content[0].Input == noInput:
				out += "x"
			default:
				out += "-"
			}
		}
	}
	return out
}

func TestClear(t *testing.T) {
	for name, c := range map[string]struct {
		edits []ir.Clearing
		words []int
		want  string
	}{
		"no trigger":               {[]ir.Clearing{{Keep: 1}}, []int{9, 9, 9}, "--o"},
		"keep none":                {[]ir.Clearing{{}}, []int{9, 9, 9}, "---"},
		"keep more than there are": {[]ir.Clearing{{Keep: 4}}, []int{9, 9, 9}, "ooo"},
		"as many uses as the trigger": {[]ir.Clearing{{Uses: true, Trigger: 3, Keep: 1}}, []int{9, 9, 9},
			"ooo"},
		"more uses than the trigger": {[]ir.Clearing{{Uses: true, Trigger: 3, Keep: 1}}, []int{9, 9, 9,
			9}, "---o"},
		"fewer tokens than the trigger": {[]ir.Clearing{{Trigger: 1100, Keep: 1}}, []int{300, 300, 300},
			"ooo"},
		"more tokens than the trigger": {[]ir.Clearing{{Trigger: 1100, Keep: 1}}, []int{300, 300, 300,
			300}, "---o"},
		"it goes by what was, once begun": {[]ir.Clearing{{Trigger: 1000, Keep: 1}}, []int{1000, 9, 9, 9},
			"---o"},
		"excluded tools": {[]ir.Clearing{{Excluded: []ir.Escaped{"tool_0", "no_tool"}}},
			[]int{9, 9, 9, 9}, "o--o"},
		"arguments": {[]ir.Clearing{{Keep: 1, Inputs: true}}, []int{9, 9, 9}, "xxo"},
		"arguments of some tools": {[]ir.Clearing{{Keep: 1, InputsOf: []ir.Escaped{"tool_1"}}},
			[]int{9, 9, 9}, "-xo"},
		"not worth it": {[]ir.Clearing{{Keep: 1, AtLeast: 2000}}, []int{900, 900, 900},
			"ooo"},
		"worth it": {[]ir.Clearing{{Keep: 1, AtLeast: 1500}}, []int{900, 900, 900},
			"--o"},
		"worth it again, later": {[]ir.Clearing{{Keep: 1, AtLeast: 1500}}, []int{900, 900, 900,
			900}, "--oo"},
		"worth it again": {[]ir.Clearing{{Keep: 1, AtLeast: 1500}}, []int{900, 900, 900,
			900, 900}, "----o"},
		"what is excluded is not worth": {[]ir.Clearing{{Keep: 1, AtLeast: 1500,
			Excluded: []ir.Escaped{"tool_0"}}}, []int{900, 900, 900, 900, 900}, "o--oo"},
		"shorter than the placeholder": {[]ir.Clearing{{Keep: 1}}, []int{1, 1}, "-o"},
		"two edits": {[]ir.Clearing{{Keep: 3},
			{Keep: 1, Excluded: []ir.Escaped{"tool_1"}}}, []int{9, 9, 9, 9, 9, 9}, "---" + "-oo"},
		"the first clears all": {[]ir.Clearing{{Keep: 1}, {Keep: 1, Inputs: true}}, []int{9, 9},
			"-o"},
	} {
		r := conversation(c.edits, c.words...)
		before := fmt.Sprint(r.Messages)
		sent, cleared := Clear(r)
		require.Equal(t, c.want, marks(sent), name)
		require.Equal(t, before, fmt.Sprint(r.Messages), "%s: the request stays as it is", name)
		uses, tokens := int64(0), int64(0)
		require.Len(t, cleared, len(c.edits), name)
		for _, one := range cleared {
			uses, tokens = uses+one.Uses, tokens+one.Tokens
		}
		require.EqualValues(t, len(c.want)-strings.Count(c.want, "o"), uses, name)
		if uses == 0 {
			require.Same(t, r, sent, name)
		} else if name != "shorter than the placeholder" {
			require.InDelta(t, count.Tokens(r)-count.Tokens(sent), tokens, 2+float64(tokens)/50, name)
		}
		require.GreaterOrEqual(t, tokens, int64(0), name)
	}
}

// TestClearOddHistories: unmatched results and calls are left to ir.MatchResults.
func TestClearOddHistories(t *testing.T) {
	call := func(id ir.Escaped) ir.Content {
		return ir.Content{Kind: ir.ToolCallContent, ID: id, Name: "tool", Input: `{}`}
	}
	result := func(id ir.Escaped) ir.Content {
		return ir.Content{Kind: ir.ToolResultContent, ID: id, Parts: []ir.Content{{Kind: ir.TextContent,
			Text: "Some words of a result."}}}
	}
	r := &ir.Request{Edits: &ir.Edits{Clear: []ir.Clearing{{}}}, Messages: []ir.Message{
		{Role: ir.User, Content: []ir.Content{result("lost")}},
		{Role: ir.Assistant, Content: []ir.Content{call("a"), call("a"), call("open")}},
		{Role: ir.User, Content: []ir.Content{result("a"), result("a")}},
		{Role: ir.Assistant, Content: []ir.Content{call("a")}},
		{Role: ir.User, Content: []ir.Content{result("a"), result("")}},
	}}
	sent, cleared := Clear(r)
	require.EqualValues(t, 2, cleared[0].Uses)
	require.Equal(t, []string{"Some words of a result.", placeholder, "Some words of a result.", placeholder,
		"Some words of a result."}, texts(sent))
	sent, cleared = Clear(&ir.Request{Edits: &ir.Edits{Clear: []ir.Clearing{{}}}})
	require.Zero(t, cleared[0])
	require.Empty(t, sent.Messages)
}

func texts(r *ir.Request) (list []string) {
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if b.Kind == ir.ToolResultContent {
				list = append(list, string(b.Parts[0].Text))
			}
		}
	}
	return list
}

// TestClearedStaysCleared: content cleared in one turn is cleared in each later turn. With
// clear_at_least a turn clears nothing, or enough.
func TestClearedStaysCleared(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 60 {
		edit := ir.Clearing{Uses: random.Intn(2) == 0, Keep: int64(random.Intn(4)),
			AtLeast: int64(random.Intn(3) * 400), Inputs: random.Intn(2) == 0}
		edit.Trigger = int64(random.Intn(3000))
		if edit.Uses {
			edit.Trigger = int64(random.Intn(8))
		}
		if random.Intn(2) == 0 {
			edit.Excluded = []ir.Escaped{"tool_1"}
		}
		var words []int
		for range 12 {
			words = append(words, random.Intn(400))
		}
		before, tokens := "", int64(0)
		for n := range words {
			sent, cleared := Clear(conversation([]ir.Clearing{edit}, words[:n]...))
			now := marks(sent)
			for i := range before {
				require.True(t, before[i] == 'o' || now[i] == before[i], "%+v: %s, then %s", edit, before,
					now)
			}
			if more := cleared[0].Tokens - tokens; more != 0 {
				require.GreaterOrEqual(t, more, edit.AtLeast, "%+v", edit)
			}
			before, tokens = now, cleared[0].Tokens
		}
	}
}

// TestMeter: blocks of any length count like the request around them.
func TestMeter(t *testing.T) {
	r := conversation(nil, 1, 20, 3000, 70_000)
	meter, sum := count.MeterOf(r), int64(0)
	for _, m := range r.Messages {
		sum += count.PerMessage
		for b := range m.Content {
			sum += meter.Block(&m.Content[b])
		}
	}
	require.InEpsilon(t, count.Tokens(r), sum+meter.Head(r), 0.03)
}
