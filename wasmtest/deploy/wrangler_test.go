package deploy

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// api is the part of Cloudflare's API that the pinned wrangler uses in these tests. A cloud runs
// the uploads.
type api struct {
	t    *testing.T
	c    *cloud
	home string // wrangler's

	mu       sync.Mutex
	metadata struct {
		Main       string `json:"main_module"`
		Observed   any    `json:"observability"`
		Migrations any    `json:"migrations"`
		Bindings   []struct {
			Type, Name, Text string
			Namespace        string `json:"namespace_id"`
		} `json:"bindings"`
	}
	modules []string // the modules' names in the last upload
}

const script = "/accounts/a1/workers/scripts/edgelingua"

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if provision(w, r) {
		return
	}
	status, result := http.StatusOK, any(map[string]any{})
	missing := func(code int) {
		status, result = http.StatusNotFound, code
	}
	path := strings.TrimPrefix(r.URL.Path, "/client/v4")
	switch r.Method + " " + path {
	case "GET /user/tokens/verify", "PATCH " + script + "/script-settings", "POST " + script + "/deployments":
	case "GET /user":
		result = map[string]any{"email": "anna@example.com"}
	case "GET /accounts", "GET /memberships":
		result = []any{map[string]any{"id": "a1", "name": "Anna's Account",
			"account": map[string]any{"id": "a1", "name": "Anna's Account"}}}
	case "GET " + script + "/secrets":
		list := []any{}
		for name := range a.c.secrets {
			list = append(list, map[string]any{"name": name, "type": "secret_text"})
		}
		if result = list; !a.c.exists {
			missing(10007)
		}
	case "PATCH " + script + "/secrets-bulk":
		var body struct {
			Secrets map[string]struct{ Text string }
		}
		json.NewDecoder(r.Body).Decode(&body)
		for name, s := range body.Secrets {
			a.c.secrets[name] = s.Text
		}
		a.c.module = nil
	case "GET /accounts/a1/storage/kv/namespaces":
		list := []any{}
		for title, id := range a.c.namespaces {
			list = append(list, map[string]any{"id": id, "title": title})
		}
		result = list
	case "POST /accounts/a1/storage/kv/namespaces":
		var body struct{ Title string }
		json.NewDecoder(r.Body).Decode(&body)
		a.c.namespaces[body.Title] = "kv1"
		result = map[string]any{"id": "kv1", "title": body.Title}
	case "GET " + script + "/deployments":
		result = map[string]any{"deployments": []any{}}
		if !a.c.exists {
			missing(10007)
		}
	case "GET /accounts/a1/workers/services/edgelingua":
		result = map[string]any{"default_environment": map[string]any{"environment": "production",
			"script": map[string]any{"tag": "t", "last_deployed_from": "wrangler",
				"migration_tag": a.migrated()}}}
		if !a.c.exists {
			missing(10090)
		}
	case "GET /accounts/a1/workers/scripts":
		result = []any{}
		if a.c.exists {
			result = []any{map[string]any{"id": "edgelingua", "migration_tag": a.migrated()}}
		}
	case "GET " + script + "/settings":
		result = map[string]any{"bindings": a.metadata.Bindings}
		if !a.c.exists {
			missing(10007)
		}
	case "PUT " + script, "POST " + script + "/versions":
		a.upload(r)
		id := "00000000-0000-4000-8000-000000000001"
		result = map[string]any{"id": id, "deployment_id": strings.ReplaceAll(id, "-", ""),
			"startup_time_ms": 1, "resources": map[string]any{"script": map[string]any{"etag": "e"}}}
	case "GET /accounts/a1/workers/workers/edgelingua", "POST " + script + "/subdomain":
		result = map[string]any{"enabled": true, "previews_enabled": false,
			"subdomain": map[string]any{"enabled": true, "previews_enabled": false}}
	case "GET /accounts/a1/workers/subdomain":
		result = map[string]any{"subdomain": "anna"}
	default:
		a.t.Errorf("wrangler asks for what is not here: %s %s", r.Method, path)
		missing(7003)
	}
	answer := map[string]any{"success": true, "errors": []any{}, "messages": []any{}, "result": result}
	if status != http.StatusOK {
		answer = map[string]any{"success": false, "errors": []any{map[string]any{"code": result,
			"message": "not found"}}, "messages": []any{}, "result": nil}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer)
}

// migrated returns the tag of the last uploaded migration.
func (a *api) migrated() any {
	m, _ := a.metadata.Migrations.(map[string]any)
	return m["new_tag"]
}

