package translator_test

import (
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
)

func TestLookup(t *testing.T) {
	for _, client := range []string{"anthropic", "chat", "responses", ""} {
		for _, upstream := range []string{"anthropic", "chat", "responses", ""} {
			_, ok := translator.Lookup(client, upstream)
			require.Equal(t, client != "" && upstream != "", ok, client+" "+upstream)
		}
	}
}

// TestAppendError covers the error forms of four protocols: the worker uses them before it
// knows the pair.
func TestAppendError(t *testing.T) {
	e := &ir.Error{Kind: ir.NotFound, Message: "not here"}
	const openai = `{"error":{"message":"not here","type":"invalid_request_error","param":null,"code":null}}`
	require.Equal(t, `{"type":"error","error":{"type":"not_found_error","message":"not here"}}`,
		string(translator.API("anthropic").Client.AppendError(nil, e)))
	require.Equal(t, openai, string(translator.API("chat").Client.AppendError(nil, e)))
	require.Equal(t, openai, string(translator.API("responses").Client.AppendError(nil, e)))
}

// TestModelIsTheClients: the upstream gets the mapped model, and the client's answer has the
// client's model.
func TestModelIsTheClients(t *testing.T) {
	x := exchange(t)
	x.Request.Model = "gpt-x"
	request, err := x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, err)
	require.Contains(t, string(request), `"model":"gpt-x"`)
	body, err := x.AppendBody(nil, []byte(`{"choices":[{"message":{"content":"x"}}],"model":"gpt-x-2025"}`))
	require.Nil(t, err)
	require.Contains(t, string(body), `"model":"m"`)
	require.Contains(t, string(body), `"id":"msg_unnamed_0_1"`)
}

func TestStreamCutByTheWorker(t *testing.T) {
	s := exchange(t).Stream()
	s.Push([]byte(head + `{"content":"x"}` + tail + `data: {"choi`))
	out := s.Close(&ir.Error{Kind: ir.Timeout, Message: "The upstream was silent for 60 s."})
	require.Equal(t,
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"timeout_error\",\"message\":\"The "+
			"upstream was silent for 60 s.\"}}\n\n", string(out))
	require.Empty(t, s.Close(nil), "nothing follows the end")
	more, done := s.Push([]byte(head + `{"content":"x"}` + tail))
	require.Empty(t, more)
	require.True(t, done)
}

