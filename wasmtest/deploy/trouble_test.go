package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// on returns a cloud.before with outcome o for runs of wrangler whose arguments begin with words.
func on(words string, o outcome) func(r run) *outcome {
	return func(r run) *outcome {
		if strings.HasPrefix(strings.Join(r.Args, " "), words) {
			return &o
		}
		return nil
	}
}

// TestBeforeTheWorker has runs that end before anything is deployed, with their errors.
func TestBeforeTheWorker(t *testing.T) {
	for name, test := range map[string]struct {
		file   string // instead of wranglerTOML, unless ""
		env    string
		set    func(c *cloud)
		change func(o *Options)
		want   string
	}{
		"not logged in": {set: func(c *cloud) { c.whoami = "" },
			want: "Run `npx wrangler login`, which opens a browser; where there is none, set " +
				"CLOUDFLARE_API_TOKEN"},
		"no network": {set: func(c *cloud) {
			c.before = on("whoami", outcome{Stderr: "fetch failed",
				Code: 1})
		}, want: "asking who is logged in failed (exit status 1); wrangler says:\nfetch failed"},
		"not understood": {set: func(c *cloud) { c.whoami = "hello" }, want: "the answer can't be read"},
		"two accounts": {set: func(c *cloud) {
			c.whoami = `{"loggedIn":true,"accounts":[{"name":"A","id":"a1"},{"name":"B","id":"b2"}]}`
		}, want: "there are 2 accounts to deploy to; name one with account_id in wrangler.toml, or with " +
			"CLOUDFLARE_ACCOUNT_ID:\n  a1  A\n  b2  B"},
		"no wrangler": {change: func(o *Options) { o.Wrangler = "no-such-wrangler" },
			want: "wrangler is not installed"},
		"secrets can't be": {set: func(c *cloud) {
			c.before = on("secret list", outcome{Stderr: "Authentication error [code: 10000]", Code: 1})
		}, want: "asking for the worker's secrets failed (exit status 1); wrangler " +
			"says:\nAuthentication error"},
		"deploy fails": {set: func(c *cloud) {
			c.before = on("deploy", outcome{Stderr: "too large",
				Code: 1})
		}, want: "wrangler deploy failed (exit status 1); above it says why"},
		"no URL": {file: "name = \"edgelingua\"\n[vars]\nUPSTREAM_PROTOCOL = \"chat\"\n",
			want: "UPSTREAM_URL is not set"},
		"a wrong boolean": {file: wranglerTOML + "ALLOW_HTTP_UPSTREAM = \"yes\"\n",
			want: "wrangler.toml: This deployment is not set up: ALLOW_HTTP_UPSTREAM must be true or false"},
		"a secret as var": {file: wranglerTOML + "UPSTREAM_KEY = \"sk-1\"\n",
			want: "wrangler.toml: UPSTREAM_KEY is a secret, and is in vars"},
		"no package": {file: strings.Replace(wranglerTOML, "build/",
			"node_modules/edgelingua/worker/", 1),
			want: "wrangler.toml: its main is node_modules/edgelingua/worker/worker.mjs, which is not " +
				"installed; run `npm install` in its folder"},
		"no name": {file: strings.Replace(wranglerTOML, "name =", "title =", 1),
			want: "wrangler.toml has no name"},
		"own migrations": {file: wranglerTOML +
			"[[migrations]]\ntag = \"v1\"\nnew_sqlite_classes = [\"Mine\"]\n",
			change: func(o *Options) { o.Personal = true },
			want:   "has migrations of its own; add one to them"},
		"lists in one line": {file: "kv_namespaces = [{binding = \"MINE\", id = \"1\"}]\n" + wranglerTOML,
			change: func(o *Options) { o.Personal = true }, want: "can't be added to"},
		"a short admin key": {env: "ADMIN_KEY=tiny-key",
			want: "ADMIN_KEY in the environment is shorter than 16 characters"},
		"no key to seal": {env: "SEAL_KEY=not-32-bytes",
			want: "SEAL_KEY in the environment is not 32 bytes in base64"},
		"a placeholder": {env: "UPSTREAM_KEY=sk-ant-...",
			want: "UPSTREAM_KEY in the environment is a placeholder from the documents; put your own key"},
		"a key with a space": {env: "CLIENT_KEY=a-client-key ",
			want: "CLIENT_KEY in the environment has a space"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.file == "" {
				test.file = wranglerTOML
			}
			project(t, test.file)
			c := newCloud(t)
			if test.set != nil {
				test.set(c)
			}
			s := c.deploy(context.Background(), typed(), func(o *Options) {
				if test.env != "" {
					o.Env = append(o.Env, test.env)
				}
				if test.change != nil {
					test.change(o)
				}
			})
			require.Error(t, s.err)
			assert.Contains(t, s.err.Error(), test.want)
			assert.False(t, c.exists)
			assert.Empty(t, c.secrets)
			if _, secret, found := strings.Cut(test.env, "="); found {
				assert.NotContains(t, s.err.Error(), secret)
			}
		})
	}
	t.Chdir(t.TempDir())
	assert.ErrorContains(t, newCloud(t).deploy(context.Background(), nil, nil).err,
		"there is no wrangler.toml in this folder; begin with a copy of the folder template of a release")
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Empty(t, entries, "what to begin with is said, not written")
}

