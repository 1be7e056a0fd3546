package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/demo"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/store"
)

// Instead of wrangler the tests run this test binary. It asks the server at the address in this
// variable for its output.
const fakeVariable = "EDGELINGUA_TEST_WRANGLER"

func TestMain(m *testing.M) {
	if at := os.Getenv(fakeVariable); at != "" {
		os.Exit(fakeWrangler(at))
	}
	os.Exit(m.Run())
}

// run is one run of wrangler, and outcome its output and exit code.
type run struct {
	Args  []string
	Stdin string
	Env   []string
}

type outcome struct {
	Stdout, Stderr, Report string
	Code                   int
}

func fakeWrangler(at string) int {
	r := run{Args: os.Args[1:], Env: os.Environ()}
	if slices.Contains(r.Args, "bulk") || slices.Contains(r.Args, "--secrets-file") {
		text, _ := io.ReadAll(os.Stdin)
		r.Stdin = string(text)
	}
	body, _ := json.Marshal(r)
	response, err := http.Post(at, "application/json", bytes.NewReader(body))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	var o outcome
	json.NewDecoder(response.Body).Decode(&o)
	io.WriteString(os.Stdout, o.Stdout)
	io.WriteString(os.Stderr, o.Stderr)
	if path := os.Getenv("WRANGLER_OUTPUT_FILE_PATH"); path != "" && o.Report != "" {
		os.WriteFile(path, []byte(o.Report), 0o600)
	}
	return o.Code
}

// cloud is an account at Cloudflare. Package host runs the deployed worker, with the demo as its
// upstream.
type cloud struct {
	t        *testing.T
	wrangler *httptest.Server
	edge     *httptest.Server // the address of the worker
	upstream *httptest.Server

	mu         sync.Mutex
	runs       []run
	exists     bool
	config     string // the config file that was deployed last
	secrets    map[string]string
	namespaces map[string]string
	store      *store.Store
	module     *host.Host
	started    []*host.Host // all modules so far
	whoami     string
	// returns the real address for an address of the worker; nil: edge's
	reach func(url string) string
	// is asked first; a nil outcome leaves the run to the cloud
	before func(r run) *outcome
	// is asked first; false leaves the request to the worker
	serve func(w http.ResponseWriter, r *http.Request) bool
}

const upstreamSecret = "sk-upstream-key-of-the-tests"

func newCloud(t *testing.T) *cloud {
	c := &cloud{t: t, secrets: map[string]string{}, namespaces: map[string]string{}}
	c.whoami = `{"loggedIn":true,"authType":"OAuth Token","email":"anna@example.com",` +
		`"accounts":[{"name":"Anna's Account","id":"a1"}],"tokenPermissions":[]}`
	c.wrangler = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var r run
		json.NewDecoder(request.Body).Decode(&r)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.runs = append(c.runs, r)
		json.NewEncoder(w).Encode(c.run(r))
	}))
	t.Cleanup(c.wrangler.Close)
	// edge closes first, and waits for its requests: they need everything else
	var err error
	c.store, err = store.Open("", time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { c.store.Close() })
	c.upstream = httptest.NewServer(demo.New(upstreamSecret))
	t.Cleanup(c.upstream.Close)
	t.Cleanup(func() {
		for _, started := range c.started {
			started.Close(context.Background())
		}
	})
	c.edge = httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(c.edge.Close)
	return c
}

func (c *cloud) run(r run) *outcome {
	if c.before != nil {
		if o := c.before(r); o != nil {
			return o
		}
	}
	switch strings.Join(r.Args[:min(2, len(r.Args))], " ") {
	case "whoami --json":
		if c.whoami == "" {
			return &outcome{Stdout: "{\"loggedIn\":false}\n", Code: 1}
		}
		return &outcome{Stdout: c.whoami + "\n"}
	}
	// only whoami does not need an account
	if c.whoami == "" && !slices.Contains(r.Args, "--temporary") && !slices.Contains(r.Args, "--dry-run") {
		return &outcome{Stderr: "In a non-interactive environment, it's necessary to set a " +
			"CLOUDFLARE_API_TOKEN\n", Code: 1}
	}
	switch strings.Join(r.Args[:min(2, len(r.Args))], " ") {
	case "secret list":
		if !c.exists {
			return &outcome{Stderr: "\n✘ [ERROR] Worker \"edgelingua\" not found.\n\n  If this is a new " +
				"Worker, run `wrangler deploy` first to create it.\n", Code: 1}
		}
		list := []map[string]string{}
		for name := range c.secrets {
			list = append(list, map[string]string{"name": name, "type": "secret_text"})
		}
		text, _ := json.MarshalIndent(list, "", "  ")
		return &outcome{Stdout: string(text) + "\n"}
	case "kv namespace":
		list := []map[string]string{}
		for title, id := range c.namespaces {
			list = append(list, map[string]string{"id": id, "title": title})
		}
		text, _ := json.MarshalIndent(list, "", "  ")
		return &outcome{Stdout: string(text) + "\n"}
	case "secret bulk":
		if err := json.Unmarshal([]byte(r.Stdin), &c.secrets); err != nil {
			return &outcome{Stderr: "🚨 No content found in file, or piped input.\n", Code: 1}
		}
		c.module = nil
		return &outcome{Stdout: "🌀 Processing the secrets for the Worker \"edgelingua\"\n✨ Successfully " +
			"created secret\n"}
	}
	if r.Args[0] != "deploy" {
		return &outcome{Stderr: "unknown command: " + strings.Join(r.Args, " "), Code: 1}
	}
	if slices.Contains(r.Args, "--dry-run") {
		return &outcome{Stdout: "--dry-run: exiting now.\n"}
	}
	text, err := os.ReadFile(r.Args[slices.Index(r.Args, "--config")+1])
	if err != nil {
		return &outcome{Stderr: err.Error(), Code: 1}
	}
	c.exists, c.config, c.module = true, string(text), nil
	if strings.Contains(c.config, kvBinding) {
		c.namespaces["edgelingua-endpoints"] = "kv1"
	}
	if slices.Contains(r.Args, "--secrets-file") {
		if err := json.Unmarshal([]byte(r.Stdin), &c.secrets); err != nil {
			return &outcome{Stderr: err.Error(), Code: 1}
		}
	}
	return &outcome{
		Stdout: "Uploaded edgelingua\n",
		Report: `{"type":"wrangler-session","version":1}` + "\n" +
			`{"type":"deploy","version":1,"worker_name":"edgelingua","targets":["` + c.edge.URL + `"]}` +
			"\n",
	}
}

