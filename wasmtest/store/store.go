package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// fileName is the name of a store's file. SQLite keeps its log in files beside it.
const fileName = "edgelingua.sqlite"

// busyTimeout is how long an operation waits for another process.
const busyTimeout = 5 * time.Second

const schema = `
CREATE TABLE IF NOT EXISTS kv (key BLOB PRIMARY KEY, expiration INTEGER, metadata TEXT, value BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS kv_expiration ON kv (expiration) WHERE expiration IS NOT NULL;
CREATE TABLE IF NOT EXISTS objects (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS pages (number INTEGER PRIMARY KEY, data BLOB NOT NULL);
`

// version is the version of the schema, in the file's user_version.
const version = 1

// Store is an open store. Its methods may be called from any goroutine.
type Store struct {
	mu         sync.Mutex
	file       *sqlite3.Conn
	now        func() time.Time
	statements map[string]*sqlite3.Stmt
	objects    map[int64]*object // those that are open, by number
	uses       int               // how often an object was used so far
	vfs        string            // the name of the VFS with their pages
	maxTime    time.Duration     // for one batch
}

// Open opens the store in the folder dir, which it makes where it is missing; "" is a store in memory. Keys expire by the clock
// now.
func Open(dir string, now func() time.Time) (*Store, error) {
	path := ":memory:"
	if dir != "" {
		path = filepath.Join(dir, fileName)
		if err := prepare(dir, path); err != nil {
			return nil, err
		}
	}
	s := &Store{now: now, statements: map[string]*sqlite3.Stmt{}, objects: map[int64]*object{}, maxTime: maxTime}
	if err := s.open(path); err != nil {
		s.Close()
		return nil, fmt.Errorf("%s can't be used (%w)", path, err)
	}
	if dir != "" {
		for _, log := range []string{path + "-wal", path + "-shm"} { // SQLite makes these files readable for everyone
			if err := os.Chmod(log, 0o600); err != nil {
				s.Close()
				return nil, err
			}
		}
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

func (s *Store) open(path string) (err error) {
	if s.file, err = sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE); err != nil {
		return err
	}
	if err = s.file.BusyTimeout(busyTimeout); err != nil {
		return err
	}
	if err = s.file.Exec("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"); err != nil {
		return err
	}
	s.registerPages()
	return s.transaction(func() error {
		have := int64(0)
		if err := s.query("PRAGMA user_version", nil, func(row *sqlite3.Stmt) { have = row.ColumnInt64(0) }); err != nil {
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
	for number := range s.objects {
		s.closeObject(number)
	}
	s.unregisterPages()
	for _, statement := range s.statements {
		statement.Close()
	}
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}

// lock begins an operation, which ends with mu.Unlock. Its error says that the store is closed.
func (s *Store) lock() error {
	s.mu.Lock()
	if s.file == nil {
		s.mu.Unlock()
		return errors.New("the store is closed")
	}
	return nil
}

// transaction runs do in a transaction of the file that may write.
func (s *Store) transaction(do func() error) error {
	err := s.query("BEGIN IMMEDIATE", nil, nil)
	if errors.Is(err, sqlite3.BUSY) {
		return fmt.Errorf("another process has not let go of the store for %s", busyTimeout)
	}
	if err != nil {
		return err
	}
	err = do()
	if err == nil {
		err = s.query("COMMIT", nil, nil)
	}
	if err != nil && !s.file.GetAutocommit() {
		s.query("ROLLBACK", nil, nil)
	}
	return err
}

// query runs one of the store's own statements, which are prepared once. Arguments are int64, string or []byte, and nil for NULL.
func (s *Store) query(sql string, args []any, row func(row *sqlite3.Stmt)) (err error) {
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
