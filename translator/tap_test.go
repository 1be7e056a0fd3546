package translator_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/wasmtest/corpus"
)

// aSecret is an upstream key.
const aSecret = "sk-0123456789/ab+cd&ef=é😀"

// TestTapOfTheCorpus reads every answer of the corpus with a tap, cut in three ways, and with a
// decoder: both must find the same usage and end.
func TestTapOfTheCorpus(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, s := range scenarios {
		if s.Answer == nil || s.Answer.Status >= 300 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			var answer irtest.Recorder
			translator.ForWorker(askedOf(t, s.Upstream)).Record(&answer, s.Answer.Body, !s.Answer.SSE)
			usage, failed := outcome(answer.Events)
			for _, size := range []int{1, 7, len(s.Answer.Body)} {
				tap := translator.NewTap(translator.API(s.Upstream),
					func() []string { return []string{aSecret} })
				require.Equal(t, string(s.Answer.Body), through(t, tap, s.Answer.Body, size))
				require.Equal(t, usage, *tap.Usage())
				require.Equal(t, failed, tap.Failed())
			}
		})
	}
}

// outcome returns the last usage in an answer, and the kind of its failure, if any.
func outcome(events []ir.Event) (usage ir.Usage, failed ir.ErrorKind) {
	usage = ir.NoUsage
	for _, ev := range events {
		switch ev.Kind {
		case ir.Start, ir.Finish:
			usage = ev.Usage
		case ir.Failure:
			failed = ev.Err.Kind
		}
	}
	return usage, failed
}

// through returns the output of a tap for a body in pieces of a size.
func through(t *testing.T, tap *translator.Tap, body []byte, size int) string {
	var passed []byte
	for rest := body; len(rest) > 0; {
		n := min(size, len(rest))
		chunk := bytes.Clone(rest[:n])
		out, done := tap.Push(chunk)
		require.False(t, done)
		passed = append(passed, out...)
		for i := range chunk {
			chunk[i] = 0xff // the owner reuses the chunk
		}
		rest = rest[n:]
	}
	return string(append(passed, tap.Close(nil)...))
}

// failures are failure events in each protocol's stream; %s is the message.
var failures = map[string]string{
	"anthropic": "event: error\ndata: " +
		"{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"%s\"}}\n\n",
	"chat": "data: {\"error\":{\"message\":\"%s\",\"type\":\"server_error\"}}\r\n\r\ndata: " +
		"[DONE]\r\n\r\n",
	"responses": "data: {\"message\":\"%s\",\"type\":\"error\"}\r\r" +
		"data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"%[1]s\"}}}\r\r",
}

// TestTapHidesSecretsInFailures: wherever the chunks are cut, failure events pass without the
// secret, and all other bytes unchanged.
func TestTapHidesSecretsInFailures(t *testing.T) {
	secrets := func() []string { return []string{aSecret} }
	spelt := strings.ReplaceAll(aSecret, "/", `\/`)
	for protocol, failure := range failures {
		before := ": a comment\n\nid: 5\n\n: " + aSecret + "\n\ndata: {\"choices\":[],\"content\":\"" +
			aSecret + "\",\"type\":\"ping\"}\n\n"
		body := before + fmt.Sprintf(failure, spelt) + fmt.Sprintf(failure, "again "+spelt) + "data: " + spelt
		want := before + fmt.Sprintf(failure, "[key]") + fmt.Sprintf(failure, "again [key]") + "data: [key]"
		for size := 1; size <= len(body); size++ {
			require.Equal(t, want, through(t, translator.NewTap(translator.API(protocol), secrets),
				[]byte(body), size), "%s: %d", protocol, size)
		}
	}
}

func TestTapHoldsUnfinishedEventsBack(t *testing.T) {
	tap := translator.NewTap(translator.API("chat"), nil)
	push := func(chunk string) string {
		out, done := tap.Push([]byte(chunk))
		require.False(t, done)
		return string(out)
	}
	require.Equal(t, ": ping\n", push(": ping\n"))
	require.Equal(t, "data: {}\n\n", push("data: {}\n\ndata"))
	require.Equal(t, "", push(": {}\n"))
	require.Equal(t, "data: {}\n\n: ping\n\n", push("\n: ping\n\n"))
	require.Equal(t, "", push("data: "+strings.Repeat("x", 60<<10)))
	require.Len(t, push(strings.Repeat("x", 5<<10)), 65<<10+6, "more is not held back")
	require.Equal(t, "y", push("y"))
	require.Equal(t, "\n\n", push("\n\ndata"))
	require.Equal(t, "data", string(tap.Close(nil)))

	tap = translator.NewTap(translator.API("chat"), nil)
	for _, chunk := range []string{" ", "\n ", "{}"} {
		_ = push(chunk)
	}
	require.Empty(t, tap.Close(nil))

	tap = translator.NewTap(translator.API("chat"), nil)
	push("data: {\"error\":{}}\n\n")
	more := []byte(strings.Repeat("data: {}\n\n", 1000))
	for range 104 {
		push(string(more))
	}
	out, done := tap.Push(more)
	require.True(t, done, "an upstream that sends on and on behind its failure")
	require.Empty(t, out)
}

