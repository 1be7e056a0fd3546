package main

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generated returns the bill of materials of this commit.
func generated(t *testing.T) (*bom, []byte) {
	t.Helper()
	t.Chdir("../..")
	text, err := generate("1.2.3")
	require.NoError(t, err)
	b := &bom{}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(b))
	return b, text
}

// TestGenerate: every component has what CycloneDX demands, a hash and a unique address.
func TestGenerate(t *testing.T) {
	b, text := generated(t)
	require.Equal(t, "CycloneDX 1.6", b.Format+" "+b.SpecVersion)
	require.Equal(t, "edgelingua@1.2.3", b.Metadata.Component.Ref)
	refs := map[string]bool{}
	for _, c := range b.Components {
		require.False(t, refs[c.Ref], c.Ref)
		refs[c.Ref] = true
		require.Regexp(t, `^pkg:(golang|npm)/[^@ ]+@\S+$`, c.URL)
		require.NotEmpty(t, c.Version, c.Ref)
		require.Contains(t, []string{required, excluded}, c.Scope)
		for _, h := range c.Hashes {
			size := map[string]string{"SHA-256": "64", "SHA-512": "128"}[h.Algorithm]
			require.Regexp(t, `^[0-9a-f]{`+size+`}$`, h.Content, c.Ref)
		}
		require.True(t, len(c.Hashes) == 1 || c.Scope == excluded || c.Name == "std", c.Ref)
	}
	byRef := func(x, y component) int { return strings.Compare(x.Ref, y.Ref) }
	require.True(t, slices.IsSortedFunc(b.Components, byRef))
	for _, ref := range b.Dependencies[0].On {
		require.True(t, refs[ref], ref)
	}
	again, err := generate("1.2.3")
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}

// TestUnknown: without a module's files nobody knows what is linked. That is an error, not a shorter
// list.
func TestUnknown(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPROXY", "off")
	_, err := linkedModules()
	require.ErrorContains(t, err, "a module can't be read: ")
}

// TestLinked: the modules that Go has linked into this test's own sibling, the program, are
// required, and those of tests are not.
func TestLinked(t *testing.T) {
	b, _ := generated(t)
	scopes := map[string]string{}
	for _, c := range b.Components {
		scopes[c.Name+" "+c.Version] = c.Scope
	}
	info, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	versions := map[string]string{}
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	for _, line := range regexp.MustCompile(`(?m)^\s+(\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1) {
		versions[line[1]] = line[2]
		require.Contains(t, scopes, line[1]+" "+line[2], "every module of go.mod")
	}
	for name, scope := range map[string]string{
		"github.com/tetratelabs/wazero": required, "github.com/ncruces/go-sqlite3": required,
		"github.com/tidwall/gjson": required, "github.com/syumai/workers": required,
		"github.com/inconshreveable/mousetrap":   required, // on Windows only
		"golang.org/x/crypto/x509roots/fallback": required, // with the tag release only
		"github.com/stretchr/testify":            excluded, "golang.org/x/mod": excluded,
	} {
		require.Equal(t, scope, scopes[name+" "+versions[name]], name)
	}
	require.Equal(t, required, scopes["std "+strings.TrimPrefix(info.GoVersion, "go")])
	require.Equal(t, required, scopes["github.com/tinygo-org/tinygo v0.42.0"])
	prices := 0
	for name, scope := range scopes {
		if strings.HasPrefix(name, "@pydantic/genai-prices ") {
			prices++
			require.Equal(t, required, scope)
		} else if strings.HasPrefix(name, "wrangler ") {
			require.Equal(t, excluded, scope)
		}
	}
	require.Equal(t, 1, prices)
}

// TestPackages: a lock without a hash is refused, and an alias has the package's own name.
func TestPackages(t *testing.T) {
	const sum = `"integrity":"sha512-AAAA"`
	found, err := packages([]byte(`{"packages":{"":{"name":"own"},"node_modules/ai6":{"name":"ai","version":"6.0.1",` +
		sum + `},"node_modules/a/node_modules/@x/y":{"version":"1.0.0+b",` + sum + `}}}`))
	require.NoError(t, err)
	var urls []string
	for _, c := range found {
		urls = append(urls, c.URL)
	}
	require.ElementsMatch(t, []string{"pkg:npm/ai@6.0.1", "pkg:npm/%40x/y@1.0.0%2Bb"}, urls)
	for _, lock := range []string{"", `{"packages":{"node_modules/a":{"version":"1"}}}`,
		`{"packages":{"node_modules/a":{"version":"1","integrity":"sha1-AAAA"}}}`,
		`{"packages":{"node_modules/a":{"version":"1","integrity":"sha512-!"}}}`,
		`{"packages":{"node_modules/a":{` + sum + `}}}`} {
		_, err := packages([]byte(lock))
		require.Error(t, err, lock)
	}
}
