package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChange changes an object and a key, and fails at each of the steps.
func TestChange(t *testing.T) {
	s := open(t, "")
	statement := func(sql string) []Statement { return []Statement{{SQL: sql}} }
	count := func() float64 {
		rows, err := s.Batch("o", statement("SELECT count(*) FROM t"))
		require.NoError(t, err)
		return rows[0].Values[0].(float64)
	}
	insert := statement("INSERT INTO t VALUES (1)")
	require.NoError(t, s.Change("o", statement("CREATE TABLE t (a)"), "k", []byte("v"), []byte(`{"m":1}`),
		insert))
	value, metadata, found, err := s.Get("k")
	require.NoError(t, err)
	require.Equal(t, []any{"v", `{"m":1}`, true}, []any{string(value), string(metadata), found})
	require.EqualValues(t, 1, count())

	require.ErrorContains(t, s.Change("o", statement("INSERT INTO other VALUES (1)"), "k", nil, nil, insert),
		"no such table")
	require.ErrorContains(t, s.Change("o", insert, "k", []byte("w"), []byte("{"), insert), "KV PUT failed")
	require.ErrorContains(t, s.Change("o", insert, "k", []byte("w"), nil,
		statement("INSERT INTO other VALUES (1)")), "no such table")
	require.EqualValues(t, 1, count())
	value, _, _, err = s.Get("k")
	require.NoError(t, err)
	require.Equal(t, "v", string(value))

	require.NoError(t, s.Change("o", insert, "k", nil, nil, insert))
	_, _, found, err = s.Get("k")
	require.NoError(t, err)
	require.False(t, found)
	require.EqualValues(t, 3, count())
}
