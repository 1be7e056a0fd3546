package readme

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrors looks in the code for each error that docs/errors.md explains. Texts in brackets and
// numbers are not compared.
func TestErrors(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/errors.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n| the error says |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	code := allCode(t)
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(table, -1)
	require.Greater(t, len(rows), 10)
	for _, row := range rows {
		for _, part := range regexp.MustCompile(`\[.*?\]|\d+`).Split(row[1], -1) {
			if len(part) > 3 {
				require.Contains(t, code, part, row[1])
			}
		}
	}
}

// allCode returns the code of the worker, the translator and the local host, with concatenated
// strings joined.
func allCode(t *testing.T) string {
	var b strings.Builder
	for _, folder := range []string{"worker", "translator", "wasmtest"} {
		require.NoError(t, filepath.WalkDir("../../"+folder, func(path string, entry fs.DirEntry,
			err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		}))
	}
	return regexp.MustCompile(`" \+\s*"`).ReplaceAllString(b.String(), "")
}
