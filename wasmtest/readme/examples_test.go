package readme

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

// exampleKey finds the keys of clients and operators in documents and files: after the name of a
// setting or of a client's variable, in headers if the key is words with hyphens, and YOUR_KEY and
// the like anywhere.
var exampleKey = regexp.MustCompile("(?:(?:CLIENT_KEY|ADMIN_KEY|EDGELINGUA_KEY|AUTH_TOKEN|PROVIDER_API_KEY)[\"'`]*(?: *[=:|] *)|" +
	"(?:api_key|apiKey)[\"'`]*(?: *[=:|] *)[\"'`]+|x-api-key: |Bearer " +
	")[\"'`]*([a-zA-Z]\\w*-[\\w-]+)|\\b(YOUR_[A-Z_]*KEY)\\b")

// TestExampleKeys: a deployment refuses each key that a reader could copy from a document.
func TestExampleKeys(t *testing.T) {
	texts := maps.Clone(documents(t))
	read := func(path string) {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		texts[path] = string(text)
	}
	read(".dev.vars.example")
	for _, folder := range []string{"release", "worker/page", "translator"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry,
			err error) error {
			if err == nil && !entry.IsDir() && (folder != "translator" || entry.Name() == "page.mjs") {
				name, _ := filepath.Rel(root, path)
				read(name)
			}
			return err
		}))
	}
	found := map[string]bool{}
	for path, text := range texts {
		for _, m := range exampleKey.FindAllStringSubmatch(text, -1) {
			key := m[1] + m[2]
			found[key] = true
			assert.True(t, endpoint.Example(key),
				"%s: %s is an example, and worker/endpoint/describe.go does not refuse it", path, key)
		}
	}
	assert.True(t, found["a-key-of-yours"] && found["choose-a-long-random-key"] &&
		found["choose-another-long-random-key"] && found["YOUR_KEY"], found)
}

// TestKnownNames: the settings in the documents' tables are the names suggested for mistyped ones.
func TestKnownNames(t *testing.T) {
	sections, err := Settings(root + "/worker/endpoint")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)`").FindAllStringSubmatch(sections["variables"]+
		sections["secrets"], -1)
	require.Len(t, rows, 29)
	for _, row := range rows {
		assert.True(t, endpoint.Known(row[1]), "%s is missing in the names of worker/endpoint/describe.go",
			row[1])
	}
}
