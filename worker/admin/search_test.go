package admin

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const (
	searching = `{"name":"anna","upstreams":[{"name":"a","protocol":"chat","url":"https://a.example",` +
		`"key":"sk-a"}],"options":{"strict":"off","web_search":`
	brave = `{"provider":"brave","key":"plain-key-of-brave","max_uses":3}`
)

func searches(t *testing.T, option string) (*Record, *Error) {
	r, _, _, err := Create(searching + option + `}}`)
	if err == nil {
		_, _, err = r.encode(false)
	}
	return r, err
}

func TestSearchKey(t *testing.T) {
	r, err := searches(t, brave)
	require.Nil(t, err)
	r = reloaded(t, r)
	require.Equal(t, sealed+"web_searchx18", r.search.sealed)
	view := string(r.AppendView(nil, ""))
	require.Equal(t, `["a","web_search"]`, gjson.Get(view, "sealed_keys").Raw)
	require.JSONEq(t, `{"strict":"off","web_search":{"provider":"brave","max_uses":3}}`, gjson.Get(view,
		"options").Raw)
	own := string(r.AppendOwn(nil, hash, ""))
	for _, text := range []string{view, own} {
		require.NotContains(t, text, "plain-key")
		require.NotContains(t, text, sealed)
	}

	// Patches of other members keep the key. A new key replaces it.
	for _, patch := range []string{`{"usage":true}`, `{"options":{"strict":"keep"}}`,
		`{"options":{"web_search":{"max_uses":1}}}`, `{"options":{"web_search":{"provider":"brave"}}}`} {
		require.Nil(t, r.Patch(patch), patch)
		r = reloaded(t, r)
		require.Equal(t, sealed+"web_searchx18", r.search.sealed, patch)
	}
	require.Nil(t, r.Patch(`{"options":{"web_search":{"\u006bey":"another-one"}}}`))
	require.NotContains(t, r.settings, "another-one")
	r = reloaded(t, r)
	require.Equal(t, sealed+"web_searchx11", r.search.sealed)

	// The key is not sent to another provider.
	require.Nil(t, r.Patch(`{"options":{"web_search":{"provider":"tavily"}}}`))
	_, _, err = r.encode(false)
	require.NotNil(t, err)
	require.Equal(t, "options.web_search.key", err.Path)
	require.Equal(t,
		"options.web_search.key is missing. Send your key of tavily: a key that is stored for one "+
			"provider goes to no other.", err.Message)
	require.Nil(t, r.Patch(`{"options":{"web_search":{"key":"of-tavily"}}}`))
	r = reloaded(t, r)
	require.Nil(t, r.Patch(`{"options":{"web_search":{"key":null}}}`))
	_, _, err = r.encode(false)
	require.Equal(t, "options.web_search.key", err.Path)

	// Without the option there is no key.
	for _, patch := range []string{`{"options":{"web_search":null}}`, `{"options":null}`} {
		r, err := searches(t, brave)
		require.Nil(t, err)
		r = reloaded(t, r)
		require.Nil(t, r.Patch(patch))
		r = reloaded(t, r)
		require.Empty(t, r.search.sealed)
		require.Equal(t, `["a"]`, gjson.GetBytes(r.AppendView(nil, ""), "sealed_keys").Raw)
	}
}

func TestSearchKeyRefused(t *testing.T) {
	for _, row := range []struct{ option, path, message string }{
		{`{"provider":"brave"}`, "options.web_search.key", "is missing. Send your key of brave"},
		{`{"provider":"brave","key":""}`, "options.web_search.key",
			"must be the provider's key, 1 to 2048 visible characters"},
		{`{"provider":"brave","key":7}`, "options.web_search.key", "must be the provider's key"},
		{`{"provider":"brave","key":"a b"}`, "options.web_search.key", "visible characters"},
		{`{"provider":"brave","key":"` + strings.Repeat("k", maxSecret+1) + `"}`, "options.web_search.key",
			"1 to 2048"},
		{`{"provider":"brave","key":"k","key":"l"}`, "options.web_search.key", "is there twice"},
		{`[{"provider":"brave","key":"k"}]`, "options.web_search", "must be an object"},
		{`{"provider":"searxng","url":"https://searx.example","key":"k"}`, "options.web_search.key",
			"must be left out"},
		{`{"provider":"searxng","url":"https://127.0.0.1"}`, "options.web_search.url",
			"must have a public host name"},
		{`{"provider":"searxng","url":"http://searx.example"}`, "options.web_search.url",
			"must begin with https://"},
		{`{"key":"k"}`, "options.web_search", "must be an object"},
	} {
		_, err := searches(t, row.option)
		require.NotNil(t, err, row.option)
		require.Equal(t, row.path, err.Path, row.option)
		require.Contains(t, err.Message, row.message)
	}
	r, _, _, err := Create(`{"name":"a","auth":"forward","upstreams":[{"name":"a","protocol":"chat",` +
		`"url":"https://a.example"}],"options":{"web_search":` + brave + `}}`)
	require.Nil(t, err)
	_, _, err = r.encode(false)
	require.Equal(t, "options.web_search", err.Path)
	require.Contains(t, err.Message, "would search at your cost")
}

func TestSearchKeyRotation(t *testing.T) {
	r, err := searches(t, brave)
	require.Nil(t, err)
	r = reloaded(t, r)
	opened := ""
	by := Sealer{seal, func(context, sealed string) (string, bool, bool, error) {
		opened += context + " "
		return "plain", true, true, nil // sealed with SEAL_KEY_PREVIOUS
	}}
	_, err = r.Finish(now, false, by)
	require.Nil(t, err)
	require.Equal(t, "endpoint/anna/a/a.example endpoint/anna/web_search/api.search.brave.com ", opened)
	require.Equal(t, sealed+"web_searchx5", r.search.sealed)
}
