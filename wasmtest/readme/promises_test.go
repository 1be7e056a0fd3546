package readme

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPromises: each promise of SECURITY.md names tests, and they exist.
func TestPromises(t *testing.T) {
	section := func(heading string) string {
		_, rest, found := strings.Cut(documents(t)["SECURITY.md"], "\n## "+heading+"\n")
		require.True(t, found, heading)
		text, _, _ := strings.Cut(rest, "\n## ")
		return text
	}
	wrong, err := Promises(root, section("Promises"), section("Which tests hold which promise"))
	require.NoError(t, err)
	require.Empty(t, strings.Join(wrong, "\n"))
}

// TestPromisesFindsFaults: a promise without a row, a row without a promise, without a test or with
// an unknown test, and an ambiguous row are found.
func TestPromisesFindsFaults(t *testing.T) {
	const promises = "- Nothing is lost. At\n  all.\n- Nothing is kept.\n"
	for table, want := range map[string]string{
		"| Nothing is lost | `readme.TestPromises` |\n| Nothing is k | `attacks/page: Sites` |": "",
		"| Nothing is lost | `readme.TestPromises` |":                                           "the promise \"Nothing is kept.\" has 0 rows",
		"| Nothing is lost. At all | `readme.TestPromises` |\n| Nothing is kept |  |":           `"Nothing is kept" names no test`,
		"| Nothing | `readme.TestPromises` |":                                                   "two promises begin with",
		"| Something | `readme.TestPromises` |":                                                 "no promise begins with",
		"| Nothing is lost | `readme.TestPromise` |":                                            "there is no test readme.TestPromise",
		"| Nothing is lost | `attacks/page: Site` |":                                            "there is no test attacks/page: Site",
	} {
		wrong, err := Promises(root, promises, "| promise | tests |\n|---|---|\n"+table+"\n")
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, wrong)
		} else {
			require.Contains(t, strings.Join(wrong, "\n"), want)
		}
	}
}
