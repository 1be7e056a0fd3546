package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTablesAreMadeOnce: a text that creates tables runs once, and again after anything that may have
// dropped the tables.
func TestTablesAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store {
		s, err := Open(dir, time.Now)
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	s, other := open(), open()
	const text = "CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)"
	run := func(s *Store, more ...Statement) float64 {
		t.Helper()
		rows, err := s.Batch("o", append([]Statement{sql(text)}, append(more, sql("SELECT count(*) FROM t"))...))
		require.NoError(t, err)
		require.Equal(t, Rows{}, rows[0])
		return rows[len(rows)-1].Values[0].(float64)
	}
	assert.Equal(t, []float64{1, 1}, []float64{run(s), run(s)})
	assert.Equal(t, 1.0, run(s, sql("DROP TABLE IF EXISTS t"), sql(text)), "dropped in a batch")
	assert.Equal(t, 1.0, run(s))
	_, err := s.Batch("o", []Statement{sql("DROP TABLE t"), sql("SELECT")})
	require.Error(t, err)
	assert.Equal(t, 2.0, run(s), "a batch failed")
	_, err = other.Batch("o", []Statement{sql("DROP TABLE t")})
	require.NoError(t, err)
	assert.Equal(t, 1.0, run(s), "another process has dropped the table")
	_, err = s.Batch("q", []Statement{sql(text), sql("SELECT")})
	require.Error(t, err)
	rows, err := s.Batch("q", []Statement{sql(text), sql("SELECT count(*) FROM t")})
	require.NoError(t, err, "the first batch of an object failed")
	assert.Equal(t, []any{1.0}, rows[1].Values)
	for i := range 2 {
		more := sql("CREATE TABLE IF NOT EXISTS u (a); INSERT INTO u VALUES (?)", 1.0)
		rows, err = s.Batch("q", []Statement{more, sql("SELECT count(*) FROM u")})
		require.NoError(t, err)
		assert.Equal(t, []any{float64(i + 1)}, rows[1].Values, "a text with an argument always runs")
	}
	rows, err = s.Batch("p", []Statement{sql(text), sql("SELECT count(*) FROM t")})
	require.NoError(t, err)
	assert.Equal(t, []any{1.0}, rows[1].Values, "another object has tables of its own")
}
