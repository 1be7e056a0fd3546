package cli

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/demo"
)

func TestCheck(t *testing.T) {
	t.Setenv(keyVariable, liveKey)
	t.Setenv("LC_ALL", "C.UTF-8")
	upstream := httptest.NewServer(demo.New(liveKey))
	defer upstream.Close()
	for _, url := range []string{upstream.URL, upstream.URL + "/v1", upstream.URL + "/v1/"} {
		code, stdout, stderr := runs("check", "--yes", url)
		assert.Equal(t, 0, code, stdout+stderr)
		assert.Empty(t, stderr)
		assert.Regexp(t, `(?m)^responses +(✓ [\d.]+ m?s *){4}$`, stdout)
		assert.Regexp(t, `\n34 checks in \d+\.\d s: all is well\n$`, stdout)
		assert.NotContains(t, stdout, liveKey)
	}
	code, stdout, _ := runs("check", "--yes", "--json", upstream.URL)
	assert.Equal(t, 0, code)
	var r struct {
		OK   bool
		APIs []struct {
			Name, URL string
			Served    bool
		}
		Checks []struct {
			Pair, Name string
			NotServed  bool `json:"not_served"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.APIs, 4)
	assert.True(t, r.OK)
	assert.Equal(t, upstream.URL+"/v1/messages", r.APIs[0].URL)
	assert.Equal(t, "count_tokens", r.Checks[1].Name)
	assert.True(t, r.Checks[1].NotServed, "the demo counts no tokens")
}

func TestCheckRefusals(t *testing.T) {
	t.Setenv(keyVariable, "another-key-of-the-tests")
	upstream := httptest.NewServer(demo.New(liveKey))
	defer upstream.Close()
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--yes", upstream.URL}, 1,
			"does not list its models (it answered 401); name one with --model"},
		{[]string{"--yes", "--model", "m", upstream.URL}, 1,
			"refuses the key (401); put the right one into EDGELINGUA_KEY"},
		{[]string{upstream.URL}, 2, "there is nobody to ask whether tokens may be spent"},
		{[]string{"--yes"}, 2, "behind them the URL of one server"},
		{[]string{"--yes", "sk-not-a-url"}, 2, "the URL begins with https:// or http://"},
		{[]string{"--yes", "http://user:sk-secret@127.0.0.1"}, 2, "the key is read from EDGELINGUA_KEY"},
		{[]string{"--yes", "--model", "m", "http://127.0.0.1:1"}, 1,
			"check the URL, and that the server runs"},
	} {
		code, stdout, stderr := runs(append([]string{"check"}, test.args...)...)
		assert.Equal(t, test.code, code, stderr)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, test.want)
		assert.NotContains(t, stderr, "sk-")
		assert.NotContains(t, stderr, "another-key")
	}
}
