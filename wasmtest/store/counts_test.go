package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countingStore is a store in a folder with a counter in the object o. Its counts are committed by no
// timer of the test's time.
func countingStore(t *testing.T, dir string) *Store {
	t.Helper()
	s := open(t, dir)
	s.delay = time.Hour
	_, err := s.Batch("o", counter)
	require.NoError(t, err)
	return s
}

// add counts once.
func add(t *testing.T, s *Store, object string) {
	t.Helper()
	_, err := s.Count(object, []Statement{sql(increment)}, func(err error) { t.Errorf("lost: %v", err) })
	require.NoError(t, err)
}

// seen is what a count reads of the counter.
func seen(t *testing.T, s *Store, object string) int {
	t.Helper()
	rows, err := s.Count(object, []Statement{sql("SELECT n FROM counter")}, func(error) {})
	require.NoError(t, err)
	return int(rows[0].Values[0].(float64))
}

// locked reports whether another process can't write.
func locked(t *testing.T, other *Store) bool {
	t.Helper()
	require.NoError(t, other.file.BusyTimeout(0))
	_, err := other.Batch("o", []Statement{sql("SELECT 1")})
	if err != nil {
		require.ErrorContains(t, err, "another process has not let go of the store")
	}
	return err != nil
}

// TestCountsShareATransaction: counts are seen at once, also by operations that read keys. Every other
// operation commits them first, as do maxCounts, many objects and an alarm.
func TestCountsShareATransaction(t *testing.T) {
	set := []Statement{sql("SELECT 1000 AS alarm")}
	for name, test := range map[string]struct {
		run     func(s *Store) error
		commits bool
	}{
		"get":    {func(s *Store) error { _, _, _, err := s.Get("k"); return err }, false},
		"list":   {func(s *Store) error { return second(s.List("", "", 1)) }, false},
		"alarm":  {func(s *Store) error { _, _, err := s.NextAlarm(); return err }, false},
		"put":    {func(s *Store) error { return s.Put("k", nil, nil, 0) }, true},
		"delete": {func(s *Store) error { return s.Delete("k") }, true},
		"batch":  {func(s *Store) error { return second(s.Batch("o", []Statement{sql("SELECT 1")})) }, true},
		"failed batch": {func(s *Store) error {
			if _, err := s.Batch("o", []Statement{sql("no SQL")}); err == nil {
				return errors.New("no error")
			}
			return nil
		}, true},
		"change":       {func(s *Store) error { return s.Change("o", nil, "k", nil, nil, nil) }, true},
		"another":      {func(s *Store) error { return second(s.Batch("p", counter)) }, true},
		"a new object": {func(s *Store) error { return second(s.Count("p", counter, nil)) }, true},
		"an alarm":     {func(s *Store) error { return second(s.Count("o", set, nil)) }, true},
		"no alarm": {func(s *Store) error {
			return second(s.Count("o", []Statement{sql("SELECT NULL AS alarm")}, nil))
		}, false},
		"many": {func(s *Store) (err error) {
			for range maxCounts - 2 {
				_, err = s.Count("o", []Statement{sql("SELECT 1")}, nil)
			}
			return err
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, other := countingStore(t, dir), open(t, dir)
			add(t, s, "o")
			require.Equal(t, 1, seen(t, s, "o"))
			require.True(t, locked(t, other))
			require.NoError(t, test.run(s))
			assert.Equal(t, !test.commits, locked(t, other))
			if test.commits {
				assert.Equal(t, 1, count(t, other, "o"))
			}
			assert.Equal(t, 1, seen(t, s, "o"))
		})
	}
}

// TestNoCountIsOpenForLong: a timer commits counts, and an idle store has no transaction.
func TestNoCountIsOpenForLong(t *testing.T) {
	dir := t.TempDir()
	s, other := countingStore(t, dir), open(t, dir)
	synctest.Test(t, func(t *testing.T) {
		s.delay = countDelay
		add(t, s, "o")
		time.Sleep(countDelay - time.Millisecond)
		synctest.Wait()
		add(t, s, "o")
		assert.True(t, locked(t, other))
		time.Sleep(time.Millisecond) // since the first count
		synctest.Wait()
		assert.False(t, locked(t, other))
		assert.Equal(t, 2, count(t, other, "o"))
	})
	assert.Nil(t, s.counts)
	add(t, s, "o")
	require.NoError(t, s.Close())
	assert.Equal(t, 3, count(t, other, "o"), "Close commits")
	_, err := s.Count("o", nil, nil)
	assert.EqualError(t, err, "the store is closed")
}

