package store

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs/mvcc"
)

// A store in memory has its database in Go's heap (vfs/mvcc), which takes over what a transaction
// has changed when that commits. So a connection that fails in a transaction is given up without a
// loss. SQLite's own memory, of 256 MB, has to hold the pages of one transaction as they were
// before: rewriting 128 MB of an object's rows at once works, 192 MB don't. maxMemory has room for
// 96 MB.
const (
	memoryPage = 16 << 10  // bytes of a page
	maxMemory  = 128 << 20 // bytes of all pages
)

// Bounds of an object in memory, in bytes. The more there is of others, the smaller is what one
// object may become, so that no object takes all: a batch that makes its object larger by more than
// smallGrowth fails where the object would be larger than what is free then, and any other where it
// would be more than smallShare times as large. What endpoints need to serve requests, as the
// counts of their limits, are small batches: they go on where large ones fail.
const (
	alwaysRoom  = 256 << 10 // an object may be so large, whatever others have
	smallGrowth = 64 << 10
	smallShare  = 8
)

var errFull = errors.New("the store in memory is full. Delete responses, or have the server started with " +
	"--data FOLDER, which keeps what is stored in a file")

var named atomic.Int64

// renew gives the database a new name, since a connection that has failed may keep the one of the
// old name locked.
func (s *Store) renew() {
	// A temporary file is no alternative: it would limit less, and after a crash the disk of a user
	// who asked for no file would hold conversations.
	old := s.memory
	s.memory = fmt.Sprintf("edgelingua-%d", named.Add(1))
	mvcc.Create(s.memory, mvcc.TakeSnapshot(old))
	mvcc.Delete(old)
}

// forget gives the memory back.
func (s *Store) forget() { mvcc.Delete(s.memory) }

// full returns the error of an operation, in words of our own where the store in memory has no room
// for it.
func (s *Store) full(err error) error {
	if s.path == "" && errors.Is(err, sqlite3.FULL) {
		return errFull
	}
	return err
}

// share returns an error where an object in memory has become larger than its share by a batch.
// before was its size.
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