// upload takes the upload of a worker.
func (a *api) upload(r *http.Request) {
	reader, err := r.MultipartReader()
	if err != nil {
		a.t.Error(err)
		return
	}
	a.modules = nil
	migrations := a.metadata.Migrations
	var part *multipart.Part
	for part, err = reader.NextPart(); err == nil; part, err = reader.NextPart() {
		if part.FormName() == "metadata" {
			a.metadata.Bindings, a.metadata.Migrations = nil, nil
			assert.NoError(a.t, json.NewDecoder(part).Decode(&a.metadata))
			continue
		}
		a.modules = append(a.modules, part.FormName())
		io.Copy(io.Discard, part)
	}
	if a.metadata.Migrations == nil {
		a.metadata.Migrations = migrations
	}
	text := "name = \"edgelingua\"\n"
	for _, b := range a.metadata.Bindings {
		if b.Type == "kv_namespace" {
			text += "[[kv_namespaces]]\nbinding = \"" + b.Name + "\"\n"
		}
	}
	text += "[vars]\n"
	for _, b := range a.metadata.Bindings {
		switch b.Type {
		case "plain_text":
			text += b.Name + " = \"" + b.Text + "\"\n"
		case "secret_text":
			a.c.secrets[b.Name] = b.Text
		}
	}
	a.c.exists, a.c.config, a.c.module = true, text, nil
}

// withWrangler changes to a project with the built worker. It returns a double of Cloudflare's API,
// and options that connect the pinned wrangler to the double.
func withWrangler(t *testing.T) (*api, func(o *Options)) {
	t.Helper()
	bin, err := filepath.Abs("../../e2e/node_modules/.bin")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(bin, "wrangler")); err != nil {
		t.Skip("wrangler is not installed; ./build.sh test installs it")
	}
	project(t, wranglerTOML+"[observability]\nenabled = true\n")
	built := filepath.Dir(module)
	require.NoError(t, os.Mkdir("build", 0o700))
	files, err := filepath.Glob(filepath.Join(built, "*.mjs"))
	require.NoError(t, err)
	for _, path := range append(files, module) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("build", filepath.Base(path)), text, 0o600))
	}
	require.NoError(t, os.CopyFS(filepath.Join("build", "page"), os.DirFS(filepath.Join(built, "page"))))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	c := newCloud(t)
	cloudflare := &api{t: t, c: c}
	server := httptest.NewServer(cloudflare)
	t.Cleanup(server.Close)
	cloudflare.home = t.TempDir()
	c.reach = func(url string) string {
		assert.Equal(t, "https://edgelingua.anna.workers.dev", url)
		return c.edge.URL
	}
	return cloudflare, func(o *Options) {
		o.Wrangler = "wrangler"
		o.Env = append(o.Env, "HOME="+cloudflare.home, "XDG_CONFIG_HOME="+cloudflare.home,
			"CLOUDFLARE_API_BASE_URL="+server.URL+"/client/v4", "CLOUDFLARE_API_TOKEN=a-token",
			"WRANGLER_SEND_METRICS=false", "CLOUDFLARE_CF_FETCH_ENABLED=false", "WRANGLER_HIDE_BANNER=true")
	}
}

// TestWithWrangler deploys twice with the pinned wrangler itself, to an API of the test's own.
func TestWithWrangler(t *testing.T) {
	cloudflare, real := withWrangler(t)
	c, home := cloudflare.c, cloudflare.home
	s := c.deploy(context.Background(), typed(upstreamSecret, "anna", "demo", "y"),
		func(o *Options) { real(o); o.Personal = true })
	require.NoError(t, s.err, s.out)
	assert.Contains(t, s.out, "nothing yet: edgelingua will be new, with personal endpoints")
	assert.Contains(t, s.out, "all is well\n")
	assert.Contains(t, s.out,
		"ANTHROPIC_BASE_URL=https://edgelingua.anna.workers.dev/u/anna ANTHROPIC_AUTH_TOKEN=el_anna_")
	assert.Len(t, c.secrets, 4)
	assert.Equal(t, map[string]string{"edgelingua-endpoints": "kv1"}, c.namespaces)
	assert.Equal(t, "v1", cloudflare.migrated())
	assert.Equal(t, map[string]any{"enabled": true, "logs": map[string]any{"invocation_logs": false}},
		cloudflare.metadata.Observed)
	assert.Contains(t, strings.Join(cloudflare.modules, " "), "app.wasm")
	secrets := maps.Clone(c.secrets)

	s = c.deploy(context.Background(), typed(), real)
	require.NoError(t, s.err, s.out)
	assert.Contains(t, s.out, "its secrets stay as they are: ADMIN_KEY, CLIENT_KEY, SEAL_KEY, UPSTREAM_KEY\n")
	assert.Equal(t, secrets, c.secrets)
	types := map[string]string{}
	for _, b := range cloudflare.metadata.Bindings {
		types[b.Name] = b.Type
	}
	assert.Equal(t, "durable_object_namespace", types[objectBinding])
	assert.Contains(t, []string{"kv_namespace", "inherit"}, types[kvBinding])

	for _, folder := range []string{".", home} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for name, secret := range secrets {
				assert.False(t, strings.Contains(string(text), secret), "%s is in %s", name, path)
			}
			return err
		}))
	}
	text, err := os.ReadFile("wrangler.toml")
	require.NoError(t, err)
	assert.Equal(t, wranglerTOML+"[observability]\nenabled = true\n", string(text))
}
