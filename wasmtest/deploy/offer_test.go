package deploy

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

const firstTOML = "# mine\nname = \"edgelingua\"\nmain = \"build/worker.mjs\"\ncompatibility_date = " +
	"\"2026-10-01\"\n\n[vars]\n" + firstUpstream

// TestOfferCloudflare: without a key, the person is asked whether to use Cloudflare's own models,
// and wrangler.toml names them then. Only the generated file has the binding.
func TestOfferCloudflare(t *testing.T) {
	builttest.Path(t)
	project(t, firstTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), typed("", ""), nil)
	assert.Contains(t, s.out, "No UPSTREAM_KEY is given. Ask Cloudflare's own models, which need no key")
	text, err := os.ReadFile("wrangler.toml")
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(firstTOML, firstUpstream, ownUpstream, 1), string(text))
	assert.NotContains(t, string(text), "[ai]")
	made, err := os.ReadFile(Generated)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(made), string(text)+"\n[ai]\nbinding = \"AI\"\n"), string(made))
	assert.NotContains(t, s.out, "UPSTREAM_KEY, hidden")
	assert.NotContains(t, c.secrets, upstreamKey)
	assert.Contains(t, c.secrets, clientKey)
}

func TestOfferRefused(t *testing.T) {
	builttest.Path(t)
	project(t, firstTOML)
	c := newCloud(t)
	s := c.deploy(context.Background(), typed("n", "a-key-of-a-vendor", ""), nil)
	text, err := os.ReadFile("wrangler.toml")
	require.NoError(t, err)
	assert.Equal(t, firstTOML, string(text))
	assert.Contains(t, s.out, "UPSTREAM_KEY, hidden")
	assert.Equal(t, "a-key-of-a-vendor", c.secrets[upstreamKey])
	assert.NoFileExists(t, Generated)
}

// TestNoOffer: there is no question if a key is given, the file names another upstream, or no
// person can answer.
func TestNoOffer(t *testing.T) {
	builttest.Path(t)
	for name, test := range map[string]struct {
		text    string
		env     string
		answers *string
	}{
		"a key": {text: firstTOML, env: "UPSTREAM_KEY=a-key-of-a-vendor", answers: typed("")},
		"another upstream": {text: strings.Replace(firstTOML, "openai.com", "example.com", 1),
			answers: typed("", "")},
		"nobody": {text: firstTOML},
	} {
		t.Run(name, func(t *testing.T) {
			project(t, test.text)
			s := newCloud(t).deploy(context.Background(), test.answers,
				func(o *Options) { o.Env = append(o.Env, test.env) })
			assert.NotContains(t, s.out, "Cloudflare's own models")
			text, err := os.ReadFile("wrangler.toml")
			require.NoError(t, err)
			assert.Equal(t, test.text, string(text))
		})
	}
}

func TestBindAI(t *testing.T) {
	own := strings.Replace(firstTOML, firstUpstream, ownUpstream, 1)
	for name, test := range map[string]struct{ text, environment, want string }{
		"at the top": {text: own, want: "\n[ai]\nbinding = \"AI\"\n"},
		"an environment": {text: firstTOML + "[env.x.vars]\n" + ownUpstream, environment: "x",
			want: "\n[env.x.ai]\nbinding = \"AI\"\n"},
		"bound already": {text: own + "[ai]\nbinding = \"AI\"\n"},
		"another":       {text: firstTOML},
	} {
		t.Run(name, func(t *testing.T) {
			project(t, test.text)
			c, err := readConfig("wrangler.toml", test.environment)
			require.NoError(t, err)
			text, err := c.generated(false, "")
			require.NoError(t, err)
			assert.Equal(t, madeOfTOML+test.text+test.want, text)
			require.NoError(t, c.check())
		})
	}
	project(t, own+"CLOUDFLARE_API_TOKEN = \"token\"\n")
	c, err := readConfig("wrangler.toml", "")
	require.NoError(t, err)
	require.Error(t, c.check())
}

// madeOfTOML is the first line of a file generated from wrangler.toml.
const madeOfTOML = "# Made by edgelingua deploy from wrangler.toml, which is the one to change.\n"

// TestFirstUpstream: the shipped files have the upstream that the offer replaces. Its protocol is
// responses: with chat, OpenAI's models from GPT-5.4 on call tools only without reasoning.
func TestFirstUpstream(t *testing.T) {
	for _, name := range []string{"wrangler.toml", "release/template/wrangler.toml"} {
		text, err := os.ReadFile("../../" + name)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(text), firstUpstream), name)
	}
	assert.Contains(t, firstUpstream, `"responses"`)
}