// answer serves a request to the worker, as deployed last.
func (c *cloud) answer(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	if c.serve != nil && c.serve(w, r) {
		c.mu.Unlock()
		return
	}
	if c.module == nil {
		var err error
		if c.module, err = c.start(); err != nil {
			c.mu.Unlock()
			c.t.Error("the worker can't be run; ./build.sh builds it:", err)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
	}
	module := c.module
	c.mu.Unlock()
	module.ServeHTTP(w, r)
}

// module is the absolute path of the deployed module, since tests change the folder.
var module, _ = filepath.Abs("../../build/app.wasm")

func (c *cloud) start() (*host.Host, error) {
	wasm, err := os.ReadFile(module)
	if err != nil {
		return nil, err
	}
	name := "wrangler.toml"
	if strings.HasPrefix(c.config, "{") || strings.HasPrefix(c.config, "//") {
		name = "wrangler.jsonc"
	}
	path := filepath.Join(c.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(c.config), 0o600); err != nil {
		return nil, err
	}
	deployed, err := readConfig(path, "")
	if err != nil {
		return nil, err
	}
	env := map[string]string{"ALLOW_HTTP_UPSTREAM": "true"}
	maps.Copy(env, deployed.vars)
	maps.Copy(env, c.secrets)
	config := host.Config{Env: env, Transport: outbound.ConnectTo(strings.TrimPrefix(c.upstream.URL,
		"http://"))}
	if deployed.bindsKV() {
		config.Store = c.store
	}
	started, err := host.New(context.Background(), wasm, config)
	if err == nil {
		c.started = append(c.started, started)
	}
	return started, err
}

// wranglerTOML is a user's file. The cloud's transport connects its upstream's host to the demo.
const wranglerTOML = `# mine
name = "edgelingua"
main = "build/worker.mjs"
compatibility_date = "2026-10-01"

[vars]
UPSTREAM_PROTOCOL = "chat"
UPSTREAM_URL = "http://upstream.example/v1"
`

// project changes to an empty folder with a wrangler.toml of the given text.
func project(t *testing.T, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("wrangler.toml", []byte(text), 0o600))
}

// session is one run of deploy, and its results.
type session struct {
	out   string
	err   error
	runs  []run
	waits int
	*deployment
}

// steps returns the commands of wrangler in the order of their runs, without flags.
func (s *session) steps() (list []string) {
	for _, r := range s.runs {
		words := r.Args
		if at := slices.IndexFunc(words, func(a string) bool { return strings.HasPrefix(a, "--") }); at >= 0 {
			words = words[:at]
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

// deploy runs a deployment in the current folder. answers is the person's input; nil: no person is
// there.
func (c *cloud) deploy(ctx context.Context, answers *string, change func(o *Options)) *session {
	c.t.Helper()
	self, err := os.Executable()
	require.NoError(c.t, err)
	var out bytes.Buffer
	o := &Options{
		Config: "wrangler.toml", Wrangler: self, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Env: append(os.Environ(), fakeVariable+"="+c.wrangler.URL),
	}
	if answers != nil {
		o.Terminal = &Terminal{In: strings.NewReader(*answers), Out: &out}
	}
	if change != nil {
		change(o)
	}
	s := &session{}
	from := len(c.runs)
	if s.deployment, s.err = newDeployment(o); s.err != nil {
		return s
	}
	s.pause = func(context.Context, time.Duration) error {
		s.waits++
		return nil
	}
	if c.reach != nil {
		s.reach = c.reach
	}
	if o.DryRun {
		s.err = s.dryRun(ctx)
	} else {
		s.err = s.deployment.run(ctx)
	}
	s.out, s.runs = out.String(), c.runs[from:]
	return s
}

// typed returns the lines as a person types them.
func typed(lines ...string) *string {
	text := strings.Join(lines, "\n") + "\n"
	return &text
}

// keepsSecrets checks that no secret is in an argument or the environment of wrangler, or in a file
// of the folder.
func (s *session) keepsSecrets(t *testing.T, secrets map[string]string) {
	t.Helper()
	require.NotEmpty(t, secrets)
	for name, secret := range secrets {
		for _, r := range s.runs {
			assert.NotContains(t, strings.Join(r.Args, " "), secret, name)
			assert.NotContains(t, strings.Join(r.Env, "\n"), secret, name)
			if !slices.Contains(r.Args, "bulk") && !slices.Contains(r.Args, "--secrets-file") {
				assert.Empty(t, r.Stdin)
			}
		}
		for _, folder := range []string{".", os.TempDir()} {
			files, _ := filepath.Glob(filepath.Join(folder, "edgelingua-*"))
			own, _ := filepath.Glob(filepath.Join(folder, "wrangler*"))
			for _, path := range append(files, own...) {
				text, _ := os.ReadFile(path)
				assert.NotContains(t, string(text), secret, path)
			}
		}
	}
}
