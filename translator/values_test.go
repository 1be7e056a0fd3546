package translator_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/corpus/golden"
)

// TestValues compares the values of all sections of the corpus with testdata/values.txt, which has
// one digest per scenario. It guards the values while the form of the files changes. A value
// consists of the bytes that a client sends or the translator makes; only whitespace between tokens
// of JSON does not count. A plain body that the file leaves out is derived by golden.Plain. A
// change of behaviour updates the digests together with the scenarios: go test ./translator
// -update.
func TestValues(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	var got strings.Builder
	for _, s := range scenarios {
		values, err := golden.Values(s.Archive)
		require.NoError(t, err, s.Name)
		for _, f := range s.Archive.Files {
			if golden.IsGiven(f.Name) {
				values[f.Name] = f.Data
			}
		}
		digest := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(digest, "%s %d\n%s\n", name, len(values[name]), values[name])
		}
		fmt.Fprintf(&got, "%s %x\n", s.Name, digest.Sum(nil)[:16])
	}
	const file = "testdata/values.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(want)) {
		name, digest, _ := strings.Cut(line, " ")
		known[name] = digest
	}
	for line := range strings.Lines(got.String()) {
		name, digest, _ := strings.Cut(line, " ")
		require.Equal(t, known[name], digest, name)
		delete(known, name)
	}
	require.Empty(t, known, "scenarios that are gone")
}
