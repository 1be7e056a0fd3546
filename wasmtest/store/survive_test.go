package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// outOfMemory is a SELECT with more rows than fit into SQLite's memory, but SQLite must hold all at
// once.
const outOfMemory = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300) SELECT " +
	"count(*) FROM (SELECT DISTINCT x || zeroblob(999999) FROM c)"

// TestTheStoreLivesOn: if an operation fails halfway, everything is as before, and the store
// continues to work.
func TestTheStoreLivesOn(t *testing.T) {
	set := []Statement{sql("UPDATE counter SET n = 100")}
	update := func(trap func()) func(sqlite3.AuthorizerActionCode, string, string, int64) {
		return func(sqlite3.AuthorizerActionCode, string, string, int64) { trap() }
	}
	commit := func(trap func()) func() bool { return func() bool { trap(); return true } }
	for name, test := range map[string]struct {
		arm   func(s *Store, trap func()) // makes the store fail
		batch []Statement
		want  string
	}{
		"a trap while a page is written": {func(s *Store,
			trap func()) {
			s.file.UpdateHook(update(trap))
		}, set, "SQLite has failed: a trap"},
		"a trap in the commit": {func(s *Store,
			trap func()) {
			s.file.CommitHook(commit(trap))
		}, set, "SQLite has failed: a trap"},
		"a trap in the rollback": {func(s *Store, trap func()) { s.file.RollbackHook(trap) },
			append(set, sql("SELECT a FROM nowhere")), "no such table"},
		"a trap in the object's SQL": {func(s *Store,
			trap func()) {
			s.objects[1].db.UpdateHook(update(trap))
		}, set, "SQLite has failed: a trap"},
		"a trap in the object's commit": {func(s *Store,
			trap func()) {
			s.objects[1].db.CommitHook(commit(trap))
		}, set, "SQLite has failed: a trap"},
		"no memory for the object": {func(*Store, func()) {}, append(set, sql(outOfMemory)),
			"SQLite has failed: sqlite3: out of memory"},
		"no memory for the file": {func(s *Store,
			_ func()) {
			s.objects[1].db.UpdateHook(update(func() { exhaust(s) }))
		}, set, "SQLite has failed: sqlite3: out of memory"},
		"a page that can't be written": {func(s *Store, _ func()) { refuse(s, "INSERT") }, set,
			"refused"},
		"a page that can't be deleted": {func(s *Store, _ func()) { refuse(s, "DELETE") },
			[]Statement{set[0], sql("DROP TABLE large")}, "refused"},
		"a transaction that was left behind": {func(s *Store, _ func()) {
			s.query("BEGIN IMMEDIATE", nil,
				nil)
		}, set, "cannot start a transaction within a transaction"},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, s *Store) {
				_, err := s.Batch("o", counter)
				require.NoError(t, err)
				_, err = s.Batch("o", []Statement{sql("CREATE TABLE large (a)"),
					sql("INSERT INTO large VALUES (zeroblob(1500000)), (zeroblob(1500000))")})
				require.NoError(t, err)
				_, err = s.Batch("other", counter)
				require.NoError(t, err)
				require.NoError(t, s.Put("k", []byte("v"), nil, 0))
				trapped := false
				test.arm(s, func() {
					if !trapped {
						trapped = true
						panic("a trap")
					}
				})
				_, err = s.Batch("o", test.batch)
				require.ErrorContains(t, err, test.want)
				refuse(s, "")
				for _, object := range []string{"o", "other"} {
					n := count(t, s, object)
					// a trap in a commit may come after the commit took effect
					assert.True(t, n == 0 || n == 100 && name == "a trap in the commit", "%s: %d", object, n)
					_, err = s.Batch(object, []Statement{sql(increment)})
					assert.NoError(t, err)
					assert.Equal(t, n+1, count(t, s, object))
				}
				value, _, _, err := s.Get("k")
				require.NoError(t, err)
				assert.Equal(t, "v", string(value))
				assert.NoError(t, s.Put("k", nil, nil, 0))
			})
		})
	}
}