// TestCutBehindTheFinishIsAnEnd: a stream that breaks off after its finish_reason is complete,
// except for its usage.
func TestCutBehindTheFinishIsAnEnd(t *testing.T) {
	s := exchange(t).Stream()
	require.False(t, s.Complete())
	_, done := s.Push([]byte(`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"))
	require.False(t, done)
	require.True(t, s.Complete())
	out := s.Close(&ir.Error{Kind: ir.Unavailable, Message: "reset"})
	require.Contains(t, string(out), "message_stop")
}

func TestConstantEvents(t *testing.T) {
	s := exchange(t).Stream()
	require.Equal(t, "event: ping\ndata: {\"type\":\"ping\"}\n\n", s.KeepAlive())
	for _, client := range protocols {
		x := ask(t, client, "chat")
		answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage,
			[]byte(translator.WorkerStream{Stream: x.Stream()}.Trap()))
	}
}

// TestStreamBounds: a stream buffers a bounded amount of memory.
func TestStreamBounds(t *testing.T) {
	failsWith := func(words string, events func(i int) string) {
		t.Helper()
		s := exchange(t).Stream()
		for i := range 20_000 {
			out, done := s.Push([]byte(events(i)))
			if done {
				require.Contains(t, string(out), words)
				return
			}
		}
		t.Fatal("no end: " + words)
	}
	big := strings.Repeat("x", 1<<20)
	failsWith("more than 1024 blocks", func(i int) string {
		return head + `{"content":"a","reasoning_content":"b"}` + tail
	})
	failsWith("more than 1024 blocks", func(i int) string {
		return head + `{"tool_calls":[{"id":"c` + strconv.Itoa(i) +
			`","function":{"name":"f","arguments":"{}"}}]}` + tail
	})
	// the first call stays open, so the second call's arguments are buffered
	failsWith("more than 8 MB", func(i int) string {
		return head + `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},{"index":1,"id":"b",` +
			`"function":{"name":"f","arguments":"` + big + `"}}]}` + tail
	})
	failsWith("larger than 8 MB", func(i int) string { return big })
}

// TestSecretIsHidden covers all paths from an upstream's message to a client.
func TestSecretIsHidden(t *testing.T) {
	const secret, words = "sk-0123456789abcdef", "Incorrect API key sk-0123456789abcdef provided: " +
		"sk-0123456789abcdef"
	const clean = "Incorrect API key [key] provided: [key]"
	x := exchange(t)
	x.Secrets = secrets(secret, "short")
	body := []byte(`{"error":{"message":"` + words + `","code":"` + secret + `"}}`)
	e := x.UpstreamError(401, body)
	require.Equal(t, clean, e.Message)
	require.Equal(t, "[key]", e.Code)
	_, err := x.AppendBody(nil, body)
	require.EqualError(t, err, clean)
	stream := append(append([]byte("data: "), body...), "\n\n"...)
	_, err = x.AppendFolded(nil, stream)
	require.EqualError(t, err, clean)
	for name, out := range map[string][]byte{
		"stream":         pushed(x, stream, 10),
		"stream of body": streamOfBody(x, body),
		"cause":          x.Stream().Close(&ir.Error{Kind: ir.Unavailable, Message: words}),
	} {
		require.Contains(t, string(out), clean, name)
		require.NotContains(t, string(out), secret, name)
	}

	long := x.UpstreamError(500, []byte(strings.Repeat("x", 2048-17)+secret))
	require.Equal(t, strings.Repeat("x", 2048-17)+"[key]", long.Message, "cut inside the key")
	x.Secrets = secrets("team-0123456789abcdef", secret)
	require.Equal(t, "[key], [key]", x.UpstreamError(500, []byte("team-0123456789abcdef, "+secret)).Message)
	long = x.UpstreamError(500, []byte(strings.Repeat("x", 2048-17)+secret))
	require.Equal(t, strings.Repeat("x", 2048-17)+"[key]", long.Message,
		"cut inside another one than the first")
	// not a secret: LM Studio's users enter it as the key
	x.Secrets = secrets("lm-studio")
	require.Equal(t, "lm-studio has no such model", x.UpstreamError(500,
		[]byte("lm-studio has no such model")).Message)
	x.Secrets = nil
	require.Equal(t, words, x.UpstreamError(500, []byte(words)).Message)
}

// secrets returns list as an upstream's secrets.
func secrets(list ...string) func() []string { return func() []string { return list } }

func TestBodyMustBeUTF8(t *testing.T) {
	pair, _ := translator.Lookup("anthropic", "chat")
	_, err := pair.Decode("", []byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"`+
		"\xff"+`"}]}`))
	require.NotNil(t, err)
	require.Equal(t, ir.InvalidRequest, ir.AsError(err).Kind)
	require.Equal(t, "The request body is not valid UTF-8.", err.Error())
}

// TestLossesOfAnAnswerAreNotedOnce: each event of a stream may repeat the same losses, and noting
// them again must not allocate.
func TestLossesOfAnAnswerAreNotedOnce(t *testing.T) {
	x := exchange(t)
	s := x.Stream()
	chunk := []byte(`data: {"choices":[{"index":0,"delta":{"content":"x","annotations":[{}],` +
		`"audio":{"id":"a"}},"logprobs":{"content":[{}]}}]}` + "\n\n")
	s.Push(chunk)
	require.Zero(t, testing.AllocsPerRun(100, func() { s.Push(chunk) }))
	require.Equal(t, []string{"choices[0].logprobs", "choices[0].message.audio",
		"choices[0].message.annotations"}, x.Lost.Paths()[len(x.Lost.Paths())-3:])
}

// TestRequestAllocatesNoSecondBuffer: a request is written directly into the caller's buffer,
// without a copy.
func TestRequestAllocatesNoSecondBuffer(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	body := []byte(`{"model":"m","max_tokens":9,"messages":[{"role":"assistant",` +
		`"content":[{"type":"tool_use","id":"a","name":"f","input":{"a":"` + text +
		`"}}]},{"role":"assistant","content":"` + text + `"},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"` + text + `"},{"type":"text","text":"` + text + `"}]}}]}]}]}`)
	pair, _ := translator.Lookup("anthropic", "chat")
	dst := make([]byte, 0, len(body)+1024)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := pair.Decode("", body)
	require.Nil(t, err)
	out, err := x.AppendRequest(dst, &ir.Target{})
	runtime.ReadMemStats(&after)
	require.Nil(t, err)
	require.Greater(t, len(out), 4<<20)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<10))
}

// TestAnswerAllocatesNoSecondBuffer: an answer is written directly into the caller's buffer,
// without a copy.
func TestAnswerAllocatesNoSecondBuffer(t *testing.T) {
	x := exchange(t)
	body := []byte(`{"choices":[{"index":0,"message":{"content":"` + strings.Repeat("x", 4<<20-64) +
		`"},"finish_reason":"stop"}]}`)
	dst := make([]byte, 0, len(body)+1024)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := x.AppendBody(dst, body)
	runtime.ReadMemStats(&after)
	require.Nil(t, err)
	require.Greater(t, len(out), 4<<20)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<10))
}

