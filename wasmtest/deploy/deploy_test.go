package deploy

import (
	"context"
	"encoding/base64"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

func TestSingleUser(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), typed(upstreamSecret, "demo", "y"), nil)
	require.NoError(t, s.err, s.out)
	assert.Equal(t, []string{"whoami", "secret list", "deploy", "secret bulk"}, s.steps())
	assert.Equal(t, wranglerTOML, c.config, "what is deployed is the user's own file")
	assert.NoFileExists(t, Generated)
	assert.Len(t, c.secrets, 2)
	assert.Regexp(t, `^[0-9a-f]{64}$`, c.secrets[clientKey])
	assert.Equal(t, upstreamSecret, c.secrets[upstreamKey])
	s.keepsSecrets(t, c.secrets)

	assert.Contains(t, s.out, "Anna's Account")
	assert.Contains(t, s.out, "\n44 checks in ")
	assert.Contains(t, s.out, "all is well\n")
	assert.Contains(t, s.out, "  CLIENT_KEY  "+c.secrets[clientKey]+"\n")
	assert.Contains(t, s.out, "  ANTHROPIC_BASE_URL="+c.edge.URL+" ANTHROPIC_AUTH_TOKEN="+
		c.secrets[clientKey]+" claude\n")
	assert.NotContains(t, s.out, upstreamSecret)
	assert.NotContains(t, s.out, sealKey+" lies")
}

// TestAgain runs deploy a second time: the code is uploaded, and nothing else changes.
func TestAgain(t *testing.T) {
	builttest.Path(t)
	for _, personal := range []bool{false, true} {
		project(t, wranglerTOML)
		c := newCloud(t)
		first := c.deploy(context.Background(), typed(upstreamSecret, "anna", ""),
			func(o *Options) { o.Personal = personal })
		require.NoError(t, first.err, first.out)
		secrets, config := c.secrets, c.config
		c.secrets = map[string]string{}
		for name, value := range secrets {
			c.secrets[name] = value
		}
		os.Remove(Generated) // as in another clone of the project
		second := c.deploy(context.Background(), typed(), nil)
		require.NoError(t, second.err, second.out)
		assert.Equal(t, []string{"whoami", "secret list", "deploy"}, second.steps())
		assert.Equal(t, secrets, c.secrets)
		assert.Equal(t, strings.ReplaceAll(config, "id = \"kv1\"\n", ""), c.config)
		assert.Contains(t, second.out, "edgelingua is there, and gets new code, ")
		assert.Contains(t, second.out, "its secrets stay as they are: ")
		assert.NotContains(t, second.out, "Keep these")
		assert.Equal(t, personal, strings.Contains(second.out, c.edge.URL+"/admin\n"))
		for name, secret := range secrets {
			assert.NotContains(t, second.out, secret, name)
		}
	}
}

func TestPersonal(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), typed(upstreamSecret, "Not a name", "anna", ""),
		func(o *Options) { o.Personal = true })
	require.NoError(t, s.err, s.out)
	assert.Equal(t, []string{"whoami", "secret list", "kv namespace list", "deploy", "secret bulk"},
		s.steps())
	s.keepsSecrets(t, c.secrets)

	text, err := os.ReadFile("wrangler.toml")
	require.NoError(t, err)
	assert.Equal(t, wranglerTOML, string(text))
	var deployed map[string]any
	_, err = toml.Decode(c.config, &deployed)
	require.NoError(t, err)
	assert.Equal(t, []map[string]any{{"binding": "ENDPOINTS"}}, deployed["kv_namespaces"])
	assert.Equal(t, map[string]any{"bindings": []map[string]any{{"name": "ENDPOINT_STATE",
		"class_name": "EndpointState"}}}, deployed["durable_objects"])
	assert.Equal(t, []map[string]any{{"tag": "v1", "new_sqlite_classes": []any{"EndpointState"}}},
		deployed["migrations"])
	assert.Equal(t, "build/worker.mjs", deployed["main"])

	raw, err := base64.StdEncoding.DecodeString(c.secrets[sealKey])
	require.NoError(t, err)
	assert.Len(t, raw, 32)
	assert.NotContains(t, s.out, c.secrets[sealKey])
	assert.Contains(t, s.out, "\nSEAL_KEY lies at Cloudflare alone.")
	assert.Contains(t, s.out, "  ADMIN_KEY  "+c.secrets[adminKey]+"\n")
	assert.Contains(t, s.out, "\nEndpoints are made and changed with ADMIN_KEY at "+c.edge.URL+"/admin\n")
	assert.NotContains(t, s.out, upstreamSecret)

	assert.Contains(t, s.out, "name: ", "the worker says what is wrong with the first name")
	key := regexp.MustCompile(`the key of anna  (el_anna_[A-Za-z0-9]{43})\n`).FindStringSubmatch(s.out)
	require.NotNil(t, key, s.out)
	assert.Contains(t, s.out, "  ANTHROPIC_BASE_URL="+c.edge.URL+"/u/anna ANTHROPIC_AUTH_TOKEN="+key[1]+
		" claude\n")
	assert.Equal(t, 2, strings.Count(s.out, key[1]))

	r, _ := http.NewRequest("POST", c.edge.URL+"/u/anna/v1/messages",
		strings.NewReader(`{"model":"demo","max_tokens":99,"messages":[{"role":"user","content":"Hello"}]}`))
	r.Header.Set("x-api-key", key[1])
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode, "the endpoint has the key of its upstream")
}