// exhaust uses up the memory of the file's connection.
func exhaust(s *Store) {
	s.query("PRAGMA temp_store = MEMORY", nil, nil)
	s.query(outOfMemory, nil, nil)
}

// refuse lets a kind of operation on pages fail; for "" all work again.
func refuse(s *Store, operation string) {
	if s.file == nil {
		return
	}
	s.file.Exec("DROP TRIGGER IF EXISTS refuse")
	if operation != "" {
		s.file.Exec("CREATE TRIGGER refuse BEFORE " + operation +
			" ON pages BEGIN SELECT raise(ABORT, 'refused'); END")
	}
}

// fill stores batches of size bytes in an object until a batch fails, and returns the stored
// megabytes.
func fill(t *testing.T, s *Store, object string, size int) int {
	t.Helper()
	for n := 0; ; n++ {
		_, err := s.Batch(object, []Statement{sql("CREATE TABLE IF NOT EXISTS t (a)"),
			sql("INSERT INTO t VALUES (zeroblob(?))", float64(size))})
		if err != nil {
			require.ErrorContains(t, err,
				"the store in memory is full. Delete responses, or have the server started with "+
					"--data FOLDER")
			return n * size >> 20
		}
	}
}

// TestMemoryIsBounded: large batches fail because the store is full long before SQLite's memory is
// exhausted, and one object leaves room for others. Small batches and keys still work.
func TestMemoryIsBounded(t *testing.T) {
	s := open(t, "")
	_, err := s.Batch("counts", counter)
	require.NoError(t, err)
	assert.InDelta(t, 54, fill(t, s, "greedy", 1<<20), 4)
	assert.InDelta(t, 24, fill(t, s, "second", 1<<20), 4)
	assert.InDelta(t, 98, fill(t, s, "greedy", 30<<10)+54+24, 16)
	for _, object := range []string{"counts", "second", "new"} {
		_, err = s.Batch(object, []Statement{sql("CREATE TABLE IF NOT EXISTS small (a)"),
			sql("INSERT INTO small VALUES (zeroblob(20000))")})
		assert.NoError(t, err, object)
	}
	require.NoError(t, s.Put("k", make([]byte, 100_000), nil, 0))
	assert.ErrorIs(t, s.Put("k", make([]byte, 24<<20), nil, 0), errFull)

	// One batch can change and delete everything, and other objects can use the freed space.
	_, err = s.Batch("greedy", []Statement{sql("UPDATE t SET a = randomblob(length(a))"),
		sql("SELECT a FROM nowhere")})
	assert.ErrorContains(t, err, "no such table")
	assert.NotNil(t, s.file, "the connection is still good")
	_, err = s.Batch("greedy", []Statement{sql("DELETE FROM t")})
	require.NoError(t, err)
	assert.Greater(t, fill(t, s, "third", 1<<20), 20)
	require.NoError(t, s.Put("k", make([]byte, 16<<20), nil, 0))
}

// TestDeletedIsFree: other objects can use the space of deleted rows, in a folder's file too.
func TestDeletedIsFree(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 4 {
		object := fmt.Sprint("o", i)
		_, err := s.Batch(object, []Statement{sql("CREATE TABLE t (a)"), sql("CREATE TABLE u (a)")})
		require.NoError(t, err)
		for range 4 {
			_, err := s.Batch(object, []Statement{sql("INSERT INTO t VALUES (zeroblob(1000000))")})
			require.NoError(t, err)
		}
		_, err = s.Batch(object, []Statement{sql("DROP TABLE t"), sql("INSERT INTO u VALUES (1)")})
		require.NoError(t, err)
		rows, err := s.Batch(object, []Statement{sql("SELECT a FROM u"),
			sql("SELECT name FROM sqlite_master")})
		require.NoError(t, err)
		assert.Equal(t, []Rows{{1, []any{1.0}}, {1, []any{"u"}}}, rows)
	}
	require.NoError(t, s.Close())
	info, err := os.Stat(filepath.Join(dir, fileName))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(8<<20))
}
