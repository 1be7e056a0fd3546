package stages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// renamed returns the keys of a tool with the properties $top and é"b.
func renamed(t *testing.T) Keys {
	r := &ir.Request{Tools: []ir.Tool{{Name: "f",
		Schema: `{"type":"object","properties":{"$top":{},"é\"b":{},"plain":{}}}`}}}
	sent, keys := RenameKeys(r, &ir.Target{PlainKeys: true})
	require.NotSame(t, r, sent)
	require.Equal(t, `{"type":"object","properties":{"$top":{},"é\"b":{},"plain":{}}}`,
		string(r.Tools[0].Schema), "the client's request is unchanged")
	return keys
}

// called sends sink a call with arguments in pieces of n bytes.
func called(sink ir.Sink, name ir.Escaped, arguments string, n int) {
	sink.Event(&ir.Event{Kind: ir.Start})
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: "c", Name: name})
	for e := jsonw.Escape(arguments); e != ""; {
		width := 0
		for width < n && width < len(e) {
			step := 1
			if e[width] == '\\' {
				_, step = jsonw.UnitAt(e[width:])
			}
			width += step
		}
		sink.Event(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: e[:width]})
		e = e[width:]
	}
	sink.Event(&ir.Event{Kind: ir.BlockStop})
	sink.Event(&ir.Event{Kind: ir.Finish, Stop: ir.ToolUse})
}

// TestRestoreKeys cuts arguments at every place. Renamed keys come back; the rest is unchanged.
func TestRestoreKeys(t *testing.T) {
	upstreams := func(key string) string {
		return strings.TrimSuffix(string(renamed(t)["f"].Rename(ir.Raw(`{"`+key+`":1}`))), `":1}`)[2:]
	}
	top, quote := upstreams("$top"), upstreams(`é\"b`)
	deep := strings.Repeat(`[`, 200) + strings.Repeat(`]`, 200)
	for given, want := range map[string]string{
		``:                                    ``,
		`{}`:                                  `{}`,
		`{"TOP":5}`:                           `{"$top":5}`,
		`{ "TOP" : [ "TOP" , {"TOP":"TOP"}]}`: `{ "$top" : [ "TOP" , {"$top":"TOP"}]}`,
		`{"QUOTE":"QUOTE","plain":"{\"TOP\":1}"}`:       `{"é\"b":"QUOTE","plain":"{\"TOP\":1}"}`,
		`{"plain":[{"a":1},"TOP"],"TOP":2}`:             `{"plain":[{"a":1},"TOP"],"$top":2}`,
		`{"TOPx":1,"xTOP":2,"TO":3}`:                    `{"TOPx":1,"xTOP":2,"TO":3}`,
		`{"a\"TOP":1,"\u0041":"é\n","é":{}}`:            `{"a\"TOP":1,"\u0041":"é\n","é":{}}`,
		`{"` + strings.Repeat("k", 70) + `":1,"TOP":2}`: `{"` + strings.Repeat("k", 70) + `":1,"$top":2}`,
		`{"TO`:                       `{"TO`,
		`{"TOP`:                      `{"TOP`,
		`["TOP"]`:                    `["TOP"]`,
		`TOP "TOP": ]]]{"TOP":1}`:    `TOP "TOP": ]]]{"$top":1}`,
		`{"a":` + deep + `,"TOP":1}`: `{"a":` + deep + `,"$top":1}`,
		`{"a":"\\","TOP":"\\"}`:      `{"a":"\\","$top":"\\"}`,
	} {
		names := strings.NewReplacer("TOP", top, "QUOTE", quote)
		given, want = names.Replace(given), names.Replace(want)
		for n := 1; n <= len(given)+1; n++ {
			r := irtest.Record(t)
			called(RestoreKeys(renamed(t), r), "f", given, n)
			require.Equal(t, want, jsonw.Unescape(r.Blocks()[0].Text()), "%s, in pieces of %d", given, n)
		}
		r := irtest.Record(t)
		called(RestoreKeys(renamed(t), r), "g", given, 3)
		require.Equal(t, given, jsonw.Unescape(r.Blocks()[0].Text()), "a call of another tool")
	}
}

// TestRestoreKeysAllocates: nothing is allocated once the buffers are large enough.
func TestRestoreKeysAllocates(t *testing.T) {
	sink := RestoreKeys(renamed(t), irtest.Func(func(*ir.Event) {}))
	sink.Event(&ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, Name: "f"})
	delta := &ir.Event{Kind: ir.Delta, Delta: ir.TextDelta,
		Text: jsonw.Escape(`{"_top_7ba0af53e0ca650a":"some words","plain":[1,2]},`)}
	sink.Event(delta)
	require.Zero(t, testing.AllocsPerRun(100, func() { sink.Event(delta) }))
}

// TestRenameKeysOfNone: requests without refused keys, and for targets that accept all, do not change.
func TestRenameKeysOfNone(t *testing.T) {
	for schema, target := range map[ir.Raw]*ir.Target{
		`{"properties":{"plain":{}}}`: {PlainKeys: true},
		`{"properties":{"$top":{}}}`:  {},
	} {
		r := &ir.Request{Tools: []ir.Tool{{Name: "f", Schema: schema}}}
		sent, keys := RenameKeys(r, target)
		require.Same(t, r, sent)
		require.Nil(t, keys)
		s := irtest.Record(t)
		require.Equal(t, ir.Sink(s), RestoreKeys(keys, s))
	}
}
