package translator_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere are the faults seen in other translators that no scenario of the corpus is named after, and what guards against them.
var elsewhere = map[int]string{}

// TestFaults sees that each of the 93 known faults of other translators has a scenario named after its number, or a reason why
// not.
func TestFaults(t *testing.T) {
	named := map[int]bool{}
	number := regexp.MustCompile(`^(\d\d)-(?:(\d\d)-)?`)
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		for _, digits := range number.FindStringSubmatch(filepath.Base(path)) {
			if n, err := strconv.Atoi(digits); err == nil {
				named[n] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	for n := 1; n <= 93; n++ {
		if _, ok := elsewhere[n]; named[n] == ok {
			t.Errorf("fault %d: named %v, elsewhere %v", n, named[n], ok)
		}
	}
}