func TestTapOfWhatIsNoAnswer(t *testing.T) {
	for _, protocol := range protocols {
		for body, failed := range map[string]ir.ErrorKind{
			"":                          ir.Unavailable,
			"\r\n words":                ir.Unavailable,
			" \n{":                      ir.Unavailable,
			"[]":                        ir.Unavailable,
			`{"error":{"message":"x"}}`: ir.Internal,
		} {
			tap := translator.NewTap(translator.API(protocol), nil)
			tap.Push([]byte(body))
			tap.Close(nil)
			require.Equal(t, ir.NoUsage, *tap.Usage(), body)
			require.Equal(t, failed, tap.Failed(), "%s: %q", protocol, body)
		}
		for _, body := range []string{"{", "data: {}\n\n", ""} {
			tap := translator.NewTap(translator.API(protocol), nil)
			tap.Push([]byte(body))
			tap.Close(&ir.Error{Kind: ir.Timeout})
			require.Equal(t, ir.Timeout, tap.Failed(), body)
		}
	}
}

func TestTapIsBounded(t *testing.T) {
	tap := translator.NewTap(translator.API("chat"), nil)
	half := []byte(`{"a":"` + strings.Repeat("x", 8<<20))
	tap.Push(half)
	require.False(t, tap.TooLarge())
	tap.Push(half)
	require.True(t, tap.TooLarge())
	tap.Push(half)
	tap.Close(nil)
	require.Equal(t, ir.NoUsage, *tap.Usage())
	require.Zero(t, tap.Failed(), "nobody knows")
}

func TestAskUsage(t *testing.T) {
	pair, _ := translator.Lookup("chat", "chat")
	for _, ask := range []bool{false, true} {
		x, err := pair.Decode("",
			[]byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
		require.Nil(t, err)
		x.AskUsage = ask
		body, err := x.AppendRequest(nil, &ir.Target{})
		require.Nil(t, err)
		require.Equal(t, ask, strings.Contains(string(body), `"include_usage":true`))
		s := x.Stream()
		out, done := s.Push([]byte(`data: {"choices":[{"index":0,"delta":{"content":"Hi"},` +
			`"finish_reason":"stop"}]}` + "\n\n" +
			`data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}` +
			"\n\ndata: [DONE]\n\n"))
		require.True(t, done)
		require.NotContains(t, string(out), "prompt_tokens", "the client has not asked")
		require.Equal(t, int64(5), x.Usage.Input)
	}
}

// TestTapAllocatesNothing: an event of text costs no allocation, whether it comes whole or in two
// chunks.
func TestTapAllocatesNothing(t *testing.T) {
	whole := []byte("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"some " +
		"text\"},\"finish_reason\":null}]}\n\n")
	for _, cut := range []int{len(whole), 30} {
		tap := translator.NewTap(translator.API("chat"), func() []string { return []string{aSecret} })
		push := func() {
			tap.Push(whole[:cut])
			tap.Push(whole[cut:])
		}
		push()
		require.Zero(t, testing.AllocsPerRun(1000, push), cut)
	}
}

// TestTapPassesWhiteSpaceOnce has white space in chunks of its own before a plain body. White space
// may begin a stream, so a Tap buffers the part of it that could be an unfinished event.
func TestTapPassesWhiteSpaceOnce(t *testing.T) {
	for _, chunks := range [][]string{{"\n\n ", `{"a":`, `1}`}, {" ", "\n\n", " \n", `[]`}, {"\r\n\r\n", " ", `{}`},
		{" ", "\n\n ", `{}`}, {"\n \n \n\n", `{}`}} {
		tap := translator.NewTap(translator.API("chat"), nil)
		passed := ""
		for _, chunk := range chunks {
			out, done := tap.Push([]byte(chunk))
			require.False(t, done)
			passed += string(out)
		}
		require.Equal(t, strings.Join(chunks, ""), passed)
	}
}