// TestKilledWithCounts: a killed process loses the counts that are not committed, and nothing else.
func TestKilledWithCounts(t *testing.T) {
	if dir := os.Getenv("COUNTS_TEST_DIR"); dir != "" {
		s := countingStore(t, dir)
		add(t, s, "o")
		require.NoError(t, s.Put("k", []byte("v"), nil, 0))
		add(t, s, "o")
		os.Stdout.WriteString(".")
		select {}
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledWithCounts$")
	child.Env = append(os.Environ(), "COUNTS_TEST_DIR="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, child.Process.Kill())
	child.Wait()
	s := open(t, dir)
	assert.Equal(t, 1, count(t, s, "o"))
	value, _, _, err := s.Get("k")
	require.NoError(t, err)
	assert.Equal(t, "v", string(value))
}

// TestFailedCount: a failed count changes nothing, and the counts before it are committed. If SQLite
// itself fails, the counts before it are lost, and each is reported.
func TestFailedCount(t *testing.T) {
	trap := func(s *Store) {
		s.objects[1].db.UpdateHook(func(sqlite3.AuthorizerActionCode, string, string, int64) {
			panic("a trap")
		})
	}
	const numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c"
	const large = numbers + " LIMIT 20) SELECT zeroblob(1000000) FROM c"
	half := []Statement{sql(increment), sql("SELECT a FROM nowhere")}
	for name, test := range map[string]struct {
		arm        func(s *Store)
		statements []Statement
		want       string
		lost       bool
	}{
		"wrong SQL":     {nil, half, "statement 1: ", false},
		"too many rows": {nil, []Statement{sql(increment), sql(large)}, "the rows take more than", false},
		"half a statement": {nil, []Statement{sql("CREATE TABLE many (a)"),
			sql("INSERT INTO many " + large + " RETURNING a")}, "the rows take more than", false},
		"a trap": {trap, []Statement{sql(increment)}, "SQLite has failed: a trap", true},
		"time": {func(s *Store) { s.maxTime = 50 * time.Millisecond },
			[]Statement{sql("INSERT INTO counter " + numbers + ") SELECT x FROM c")}, "interrupted", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := countingStore(t, t.TempDir())
			var lost []string
			count1 := func(statements []Statement) error {
				_, err := s.Count("o", statements, func(err error) { lost = append(lost, err.Error()) })
				return err
			}
			require.NoError(t, count1([]Statement{sql(increment)}))
			require.NoError(t, count1([]Statement{sql(increment)}))
			if test.arm != nil {
				test.arm(s)
			}
			require.ErrorContains(t, count1(test.statements), test.want)
			s.maxTime = maxTime
			if test.lost {
				require.Len(t, lost, 2)
				assert.Contains(t, lost[0], test.want)
				assert.Equal(t, 0, seen(t, s, "o"))
				return
			}
			assert.Empty(t, lost)
			assert.Nil(t, s.counts)
			assert.Equal(t, 2, seen(t, s, "o"))
			require.NoError(t, count1([]Statement{sql(increment)}))
			assert.Equal(t, 3, count(t, s, "o"))
		})
	}
}

