//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// TestMain lets this test program act as edgelingua or as a client, by the name of its executable.
func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	switch {
	case name == "edgelingua":
		Main()
	case slices.ContainsFunc(clients, func(c *client) bool { return c.name == name }):
		fakeClient(os.Args[1:])
	}
	os.Exit(m.Run())
}

// seen is a client's environment at its start, and the result of a request to its server.
type seen struct {
	Args   []string
	Env    map[string]string
	Folder string
	Status int
	Wrong  int // the status of a request with another key
	Stdin  string
	Back   string // the result of reading edgelingua's environment
}

// fakeClient writes a seen, and ends as its last argument says.
func fakeClient(args []string) {
	s := seen{Args: args, Env: map[string]string{}}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		s.Env[name] = value
	}
	s.Folder, _ = os.Getwd()
	last := args[len(args)-1]
	if last == "ask" {
		s.Status = askServer(s.Env["ANTHROPIC_BASE_URL"], s.Env["ANTHROPIC_AUTH_TOKEN"])
		s.Wrong = askServer(s.Env["ANTHROPIC_BASE_URL"], "upstream-key")
		stdin, _ := io.ReadAll(os.Stdin)
		s.Stdin = string(stdin)
		fmt.Fprint(os.Stderr, "the client's own words")
	}
	if last == "look back" {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		if s.Back = string(text); err != nil {
			s.Back = err.Error()
		}
	}
	json.NewEncoder(os.Stdout).Encode(s)
	switch last {
	case "exit":
		os.Exit(7)
	case "die":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "wait":
		signals := make(chan os.Signal, 9)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		fmt.Println("stopping")
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		interrupts := 0
		for fmt.Println("waiting"); <-signals == os.Interrupt; fmt.Println("interrupted") {
			interrupts++
		}
		os.Exit(40 + interrupts)
	}
	os.Exit(0)
}

func askServer(base, key string) int {
	r, _ := http.NewRequest("POST", base+"/v1/messages",
		strings.NewReader(`{"model":"claude-opus-5-5","max_tokens":1,"messages":[{"role":"user",`+
			`"content":"Hi"}]}`))
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

// launched returns a command that runs a client, in a folder of a project, with only the clients of
// names on PATH.
func launched(t *testing.T, names []string, env map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	builttest.Path(t)
	self, err := os.Executable()
	require.NoError(t, err)
	bin := t.TempDir()
	for _, name := range append(names, "edgelingua") {
		require.NoError(t, os.Symlink(self, filepath.Join(bin, name)))
	}
	cmd := exec.Command(filepath.Join(bin, "edgelingua"), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + bin, "HOME=" + cmd.Dir}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// hostile are variables with other servers and keys for a client, or with edgelingua's own secrets.
var hostile = func() map[string]string {
	env := map[string]string{"EDGELINGUA_SET_UPSTREAM_KEY": "upstream-key",
		"HTTP_PROXY": "http://127.0.0.1:1", "no_proxy": "corp.test", "KEPT": "kept",
		"ANTHROPIC_BASE_URL": "http://vendor.test", "ANTHROPIC_AUTH_TOKEN": "vendor"}
	for _, c := range clients {
		for _, name := range slices.Concat(c.drop, ownSecrets) {
			env[name] = "/vendor-or-own"
		}
	}
	return env
}()

// TestLaunch runs a client that sends a request to its server, in a folder whose files name other
// upstreams.
func TestLaunch(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 1)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // has no list of models
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body, _ := io.ReadAll(r.Body)
		keys <- r.Header.Get("Authorization") + string(body)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer upstream.Close()
	cmd := launched(t, []string{"claude"}, hostile, "claude", "--var", "UPSTREAM_PROTOCOL=chat", "--var",
		"UPSTREAM_URL="+upstream.URL, "--model", "qwen",
		"--", "-p", "--", "ask")
	for _, name := range []string{"wrangler.toml", ".dev.vars", ".env"} {
		write(t, filepath.Join(cmd.Dir, name), "broken", 0o600)
	}
	path := write(t, filepath.Join(cmd.Dir, "key"), strings.Repeat("A", 43), 0o644)
	cmd.Env = append(cmd.Env, "EDGELINGUA_SET_SEAL_KEY_FILE="+path)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("typed"), &stdout, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	assert.Equal(t,
		"note: every user of this machine can read "+path+
			", which has SEAL_KEY; this makes it yours alone: chmod 600 "+path+"\nthe client's own words",
		stderr.String())
	var s seen
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &s))
	assert.Equal(t, http.StatusTeapot, s.Status)
	assert.Equal(t, http.StatusUnauthorized, s.Wrong)
	assert.Regexp(t, `^Bearer upstream-key\{.*"model":"qwen"`, <-keys)
	assert.Equal(t, "typed", s.Stdin)
	assert.Equal(t, cmd.Dir, s.Folder)
	assert.Equal(t, []string{"-p", "--", "ask"}, s.Args)
	assert.Len(t, s.Env["ANTHROPIC_AUTH_TOKEN"], 43)
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, s.Env["ANTHROPIC_BASE_URL"])
	assert.Zero(t, askServer(s.Env["ANTHROPIC_BASE_URL"], s.Env["ANTHROPIC_AUTH_TOKEN"]),
		"the server has ended")
	for _, name := range []string{"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "PATH", "HOME"} {
		delete(s.Env, name)
	}
	want := map[string]string{
		"ENABLE_TOOL_SEARCH":                   "auto",
		"CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST": "1", "ANTHROPIC_MODEL": "qwen",
		"ANTHROPIC_DEFAULT_OPUS_MODEL":   "qwen",
		"ANTHROPIC_DEFAULT_SONNET_MODEL": "qwen", "ANTHROPIC_DEFAULT_HAIKU_MODEL": "qwen",
		"HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "corp.test,127.0.0.1",
		"no_proxy": "corp.test,127.0.0.1", "KEPT": "kept",
	}
	for _, c := range clients[1:] { // for programs run by Claude Code
		for _, name := range c.drop {
			if !slices.Contains(clients[0].drop, name) {
				want[name] = "/vendor-or-own"
			}
		}
	}
	assert.Equal(t, want, s.Env)
}

