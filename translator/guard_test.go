package translator_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// named has the files and folders, beside a protocol's own folder, that may name a protocol: they
// are about certain vendors or clients.
var named = []string{
	"translator/apis.go", // the line with the protocol
	"worker/stored/",     // stored responses, a feature of one protocol
	// the order of a scenario's sections, and its upstreams' answers
	"wasmtest/corpus/",
	"wasmtest/answers/",              // the answers of each protocol to its clients
	"wasmtest/clients/",              // clients of each protocol
	"wasmtest/conform/",              // cases of each protocol
	"wasmtest/demo/",                 // an upstream of each protocol
	"wasmtest/ledger/",               // the members of each protocol's requests and answers
	"wasmtest/cli/explain.go",        // the names of the ledger's APIs
	"wasmtest/cli/check_fields.go",   // the members of each API that cases are about
	"wasmtest/rules/",                // rules of each protocol's vendors
	"wasmtest/vendors/",              // vendors of each protocol
	"wasmtest/smoke/",                // clients of each protocol, which may not use the translator
	"wasmtest/cli/serve.go",          // the demo's protocol
	"wasmtest/cli/launch_clients.go", // clients, and their vendors' protocols
	"wasmtest/otlp/",                 // OpenTelemetry's operation "chat", which is any answer of a model
	"worker/workerd/otlp.mjs",        // the same
	// why a vendor has no form for a field, and losses of known clients with known servers
	"wasmtest/readme/",
	"worker/endpoint/gateway.go",          // vendors, by their names at Cloudflare's AI Gateway
	"worker/page/lib/other.mjs",           // the default protocol of a server without a preset
	"worker/page/operator/presets.mjs",    // vendors, by their protocol
	"worker/page/operator/presetlist.mjs", // vendors, by their protocol
	"worker/page/lib/settings.mjs",        // clients, by their settings
}

// sources calls see with the path and the text of each source of the module, the page and the local
// host. The text is without comments.
func sources(t *testing.T, see func(path, text string)) {
	for _, root := range []string{"../translator", "../worker", "../wasmtest"} {
		require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			name := filepath.ToSlash(strings.TrimPrefix(file, "../"))
			if err == nil && entry.IsDir() && entry.Name() == "testdata" {
				return fs.SkipDir
			}
			if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name,
				".go") && !strings.HasSuffix(name, ".mjs") {
				return err
			}
			text, err := os.ReadFile(file)
			see(name, comments.ReplaceAllString(string(text), ""))
			return err
		}))
	}
}

// comments matches the comments of Go and JavaScript. It also matches "// " inside a string, so
// names after it in the line are not found.
var comments = regexp.MustCompile(`(?m)^\s*//.*$|\s//\s.*$`)

// TestProtocolsAreNotNamed looks for names of protocols in literals and keys outside their own
// folders: code that names protocols would need a change for each new protocol.
func TestProtocolsAreNotNamed(t *testing.T) {
	t.Parallel()
	names, seen := map[*ir.API]*regexp.Regexp{}, map[*ir.API]int{}
	for _, api := range translator.APIs {
		names[api] = regexp.MustCompile(`\b` + api.Name + `\.(API|Name|Client|Upstream)\b|["'` + "`" +
			`/,|]` + api.Name + `["'` + "`" + `/,|]|(^|[{,])\s*` + api.Name + `\s*:|^\s*` + api.Name + `\(`)
	}
	sources(t, func(path, text string) {
		for _, line := range strings.Split(text, "\n") {
			for api, name := range names {
				if !strings.Contains(line, api.Name) || !name.MatchString(line) {
					continue
				}
				seen[api]++
				own := strings.HasPrefix(path, "translator/"+api.Name+"/")
				for _, place := range named {
					own = own || strings.HasPrefix(path, place)
				}
				assert.True(t, own,
					"%s asks for %s by its name: %s\nWhat it needs to know belongs into ir.API.", path,
					api.Name, strings.TrimSpace(line))
			}
		}
	})
	for api := range names {
		require.NotZero(t, seen[api], "its own folder says %s", api.Name)
	}
}

// TestToyIsAFolderAndALine: only one line outside the toy's folder names the toy.
func TestToyIsAFolderAndALine(t *testing.T) {
	var touched []string
	sources(t, func(path, text string) {
		if strings.HasPrefix(path, "translator/toy/") {
			return
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(strings.ToLower(line), "toy") && !strings.HasPrefix(line, "import ") {
				touched = append(touched, path+": "+strings.TrimSpace(line))
			}
		}
	})
	require.Equal(t, []string{"translator/apis_faults.go: func init() { APIs = append(APIs, &toy.API) }"},
		touched)
}

// TestModuleReplacesNothing: `go install` rejects programs of a module whose go.mod replaces
// another module.
func TestModuleReplacesNothing(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	assert.NotContains(t, string(text), "replace")
}
