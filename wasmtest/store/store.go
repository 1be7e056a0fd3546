package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// fileName is the name of a store's file. SQLite's log files are in the same folder.
const fileName = "edgelingua.sqlite"

// busyTimeout is how long an operation waits for another process.
const busyTimeout = 5 * time.Second

const schema = `
CREATE TABLE IF NOT EXISTS kv (key BLOB PRIMARY KEY, expiration INTEGER, metadata TEXT, value BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS kv_expiration ON kv (expiration) WHERE expiration IS NOT NULL;
CREATE TABLE IF NOT EXISTS objects (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS alarms (object INTEGER PRIMARY KEY, time INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pages (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
`

// version is the version of the schema, in the file's user_version.
const version = 1

// Store is an open store. Its methods are safe for concurrent use.
type Store struct {
	path    string // of the file; "" for a store in memory
	now     func() time.Time
	vfs     string        // the name of the VFS with the objects' pages
	maxTime time.Duration // for one batch
	delay   time.Duration // of the commit of counts

	mu     sync.Mutex
	closed bool
	memory string // the name of the database of a store in memory (memory.go)
	file   *sqlite3.Conn
	// file has panicked: nothing more is sent to file, and the next operation opens another
	// connection
	broken     bool
	statements map[string]*sqlite3.Stmt
	objects    map[int64]*object // open databases, by number
	uses       int               // how often an object was used so far
	alarms     chan struct{}     // has an element after an alarm was set
	// the first error of file in the running batch; an object's SQLite reports only "disk I/O
	// error" for it
	cause   error
	written header // of the object's database that the running batch has written, if any

	counts  *counts   // the open transaction of counts, if any (counts.go)
	version int64     // file's data_version at the last counts; it changes if others write
	alone   time.Time // until then counts share no transaction (aloneTime)
}

// Open opens the store in the folder dir and creates the folder if necessary. For "" the store is
// in memory. now is the store's clock: it decides when keys expire, and unixepoch() in an object's
// SQL returns its time. The caller must call Close.
func Open(dir string, now func() time.Time) (*Store, error) {
	s := &Store{now: now, maxTime: maxTime, delay: countDelay,
		alarms: make(chan struct{}, 1)}
	shown := "the store in memory"
	if dir != "" {
		s.path = filepath.Join(dir, fileName)
		shown = s.path
		if err := prepare(dir, s.path); err != nil {
			return nil, err
		}
	}
	s.registerPages()
	err := s.do(func() error { return nil })
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("%s can't be used (%w)", shown, err)
	}
	return s, nil
}

// prepare makes the folder and the file, for their owner only.
func prepare(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// connect opens the connection.
func (s *Store) connect() (err error) {
	name, flags := s.path, sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE
	settings := "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"
	if s.path == "" {
		s.renew()
		name, flags = "file:/"+s.memory+"?vfs=mvcc", flags|sqlite3.OPEN_URI
		settings = fmt.Sprintf("PRAGMA page_size = %d; PRAGMA max_page_count = %d", memoryPage,
			maxMemory/memoryPage)
	}
	if s.file, err = sqlite3.OpenFlags(name, flags); err != nil {
		return err
	}
	s.statements, s.objects, s.broken = map[string]*sqlite3.Stmt{}, map[int64]*object{}, false
	s.version = 0
	if err = s.file.BusyTimeout(busyTimeout); err != nil {
		return err
	}
	if err = s.file.Exec(settings); err == nil {
		err = s.makeTables()
	}
	if err != nil || s.path == "" {
		return err
	}
	// SQLite lets everyone read these files
	for _, log := range []string{s.path + "-wal", s.path + "-shm"} {
		err = errors.Join(err, os.Chmod(log, 0o600))
	}
	return err
}

// disconnect closes the file's connection and the objects' databases. An open transaction is rolled
// back; if it has counts, they are lost because of err.
func (s *Store) disconnect(err error) error {
	s.loseCounts(err)
	for number := range s.objects {
		s.closeObject(number)
	}
	file := s.file
	s.file = nil
	return closed(file)
}

// closed closes a connection and its statements. The library may panic here too if memory is
// exhausted.
func closed(db *sqlite3.Conn) error {
	if db == nil {
		return nil
	}
	for _, statement := range slices.Collect(db.Stmts()) {
		guarded(statement.Close)
	}
	_, err := guarded(db.Close)
	return err
}

// guarded runs f, which uses the library, and returns a panic of f as an error. The library panics
// for SQLITE_NOMEM and if its code traps.
func guarded(f func() error) (panicked bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			panicked, err = true, fmt.Errorf("SQLite has failed: %v", r)
		}
	}()
	return false, f()
}

