package main

import (
	"encoding/json"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

// TestClients tests endpoint.Client with a table of requests. e2e/pairs/dialect.test.mjs tests
// worker/workerd/dialect.mjs with the same table.
func TestClients(t *testing.T) {
	text, err := os.ReadFile("testdata/clients.json")
	require.NoError(t, err)
	var cases []struct{ Path, Header, Client string }
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Greater(t, len(cases), 30)
	for _, c := range cases {
		u, err := url.Parse("https://edgelingua.example" + c.Path)
		require.NoError(t, err)
		client := endpoint.Client(u.Path, func(name string) string {
			if name == c.Header {
				return "there"
			}
			return ""
		})
		require.Equal(t, c.Client, client.Name, "%s with %q", c.Path, c.Header)
	}
}

// TestWrite checks that the modules for JavaScript name each protocol's view.
func TestWrite(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(folder+"/views", 0o755))
	t.Chdir("../..")
	require.NoError(t, write(folder))
	worker, err := os.ReadFile(folder + "/apis.mjs")
	require.NoError(t, err)
	require.Contains(t, string(worker),
		`"broken":["{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"","\"}}"]`)
	page, err := os.ReadFile(folder + "/views/apis.mjs")
	require.NoError(t, err)
	require.Contains(t, string(page),
		`{ name: "chat", title: "OpenAI Chat Completions", path: "/v1/chat/completions", ...chat }`)
}
