package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// TestSession runs sessions of both clients directly with their vendors.
func TestSession(t *testing.T) {
	usage := vendors.Usage{Input: 1, Output: 1}
	for _, row := range []struct {
		client, version, protocol, tool string
		input                           map[string]any
	}{
		{"claude code", clients.WithoutToolSearch, "anthropic", "Bash", map[string]any{"command": "ls"}},
		{"codex", "gpt-5.5", "responses", "exec_command", map[string]any{"cmd": "ls"}},
	} {
		t.Run(row.client, func(t *testing.T) {
			queue := vendors.Queue{
				{
					Calls: []vendors.Call{{ID: "call_1", Name: row.tool, Input: row.input}},
					Usage: usage,
				}, {Text: "Two files.", Usage: usage},
			}
			v := vendors.New(row.protocol, vendors.Options{}, queue.Next)
			var keys []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				keys = append(keys, r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"))
				v.ServeHTTP(w, r)
			}))
			defer server.Close()
			given := session{
				Client: row.client, Version: row.version, URLs: []string{server.URL}, Key: "k",
				Say:     []string{"What is here?", "And?"},
				Results: map[string]any{row.tool: "a b"},
			}
			text, err := json.Marshal(given)
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, run(bytes.NewReader(text), &out))
			var o outcome
			require.NoError(t, json.Unmarshal(out.Bytes(), &o))
			require.Equal(t, []string{"Two files."}, o.Said)
			require.Equal(t, []string{row.tool}, o.Calls)
			require.Contains(t, o.Error, "one request more than there are turns")
			require.Contains(t, string(v.Asked()[1].Body), `"a b"`)
			require.Equal(t, "k", strings.TrimPrefix(keys[0], "Bearer "))
		})
	}
}

func TestSessionThatCantBe(t *testing.T) {
	for text, why := range map[string]string{
		`{}`:                                      "a session needs a URL",
		`{"urls":["x"],"client":"vi"}`:            `no such client: "vi"`,
		`{"urls":["x"],"client":"codex"}`:         `Codex has no requests for ""`,
		`{"urls":["x"],"client":"claude code"}`:   `Claude Code has no version ""`,
		`{"urls":["x"],"client":"codex","a":"b"}`: `json: unknown field "a"`,
	} {
		require.EqualError(t, run(strings.NewReader(text), nil), why)
	}
}
