package models

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTime compares both conversions with package time.
func TestTime(t *testing.T) {
	for at := int64(0); at <= latestTime; at += 12345678 {
		want := time.Unix(at, 0).UTC().Format(time.RFC3339)
		require.Equal(t, want, string(AppendTime(nil, at)))
		require.Equal(t, at, seconds(want))
	}
	for _, day := range []string{"2000-02-29", "2024-02-29", "2100-02-28", "2100-03-01", "1999-12-31",
		"9999-12-31"} {
		want, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		require.Equal(t, want.Unix(), seconds(day+"T00:00:00Z"))
	}
	require.EqualValues(t, 1770163200, seconds("2026-02-04T00:00:00.123456Z"))
	for _, text := range []string{"", "2026-02-04", "2026-02-04T00:00:00", "2026-02-04T00:00:00+02:00",
		"2026-02-04 00:00:00Z", "0000-01-01T00:00:00Z", "1815-12-10T00:00:00Z"} {
		require.Zero(t, seconds(text), text)
	}
	require.Equal(t, "1970-01-01T00:00:00Z", string(AppendTime(nil, -1)))
	require.Equal(t, "9999-12-31T23:59:59Z", string(AppendTime(nil, 1<<62)))
}