func (s *Store) makeTables() error {
	return s.transaction(func() error {
		have := int64(0)
		if err := s.query("PRAGMA user_version", nil,
			func(row *sqlite3.Stmt) { have = row.ColumnInt64(0) }); err != nil {
			return err
		}
		if have > version {
			return errors.New("a newer edgelingua wrote it: run that one, or use another folder")
		}
		return s.file.Exec(fmt.Sprintf("%s PRAGMA user_version = %d", schema, version))
	})
}

// Close closes the store. No operation may be running.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.commitCounts()
	s.closed = true
	err := s.disconnect(nil)
	s.unregisterPages()
	s.forget()
	return err
}

// do runs one operation at a time, after the commit of an open transaction of counts. After a panic of
// the library do closes all connections, which rolls back uncommitted changes. The next operation opens
// new ones.
func (s *Store) do(operation func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commitCounts()
	return s.guarded(operation)
}

// join is do, but in an open transaction of counts: for counts, and for operations that only read.
func (s *Store) join(operation func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.guarded(operation)
}

func (s *Store) guarded(operation func() error) error {
	if s.closed {
		return errors.New("the store is closed")
	}
	if s.file == nil {
		if panicked, err := guarded(s.connect); panicked || err != nil {
			s.disconnect(err)
			return err
		}
	}
	panicked, err := guarded(operation)
	if panicked || s.broken {
		s.disconnect(err)
	}
	return s.full(err)
}

// begin begins a write transaction of the file.
func (s *Store) begin() error {
	err := s.query("BEGIN IMMEDIATE", nil, nil)
	if errors.Is(err, sqlite3.BUSY) {
		return fmt.Errorf("another process has not let go of the store for %s", busyTimeout)
	}
	if err != nil {
		s.broken = s.broken || !s.file.GetAutocommit()
	}
	return err
}

// transaction runs do in a write transaction of the file.
func (s *Store) transaction(do func() error) error {
	err := s.begin()
	if err != nil {
		return err
	}
	if err = do(); err == nil {
		err = s.query("COMMIT", nil, nil)
	}
	if err != nil && !s.broken && !s.file.GetAutocommit() {
		s.broken = s.query("ROLLBACK", nil, nil) != nil
	}
	return err
}

// errBroken is the error of every operation on a broken connection.
var errBroken = errors.New("SQLite has failed")

// query runs one of the store's own statements, and prepares each statement only once. Arguments
// are int64, string, []byte, or nil for NULL. query does not panic: the caller may be an object's
// SQLite (pages.go), and a panic would interrupt that library in the middle of its work.
func (s *Store) query(sql string, args []any, row func(row *sqlite3.Stmt)) error {
	if s.broken {
		return errBroken
	}
	panicked, err := guarded(func() error { return s.unguarded(sql, args, row) })
	s.broken = s.broken || panicked
	if err != nil && s.cause == nil {
		s.cause = err
	}
	return err
}

func (s *Store) unguarded(sql string, args []any, row func(row *sqlite3.Stmt)) (err error) {
	statement := s.statements[sql]
	if statement == nil {
		if statement, _, err = s.file.Prepare(sql); err != nil {
			return err
		}
		s.statements[sql] = statement
	}
	defer statement.ClearBindings()
	for i, arg := range args {
		if err := bind(statement, i+1, arg); err != nil {
			return err
		}
	}
	for statement.Step() {
		if row != nil {
			row(statement)
		}
	}
	return statement.Reset()
}

// bind sets a parameter of a statement.
func bind(statement *sqlite3.Stmt, parameter int, v any) error {
	switch v := v.(type) {
	case nil:
		return statement.BindNull(parameter)
	case int64:
		return statement.BindInt64(parameter, v)
	case float64:
		return statement.BindFloat(parameter, v)
	case string:
		return statement.BindText(parameter, v)
	case []byte:
		return statement.BindBlob(parameter, v)
	}
	return fmt.Errorf("a value of type %T", v)
}