// TestDeepNestingIsNoStackOverflow covers all readers of JSON from outside.
func TestDeepNestingIsNoStackOverflow(t *testing.T) {
	deep := strings.Repeat(`{"error":[`, 100_000)
	pair, _ := translator.Lookup("anthropic", "chat")
	_, refused := pair.Decode("", []byte(deep))
	require.NotNil(t, refused)
	x := exchange(t)
	_, failure := x.AppendBody(nil, []byte(deep))
	require.NotNil(t, failure)
	require.NotNil(t, x.UpstreamError(500, []byte(deep)))
	require.Contains(t, string(pushed(x, []byte("data: "+deep+"\n\n"), 1<<16)), "event: error")
}

// TestSchemaKeepsItsBytes: vendors' prompt caches compare the bytes of schemas (FAULTS 68).
func TestSchemaKeepsItsBytes(t *testing.T) {
	const schema = "{ \"type\":\"object\",\n \"properties\" : " +
		"{\"b\":{},\"a\":{\"const\":1.0,\"type\":\"number\"}} }"
	pair, _ := translator.Lookup("anthropic", "chat")
	x, err := pair.Decode("",
		[]byte(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],`+
			`"tools":[{"name":"f","input_schema":`+schema+`}]}`))
	require.Nil(t, err)
	out, err := x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, err)
	require.Contains(t, string(out), `"parameters":`+schema+`}`)
	require.True(t, json.Valid(out))
}

// TestHTTPStatus: for an upstream without capacity the clients of each protocol know another status
// (FAULTS 41).
func TestHTTPStatus(t *testing.T) {
	for _, c := range []struct {
		e                 ir.Error
		anthropic, openai int
	}{
		{ir.Error{Kind: ir.Overloaded}, 529, 503},
		{ir.Error{Kind: ir.Overloaded, Status: 503}, 529, 503},
		{ir.Error{Kind: ir.Overloaded, Status: 529}, 529, 503},
		{ir.Error{Kind: ir.Internal, Status: 529}, 529, 503},
		{ir.Error{Kind: ir.Internal, Status: 500}, 500, 500},
		{ir.Error{Kind: ir.ContextOverflow, Status: 413}, 400, 400},
		{ir.Error{Kind: ir.RateLimit}, 429, 429},
	} {
		require.Equal(t, c.anthropic, translator.API("anthropic").Status(&c.e))
		require.Equal(t, c.openai, translator.API("chat").Status(&c.e))
		require.Equal(t, c.openai, translator.API("responses").Status(&c.e))
	}
}

// TestReferencesToToolsNotOffered: if allowed_tools leaves out a tool that a search of the history
// has found, Anthropic does not get the tool, and would reject a reference to it ("Tool reference
// 'weather' not found in available tools").
func TestReferencesToToolsNotOffered(t *testing.T) {
	weather := `{"type":"function","name":"weather","defer_loading":true,"parameters":{"type":"object",` +
		`"properties":{}}}`
	pair, _ := translator.Lookup("responses", "anthropic")
	x, refused := pair.Decode("", []byte(`{"model":"m","input":[{"role":"user","content":"x"},`+
		`{"type":"tool_search_call","execution":"server","call_id":null,"arguments":{"paths":["w"]}},`+
		`{"type":"tool_search_output","execution":"server","call_id":null,"tools":[`+weather+
		`]},{"role":"assistant","content":"ok"},{"role":"user","content":"y"}],`+
		`"tools":[{"type":"tool_search"},`+weather+
		`,{"type":"function","name":"time","defer_loading":true,"parameters":{"type":"object",`+
		`"properties":{}}}],`+
		`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"time"},`+
		`{"type":"tool_search"}]}}`))
	require.Nil(t, refused)
	body, refused := x.AppendRequest(nil, &ir.Target{ToolSearch: true})
	require.Nil(t, refused)
	require.Contains(t, string(body), `"name":"time"`)
	require.Contains(t, string(body), `"tool_references":[]`)
	require.NotContains(t, string(body), "weather")
}

func TestPrepared(t *testing.T) {
	pair, _ := translator.Lookup("responses", "chat")
	x, err := pair.Decode("/v1/responses", []byte(`{"model":"m","input":"q","stream":true}`))
	require.Nil(t, err)
	x.Request.Received = 7
	out := string(translator.ForWorker(x).Prepared())
	require.Equal(t, 3, strings.Count(out, "event: "))
	require.Contains(t, out, `event: response.completed`)
	require.Contains(t, out, `"created_at":7,"model":"m","output":[],"status":"completed"`)
}
