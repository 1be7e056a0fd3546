package store

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sql(text string, args ...any) Statement { return Statement{text, args} }

func TestBatch(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		rows, err := s.Batch("o", []Statement{
			sql("CREATE TABLE t (a, b); CREATE TABLE u (a)"),
			sql("INSERT INTO t VALUES (?, ?), (?, ?), (?, ?)", nil, 1.0, "text\x00é", []byte{0, 255},
				[]byte(nil), ""),
			sql("SELECT a, b, typeof(b) FROM t"),
			sql("SELECT a FROM u"),
			sql("UPDATE t SET b = 9007199254740991 WHERE a IS NULL RETURNING b"),
			sql("SELECT 1e999, -1.5"),
		})
		require.NoError(t, err)
		assert.Equal(t, []Rows{
			{},
			{},
			{3, []any{nil, 1.0, "real", "text\x00é", []byte{0, 255}, "blob", []byte{}, "", "text"}},
			{1, nil},
			{1, []any{float64(1<<53 - 1)}},
			{2, []any{math.Inf(1), -1.5}},
		}, rows)
	})
}

func TestBatchIsAtomic(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		_, err := s.Batch("o", []Statement{sql("CREATE TABLE t (a UNIQUE)"),
			sql("INSERT INTO t VALUES ('first')")})
		require.NoError(t, err)
		_, err = s.Batch("o", []Statement{
			sql("INSERT INTO t VALUES ('second')"),
			sql("CREATE TABLE u (a)"),
			sql("INSERT INTO t VALUES (?)", "first"),
		})
		assert.EqualError(t, err, "statement 2: constraint failed: UNIQUE constraint failed: t.a")
		rows, err := s.Batch("o", []Statement{sql("SELECT a FROM t"),
			sql("SELECT name FROM sqlite_master WHERE type = 'table'")})
		require.NoError(t, err)
		assert.Equal(t, []Rows{{1, []any{"first"}}, {1, []any{"t"}}}, rows)

		// If an object's first batch fails, another object gets the number.
		_, err = s.Batch("failed", []Statement{sql("CREATE TABLE secret (a)"), sql("no SQL")})
		assert.ErrorContains(t, err, "statement 1: ")
		_, err = s.Batch("next", []Statement{sql("SELECT * FROM secret")})
		assert.ErrorContains(t, err, "statement 0: SQL logic error: no such table: secret")
	})
}

// TestACommitThatFails: a failed commit leaves nothing in a cache, even if another process then
// makes the same number of changes.
func TestACommitThatFails(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	_, err := s.Batch("o", counter)
	require.NoError(t, err)
	s.file.CommitHook(func() bool { return false })
	_, err = s.Batch("o", []Statement{sql("UPDATE counter SET n = 100")})
	assert.Error(t, err)
	s.file.CommitHook(nil)
	_, err = other.Batch("o", []Statement{sql("UPDATE counter SET n = 1")})
	require.NoError(t, err)
	assert.Equal(t, 1, count(t, s, "o"))
}

// TestObjectsAreApart: objects can't see each other's tables, even if more objects are used than
// stay open.
func TestObjectsAreApart(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		for i := range 3 * maxOpen {
			_, err := s.Batch(fmt.Sprint("o", i), []Statement{
				sql("CREATE TABLE t (a)"),
				sql("INSERT INTO t VALUES (?), (?)", float64(i), strings.Repeat("x", 10_000)),
			})
			require.NoError(t, err)
		}
		for i := range 3 * maxOpen {
			rows, err := s.Batch(fmt.Sprint("o", i), []Statement{
				sql("SELECT a FROM t WHERE typeof(a) <> 'text'"),
				sql("SELECT count(*) FROM sqlite_master"),
			})
			require.NoError(t, err)
			assert.Equal(t, []Rows{{1, []any{float64(i)}}, {1, []any{1.0}}}, rows)
		}
		assert.LessOrEqual(t, len(s.objects), maxOpen)
		for _, table := range []string{"pages", "objects", "kv", "main.pages", "temp.pages"} {
			_, err := s.Batch("o1", []Statement{sql("SELECT * FROM " + table)})
			assert.ErrorContains(t, err, "no such table")
		}
	})
}

func TestBatchesTakeTurns(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		_, err := s.Batch("o", counter)
		require.NoError(t, err)
		var work sync.WaitGroup
		for range 200 {
			work.Go(func() {
				_, err := s.Batch("o", []Statement{sql(increment)})
				assert.NoError(t, err)
			})
		}
		work.Wait()
		assert.Equal(t, 200, count(t, s, "o"))
	})
}

