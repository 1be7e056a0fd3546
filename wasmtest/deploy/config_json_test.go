package deploy

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/wrangler"
)

// wranglerJSONC is a user's file, as create-cloudflare makes one.
const wranglerJSONC = `// mine
{
	"name": "edgelingua",
	"main": "build/worker.mjs",
	"compatibility_date": "2026-10-01",
	"kv_namespaces": [{ "binding": "MINE", "id": "1" }],
	"vars": {
		"UPSTREAM_PROTOCOL": "chat", // as OpenAI's
		"UPSTREAM_URL": "http://upstream.example/v1",
		"MODELS": {"z-*": "first", "a": "second"},
	},
}
`

// TestJSONC deploys by a wrangler.jsonc, for one user and with personal endpoints.
func TestJSONC(t *testing.T) {
	builttest.Path(t)
	for _, personal := range []bool{false, true} {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("wrangler.jsonc", []byte(wranglerJSONC), 0o600))
		c := newCloud(t)
		s := c.deploy(context.Background(), typed(upstreamSecret, "anna", ""), func(o *Options) {
			o.Config, o.Personal = "", personal
		})
		require.NoError(t, s.err, s.out)
		text, err := os.ReadFile("wrangler.jsonc")
		require.NoError(t, err)
		assert.Equal(t, wranglerJSONC, string(text))
		if !personal {
			assert.Equal(t, wranglerJSONC, c.config)
			continue
		}
		assert.FileExists(t, GeneratedJSON)
		assert.Contains(
			t,
			c.config,
			"// Made by edgelingua deploy from wrangler.jsonc, which is the one to change.\n{\n",
		)
		var made map[string]any
		require.NoError(t, json.Unmarshal(wrangler.Plain([]byte(c.config)), &made))
		assert.Equal(
			t,
			[]any{map[string]any{"binding": "MINE", "id": "1"}, map[string]any{"binding": "ENDPOINTS"}},
			made["kv_namespaces"],
		)
		assert.Equal(t, map[string]any{"bindings": []any{map[string]any{"name": "ENDPOINT_STATE",
			"class_name": "EndpointState"}}}, made["durable_objects"])
		assert.Equal(t, []any{map[string]any{"tag": "v1", "new_sqlite_classes": []any{"EndpointState"}}},
			made["migrations"])
		assert.Less(
			t,
			strings.Index(c.config, `"z-*"`),
			strings.Index(c.config, `"a"`),
			"the order of MODELS",
		)
		deployed, err := wrangler.Vars(GeneratedJSON, "")
		require.NoError(t, err)
		assert.Equal(t, `{"z-*":"first","a":"second"}`, deployed["MODELS"])
	}
}

// TestGeneratedJSON: environments, Cloudflare's own models and logs, as of a wrangler.toml.
func TestGeneratedJSON(t *testing.T) {
	const (
		head     = `{"name":"w",`
		noURLs   = `"observability":{"enabled":true,"logs":{"invocation_logs":false}}`
		bindings = `"kv_namespaces":[{"binding":"ENDPOINTS"}],"durable_objects":{"bindings":[` +
			`{"name":"ENDPOINT_STATE","class_name":"EndpointState"}]}`
		migrations = `"migrations":[{"tag":"v1","new_sqlite_classes":["EndpointState"]}]`
		full       = `"observability":{"logs":{"enabled":true,"invocation_logs":true}},` +
			`"vars":{"UPSTREAM_URL":"cloudflare:ai"},"kv_namespaces":[{"binding":"ENDPOINTS"}],` +
			`"durable_objects":{"bindings":[{"name":"ENDPOINT_STATE"}]},` +
			`"migrations":[{"new_sqlite_classes":["EndpointState"]}]`
	)
	for name, test := range map[string]struct {
		text, environment string
		want, err         string
	}{
		"an environment": {text: head + `"env":{"x":{"observability":{"enabled":true},"vars":{}}}}`,
			environment: "x",
			want: head + `"env":{"x":{` + noURLs + `,"vars":{},` + bindings + `}},` +
				migrations + `}`},
		"one that inherits the logs": {text: head + `"observability":{"enabled":true},"env":{"x":{}}}`,
			environment: "x", want: head + noURLs + `,"env":{"x":{` + bindings + `}},` + migrations + `}`},
		"logs that are set, all bindings": {text: head + full + `}`,
			want: head + full + `,"ai":{"binding":"AI"}}`},
		"own migrations": {text: head + `"migrations":[{"tag":"v1","new_sqlite_classes":["Mine"]}]}`,
			err: "has migrations of its own; add one to them"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wrangler.json")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			c, err := readConfig(path, test.environment)
			require.NoError(t, err)
			text, err := c.generated(true, "")
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(wrangler.Plain([]byte(text))))
		})
	}
}

// TestPrepareJSON: the file of the current folder is found, and its errors name the file.
func TestPrepareJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Prepare("", "")
	assert.ErrorContains(t, err, "there is no wrangler.toml in this folder")
	require.NoError(t, os.WriteFile("wrangler.json", []byte(`{"main":"x"}`), 0o600))
	_, err = Prepare("", "")
	assert.ErrorContains(t, err, `wrangler.json has no name; write "name": "edgelingua" into it`)
	require.NoError(t, os.WriteFile("wrangler.json", []byte(`{"name":"w"}`), 0o600))
	path, err := Prepare("", "")
	require.NoError(t, err)
	assert.Equal(t, GeneratedJSON, path)
}