// TestLaunchEnds: edgelingua exits with the client's exit code, and signals reach the client once.
func TestLaunchEnds(t *testing.T) {
	t.Parallel()
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		cmd := launched(t, []string{"codex"}, hostile, "codex", "--upstream", "ollama", "--model", "4.5",
			"--connect", ollama(t, "4.5"), "--", "die")
		stdout, err := cmd.Output()
		require.Equal(t, 128+int(syscall.SIGKILL), cmd.ProcessState.ExitCode(), "%s: %v", stdout, err)
		assert.Empty(t, err.(*exec.ExitError).Stderr)
		var s seen
		require.NoError(t, json.Unmarshal(stdout, &s))
		require.Len(t, s.Args, 13)
		assert.Regexp(t, `^model_providers.edgelingua.base_url=http://127\.0\.0\.1:\d+/v1$`, s.Args[5])
		s.Args[5] = "URL"
		assert.Equal(t, []string{"-c", "model_provider=edgelingua", "-c",
			"model_providers.edgelingua.name=edgelingua", "-c", "URL",
			"-c", "model_providers.edgelingua.wire_api=responses", "-c",
			"model_providers.edgelingua.env_key=EDGELINGUA_KEY", "-c", `model="4.5"`, "die"}, s.Args)
		assert.Len(t, s.Env["EDGELINGUA_KEY"], 43)
		for _, name := range clients[1].drop {
			assert.NotContains(t, s.Env, name)
		}
		assert.NotContains(t, fmt.Sprint(slices.Collect(maps.Values(s.Env))), "upstream-key")
	})
	t.Run("signals", func(t *testing.T) {
		t.Parallel()
		cmd := launched(t, []string{"claude"}, nil, "claude", "--upstream", "ollama", "--model", "qwen",
			"--connect", ollama(t, "qwen:latest"), "--", "wait")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		until := func(line string) {
			for lines.Text() != line {
				require.True(t, lines.Scan())
			}
		}
		until("stopping")
		var status syscall.WaitStatus
		_, err = syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		require.NoError(t, err)
		require.True(t, status.Stopped(), "edgelingua stops with the client, so that the shell comes back")
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT)) // as fg does
		until("waiting")
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)) // as a terminal does
		until("interrupted")
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		for lines.Scan() {
		}
		cmd.Wait()
		assert.Equal(t, 41, cmd.ProcessState.ExitCode())
	})
}