// TestNobody runs deploy without a terminal: nothing is asked, no key for a person is generated,
// and the log has no secret.
func TestNobody(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), nil, func(o *Options) { o.Personal, o.Model = true, "demo" })
	require.NoError(t, s.err, s.out)
	assert.Equal(t, []string{sealKey}, names(c.secrets))
	for _, name := range []string{clientKey, upstreamKey, adminKey} {
		assert.Contains(t, s.out, name+" is not set. npx wrangler secret put "+name+" sets it (")
	}
	assert.Contains(t, s.out, "is not checked: CLIENT_KEY is not known here")
	assert.NotContains(t, s.out, c.secrets[sealKey])

	given := map[string]string{clientKey: "a-client-key-of-the-tests", upstreamKey: upstreamSecret,
		adminKey: "an-admin-key-of-the-tests"}
	s = c.deploy(context.Background(), nil, func(o *Options) {
		o.Model, o.Yes = "demo", true
		for name, value := range given {
			o.Env = append(o.Env, name+"="+value)
		}
	})
	require.NoError(t, s.err, s.out)
	assert.Len(t, c.secrets, 4)
	for name, value := range given {
		assert.Equal(t, value, c.secrets[name])
		assert.NotContains(t, s.out, value)
	}
	s.keepsSecrets(t, c.secrets)
	assert.Contains(t, s.out, "all is well\n")
	assert.Contains(t, s.out, "there is none yet; docs/endpoints.md says how one is made")

	s = c.deploy(context.Background(), nil, func(o *Options) {
		o.Model, o.Env = "demo", append(o.Env,
			"CLIENT_KEY="+given[clientKey])
	})
	require.NoError(t, s.err, s.out)
	assert.Contains(t, s.out,
		"is not checked: there is nobody to ask whether tokens may be spent; say so with --yes")
}

func TestForward(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML+"AUTH = \"forward\"\n")
	c := newCloud(t)
	s := c.deploy(context.Background(), typed(), nil)
	require.NoError(t, s.err, s.out)
	assert.Equal(t, []string{"whoami", "secret list", "deploy"}, s.steps(), "clients bring the keys")
	assert.Contains(t, s.out, "ANTHROPIC_API_KEY=<your key at the upstream> claude\n")
}