// TestFailedCommitIsReported: the counts of a transaction that can't be committed are reported, each
// with the reason. The store works on. If the disk still fails, the next counts fail at once: a request
// that can't be counted is refused.
func TestFailedCommitIsReported(t *testing.T) {
	for name, commit := range map[string]func(s *Store){
		"timer": (*Store).commitCounts,
		"put":   func(s *Store) { assert.NoError(t, s.Put("k", nil, nil, 0)) },
		"close": func(s *Store) { assert.NoError(t, s.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := countingStore(t, dir)
			_, err := s.Batch("p", counter)
			require.NoError(t, err)
			var lost []string
			for i, object := range []string{"o", "p"} {
				_, err := s.Count(object, []Statement{sql(increment)}, func(err error) {
					lost = append(lost, fmt.Sprint(i, " ", err))
				})
				require.NoError(t, err)
			}
			refuse(s, "INSERT")
			commit(s)
			require.Len(t, lost, 2)
			for i := range lost {
				assert.Regexp(t, fmt.Sprintf("^%d .*refused", i), lost[i])
			}
			if name == "close" {
				s = open(t, dir)
			}
			for _, object := range []string{"o", "p"} {
				assert.Equal(t, 0, count(t, s, object))
				add(t, s, object)
				assert.Equal(t, 1, count(t, s, object))
			}
			if name == "close" {
				return
			}
			refuse(s, "INSERT")
			_, err = s.Count("o", []Statement{sql(increment)}, func(error) { t.Error("reported later") })
			assert.ErrorContains(t, err, "refused")
		})
	}
}

// TestCountsOfManyObjects: more objects than may be open count, and a count that fails makes no object.
func TestCountsOfManyObjects(t *testing.T) {
	s := countingStore(t, t.TempDir())
	_, err := s.Count("new", []Statement{sql("no SQL")}, nil)
	require.Error(t, err)
	number := int64(-1)
	require.NoError(t, s.do(func() (err error) { number, err = s.find("new"); return err }))
	assert.Zero(t, number)
	for i := range 2 * maxOpen {
		_, err := s.Batch(fmt.Sprint(i), counter)
		require.NoError(t, err)
	}
	for range 3 {
		for i := range 2 * maxOpen {
			add(t, s, fmt.Sprint(i))
		}
	}
	for i := range 2 * maxOpen {
		assert.Equal(t, 3, count(t, s, fmt.Sprint(i)))
	}
	// Of the freed pages of an object the file gets back most.
	_, err = s.Batch("o", []Statement{sql("CREATE TABLE t (a)"),
		sql("INSERT INTO t VALUES (zeroblob(1900000)), (zeroblob(1900000))")})
	require.NoError(t, err)
	_, err = s.Count("o", []Statement{sql("DELETE FROM t")}, nil)
	require.NoError(t, err)
	s.commitCounts()
	size, err := s.sizeOf(s.numberNow(t, "o"))
	require.NoError(t, err)
	assert.Less(t, size, int64(100_000))
}

func (s *Store) numberNow(t *testing.T, name string) int64 {
	number, err := s.find(name)
	require.NoError(t, err)
	return number
}

// TestLimitsHoldInATransaction: counts at the same time never exceed a limit that each of them checks.
func TestLimitsHoldInATransaction(t *testing.T) {
	s := countingStore(t, t.TempDir())
	s.delay = countDelay
	var work sync.WaitGroup
	var mu sync.Mutex
	admitted := 0
	for range 200 {
		work.Go(func() {
			rows, err := s.Count("o", []Statement{sql(increment + " WHERE n < 70 RETURNING n")},
				func(err error) { t.Errorf("lost: %v", err) })
			if !assert.NoError(t, err) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			admitted += len(rows[0].Values)
		})
	}
	work.Wait()
	assert.Equal(t, 70, admitted)
	assert.Equal(t, 70, count(t, s, "o"))
}

// TestCountsOfTwoProcesses: two stores of one folder lose no count, and share no transactions once they
// know of each other.
func TestCountsOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{countingStore(t, dir), open(t, dir)}
	stores[0].delay = countDelay
	var work sync.WaitGroup
	for i := range 100 {
		work.Go(func() { add(t, stores[i%2], "o") })
	}
	work.Wait()
	assert.Equal(t, 100, count(t, stores[0], "o"))
	assert.Equal(t, 100, count(t, stores[1], "o"))
	add(t, stores[0], "o")
	assert.False(t, locked(t, stores[1]))
	add(t, stores[1], "o")
	now := &clock{1000 + int64(aloneTime/time.Second)}
	stores[0].now = now.now
	add(t, stores[0], "o")
	assert.Nil(t, stores[0].counts, "the other process has counted meanwhile")
	now.seconds += int64(aloneTime / time.Second)
	add(t, stores[0], "o")
	assert.NotNil(t, stores[0].counts)
}