func TestLaunchOpencode(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	cmd := launched(t, []string{"opencode"}, hostile, "opencode", "--upstream", "ollama", "--model",
		"qwen3:8b", "--connect", ollama(t, "qwen3:8b"), "--log", log, "--", "exit")
	stdout, _ := cmd.Output()
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
	var s seen
	require.NoError(t, json.Unmarshal(stdout, &s))
	var config map[string]any
	require.NoError(t, json.Unmarshal([]byte(s.Env["OPENCODE_CONFIG_CONTENT"]), &config))
	options := config["provider"].(map[string]any)["edgelingua"].(map[string]any)["options"].(map[string]any)
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+/v1$`, options["baseURL"])
	assert.Len(t, options["apiKey"], 43)
	assert.Equal(t, "edgelingua/qwen3:8b", config["model"])
	assert.Equal(t, []string{"exit"}, s.Args)
	printed, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Contains(t, string(printed), "listening on "+strings.TrimSuffix(options["baseURL"].(string),
		"/v1"))
	assert.NotContains(t, string(printed), options["apiKey"])
	info, err := os.Stat(log)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestModuleBesideTheProgram: in any folder the program finds the module beside itself, also through
// a symbolic link in a folder of PATH.
func TestModuleBesideTheProgram(t *testing.T) {
	t.Parallel()
	path := builttest.Path(t)
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	clone, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(clone, "edgelingua"), program, 0o700))
	require.NoError(t, os.Symlink(path, filepath.Join(clone, "app.wasm")))
	require.NoError(t, os.Symlink(filepath.Join(clone, "edgelingua"), filepath.Join(bin, "edgelingua")))
	for _, folder := range []string{clone, bin} {
		for args, want := range map[string]string{
			"version":              `\nmodule [0-9a-f]{64}, \d+ bytes\n`,
			"serve --demo --check": `^upstream: chat the demo's own `,
		} {
			cmd := exec.Command(filepath.Join(folder, "edgelingua"), strings.Fields(args)...)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Regexp(t, want, string(out))
		}
	}
}

// TestLaunchRefuses: missing settings are errors before a client starts.
func TestLaunchRefuses(t *testing.T) {
	bin := t.TempDir()
	for _, c := range clients {
		write(t, filepath.Join(bin, c.name), "#!/bin/sh\necho started\n", 0o700)
	}
	t.Setenv("PATH", bin)
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args string
		env  map[string]string
		code int
		want string // of stderr
	}{
		{"claude -- exit", nil, 2, "no upstream is set up: choose one with --upstream (openai, anthropic, "},
		{"claude --upstream groq --model a -- exit", nil, 2,
			"Groq needs your key there, and none is set for https://api.groq.com/openai/v1: --secret " +
				"UPSTREAM_KEY asks"},
		{"claude --upstream groq --model a -- exit",
			map[string]string{settingPrefix + "UPSTREAM_URL": "https://api.openai.com/v1",
				settingPrefix + "UPSTREAM_KEY": "key"}, 2, "Groq needs your key there"},
		{"claude --upstream ollama -- exit", nil, 2,
			"Claude Code asks for models such as claude-opus-5-5, which http://127.0.0.1:11434/v1 may not " +
				"have: name one that it has with --model"},
		{"codex --upstream deepseek -- exit", map[string]string{settingPrefix + "UPSTREAM_KEY": "key"}, 2,
			"Codex asks for models such as gpt-5.5, which https://api.deepseek.com may not have"},
		{"opencode --upstream ollama -- exit", nil, 2,
			"opencode needs the name of a model: say it with --model"},
		{"claude --upstream ollama --model a --var AUTH=forward -- exit", nil, 2,
			"AUTH=forward sends the client's key to the upstream"},
		{"claude --upstream ollama --model a --var OPTIONS={ -- exit", nil, 2,
			"This deployment is not set up: OPTIONS is not JSON"},
		{"claude --upstream http://a-key@host -- exit", nil, 2,
			"--upstream takes one of openai, anthropic, "},
		{"claude --env staging -- exit", nil, 2,
			"--env needs --config: the files of the current folder are not read"},
		{"claude --config no.toml -- exit", nil, 2, "there is no no.toml"},
		{"claude -p -- exit", nil, 2,
			"claude has no flag --p; `edgelingua claude -h` lists the flags"},
		{"claude sk-secret -- exit", nil, 2,
			"what is for Claude Code goes after --, as in `edgelingua claude -- ARGS`"},
		{"claude --secret UPSTREAM_KEY -- exit", nil, 2, "UPSTREAM_KEY can't be asked for"},
		{"opencode --upstream ollama --model a -- exit", map[string]string{"OPENCODE_CONFIG_CONTENT": "{}"},
			2, "OPENCODE_CONFIG_CONTENT is set, and this command needs it itself"},
		{"codex --upstream groq --secret UPSTREAM_KEY --model a -- exit",
			map[string]string{"PATH": "/nowhere"}, 1,
			"Codex is not installed, or its folder is not on PATH: npm install -g @openai/codex"},
		{"claude --upstream ollama --model a --connect " + closedAddress(t) + " -- exit", nil, 1,
			"nothing answers at http://127.0.0.1:11434/v1: is Ollama running? (`ollama serve`)"},
		{"codex --upstream ollama --model a --connect " + ollama(t, "b") + " -- exit", nil, 1,
			"Ollama has no model a: `ollama pull a`; it has: b"},
		{"claude --log no/log -- exit", nil, 2,
			"--log: the file no/log can't be written (no such file or directory)"},
	} {
		t.Run(test.args, func(t *testing.T) {
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			var stdout, stderr strings.Builder
			assert.Equal(t, test.code, run(strings.Fields(test.args), nil, strings.NewReader(""), &stdout,
				&stderr))
			assert.Contains(t, stderr.String(), "edgelingua: "+test.want)
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
			assert.Empty(t, stdout.String())
			assert.NotContains(t, stderr.String(), "a-key")
		})
	}
}

