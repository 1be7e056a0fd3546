package store

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/mvcc"
)

// A store in memory has its database in Go's heap (vfs/mvcc). The heap gets a transaction's changes
// only when the transaction commits, so nothing is lost if a connection that fails in a transaction
// is dropped. SQLite's own memory of 256 MB must hold the original pages of one transaction:
// rewriting 128 MB of an object's rows at once works, 192 MB fail. maxMemory leaves room for 96 MB
// of rows.
const (
	memoryPage = 16 << 10  // bytes of a page
	maxMemory  = 128 << 20 // bytes of all pages
)

// Bounds of an object in memory, in bytes. No object can use up all memory: a batch that grows an
// object by more than smallGrowth fails if the object becomes larger than the remaining free
// memory. A batch that grows the object less fails only if the object becomes larger than
// smallShare times the free memory. So small batches, such as the counts of rate limits that an
// endpoint needs to serve requests, still work when large ones fail.
const (
	alwaysRoom  = 256 << 10 // every object may have this size, however large the others are
	smallGrowth = 64 << 10
	smallShare  = 8
)

var errFull = errors.New("the store in memory is full. Delete responses, or have the server started with " +
	"--data FOLDER, which keeps what is stored in a file")

var named atomic.Int64

// renew gives the database a new name, since a failed connection may still hold a lock on the old
// name.
func (s *Store) renew() {
	// A temporary file is no alternative: it would limit less, and after a crash the disk of a user
	// who asked for no file would hold conversations.
	old := s.memory
	s.memory = fmt.Sprintf("edgelingua-%d", named.Add(1))
	mvcc.Create(s.memory, mvcc.TakeSnapshot(old))
	mvcc.Delete(old)
}

// forget frees the memory.
func (s *Store) forget() { mvcc.Delete(s.memory) }

// full returns the error of an operation. If the store in memory is full, the error is errFull
// instead of SQLite's.
func (s *Store) full(err error) error {
	if s.path == "" && errors.Is(err, sqlite3.FULL) {
		return errFull
	}
	return err
}

// share returns an error if a batch has made an object in memory larger than its bounds. before was
// the object's size before the batch.
func (s *Store) share(number, before int64) error {
	size, err := s.sizeOf(number)
	if err != nil || size <= max(before, alwaysRoom) {
		return err
	}
	most := int64(maxMemory)
	for _, count := range []struct {
		pragma string
		sign   int64
	}{{"PRAGMA page_count", -memoryPage}, {"PRAGMA freelist_count", memoryPage}} {
		if err := s.query(count.pragma, nil,
			func(row *sqlite3.Stmt) { most += count.sign * row.ColumnInt64(0) }); err != nil {
			return err
		}
	}
	if size-before <= smallGrowth {
		most *= smallShare
	}
	if size > most {
		return errFull
	}
	return nil
}
