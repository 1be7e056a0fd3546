package ledger

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// untried lists the members without a row in the ledger, and why they have no trial. Its sections
// begin as the ledger's: "# API.request" or "# API.answer", and how many members follow.
//
//go:embed untried.tsv
var untried string

// writeUntried appends the members of an API's requests or answers that have no trial.
func writeUntried(text *strings.Builder, root string, s *sampler) {
	whys, tried := map[string]string{}, map[string]bool{}
	for _, m := range s.members(s.Roots[root], s.Whole, s.Also) {
		if len(s.trials(&m)) > 0 {
			tried[m.path] = true
		} else {
			whys[m.path] = whyUntried(s, &m)
		}
	}
	maps.DeleteFunc(whys, func(path, _ string) bool { return tried[path] })
	fmt.Fprintf(text, "# %s\t%d\n", root, len(whys))
	for _, path := range slices.Sorted(maps.Keys(whys)) {
		fmt.Fprintf(text, "%s\t%s\n", path, whys[path])
	}
}

// whyUntried returns why a member has no trial: a trial compares a value with none, and the value of a
// required member with another value.
func whyUntried(s *sampler, m *member) string {
	last := m.steps[len(m.steps)-1]
	samples := s.all(last.typ, last.name, m.described, 5)
	switch {
	case len(samples) == 0:
		return "has no value but null, or only objects of the types around it"
	case last.name == "type" && s.tag(last.typ) != "":
		return "names the object's type: the object has no other"
	case samples[0].typ != "":
		return "required objects: their members have rows"
	case samples[0].label != "":
		return "required, with one value"
	}
	return "required, and every other value is invalid"
}

// TestUntried holds the list against the ledger: no member is in both.
func TestUntried(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for row := range Rows() {
		rows[row.root()+" "+row.Path] = true
	}
	root := ""
	for line := range strings.Lines(untried) {
		path, why, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if name, isHead := strings.CutPrefix(path, "# "); isHead {
			root = name
			continue
		}
		require.NotEmpty(t, why, path)
		require.False(t, rows[root+" "+path], "%s %s has a row", root, path)
	}
}
