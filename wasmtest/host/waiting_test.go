package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// longEnough calls attempt with a time, and with ten times as much whenever attempt returns false: then the time was over before
// what should have come within it. So a test of what happens after a timeout passes on a machine of any speed.
func longEnough(t *testing.T, d time.Duration, attempt func(d time.Duration) bool) {
	t.Helper()
	for !attempt(d) {
		d *= 10
		require.Less(t, d, time.Hour)
	}
}

// milliseconds returns a time as the bridge takes it.
func milliseconds(d time.Duration) float64 { return float64(d.Milliseconds()) }
