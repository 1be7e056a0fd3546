package translator_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elsewhere has the faults (numbers of docs/contributing/faults.md) without a scenario in the
// corpus, each with its safeguard.
var elsewhere = map[int]string{
	5:  "two hops share no state: there is one hop, and an Exchange belongs to one request",
	17: "a signed thinking block is stopped when it ends: order and latency win",
	42: "headers: worker/serve/errors_test.go",
	44: "keep-alives are constants without a blank line: TestConstantEvents, e2e/pairs/bridge.test.mjs",
	45: "the pump writes between whole events: e2e/pairs/bridge.test.mjs",
	46: "keep-alives are constants with data, or comments: TestConstantEvents",
	48: "keep-alives while the upstream is silent: e2e/pairs/bridge.test.mjs",
	49: "the upstream is let go with the client: e2e/pairs/abort.test.mjs",
	51: "the client's head waits for the upstream's: e2e/pairs/bridge.test.mjs",
	93: "tools, results and reasoning are counted: translator/count, worker/serve/count_test.go",
}

// TestFaults: each of the 93 faults seen in other translators has a scenario with its number, or a
// line in elsewhere.
func TestFaults(t *testing.T) {
	named := map[int]bool{}
	numbers := regexp.MustCompile(`^(\d\d-)+`)
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		for digits := range strings.SplitSeq(numbers.FindString(filepath.Base(path)), "-") {
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
