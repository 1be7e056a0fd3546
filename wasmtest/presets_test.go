package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what is compared")

// TestPresets: the upstreams of --upstream are those of the page. The page's list is a literal of JavaScript, one step from JSON.
func TestPresets(t *testing.T) {
	text, err := os.ReadFile("../worker/page/presets.mjs")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?s)export const presets = (\[.*?\n)  other,\n\];`).FindSubmatch(text)
	require.NotNil(t, list)
	quoted := regexp.MustCompile(`(\w+): `).ReplaceAll(list[1], []byte(`"$1": `))
	quoted = append(bytes.TrimRight(regexp.MustCompile(`,(\s*})`).ReplaceAll(quoted, []byte("$1")), ", \n"), ']')
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, quoted, "", " "))
	if *update {
		require.NoError(t, os.WriteFile("presets.json", append(out.Bytes(), '\n'), 0o644))
		return // the list in this program is the one before
	}
	assert.JSONEq(t, out.String(), string(presetsJSON), "go test ./wasmtest -run TestPresets -update")
	page, err := os.ReadFile("../docs/clients.md")
	require.NoError(t, err)
	for _, p := range presets {
		assert.Contains(t, string(page), "`"+p.ID+"`", "docs/clients.md names what --upstream takes")
	}
}
