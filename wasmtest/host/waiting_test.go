package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// longEnough calls attempt with a time. If attempt returns false, because a timeout expired before
// the test had done its part, longEnough calls attempt again with ten times as much. So a test of a
// timeout passes on a machine of any speed.
func longEnough(t *testing.T, d time.Duration, attempt func(d time.Duration) bool) {
	t.Helper()
	for !attempt(d) {
		d *= 10
		require.Less(t, d, time.Hour)
	}
}

// milliseconds converts a time for the bridge.
func milliseconds(d time.Duration) float64 { return float64(d.Milliseconds()) }
