package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAlarms: a batch sets, moves and removes its object's alarm, and a failed batch does not. Alarms
// survive a restart.
func TestAlarms(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, time.Now)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	next := func(object string, at int64) {
		t.Helper()
		got, when, err := s.NextAlarm()
		require.NoError(t, err)
		require.Equal(t, object, got)
		if object != "" {
			require.Equal(t, at, when.Unix())
		}
	}
	batch := func(object string, sql ...string) error {
		var statements []Statement
		for _, text := range sql {
			statements = append(statements, Statement{SQL: text})
		}
		_, err := s.Batch(object, statements)
		return err
	}
	next("", 0)
	require.NoError(t, batch("a", "SELECT 2000 AS alarm", "CREATE TABLE t (x)"))
	<-s.Alarms()
	require.NoError(t, batch("b", "SELECT 1000 AS alarm"))
	next("b", 1000)
	require.Error(t, batch("b", "SELECT 9 AS alarm", "no SQL"))
	require.NoError(t, batch("b", "SELECT 5 AS other", "SELECT 6 AS alarm, 7", "SELECT 8 AS alarm WHERE 0"))
	next("b", 1000)
	require.NoError(t, s.Change("b", []Statement{{SQL: "SELECT 3000 AS alarm"}}, "k", nil, nil,
		[]Statement{{SQL: "SELECT 1"}}))
	next("a", 2000)
	require.NoError(t, s.Close())
	s, err = Open(dir, time.Now)
	require.NoError(t, err)
	next("a", 2000)
	require.NoError(t, batch("a", "SELECT NULL AS alarm"))
	next("b", 3000)
}
