package anthropic

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/sse"
	"edgelingua/wasmtest/corpus/golden"
)

// decoded returns the events of an answer for a client, and the losses.
func decoded(t *testing.T, client *ir.API, events ...string) (*irtest.Recorder, []string) {
	var lost ir.Lost
	s := irtest.Record(t)
	d := Upstream{}.NewDecoder(&ir.Request{API: client}, &ir.Target{}, &lost, s)
	for _, data := range events {
		d.Event("", data)
	}
	d.Close(nil)
	return s, lost.Paths()
}

// TestAnswerToOtherClients: blocks without a form in other APIs are left out, and each loss is
// named once.
func TestAnswerToOtherClients(t *testing.T) {
	s, lost := decoded(t, &ir.API{Client: other{}},
		`{"type":"message_start","message":{"id":"msg_1"}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use",`+
			`"id":"srvtoolu_1","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result",`+
			`"tool_use_id":"srvtoolu_1","content":[]}}`,
		`{"type":"content_block_stop","index":2}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use",`+
			`"id":"srvtoolu_2","name":"code_execution","input":{}}}`,
		`{"type":"content_block_stop","index":3}`,
		`{"type":"content_block_start","index":4,"content_block":{"type":"text","text":"","citations":[]}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta",`+
			`"citation":{"type":"char_location","cited_text":"c"}}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta",`+
			`"citation":{"type":"page_location","cited_text":"c"}}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta",`+
			`"citation":{"type":"char_location","cited_text":"c"}}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta",`+
			`"citation":{"type":"web_search_result_location","url":"https://a","encrypted_index":"x"}}}`,
		`{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_stop","index":4}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)
	require.Equal(t, []string{"start msg_1", "reasoning", "signed c2ln by anthropic", "end", "text",
		"cites https://a () -1--1", "+a", "end", "finish end_turn"}, s.Lines())
	require.Equal(t, []string{"block:server_tool_use", "block:web_search_tool_result",
		"citation:char_location", "citation:page_location"}, lost)
}

// TestToolNamesAreRestored: calls have the client's names of tools, also if the upstream rejects
// such names and got different ones.
func TestToolNamesAreRestored(t *testing.T) {
	long := ir.Escaped(strings.Repeat("long.", 50))
	r := &ir.Request{API: &ir.API{Client: other{}}, Tools: []ir.Tool{{Name: "plain"}, {Name: "a.b"},
		{Name: long}}}
	for name, told := range map[ir.Escaped]ir.Escaped{"plain": "plain", "a.b": toolName("a.b"),
		long: toolName(long), "unknown": "unknown"} {
		s := irtest.Record(t)
		d := Upstream{}.NewDecoder(r, &ir.Target{}, &ir.Lost{}, s)
		d.Body(`{"content":[{"type":"tool_use","id":"c","name":"` + string(told) + `","input":{}}]}`)
		require.LessOrEqual(t, len(told), maxName)
		require.Equal(t, []string{"start", "tool c " + string(name), "end", "finish tool_use"}, s.Lines())
	}
}

// TestLargeArguments: 200 KB in many pieces are streamed. The arguments of a second call,
// interleaved with the first, are buffered.
func TestLargeArguments(t *testing.T) {
	events := []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f",` +
			`"input":{}}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"f",` +
			`"input":{}}}`,
	}
	piece := strings.Repeat("x", 100)
	for range 1000 {
		for _, index := range []string{"0", "1"} {
			events = append(events, `{"type":"content_block_delta","index":`+index+
				`,"delta":{"type":"input_json_delta","partial_json":"`+piece+`"}}`)
		}
	}
	s, lost := decoded(t, &API, append(events,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`)...)
	text := "+" + strings.Repeat(piece, 1000)
	require.Equal(t, []string{"start", "tool a f", text, "end", "tool b f", text, "end", "finish tool_use"},
		s.Joined())
	require.Empty(t, lost)
}

// TestBounds checks the bounds of a stream's buffers.
func TestBounds(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for want, event := range map[string]func(i int) string{
		"it has more than 1024 blocks": func(i int) string {
			return `{"type":"content_block_start","index":` + strconv.Itoa(i) +
				`,"content_block":{"type":"text"}}`
		},
		"it has more than 8 MB of interleaved content blocks": func(i int) string {
			return `{"type":"content_block_delta","index":` + strconv.Itoa(i%2) +
				`,"delta":{"type":"text_delta","text":"` + big + `"}}`
		},
	} {
		events := make([]string, 1100)
		if strings.Contains(want, "MB") {
			events = events[:20]
		}
		for i := range events {
			events[i] = event(i)
		}
		s, _ := decoded(t, &API, events...)
		require.Equal(t, "The upstream's answer can't be read: "+want+".", s.Failure().Message)
	}
	input := `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` +
		big + `"}}`
	events := []string{`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use",` +
		`"id":"s","name":"code_execution"}}`}
	for range 9 {
		events = append(events, input)
	}
	s, _ := decoded(t, &API, events...)
	require.Contains(t, s.Failure().Message, "more than 8 MB")
}

// TestIndexes: an index that is not a whole number from 0 on ends the answer.
func TestIndexes(t *testing.T) {
	for index, ok := range map[string]bool{"0": true, "-1": false, `"x"`: false, "0.5": false, "[]": false} {
		s, _ := decoded(t, &API, `{"type":"content_block_start","index":`+index+
			`,"content_block":{"type":"text","text":"a"}}`, `{"type":"message_stop"}`)
		if ok {
			require.Contains(t, s.Joined(), "+a")
		} else {
			require.Equal(t, "The upstream's answer can't be read: a content block has the invalid index "+
				index+".", s.Failure().Message)
		}
	}
}

// TestLostDeltas: deltas of unknown kinds are lost, and citations outside of a text.
func TestLostDeltas(t *testing.T) {
	citation := `"citation":{"type":"web_search_result_location","url":"https://a","title":"A"}`
	for path, c := range map[string][2]string{
		"delta:new_delta": {`"type":"text","text":""`, `"type":"new_delta",` + citation},
		"delta:citations_delta": {`"type":"tool_use","id":"a","name":"f"`,
			`"type":"citations_delta",` + citation},
	} {
		s, lost := decoded(t, &API, `{"type":"content_block_start","index":0,"content_block":{`+c[0]+`}}`,
			`{"type":"content_block_delta","index":0,"delta":{`+c[1]+`}}`, `{"type":"message_stop"}`)
		require.Equal(t, []string{path}, lost)
		require.NotContains(t, strings.Join(s.Joined(), " "), "https://a")
	}
}

// TestDeltasAllocateNothing checks that no kind of delta allocates.
func TestDeltasAllocateNothing(t *testing.T) {
	for start, delta := range map[string]string{
		`{"type":"text","text":""}`: `{"type":"text_delta",` +
			`"text":"some \"words\"\n"}`,
		`{"type":"thinking","thinking":"","signature":""}`: `{"type":"thinking_delta",` +
			`"thinking":"hm"}`,
		`{"type":"tool_use","id":"a","name":"f","input":{}}`: `{"type":"input_json_delta",` +
			`"partial_json":"{\"a\":"}`,
		`{"type":"hologram"}`: `{"type":"hologram_delta",` +
			`"x":"y"}`,
		`{"type":"text","text":"a"}`: `{"type":"sparkle_delta",` +
			`"x":"y"}`,
		`{"type":"text","text":"","citations":[{"type":"page_location"}]}`: `{"type":"citations_delta",` +
			`"citation":{"type":"web_search_result_location","url":"u"}}`,
	} {
		r := &ir.Request{API: &API}
		s := &irtest.Stream{Encoder: Client{}.NewEncoder(r, "m")}
		d := Upstream{}.NewDecoder(r, &ir.Target{}, &ir.Lost{}, s)
		d.Event("content_block_start", `{"type":"content_block_start","index":0,"content_block":`+start+`}`)
		event := `{"type":"content_block_delta","index":0,"delta":` + delta + `}`
		for range 10 {
			d.Event("content_block_delta", event)
		}
		require.Zero(t, testing.AllocsPerRun(100, func() {
			s.Out = s.Out[:0]
			d.Event("content_block_delta", event)
		}), delta)
	}
}

// TestAnswersKeepWhatTheyHold sends the corpus's answers for clients of this API through the hub
// again: they come out unchanged, and nothing is lost.
func TestAnswersKeepWhatTheyHold(t *testing.T) {
	streams, err := filepath.Glob("../testdata/stream/anthropic/*.txtar")
	require.NoError(t, err)
	bodies, err := filepath.Glob("../testdata/body/anthropic/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, streams)
	require.NotEmpty(t, bodies)
	for _, file := range append(streams, bodies...) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		values, err := golden.Values(archive)
		require.NoError(t, err, file)
		if stream := values["anthropic.sse"]; stream != nil {
			var lost ir.Lost
			r := &ir.Request{API: &API}
			s := &irtest.Stream{Encoder: Client{}.NewEncoder(r, "claude-x")}
			play(Upstream{}.NewDecoder(r, &ir.Target{}, &lost, s), stream)
			require.Equal(t, string(stream), string(s.Out), file)
			require.Empty(t, lost.Paths(), file)
		}
		if plain := values["anthropic.json"]; plain != nil {
			var lost ir.Lost
			r := &ir.Request{API: &API}
			folder := Client{}.NewPlainEncoder(r, "claude-x", nil)
			Upstream{}.NewDecoder(r, &ir.Target{}, &lost, folder).Body(string(plain))
			body, failure := folder.Body()
			if failure != nil {
				body = Client{}.AppendError(nil, failure)
			}
			require.JSONEq(t, string(plain), string(body), file)
			require.Empty(t, lost.Paths(), file)
		}
	}
}

func play(d ir.Decoder, stream []byte) {
	var r sse.Reader
	r.Push(stream)
	for {
		name, data, ok := r.Next()
		if !ok {
			break
		}
		d.Event(name, data)
	}
	d.Close(nil)
}

// FuzzAnswer sends anything: events keep their grammar, and the client gets JSON.
func FuzzAnswer(f *testing.F) {
	files, err := filepath.Glob("../testdata/*/anthropic/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		for _, section := range archive.Files {
			if strings.HasPrefix(section.Name, "upstream.anthropic.") {
				f.Add(section.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, client := range []*ir.API{&API, {Client: other{}}} {
			s := irtest.Record(t)
			play(Upstream{}.NewDecoder(&ir.Request{API: client}, &ir.Target{}, &ir.Lost{}, s), answer)
			s.RequireEnd()
			s = irtest.Record(t)
			Upstream{}.NewDecoder(&ir.Request{API: client}, &ir.Target{}, &ir.Lost{}, s).Body(string(answer))
			s.RequireEnd()
		}
		r := &ir.Request{API: &API}
		folder := Client{}.NewPlainEncoder(r, "m", nil)
		play(Upstream{}.NewDecoder(r, &ir.Target{}, &ir.Lost{}, folder), answer)
		if body, failure := folder.Body(); failure == nil {
			require.True(t, json.Valid(body), "%s", body)
		}
	})
}
