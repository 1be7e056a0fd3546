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
)

// sink matches a method that makes a type an ir.Sink.
var sink = regexp.MustCompile(`(?m)^func \(.*\) Event\((\w+ )?\*(ir\.)?Event\)`)

// TestSinksOfTests looks into every Go file of the project: tests have no sinks except those of
// package irtest, and only tests import packages for tests. A test that needs more uses a function
// over the events of an irtest.Recorder.
func TestSinksOfTests(t *testing.T) {
	users, sinks := 0, 0
	require.NoError(t, filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(file)
		isTest := strings.HasSuffix(file, "_test.go")
		for _, name := range []string{"translator/ir/irtest", "wasmtest/built/builttest"} {
			if strings.Contains(string(text), `"edgelingua/`+name+`"`) {
				assert.True(t, isTest, "%s imports %s", file, name)
				users++
			}
		}
		if sink.Match(text) {
			assert.False(t, isTest, "%s has a sink of its own", file)
			sinks++
		}
		return err
	}))
	require.NotZero(t, users)
	require.NotZero(t, sinks)
}