// TestReplace: a key goes only to its own host.
func TestReplace(t *testing.T) {
	groq, err := presetOf("groq")
	require.NoError(t, err)
	ollama, err := presetOf("ollama")
	require.NoError(t, err)
	for _, test := range []struct {
		p    *preset
		url  string
		kept bool
	}{
		{groq, "", true},
		{groq, "https://api.groq.com/openai/v1/", true},
		{groq, "https://api.groq.com.evil.test/openai/v1", false},
		{groq, "http://api.groq.com/openai/v1", false},
		{ollama, "", false},
		{ollama, "http://127.0.0.1:11434", true},
	} {
		vars := map[string]string{"UPSTREAM_KEY": "key", "MODELS": "x", "AUTH": "forward",
			"UPSTREAM_OPTIONS": "x", "OPTIONS": "kept"}
		if test.url != "" {
			vars["UPSTREAM_URL"] = test.url
		}
		require.NoError(t, test.p.replace(vars))
		want := map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": test.p.URL, "OPTIONS": "kept"}
		if test.kept {
			want["UPSTREAM_KEY"] = "key"
		}
		assert.Equal(t, want, vars, test.url)
	}
}

// TestLaunchLimits: the clients get the window of the upstream's model, from its list or else as
// known, and Claude Code discovers the models of the list if no model is named. A setting of the
// user remains.
func TestLaunchLimits(t *testing.T) {
	t.Parallel()
	list := ""
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, list)
	}))
	defer upstream.Close()
	list = `{"data":[{"id":"qwen","max_model_len":40960,"max_completion_tokens":8192},{"id":"claude-opus-5-5"}]}`
	run := func(client, protocol, model string, env map[string]string) (s seen) {
		t.Helper()
		args := []string{client, "--var", "UPSTREAM_PROTOCOL=" + protocol, "--var", "UPSTREAM_URL=" + upstream.URL}
		if model != "" {
			args = append(args, "--model", model)
		}
		cmd := launched(t, []string{client}, env, append(args, "--", "look")...)
		stdout, err := cmd.Output()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(stdout, &s))
		return s
	}
	const window, discovery, search = "CLAUDE_CODE_MAX_CONTEXT_TOKENS", "CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY",
		"ENABLE_TOOL_SEARCH"
	s := run("claude", "chat", "qwen", nil)
	assert.Equal(t, []string{"40960", "", "auto"}, []string{s.Env[window], s.Env[discovery], s.Env[search]})
	s = run("claude", "anthropic", "", nil)
	assert.Equal(t, []string{"1000000", "1", "true"}, []string{s.Env[window], s.Env[discovery], s.Env[search]})
	s = run("claude", "anthropic", "", map[string]string{window: "5", discovery: "0", search: "false"})
	assert.Equal(t, []string{"5", "0", "false"}, []string{s.Env[window], s.Env[discovery], s.Env[search]})
	s = run("claude", "chat", "unknown", nil)
	assert.NotContains(t, s.Env, window)
	s = run("codex", "chat", "qwen", nil)
	assert.Contains(t, s.Args, "model_context_window=40960")
	s = run("codex", "chat", "unknown", nil)
	assert.NotContains(t, strings.Join(s.Args, " "), "window")
	s = run("opencode", "chat", "qwen", nil)
	assert.Contains(t, s.Env["OPENCODE_CONFIG_CONTENT"], `"limit":{"context":40960,"output":8192}`)
}