// TestSlow deploys to an address that answers late and accepts its keys later.
func TestSlow(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	requests := 0
	c.serve = func(w http.ResponseWriter, r *http.Request) bool {
		requests++
		switch {
		case requests < 4:
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodPost && requests < 8:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			return false
		}
		return true
	}
	s := c.deploy(context.Background(), typed(upstreamSecret, ""), nil)
	require.NoError(t, s.err, s.out)
	assert.Equal(t, 5, s.waits)

	c.serve = func(w http.ResponseWriter,
		r *http.Request) bool {
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	s = c.deploy(context.Background(), typed(""), nil)
	assert.ErrorContains(t, s.err, c.edge.URL+" is no edgelingua (GET / answered 404")
	assert.Equal(t, tries-1, s.waits)
}

// TestKeysAreShownAnyway: a run that fails after setting the secrets still shows the keys, since
// nobody can read them back.
func TestKeysAreShownAnyway(t *testing.T) {
	project(t, wranglerTOML)
	c := newCloud(t)
	c.serve = func(w http.ResponseWriter,
		r *http.Request) bool {
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	s := c.deploy(context.Background(), typed(upstreamSecret), nil)
	require.Error(t, s.err)
	assert.Contains(t, s.out, "  CLIENT_KEY  "+c.secrets[clientKey]+"\n")
	assert.NotContains(t, s.out, "not known whether")

	c = newCloud(t)
	var sent string
	c.before = func(r run) *outcome {
		if !slices.Contains(r.Args, "bulk") {
			return nil
		}
		sent = r.Stdin
		return &outcome{Stderr: "🚨 Secrets failed to upload\n" + r.Stdin, Code: 1}
	}
	s = c.deploy(context.Background(), typed(upstreamSecret), nil)
	assert.ErrorContains(t, s.err,
		"setting the secrets failed (exit status 1); wrangler says:\n🚨 Secrets failed to upload")
	assert.NotContains(t, s.err.Error(), upstreamSecret)
	assert.Contains(t, s.out, "not known whether they were set")
	assert.Contains(t, sent, s.secrets.known[clientKey])
	assert.Contains(t, s.out, "  CLIENT_KEY  "+s.secrets.known[clientKey]+"\n")
}

func TestAdminRefuses(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	c.serve = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/admin/") {
			return false
		}
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusInternalServerError)
		io.WriteString(w, `{"error":{"message":"KV is over its limit, behind `+
			strings.ReplaceAll(string(body), `"`, "'")+`"}}`)
		return true
	}
	s := c.deploy(context.Background(), typed(upstreamSecret, "anna"), func(o *Options) { o.Personal = true })
	assert.ErrorContains(t, s.err, "the worker is deployed, but its Admin API refuses: KV is over its limit")
	assert.NotContains(t, s.err.Error(), upstreamSecret)
	assert.Equal(t, 1, strings.Count(s.out, "Name of your endpoint"), "another name would not help")
	assert.Contains(t, s.out, "  ADMIN_KEY  "+c.secrets[adminKey]+"\n")

	// A later run finds the endpoint missing and must be given the upstream's key again, since the
	// worker's can't be read back.
	c.serve = nil
	admin := "ADMIN_KEY=" + c.secrets[adminKey]
	s = c.deploy(context.Background(), typed(upstreamSecret, "anna"),
		func(o *Options) { o.Env = append(o.Env, admin) })
	require.NoError(t, s.err, s.out)
	assert.Regexp(t, `the key of anna  el_anna_`, s.out)

	// Without SEAL_KEY, sealed keys can't be opened any more.
	delete(c.secrets, sealKey)
	s = c.deploy(context.Background(), typed(), func(o *Options) { o.Env = append(o.Env, admin) })
	require.NoError(t, s.err, s.out)
	assert.Contains(t, s.out, "there are some already: 1\n    SEAL_KEY is new: ")
}

// TestInterrupted interrupts a run at each step. The only new file is the generated one.
func TestInterrupted(t *testing.T) {
	for _, at := range []string{"whoami", "secret list", "kv namespace list", "deploy", "secret bulk"} {
		project(t, wranglerTOML)
		t.Setenv("TMPDIR", t.TempDir())
		c := newCloud(t)
		ctx, stop := context.WithCancel(context.Background())
		c.before = func(r run) *outcome {
			if strings.HasPrefix(strings.Join(r.Args, " "), at) {
				stop()
				return &outcome{Code: 130}
			}
			return nil
		}
		s := c.deploy(ctx, typed(upstreamSecret), func(o *Options) { o.Personal = true })
		assert.ErrorIs(t, s.err, errInterrupted, at)
		for _, folder := range []string{".", os.TempDir()} {
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			for _, e := range entries {
				assert.Contains(t, []string{"wrangler.toml", Generated}, e.Name(), at)
			}
		}
	}
}

