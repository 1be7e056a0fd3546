package translator_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// TestSchemaPartsAreBounded: for an upstream that requires an object at the root of a schema, the
// translator merges at most 256 schemas, nested at most 8 deep. Values other than objects, such as
// true and null, are not merged.
func TestSchemaPartsAreBounded(t *testing.T) {
	properties := func(schema string) map[string]any {
		pair, _ := translator.Lookup("chat", "chat")
		x, refused := pair.Decode("",
			[]byte(`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function",`+
				`"function":{"name":"f","parameters":`+schema+`}}]}`))
		require.Nil(t, refused)
		body, refused := x.AppendRequest(nil, &ir.Target{PlainRoot: true})
		require.Nil(t, refused)
		var sent struct {
			Tools []struct {
				Function struct {
					Parameters struct{ Properties map[string]any }
				}
			}
		}
		require.NoError(t, json.Unmarshal(body, &sent), "%s", body)
		return sent.Tools[0].Function.Parameters.Properties
	}
	var all []string
	for i := range 300 {
		all = append(all, fmt.Sprintf(`true,null,"x",{"properties":{"p%d":{}}}`, i))
	}
	// the root is one of the 256
	require.Len(t, properties(`{"type":"object","allOf":[`+strings.Join(all, ",")+`]}`), 255)
	nested := `{"properties":{"p12":{}}}`
	for i := 11; i >= 0; i-- {
		nested = fmt.Sprintf(`{"properties":{"p%d":{}},"allOf":[%s]}`, i, nested)
	}
	deep := properties(nested)
	require.Contains(t, deep, "p8")
	require.NotContains(t, deep, "p9")
	variants := properties(`{"anyOf":[true,{"type":"string"},{"type":"object","properties":{"a":{}},` +
		`"required":["a"]},{"type":"object","properties":{"b":{}}}]}`)
	require.Len(t, variants, 2)
}

// TestPiecesOfReasoningAreBounded: a server's reasoning_details are stored for the client to
// return, up to 8 MB, and in no more blocks than an answer may have.
func TestPiecesOfReasoningAreBounded(t *testing.T) {
	pair, _ := translator.Lookup("anthropic", "chat")
	x, refused := pair.Decode("", []byte(firstTurns["anthropic"]+`]}`))
	require.Nil(t, refused)
	_, refused = x.AppendRequest(nil, &ir.Target{ReasoningEcho: ir.EchoDetails})
	require.Nil(t, refused)
	failed := func(n int, delta func(i int) string) string {
		s := x.Stream()
		for i := range n {
			out, done := s.Push([]byte(`data: {"id":"c","choices":[{"index":0,"delta":` + delta(i) + `}]}` +
				"\n\n"))
			if done {
				return string(out)
			}
		}
		return ""
	}
	big := strings.Repeat("x", 1<<20)
	require.Contains(t, failed(20, func(i int) string {
		return fmt.Sprintf(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"%s","index":%d}]}`,
			big, i)
	}), "more than 8 MB")
	require.NotEmpty(t, failed(40_000, func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"x",`+
				`"index":%d}]}`, i)
		}
		return `{"content":"y"}`
	}), "too many blocks")
}

// TestBlocksWithOneIndexStream: a block with the index of an open block ends the open block at
// once, so the new block is streamed (FAULTS 6).
func TestBlocksWithOneIndexStream(t *testing.T) {
	x := ask(t, "anthropic", "anthropic")
	s := x.Stream()
	push := func(data string) string {
		out, _ := s.Push([]byte("data: " + data + "\n\n"))
		return string(out)
	}
	push(`{"type":"message_start","message":{"id":"msg_1","model":"c"}}`)
	push(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	require.Contains(t,
		push(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one"}}`), "one")
	push(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`)
	require.Contains(t,
		push(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"two"}}`),
		"two")
}

// TestLogprobsWithoutTextAreNotKept: endless logprobs without text take no memory of a stream.
func TestLogprobsWithoutTextAreNotKept(t *testing.T) {
	pair, _ := translator.Lookup("chat", "responses")
	x, refused := pair.Decode("",
		[]byte(`{"model":"m","stream":true,"logprobs":true,"messages":[{"role":"user","content":"x"}]}`))
	require.Nil(t, refused)
	_, refused = x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, refused)
	s := x.Stream()
	list, sent := strings.Repeat(`{},`, 99)+"{}", 0
	for range 100 {
		out, done := s.Push([]byte(`data: {"type":"response.output_text.delta","item_id":"m",` +
			`"output_index":0,"content_index":0,"delta":"","logprobs":[` + list + "]}\n\n"))
		require.False(t, done)
		sent += strings.Count(string(out), `"token":`)
	}
	require.Greater(t, sent, 8_000)
}

// TestAllowedNamespacesAreBounded: if a client allows one namespace many times, each tool of the
// namespace is allowed once. So the list of allowed tools is no longer than the body.
func TestAllowedNamespacesAreBounded(t *testing.T) {
	const n = 500
	tools, allowed := make([]string, n), make([]string, n)
	for i := range n {
		tools[i], allowed[i] = fmt.Sprintf(`{"type":"function","name":"f%d"}`,
			i), `{"type":"namespace","name":"n"}`
	}
	pair, _ := translator.Lookup("responses", "chat")
	x, refused := pair.Decode("",
		[]byte(`{"model":"m","input":"x","tools":[{"type":"namespace","name":"n","description":"d","tools":[`+
			strings.Join(tools, ",")+`]}],`+
			`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[`+strings.Join(allowed, ",")+`]}}`))
	require.Nil(t, refused)
	require.Equal(t, n, len(x.Request.ToolChoice.Allowed))
	require.Empty(t, x.Lost.Paths())
}

// TestSearchResultsAreJoinedOnce: the texts of a search_result allocate about as many bytes as the
// request has, since the module's heap is never collected.
func TestSearchResultsAreJoinedOnce(t *testing.T) {
	body := []byte(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[` +
		`{"type":"search_result","title":"t","source":"s","content":[` + strings.Repeat(`{"type":"text","text":"a"},`, 20_000) +
		`{"type":"text","text":"b"}]}]}]}`)
	pair, _ := translator.Lookup("anthropic", "chat")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := pair.Decode("/v1/messages", body)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	text := x.Request.Messages[0].Content[0].Text
	require.True(t, strings.HasPrefix(string(text), `t\ns\n\na\n\na\n\n`), text[:20])
	require.True(t, strings.HasSuffix(string(text), `a\n\nb`))
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*len(body)))
}
