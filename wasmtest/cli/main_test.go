package cli

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// module is the absolute path of the deployed module, since a test may change the folder. Tests of
// the module call builttest.Path first.
var module, _ = filepath.Abs("../../build/app.wasm")

func TestCommandLine(t *testing.T) {
	builttest.Path(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	corrupt := filepath.Join(t.TempDir(), "corrupt.wasm")
	require.NoError(t, os.WriteFile(corrupt, []byte("\x00asm\x01\x00\x00\x00\xFF"), 0o600))
	vars := filepath.Join(t.TempDir(), ".dev.vars")
	require.NoError(t, os.WriteFile(vars, []byte("# comment\nsecret value\n"), 0o600))

	foreign := filepath.Join(t.TempDir(), "foreign.wasm")
	require.NoError(t, os.WriteFile(foreign,
		[]byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x02\x0c\x01\x02go\x05debug\x00\x00"), 0o600))
	toml := filepath.Join(t.TempDir(), "wrangler.toml")
	require.NoError(t, os.WriteFile(toml, []byte("[vars]\nA = 1\nB =\n"), 0o600))

	for _, test := range []struct {
		args           string
		code           int
		stdout, stderr string // the text that each output must contain; "": the output must be empty
	}{
		{"", 0, "edgelingua replay [flags] FILE", ""},
		{"help", 0, "edgelingua serve --demo", ""},
		{"-h", 0, "edgelingua serve [flags]", ""},
		{"serve -h", 0, "--dev-vars FILE", ""},
		{"serve -h", 0, "--data DIR", ""},
		{"serve -h", 0, "Exit codes: 0 ", ""},
		{"help", 0, "Exit codes: 0 ", ""},
		{"serve --help", 0, "--addr HOST:PORT", ""},
		{"deploy -h", 0, "--personal", ""},
		{"deploy -h", 0, "--dry-run", ""},
		{"deploy a-key", 2, "", "deploy takes flags only; "},
		{"deploy --config no.toml", 1, "", "there is no no.toml in this folder"},
		{"deploy --prepare --config " + toml, 1, "", toml + ":3: expected value"},
		{"server", 2, "", `there is no command "server"; did you mean serve?; `},
		{"serve --port 1", 2, "", "serve has no flag --port; `edgelingua serve -h` lists the flags"},
		{"serve extra", 2, "", "serve takes flags alone"},
		{"serve --max-concurrent 0", 2, "", "--max-concurrent takes a number from 1 on"},
		{"serve --max-concurrent 1000000", 1, "", "this process may have "},
		{"serve --grace -1s", 2, "", "--grace takes a time such as 30s"},
		{"serve --grace soon", 2, "", "-grace"},
		{"serve --var secret", 2, "", "a --var or --secret is not of the form NAME=VALUE"},
		{"serve --secret a-b=c", 2, "", "a --var or --secret is not of the form NAME=VALUE"},
		{"serve --demo --wasm " + module + " --addr " + taken.Addr().String(), 1, "",
			"choose another address with --addr"},
		{"serve --demo --addr 127.0.0.1:0 --wasm no.wasm", 1, "", "there is no no.wasm; run ./build.sh in " +
			"the clone"},
		{"serve --demo --addr 127.0.0.1:0 --wasm " + corrupt, 1, "", corrupt + " can't be run ("},
		{"serve --demo --addr 127.0.0.1:0 --wasm " + foreign, 1, "",
			"it imports debug from go, which the module of ./build.sh, TinyGo's, does not); run ./build.sh"},
		{"serve --demo --addr 127.0.0.1:0 --wasm " + os.TempDir(), 1, "", "can't be read"},
		{"serve --addr 127.0.0.1:0 --config no.toml", 2, "", "there is no no.toml; `edgelingua serve -h`"},
		{"serve --addr 127.0.0.1:0 --config " + toml, 2, "", toml + ":3: expected value"},
		{"serve --addr 127.0.0.1:0 --env", 2, "", "--env needs a value; `edgelingua serve -h` lists the " +
			"flags"},
		{"serve --demo --wasm " + module + " --addr nowhere", 1, "", "choose another address with --addr"},
		{"serve --demo --wasm " + module + " --addr 127.0.0.1:0 --data " + corrupt, 1, "",
			"not a directory; --data names a folder"},
		{"serve --addr 127.0.0.1:0 --dev-vars no.vars", 2, "",
			"there is no no.vars; `edgelingua serve -h` says which files are read"},
		{"serve --addr 127.0.0.1:0 --dev-vars " + vars, 2, "",
			vars + ":2: the line is not of the form NAME=value"},
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(test.args), nil, nil, &stdout, &stderr)
		assert.Equal(t, test.code, code, test.args)
		assert.Contains(t, stdout.String(), test.stdout)
		assert.Contains(t, stderr.String(), test.stderr)
		if test.code == 0 {
			assert.Empty(t, stderr.String())
			continue
		}
		assert.Empty(t, stdout.String())
		assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one line: %s", stderr.String())
		assert.NotContains(t, stderr.String(), "secret value")
	}
}

// TestVersion: version has an answer in a folder without a module.
func TestVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout, stderr strings.Builder
	assert.Equal(t, 0, run([]string{"version"}, nil, nil, &stdout, &stderr))
	assert.Regexp(
		t,
		`^edgelingua not released, \w+/\w+, go\S+( .*)?\nno module: there is no app\.wasm, .*\n$`,
		stdout.String(),
	)
	assert.Empty(t, stderr.String())
}

// server is a running serve command.
type server struct {
	url     string
	lines   chan string // the lines of stderr after the address
	stdout  *output
	signals chan os.Signal
	code    chan int
}

func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	builttest.Path(t)
	s := &server{stdout: &output{}, lines: make(chan string, 1000), signals: make(chan os.Signal, 2),
		code: make(chan int, 1)}
	stderr, w := io.Pipe()
	go func() {
		s.code <- run(append([]string{"serve", "--addr", "127.0.0.1:0", "--wasm", module}, args...),
			s.signals, nil, s.stdout, w)
		w.Close()
	}()
	go func() {
		for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
		close(s.lines)
	}()
	first := <-s.lines
	require.Regexp(t, `^listening on http://127\.0\.0\.1:\d+$`, first)
	s.url = strings.TrimPrefix(first, "listening on ")
	return s
}