func TestADatabaseOfManyPages(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		batch := []Statement{sql("CREATE TABLE t (a)")}
		for range 20 {
			batch = append(batch, sql("INSERT INTO t VALUES (?)", strings.Repeat("x", 1_000_000)))
		}
		_, err := s.Batch("o", batch)
		require.NoError(t, err)
		s.file.UpdateHook(func(sqlite3.AuthorizerActionCode, string, string, int64) {
			assert.False(t, s.file.GetAutocommit(), "a page is written outside of the transaction")
		})
		// A batch larger than SQLite's cache has already written pages when it fails.
		_, err = s.Batch("o", []Statement{sql("UPDATE t SET a = replace(a, 'x', 'y')"),
			sql("SELECT a FROM nowhere")})
		require.Error(t, err)
		rows, err := s.Batch("o", []Statement{sql("SELECT length(a), a GLOB '*y*' FROM t GROUP BY a")})
		require.NoError(t, err)
		assert.Equal(t, []any{1e6, 0.0}, rows[0].Values)
		_, err = s.Batch("o", []Statement{sql("DELETE FROM t"), sql("INSERT INTO t VALUES (?)",
			strings.Repeat("z", 1_000_000))})
		require.NoError(t, err)
		rows, err = s.Batch("o", []Statement{sql("SELECT a FROM t")})
		require.NoError(t, err)
		assert.Equal(t, []any{strings.Repeat("z", 1_000_000)}, rows[0].Values)
	})
}

func TestRefused(t *testing.T) {
	s := open(t, t.TempDir())
	for text, want := range map[string]string{
		"BEGIN":                           "not authorized",
		"COMMIT":                          "not authorized",
		"ROLLBACK":                        "not authorized",
		"SAVEPOINT a":                     "not authorized",
		"RELEASE a":                       "not authorized",
		"PRAGMA user_version":             "not authorized",
		"PRAGMA journal_mode = DELETE":    "not authorized",
		"SELECT * FROM pragma_table_list": "authorization denied",
		"ATTACH 'file:1?vfs=memdb' AS b":  "not authorized",
		"ATTACH ':memory:' AS b":          "not authorized",
		"DETACH main":                     "not authorized",
		"VACUUM":                          "cannot VACUUM from within a transaction",
		"VACUUM INTO '/tmp/stolen'":       "cannot VACUUM from within a transaction",
		"CREATE TEMP TABLE t (a)":         "not authorized",
		"CREATE TABLE _cf_KV (a)":         "not authorized",
		"SELECT load_extension('x')":      "no such function",
		"SELECT sqlite_version()":         "not authorized",
		"SELECT decimal('1')":             "not authorized",
		"":                                "SQL code did not contain a statement.",
		"SELECT 1; -- end":                "SQL code did not contain a statement.",
		"SELECT ?":                        "Wrong number of parameter bindings for SQL query.",
		"SELECT ?; SELECT 1":              "only the last statement can have parameters.",
		"SELECT 1; COMMIT":                "not authorized",
		"SELECT zeroblob(2000001)":        "string or blob too big",
		"SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 " +
			"UNION SELECT 6": "too many terms in compound SELECT",
	} {
		_, err := s.Batch("o", []Statement{sql("SELECT 1"), sql(text)})
		assert.ErrorContains(t, err, want, text)
		assert.ErrorContains(t, err, "statement 1: ", text)
	}
}

func TestRowsAreBounded(t *testing.T) {
	s := open(t, "")
	numbers := "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ?) SELECT x FROM c"
	most := float64(maxRows / 9)
	rows, err := s.Batch("o", []Statement{sql(numbers, most)})
	require.NoError(t, err)
	assert.Len(t, rows[0].Values, int(most))
	_, err = s.Batch("o", []Statement{sql(numbers, 2.0), sql(numbers, most)})
	assert.EqualError(t, err, "statement 1: the rows take more than 16 MB")
}

func TestABatchThatDoesNotEnd(t *testing.T) {
	s := open(t, "")
	s.maxTime = 1
	_, err := s.Batch("o",
		[]Statement{sql("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT " +
			"count(*) FROM c")})
	assert.ErrorContains(t, err, "interrupted")
	s.maxTime = maxTime
	_, err = s.Batch("o", []Statement{sql("SELECT 1")})
	assert.NoError(t, err)
}

// TestClock reads the store's clock in an object's SQL. Other time functions ignore that clock.
func TestClock(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		rows, err := s.Batch("o",
			[]Statement{sql("SELECT unixepoch(), unixepoch('1970-01-02'), CAST(coalesce(?, "+
				"unixepoch()) AS INTEGER)", nil)})
		require.NoError(t, err)
		assert.Equal(t, []any{1000.0, 86400.0, 1000.0}, rows[0].Values)
	})
}