// TestQuestionInterrupted interrupts a run while a person is asked.
func TestQuestionInterrupted(t *testing.T) {
	project(t, wranglerTOML)
	c := newCloud(t)
	silent, w := io.Pipe()
	defer w.Close()
	ctx, stop := context.WithCancel(context.Background())
	var shown strings.Builder
	s := c.deploy(ctx, nil, func(o *Options) {
		o.Terminal = &Terminal{In: silent, Out: writerFunc(func(p []byte) { shown.Write(p); stop() })}
	})
	assert.ErrorIs(t, s.err, errInterrupted)
	assert.NotContains(t, shown.String(), "Keep these", "no key was set")
	assert.Empty(t, c.secrets)
}

type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

func TestDryRun(t *testing.T) {
	project(t, wranglerTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), nil, func(o *Options) {
		o.DryRun, o.Personal, o.Env = true, true, append(o.Env, "CLIENT_KEY=a-secret-of-the-tests")
	})
	require.NoError(t, s.err, s.out)
	assert.Equal(t, []string{"deploy"}, s.steps())
	assert.Contains(t, s.runs[0].Args, "--dry-run")
	assert.Contains(t, s.out, wranglerTOML+"\n[[kv_namespaces]]\nbinding = \"ENDPOINTS\"\n")
	assert.Contains(t, s.out,
		"would set what is missing of these secrets: ADMIN_KEY, CLIENT_KEY, SEAL_KEY, UPSTREAM_KEY\n")
	assert.NotContains(t, s.out, "a-secret-of-the-tests")
	assert.False(t, c.exists)
}

// TestSmokeRunsTwice deploys a version that spreads slowly, and one that never works.
func TestSmokeRunsTwice(t *testing.T) {
	builttest.Path(t)
	for name, broken := range map[string]int{"once": 1, "always": 1 << 20} {
		project(t, wranglerTOML)
		c := newCloud(t)
		calls := 0
		c.serve = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodGet || r.URL.Path == "/" {
				return false
			}
			calls++ // only the smoke asks so, once for each path
			if calls <= broken {
				w.WriteHeader(http.StatusBadGateway)
			}
			return calls <= broken
		}
		s := c.deploy(context.Background(), typed(upstreamSecret, "demo", "yes"), nil)
		assert.Equal(t, 1, s.waits, name)
		assert.Equal(t, 8, calls, name)
		if name == "once" {
			require.NoError(t, s.err, s.out)
			assert.Equal(t, 1, strings.Count(s.out, " checks in "))
			assert.Contains(t, s.out, "all is well\n")
			continue
		}
		assert.ErrorContains(t, s.err, "the worker is deployed, but not all is well; the table says what")
		assert.Contains(t, s.out, "expected: status 405")
		assert.Contains(t, s.out, "  CLIENT_KEY  "+c.secrets[clientKey])
	}
	project(t, wranglerTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), typed(upstreamSecret, "demo", "no"), nil)
	require.NoError(t, s.err)
	assert.Contains(t, s.out, "Go on? [y/N] ")
	assert.NotContains(t, s.out, " checks in ")
}

// TestOwnBindings: a user's own file has the bindings of personal endpoints. The generated file has
// each binding once, and no flag is needed.
func TestOwnBindings(t *testing.T) {
	builttest.Path(t)
	for _, own := range []string{
		"\n[[kv_namespaces]]\nbinding = \"ENDPOINTS\"\nid = \"mine\"\n",
		"\n[[durable_objects.bindings]]\nname = \"ENDPOINT_STATE\"\nclass_name = \"EndpointState\"\n",
		"\n[[migrations]]\ntag = \"mine\"\nnew_sqlite_classes = [\"EndpointState\"]\n",
	} {
		project(t, wranglerTOML+own)
		c := newCloud(t)
		s := c.deploy(context.Background(), typed("", "anna", ""),
			func(o *Options) { o.Personal = !strings.Contains(own, kvBinding) })
		require.NoError(t, s.err, s.out)
		assert.Contains(t, c.config, own)
		assert.Equal(t, 1, strings.Count(c.config, "[[kv_namespaces]]"))
		assert.Equal(t, 1, strings.Count(c.config, "[[durable_objects.bindings]]"))
		assert.Equal(t, 1, strings.Count(c.config, "[[migrations]]"))
		assert.Contains(t, s.out, "the key of anna  el_anna_")
	}
}

