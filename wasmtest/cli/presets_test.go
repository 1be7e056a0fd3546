package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

var update = flag.Bool("update", false, "write what is compared")

// TestPresets: --upstream has the upstreams of the page. The page's list is a literal of
// JavaScript, one step from JSON.
func TestPresets(t *testing.T) {
	text, err := os.ReadFile("../../worker/page/operator/presets.mjs")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?s)export const presets = (\[.*?\n)  other,\n\];`).FindSubmatch(text)
	require.NotNil(t, list)
	quoted := regexp.MustCompile(`(\w+): `).ReplaceAll(list[1], []byte(`"$1": `))
	quoted = append(bytes.TrimRight(regexp.MustCompile(`,(\s*})`).ReplaceAll(quoted, []byte("$1")), ", \n"),
		']')
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, quoted, "", " "))
	if *update {
		require.NoError(t, os.WriteFile("presets.json", append(out.Bytes(), '\n'), 0o644))
		return // this program has the old list
	}
	assert.JSONEq(t, out.String(), string(presetsJSON), "go test ./wasmtest/cli -run TestPresets -update")
	page, err := os.ReadFile("../../docs/clients.md")
	require.NoError(t, err)
	for _, p := range presets {
		if p.named() {
			assert.Contains(t, string(page), "`"+p.ID+"`", "docs/clients.md names what --upstream takes")
		}
	}
}

// TestPresetOfResource: --upstream refuses an address without the name of the user's resource.
func TestPresetOfResource(t *testing.T) {
	_, err := presetOf("azure")
	assert.ErrorContains(t, err, "--var UPSTREAM_URL=")
	assert.NotContains(t, presetNames(), "azure")
}

// TestPresetOfEveryHost: each host known to the translator has a preset, in the page and in
// presets.json (TestPresets compares the two). The known hosts are those in texts of a targets.go.
func TestPresetOfEveryHost(t *testing.T) {
	files, err := filepath.Glob("../../translator/*/targets.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	hosts := map[string]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			if _, is := n.(*ast.ImportSpec); is {
				return false
			}
			if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING {
				for _, word := range strings.Fields(strings.Trim(text.Value, "\"`")) {
					if hostName.MatchString(word) {
						hosts[word] = true
					}
				}
			}
			return true
		})
	}
	require.Greater(t, len(hosts), 15)
	for host := range hosts {
		if host == "api.together.xyz" {
			host = "api.together.ai" // the same servers, by their newer name
		}
		assert.True(t, slices.ContainsFunc(presets, func(p *preset) bool {
			if p.URL == endpoint.CloudflareAI {
				return host == "api.cloudflare.com"
			}
			at := strings.Split(p.URL, "/")[2]
			// a location's host
			return at == host || strings.HasSuffix(at, "."+host) || strings.HasSuffix(at, "-"+host)
		}), "worker/page/operator/presets.mjs has no preset for %s", host)
	}
}

// hostName matches a host, but not the name of a model: gpt-5.1-chat does not end in a top-level
// domain.
var hostName = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$`)
