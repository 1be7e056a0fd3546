package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearestEffort(t *testing.T) {
	for _, c := range []struct {
		asked    Escaped
		accepted []string
		nearest  string
		same     bool
	}{
		{"low", []string{"low", "high"}, "low", true},
		{"max", []string{"high", "max"}, "max", true},
		{"max", []string{"high", "xhigh"}, "xhigh", true},
		{"max", []string{"low", "high"}, "high", false},
		{"medium", []string{"low", "high"}, "low", false},
		{"minimal", []string{"none", "medium", "high"}, "medium", false},
		{"low", []string{"none"}, "", false},
		{"none", []string{"none", "low"}, "none", true},
		{"none", []string{"minimal", "low"}, "minimal", false},
		{"none", []string{"low"}, "", false},
		{"ultra", []string{"ultra"}, "ultra", true},
		{"ultra", []string{"low", "max"}, "max", false},
		{"ultra", []string{"none", "low"}, "low", false},
		{"warp", []string{"low", "max"}, "", false},
		{"high", nil, "", false},
	} {
		nearest, same := NearestEffort(c.asked, c.accepted)
		require.Equal(t, c.nearest, nearest, c)
		require.Equal(t, c.same, same, c)
	}
}
