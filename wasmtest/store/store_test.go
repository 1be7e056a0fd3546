package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock is a clock set by the test.
type clock struct{ seconds int64 }

func (c *clock) now() time.Time { return time.Unix(c.seconds, 0) }

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, (&clock{1000}).now)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// both runs a test on a store in memory and on a store in a folder.
func both(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Run("memory", func(t *testing.T) { test(t, open(t, "")) })
	t.Run("folder", func(t *testing.T) { test(t, open(t, t.TempDir())) })
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir)
	require.NoError(t, s.Put("k", []byte("v"), nil, 0))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(entry.Name(), fileName), entry.Name())
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), entry.Name())
	}
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(file, time.Now)
	assert.ErrorContains(t, err, "not a directory")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, fileName), []byte(strings.Repeat("no database ", 99)),
		0o600))
	_, err = Open(dir, time.Now)
	assert.ErrorContains(t, err, "file is not a database")

	dir = t.TempDir()
	s := open(t, dir)
	require.NoError(t, s.query("PRAGMA user_version = 2", nil, nil))
	_, err = Open(dir, time.Now)
	assert.ErrorContains(t, err, "a newer edgelingua wrote it")
}

func TestClosed(t *testing.T) {
	s := open(t, "")
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, _, _, getErr := s.Get("k")
	_, batchErr := s.Batch("o", nil)
	for _, err := range []error{getErr, batchErr, s.Put("k", nil, nil, 0), s.Delete("k"),
		second(s.List("", "", 1))} {
		assert.EqualError(t, err, "the store is closed")
	}
}

func TestRestart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	require.NoError(t, s.Put("key", []byte("value"), []byte(`{"a":1}`), 0))
	_, err := s.Batch("object", []Statement{{SQL: "CREATE TABLE t (a)"}, {SQL: "INSERT INTO t VALUES (?)",
		Args: []any{"kept"}}})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	s = open(t, dir)
	value, metadata, found, err := s.Get("key")
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, "value", string(value))
	assert.Equal(t, `{"a":1}`, string(metadata))
	rows, err := s.Batch("object", []Statement{{SQL: "SELECT a FROM t"}})
	require.NoError(t, err)
	assert.Equal(t, []Rows{{1, []any{"kept"}}}, rows)
}

// TestKilled writes batches in another process until the process is killed. The file then contains
// only whole batches, including every batch reported as done.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("STORE_TEST_DIR"); dir != "" {
		s := open(t, dir)
		for {
			_, err := s.Batch("o", []Statement{{SQL: increment}, {SQL: increment}})
			require.NoError(t, err)
			os.Stdout.WriteString(".")
		}
	}
	dir := t.TempDir()
	s := open(t, dir)
	_, err := s.Batch("o", counter)
	require.NoError(t, err)
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "STORE_TEST_DIR="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	reported := make([]byte, 50)
	for n := 0; n < len(reported); {
		m, err := out.Read(reported[n:])
		require.NoError(t, err)
		n += m
	}
	require.NoError(t, child.Process.Kill())
	child.Wait()
	n := count(t, s, "o")
	assert.GreaterOrEqual(t, n, 2*len(reported))
	assert.Zero(t, n%2, "half a batch is there")
	require.NoError(t, s.Close())
	assert.Equal(t, n, count(t, open(t, dir), "o"))
}

const increment = "UPDATE counter SET n = n + 1"

var counter = []Statement{{SQL: "CREATE TABLE counter (n)"}, {SQL: "INSERT INTO counter VALUES (0)"}}

func count(t *testing.T, s *Store, name string) int {
	t.Helper()
	rows, err := s.Batch(name, []Statement{{SQL: "SELECT n FROM counter"}})
	require.NoError(t, err)
	return int(rows[0].Values[0].(float64))
}

// TestTwoOfOneFolder has two stores of one folder, as in two processes, use one object alternately.
func TestTwoOfOneFolder(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{open(t, dir), open(t, dir)}
	_, err := stores[0].Batch("o", counter)
	require.NoError(t, err)
	var work sync.WaitGroup
	for i := range 100 {
		work.Go(func() {
			_, err := stores[i%2].Batch("o", []Statement{{SQL: increment}})
			assert.NoError(t, err)
		})
	}
	work.Wait()
	assert.Equal(t, 100, count(t, stores[0], "o"))
	assert.Equal(t, 100, count(t, stores[1], "o"))
}

func TestAnotherProcessThatDoesNotLetGo(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	require.NoError(t, s.Put("k", []byte("v"), nil, 0))
	require.NoError(t, s.file.BusyTimeout(0))
	require.NoError(t, other.transaction(func() error {
		_, err := s.Batch("o", nil)
		assert.EqualError(t, err, "another process has not let go of the store for 5s")
		assert.EqualError(t, s.Put("k", nil, nil, 0), "another process has not let go of the store for 5s")
		_, _, found, err := s.Get("k")
		assert.True(t, found, "reading does not wait")
		return err
	}))
	require.NoError(t, s.Put("k", nil, nil, 0))
}