// stop ends the server with one signal and returns its stderr.
func (s *server) stop(t *testing.T) string {
	t.Helper()
	s.signals <- os.Interrupt
	assert.Equal(t, 0, <-s.code)
	text := ""
	for line := range s.lines {
		text += line + "\n"
	}
	return text
}

func post(t *testing.T, url, key, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", key)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(whole)
}

const toolCall = `{"model":"demo","max_tokens":200,"stream":true,"tools":[{"name":"get_weather",` +
	`"input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}],` +
	`"messages":[{"role":"user","content":"Weather in Paris?"}]}`

// TestDemo serves with both engines. The native engine reads no module.
func TestDemo(t *testing.T) {
	for _, engine := range [][]string{nil, {"--engine", "native", "--wasm", "no.wasm"}} {
		testDemo(t, engine)
	}
}

func testDemo(t *testing.T, engine []string) {
	s := startServer(t, append([]string{"--demo"}, engine...)...)
	status, body := post(t, s.url+"/v1/messages?query=private", "demo", toolCall)
	assert.Equal(t, 200, status, body)
	assert.Contains(t, body, `"name":"get_weather"`)
	assert.Contains(t, body, "event: message_stop")
	status, body = post(t, s.url+"/v1/messages", "demo",
		`{"model":"demo","max_tokens":200,"messages":[{"role":"user","content":"Hello"}]}`)
	assert.Equal(t, 200, status, body)
	assert.Contains(t, body, "You said: Hello")
	status, body = post(t, s.url+"/v1/messages", "wrong", toolCall)
	assert.Equal(t, 401, status, body)
	log := s.stop(t)
	assert.Contains(t, log, "curl -N "+s.url+"/v1/messages")
	assert.Contains(t, log, "-d '"+toolCall+"'")
}

func TestThePageIsNamed(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "ADMIN_KEY=operators-own-key")
	log := "\n" + s.stop(t)
	assert.Contains(t, log, "\nupstream: chat http://127.0.0.1:")
	assert.Contains(t, log, "/v1 (key set), clients need a key, page at "+s.url+"/admin; SEAL_KEY is not set")
	assert.NotContains(t, log, "operators-own-key")
	s = startServer(t, "--demo")
	assert.NotContains(t, s.stop(t), "/admin")
}

func TestVarsOverrideTheDemo(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "CLIENT_KEY=own-key", "--var", "UPSTREAM_PROTOCOL=anthropic")
	status, _ := post(t, s.url+"/v1/messages", "demo", toolCall)
	assert.Equal(t, 401, status)
	status, _ = post(t, s.url+"/v1/messages", "own-key", "{")
	assert.NotEqual(t, 401, status)
	assert.NotContains(t, s.stop(t), "own-key")
}

// TestShutdown sends the signal while a stream is open.
func TestShutdown(t *testing.T) {
	for _, second := range []bool{false, true} {
		came, release := make(chan struct{}), make(chan struct{})
		upstream, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer upstream.Close()
		go http.Serve(upstream, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			http.NewResponseController(w).Flush()
			close(came)
			select {
			case <-release:
				io.WriteString(w,
					`data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,`+
						`"delta":{"role":"assistant","content":"late"},"finish_reason":"stop"}]}`+
						"\n\ndata: [DONE]\n\n")
			case <-r.Context().Done():
			}
		}))
		s := startServer(t, "--demo", "--var", "UPSTREAM_URL=http://"+upstream.Addr().String())
		r, err := http.NewRequest("POST", s.url+"/v1/messages", strings.NewReader(toolCall))
		require.NoError(t, err)
		r.Header.Set("X-Api-Key", "demo")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		<-came
		s.signals <- os.Interrupt
		for !strings.HasPrefix(<-s.lines, "shutting down") {
		}
		if second {
			s.signals <- os.Interrupt
			assert.Equal(t, 0, <-s.code)
			response.Body.Close()
			continue
		}
		close(release)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Contains(t, string(body), "late")
		response.Body.Close()
		assert.Equal(t, 0, <-s.code)
	}
}
