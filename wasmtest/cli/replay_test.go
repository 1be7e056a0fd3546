package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/corpus/golden"
)

// replayed runs a replay command.
func replayed(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(append([]string{"replay"}, args...), nil, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// TestReplayShowsTheCorpus replays every scenario and compares the output with the file's sections.
func TestReplayShowsTheCorpus(t *testing.T) {
	const folder = "../../translator/testdata"
	scenarios, err := corpus.Load(folder)
	require.NoError(t, err)
	requests, answers, events := 0, 0, 0
	for _, s := range scenarios {
		file := filepath.Join(folder, s.Name+".txtar")
		values, err := golden.Values(s.Archive)
		require.NoError(t, err, s.Name)
		want := map[string]string{}
		for name, value := range values {
			want[name] = string(value)
		}
		if want["events"] != "" {
			code, stdout, _ := replayed("", "--events", file)
			require.Zero(t, code)
			require.Equal(t, want["events"], stdout, s.Name)
			events++
		}
		if s.Answer != nil {
			if s.Client == s.Upstream {
				continue
			}
			code, stdout, stderr := replayed("", file)
			require.Zero(t, code, stderr)
			form := s.Client + ".json"
			if strings.HasPrefix(stdout, "event: ") || strings.HasPrefix(stdout, "data: ") {
				form = s.Client + ".sse"
			}
			require.Equal(t, compact(want[form]), compact(stdout), s.Name)
			answers++
			continue
		}
		for _, upstream := range corpus.Protocols {
			if request, ok := want["upstream."+upstream+".request.json"]; ok && upstream != s.Client {
				code, stdout, stderr := replayed("", "--upstream", upstream, file)
				require.Zero(t, code, stderr)
				require.Equal(t, request, compact(stdout), s.Name)
				require.Equal(t, want["upstream."+upstream+".lost"], strings.ReplaceAll(stderr, "lost: ",
					""), s.Name)
				requests++
			}
		}
	}
	t.Logf("%d requests, %d answers, %d answers as events", requests, answers, events)
	require.Greater(t, min(requests, answers, events), 200)
}

// compact returns JSON without its spaces, and any other text without trailing spaces.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return strings.TrimRight(text, "\n")
	}
	return b.String()
}

const (
	chatStream = `data: {"id":"c","model":"gpt-x","choices":[{"index":0,"delta":{"content":"Hi"},` +
		`"finish_reason":null}]}` + "\n\n" +
		`data: {"id":"c","model":"gpt-x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` +
		"\n\ndata: [DONE]\n\n"
	chatBody = `{"id":"c","model":"gpt-x","choices":[{"index":0,"message":{"content":"Hi",` +
		`"audio":{"id":"a"}},"finish_reason":"stop"}]}`
	asked = `{"model":"claude-x","max_tokens":7,"top_k":3,"messages":[{"role":"user","content":"Hello"}]}`
)

func TestReplay(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	stream, body, request := file("stream", chatStream), file("body", chatBody), file("request", asked)
	eventLines := strings.NewReplacer("data: ", "", "\n\n", "\n").Replace(chatStream)
	message := `{"id":"msg_c","type":"message","role":"assistant","model":"m","container":null,` +
		`"diagnostics":null,"content":[{"type":"text","text":"Hi","citations":[]}],"stop_reason":"end_turn",`
	for _, test := range []struct {
		name, stdin, args string
		stdout, stderr    string // the beginning of stdout, and all of stderr
	}{
		{"a stream", "", stream, "event: message_start\n", ""},
		{"a stream from the standard input", "\ufeff: a comment\n" + chatStream, "-",
			"event: message_start\n", ""},
		{"a stream in lines", eventLines, "-", "event: message_start\n", ""},
		{"a plain body", "", body, message, "lost: choices[0].message.audio\n"},
		{"events", "", "--events " + stream,
			"start c gpt-x\n  text\n    \"Hi\"\n  end\nfinish end_turn input=-1 ", ""},
		{"events of a body", "", "--events " + body,
			"start c gpt-x\n  text\n    \"Hi\"\n  end\nfinish end_turn input=-1 ",
			"lost: choices[0].message.audio\n"},
		{"an error", `{"error":{"message":"no","code":429}}`, "-",
			`{"type":"error","error":{"type":"rate_limit_error","message":"no"}}`, "status: 429\n"},
		{"a request", "", "--request " + request,
			`{"model":"claude-x","messages":[{"role":"user","content":"Hello"}],"max_tokens":7}`,
			"lost: top_k\n"},
		{"a request from the standard input", asked, "--request -", `{"model":"claude-x",`, "lost: top_k\n"},
		{"a request to a known server", "",
			"--url https://api.openai.com/v1 --var MODELS={\"claude-*\":\"gpt-5.5\"} --request " + request,
			`{"model":"gpt-5.5","messages":[{"role":"user","content":"Hello"}],"max_completion_tokens":7}`,
			"lost: top_k\n"},
		{"a request with options", "", "--var UPSTREAM_OPTIONS={\"max_output_tokens\":5} --request " +
			request,
			`{"model":"claude-x","messages":[{"role":"user","content":"Hello"}],"max_tokens":5}`,
			"lost: top_k\n"},
		{"a stream for a plain request", "", "--request " + request + " " + stream, strings.Replace(message,
			`"m"`, `"claude-x"`, 1), "lost: top_k\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := replayed(test.stdin, strings.Fields("--client anthropic --upstream chat "+
				test.args)...)
			require.Zero(t, code, stderr)
			require.Equal(t, test.stdout, stdout[:min(len(test.stdout), len(stdout))], stdout)
			require.Equal(t, test.stderr, stderr)
			require.True(t, strings.HasSuffix(stdout, "\n"))
		})
	}
}

