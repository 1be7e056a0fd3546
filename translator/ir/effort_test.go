package ir

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearestEffort(t *testing.T) {
	for _, c := range []struct {
		accepted, want, effort string
		exact                  bool
	}{
		{"low medium high", "high", "high", true},
		{"low medium high", "max", "high", false},
		{"high xhigh", "max", "xhigh", true},
		{"low medium high", "minimal", "low", false},
		{"low high", "medium", "low", false},
		{"none high", "low", "high", false}, // never the one that turns it off
		{"low high", "none", "", false},
		{"minimal low", "none", "minimal", false},
		{"none low", "none", "none", true},
		{"low", "ultra", "", false},
		{"low ultra", "ultra", "ultra", true},
		{"", "high", "", false},
	} {
		effort, exact := NearestEffort(strings.Fields(c.accepted), c.want)
		require.Equal(t, c.effort, effort, "%s of %s", c.want, c.accepted)
		require.Equal(t, c.exact, exact, "%s of %s", c.want, c.accepted)
	}
}