func TestNamespaceOfAnEarlierRun(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	c.namespaces["edgelingua-endpoints"] = "kv7"
	s := c.deploy(context.Background(), typed("", "anna", ""), func(o *Options) { o.Personal = true })
	require.NoError(t, s.err, s.out)
	assert.Contains(t, c.config, "binding = \"ENDPOINTS\"\nid = \"kv7\"\n")
}

func TestAddress(t *testing.T) {
	for want, targets := range map[string][]string{
		"https://edgelingua.anna.workers.dev": {"schedule: 1 * * * *", "https://edgelingua.anna.workers.dev",
			"llm.example.com (custom domain)"},
		"https://llm.example.com": {"example.com/v1/*",
			"llm.example.com (custom domain - zone name: example.com)"},
		"": {"example.com/v1/* (zone name: example.com)"},
	} {
		assert.Equal(t, want, addressOf(targets))
	}
	project(t, wranglerTOML)
	c := newCloud(t)
	c.before = on("deploy", outcome{Report: `{"type":"deploy","targets":["example.com/v1/*"]}` + "\n"})
	c.exists = true
	s := c.deploy(context.Background(), typed(""), nil)
	require.NoError(t, s.err)
	assert.Contains(t, s.out, "the worker has no address of its own")
	assert.Contains(t, s.out, "  CLIENT_KEY  "+c.secrets[clientKey])
}

func TestEnvironment(t *testing.T) {
	project(t, wranglerTOML+
		"\n[env.\"two words\".vars]\nUPSTREAM_PROTOCOL = \"anthropic\"\nUPSTREAM_URL = "+
		"\"https://api.anthropic.com\"\n")
	path, err := Prepare("wrangler.toml", "two words")
	require.NoError(t, err)
	assert.Equal(t, Generated, path)
	c, err := readConfig(path, "two words")
	require.NoError(t, err)
	assert.True(t, c.bindsKV() && c.bindsObjects())
	assert.Equal(t, "anthropic", c.vars["UPSTREAM_PROTOCOL"])
	assert.Equal(t, "edgelingua-two words", c.worker)
	top, err := readConfig(path, "")
	require.NoError(t, err)
	assert.False(t, top.bindsKV() || top.bindsObjects())
}

func TestEndpointOf(t *testing.T) {
	e, err := endpointOf("anna", map[string]string{
		"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "https://u.example/v1", "MODELS": `{"b":"2","a":"1"}`,
		"OPTIONS": `{"strict":"off"}`, "HEAD_WAIT": "5", "AUTH": "forward",
	}, "")
	require.NoError(t, err)
	text, err := json.Marshal(e)
	require.NoError(t, err)
	assert.Equal(t,
		`{"auth":"forward","head_wait":5,"name":"anna","options":{"strict":"off"},`+
			`"upstreams":[{"models":{"b":"2","a":"1"},"name":"main","protocol":"chat",`+
			`"url":"https://u.example/v1"}]}`, string(text))
	for login, want := range map[string]string{"Anna": "anna", "anna.b@c": "anna-b-c", "--": "me", "": "me",
		strings.Repeat("a", 60): strings.Repeat("a", 40), "Éva": "va"} {
		assert.Equal(t, want, goodName(login))
	}
}

func TestTerminalLeavesTheRest(t *testing.T) {
	in := strings.NewReader(" one \ntwo")
	var out bytes.Buffer
	terminal := &Terminal{In: in, Out: &out}
	answer, err := terminal.AskHidden(context.Background(), "Q? ")
	require.NoError(t, err)
	assert.Equal(t, "one", answer)
	rest, _ := io.ReadAll(in)
	assert.Equal(t, "two", string(rest), "wrangler reads on where this stopped")
	assert.Equal(t, "Q? \n", out.String())
}