func TestReplayOfAScenario(t *testing.T) {
	const text = "../../translator/testdata/stream/responses/text.txtar"
	code, stdout, stderr := replayed("", "--client", "chat", text)
	require.Zero(t, code, stderr)
	require.True(t, strings.HasPrefix(stdout, `data: {"id":"chatcmpl-resp_1",`), stdout)
	code, stdout, _ = replayed("", "--upstream", "responses", "--events", text)
	require.Zero(t, code)
	require.True(t, strings.HasPrefix(stdout, "start resp_1 "), stdout)
}

func TestReplayNamesWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	words, scenario := file("words", "once upon a time\n"), file("words.txtar", "once upon a time\n")
	target := file("target.txtar", "-- config --\n{\"target\":{\"Nonsense\":1}}\n-- request.chat.json --\n"+
		`{"model":"m","messages":[{"role":"user","content":"Hi"}]}`)
	foreign := file("foreign.txtar", "-- request.chat.json --\n{}\n-- upstream.responses.json --\n{}\n")
	const both = "--client anthropic --upstream chat "
	const question = "../../translator/testdata/request/anthropic/60-tool-choice-auto.txtar"
	for _, test := range []struct {
		stdin, args string
		code        int
		stderr      string
	}{
		{"", "", 2, "replay needs a FILE with the answer of an upstream, or --request FILE; `edgelingua " +
			"replay -h` says more"},
		{"", "--port 1", 2, "replay has no flag --port; "},
		{"", "--client claude -", 2, "the protocols are anthropic, chat, responses, gemini and interactions; "},
		{"", "--upstream openai -", 2,
			"the protocols are anthropic, chat, responses, gemini and interactions; "},
		{"", "--upstream chat -", 2, "replay needs --client PROTOCOL"},
		{"", "--client chat -", 2, "replay needs --upstream PROTOCOL"},
		{"", both + "- --events", 2, `after all flags, and not "--events" too; `},
		{"", both + "--events --request -", 2, "--events needs a FILE"},
		{"", both + "--request - -", 2, "can't both be the standard input"},
		{"", both + "--var hunter2 -", 2, "a --var or --secret is not of the form NAME=VALUE"},
		{chatBody, "--client chat --upstream chat -", 2,
			"both sides speak chat: there bytes pass; --events shows "},
		{"", both + "no-such-file", 1,
			"there is no no-such-file; replay takes a file, or - for the standard input"},
		{"", both + "--request no-such-file", 1, "there is no no-such-file; "},
		{"", both + folder, 1, folder},
		{"", both + words, 1,
			words + " is neither a stream nor JSON; replay takes the body of an answer, without its head"},
		{"", both + "-", 1, "- is neither a stream nor JSON; "},
		{chatBody, both + "--url nowhere -", 1, "UPSTREAM_URL must be an http or https URL"},
		{"{", both + "--request -", 1,
			"the request is refused with status 400: The request body is not JSON"},
		{`{"model":"m"}`, both + "--request -", 1, "the request is refused with status 400: "},
		{strings.Replace(asked, `"Hello"`, `[{"type":"document","source":{"type":"url","url":"https://x"}}]`,
			1),
			both + `--var OPTIONS={"lossy":"refuse"} --request -`, 1,
			"the request is refused with status 400: messages[0].content[0]"},
		{"", "no.txtar", 1, "there is no no.txtar; "},
		{"", scenario, 1,
			scenario + " is not a scenario (no section request.<client>.json); the files of " +
				"translator/testdata are"},
		{"", target + " --client chat", 2, "after all flags"},
		{"", "--upstream anthropic " + target, 1, `unknown field "Nonsense"`},
		{"", "--client anthropic " + foreign, 1,
			foreign + " holds a request that anthropic can't say; leave --client out"},
		{"", question, 2, "holds no answer; name with --upstream PROTOCOL whom to ask"},
		{"", "--events " + question, 2, "holds no answer; --events needs one"},
		{"", "--upstream chat " + foreign, 2,
			foreign + " holds an answer of responses; leave --upstream out"},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := replayed(test.stdin, strings.Fields(test.args)...)
			require.Equal(t, test.code, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, test.stderr)
			require.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
			require.NotContains(t, stderr, "hunter2")
		})
	}
}

func TestReplayHelp(t *testing.T) {
	code, stdout, stderr := replayed("", "--help")
	require.Zero(t, code)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "--request FILE")
}
