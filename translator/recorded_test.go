package translator_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// recordings is a folder with streams of real providers, one JSON event per line. It is not part of
// the repository.
const recordings = "../../shared/recorded"

// TestRecorded sends each recorded stream through each client. The events must follow the grammar,
// and the client must get the upstream's whole text, reasoning and tool calls, and nothing else.
func TestRecorded(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skip("no recorded streams at " + recordings)
	}
	for _, upstream := range append(slices.Clone(protocols), "interactions") {
		files, err := filepath.Glob(filepath.Join(recordings, upstream, "*.chunks.txt"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			lines, err := os.ReadFile(file)
			require.NoError(t, err)
			// arguments in pieces of a text: package gemini has its own reader for them
			if bytes.Contains(lines, []byte("partialArgs")) {
				continue
			}
			stream, whole := framed(upstream, lines)
			for _, client := range protocols {
				name := strings.TrimSuffix(filepath.Base(file), ".chunks.txt") + "/" + client
				t.Run(upstream+"/"+name, func(t *testing.T) {
					runRecorded(t, client, upstream, stream,
						whole)
				})
			}
		}
	}
}

// framed returns the SSE stream of recorded events. whole is false if the recording is broken: an
// event is not JSON, or a second answer begins before the end of the first.
func framed(protocol string, lines []byte) (stream []byte, whole bool) {
	whole = bytes.Count(lines, []byte(`"message_start"`)) == bytes.Count(lines, []byte(`"message_stop"`))
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			whole = whole && json.Valid(line)
		}
	}
	stream = corpus.Frame(protocol, lines)
	if protocol == "chat" {
		stream = append(stream, "data: [DONE]\n\n"...)
	}
	return stream, whole
}

// simplest is the smallest streamed request of each client.
var simplest = map[string]string{
	"anthropic": `{"model":"m","max_tokens":9,"stream":true,"thinking":{"type":"adaptive"},` +
		`"messages":[{"role":"user","content":"x"}]}`,
	"chat": `{"model":"m","stream":true,"stream_options":{"include_usage":true},` +
		`"messages":[{"role":"user","content":"x"}]}`,
	"responses": `{"model":"m","stream":true,"input":"x"}`,
	"gemini": `{"contents":[{"role":"user","parts":[{"text":"x"}]}],` +
		`"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`,
	"interactions": `{"model":"m","stream":true,"input":"x",` +
		`"generation_config":{"thinking_summaries":"auto"}}`,
}

// ask returns an exchange for the client's simplest request.
func ask(tb testing.TB, client, upstream string) *translator.Exchange {
	pair, ok := translator.Lookup(client, upstream)
	require.True(tb, ok)
	x, refused := pair.Decode(corpus.Path(client, "m", true), []byte(simplest[client]))
	require.Nil(tb, refused)
	x.Request.Received = 1_700_000_000
	_, refused = x.AppendRequest(nil, &ir.Target{})
	require.Nil(tb, refused)
	return x
}

func runRecorded(t *testing.T, client, upstream string, stream []byte, whole bool) {
	x := ask(t, client, upstream)
	if !whole {
		out := pushed(x, stream, len(stream))
		answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, out)
		require.Contains(t, string(out), "error")
		return
	}
	want := digestOf(t, upstream, firstAnswer(answers.Frames(t, stream)))
	want.Calls = callsAlone(want.Calls, client == "responses")
	// the upstream's own tools are called like a client's, so the request offers each as a client's
	// tool
	for _, call := range want.Calls {
		name, arguments, _ := strings.Cut(call, " ")
		if name == "tool_search" {
			continue
		}
		tool := ir.Tool{Name: ir.Escaped(name)}
		if !strings.HasPrefix(arguments, "{") {
			tool.Kind = ir.CustomTool
		}
		x.Request.Tools = append(x.Request.Tools, tool)
	}
	out := pushed(x, stream, len(stream))
	answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, out)
	got := digestOf(t, client, answers.Frames(t, out))
	if client == "anthropic" { // Messages has refusals as text, and no tools with free text
		want.Text, want.Refusal = want.Text+want.Refusal, ""
		kept := want.Calls[:0]
		for _, call := range want.Calls {
			if strings.HasSuffix(call, "}") {
				kept = append(kept, call)
			} else {
				require.NotEmpty(t, x.Lost.Paths())
			}
		}
		want.Calls = kept
	}
	if client == "gemini" || client == "interactions" { // refusals are text there, and free text is an argument
		want.Text, want.Refusal = want.Text+want.Refusal, ""
		for i, call := range want.Calls {
			if name, input, _ := strings.Cut(call, " "); !strings.HasPrefix(input, "{") {
				want.Calls[i] = name + ` {"input":` + input + `}`
			}
		}
	}
	if client == "chat" || client == "gemini" || client == "interactions" { // these have an empty line between separate texts
		want.Text, got.Text = withoutBreaks(want.Text), withoutBreaks(got.Text)
	}
	want.Reasoning, got.Reasoning = withoutBreaks(want.Reasoning), withoutBreaks(got.Reasoning)
	if len(want.Calls) == 0 {
		want.Calls = nil
	}
	require.Equal(t, want, got)
	require.Equal(t, string(out), string(pushed(x, stream, 1)), "cut at every byte")
	t.Logf("lost: %s", x.Lost.Header())
}

// callsAlone returns calls without their namespaces, which a client gets back only for tools of its
// request. It leaves out calls of tool_search if the client's API has no such tool (searches is
// false).
func callsAlone(calls []string, searches bool) (alone []string) {
	for _, call := range calls {
		at := strings.IndexAny(call, "{\"")
		name := strings.Fields(call[:at])
		if name[0] != "tool_search" || searches {
			alone = append(alone, name[len(name)-1]+" "+call[at:])
		}
	}
	return alone
}

// firstAnswer returns the frames up to the first end, since recordings may hold several answers.
func firstAnswer(frames []answers.Frame) []answers.Frame {
	for i, f := range frames {
		if f.JSON["type"] == "response.completed" || f.JSON["type"] == "message_stop" {
			return frames[:i+1]
		}
	}
	return frames
}

// withoutBreaks removes line breaks: each API has different ones between the parts of a reasoning
// summary.
func withoutBreaks(s string) string { return strings.ReplaceAll(s, "\n", "") }
