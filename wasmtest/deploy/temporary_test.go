package deploy

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

func temporary(o *Options) { o.Temporary = true }

// TestTemporary: the secrets go with the code in one command, and all commands use the temporary account.
func TestTemporary(t *testing.T) {
	builttest.Path(t)
	project(t, wranglerTOML)
	c := newCloud(t)
	c.whoami = ""
	s := c.deploy(context.Background(), typed("yes", upstreamSecret, "demo", "y"), temporary)
	require.NoError(t, s.err, s.out)
	assert.Equal(t, []string{"whoami", "secret list", "deploy"}, s.steps())
	for _, r := range s.runs[1:] {
		assert.Contains(t, r.Args, "--temporary")
	}
	assert.Len(t, c.secrets, 2)
	assert.Equal(t, upstreamSecret, c.secrets[upstreamKey])
	s.keepsSecrets(t, c.secrets)
	for _, want := range []string{"Terms of Service (https://www.cloudflare.com/terms/)",
		"keep that secret, since whoever opens it owns the account", "all is well\n",
		"  CLIENT_KEY  " + c.secrets[clientKey] + "\n", "are deleted after the time that wrangler names " +
			"above"} {
		assert.Contains(t, s.out, want)
	}
	assert.NotContains(t, s.out, upstreamSecret)

	// within the hour: new code, and the secrets stay
	secrets := c.secrets[clientKey]
	s = c.deploy(context.Background(), typed("yes"), temporary)
	require.NoError(t, s.err, s.out)
	assert.Equal(t, secrets, c.secrets[clientKey])
	assert.NotContains(t, strings.Join(s.runs[2].Args, " "), "--secrets-file")
}

// TestTemporaryIsOffered: people who are not logged in read of --temporary, for the single-user
// worker.
func TestTemporaryIsOffered(t *testing.T) {
	project(t, wranglerTOML)
	c := newCloud(t)
	c.whoami = ""
	assert.ErrorContains(t, c.deploy(context.Background(), typed(), nil).err,
		"Then run this again. Or try it without an account: run this again with --temporary")
	personal := c.deploy(context.Background(), typed(), func(o *Options) { o.Personal = true })
	assert.ErrorContains(t, personal.err, "nobody is logged in to Cloudflare. Run `")
	assert.NotContains(t, personal.err.Error(), "--temporary")
}

func TestTemporaryRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		answers  *string
		change   func(c *cloud, o *Options)
		loggedIn bool
		want     string
	}{
		"personal endpoints": {answers: typed(), change: func(_ *cloud, o *Options) { o.Personal = true },
			want: "--temporary deploys the worker for yourself only"},
		"nobody there": {want: "--temporary needs a terminal: it shows a claim URL and a key"},
		"somebody logged in": {answers: typed(), loggedIn: true,
			want: "Anna's Account is logged in to Cloudflare, and --temporary is for people without an " +
				"account. Leave it out, or run `npx wrangler logout` first"},
		"terms not accepted": {answers: typed("y"),
			want: "without Cloudflare's terms there is no temporary account; nothing was deployed"},
	} {
		t.Run(name, func(t *testing.T) {
			project(t, wranglerTOML)
			c := newCloud(t)
			if !test.loggedIn {
				c.whoami = ""
			}
			s := c.deploy(context.Background(), test.answers, func(o *Options) {
				temporary(o)
				if test.change != nil {
					test.change(c, o)
				}
			})
			assert.ErrorContains(t, s.err, test.want)
			assert.LessOrEqual(t, len(s.runs), 1)
			assert.False(t, c.exists)
		})
	}
}

func TestTemporaryDryRun(t *testing.T) {
	project(t, wranglerTOML)
	c := newCloud(t)
	c.whoami = ""
	s := c.deploy(context.Background(), nil, func(o *Options) { temporary(o); o.DryRun = true })
	require.NoError(t, s.err)
	assert.Contains(t, s.out, "would make a temporary account, if nobody is logged in")
	assert.Equal(t, []string{"deploy"}, s.steps())
}

// TestTemporaryWithWrangler deploys with the pinned wrangler itself, without a login.
func TestTemporaryWithWrangler(t *testing.T) {
	cloudflare, real := withWrangler(t)
	s := cloudflare.c.deploy(context.Background(), typed("yes", upstreamSecret, "demo", "y"),
		func(o *Options) { real(o); temporary(o); o.Env = append(o.Env, "CLOUDFLARE_API_TOKEN=") })
	require.NoError(t, s.err, s.out)
	assert.Contains(t, s.out, "Claim URL: https://claim.example/secret")
	assert.Contains(t, s.out, "all is well\n")
	assert.Len(t, cloudflare.c.secrets, 2)
	assert.Equal(t, upstreamSecret, cloudflare.c.secrets[upstreamKey])
	for _, folder := range []string{".", os.TempDir()} {
		files, _ := filepath.Glob(filepath.Join(folder, "edgelingua-*"))
		for _, path := range files {
			text, _ := os.ReadFile(path)
			assert.NotContains(t, string(text), upstreamSecret)
		}
	}
}

// provision answers requests for a temporary account.
func provision(w http.ResponseWriter, r *http.Request) bool {
	at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	var result any
	switch r.Method + " " + r.URL.Path {
	case "POST /client/v4/provisioning/previews/challenge":
		result = map[string]any{"challengeToken": "c", "seed": strings.Repeat("A", 43), "k": 1, "g": 1}
	case "POST /client/v4/provisioning/previews":
		result = map[string]any{
			"account": map[string]any{
				"id":        "a1",
				"name":      "Temporary",
				"apiToken":  "a-token",
				"expiresAt": at,
			},
			"claim": map[string]any{"url": "https://claim.example/secret", "expiresAt": at}}
	default:
		return false
	}
	json.NewEncoder(w).Encode(map[string]any{"success": true, "errors": []any{}, "result": result})
	return true
}
