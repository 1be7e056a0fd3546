package store

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// pageSize is the page size of the objects' databases, in bytes.
const pageSize = 4096

// maxPages is 10 GB in pages, as much as a Durable Object may hold.
const maxPages = 10 << 30 / pageSize

// pages is the file system (a SQLite VFS) with the objects' databases. It is only used inside a transaction of the one file,
// which serves as its lock: so its own locks, syncs and journals do nothing.
type pages struct{ store *Store }

var registered atomic.Int64

func (s *Store) registerPages() {
	s.vfs = fmt.Sprintf("edgelingua-%d", registered.Add(1))
	vfs.Register(s.vfs, pages{s})
}

func (s *Store) unregisterPages() { vfs.Unregister(s.vfs) }

// Open opens the database of the object whose number is name. The journal stays in memory.
func (p pages) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f := &pageFile{store: p.store}
	if _, err := fmt.Sscan(name, &f.object); err != nil || flags&vfs.OPEN_MAIN_DB == 0 {
		return nil, flags, sqlite3.CANTOPEN
	}
	return f, flags | vfs.OPEN_MEMORY, nil
}

func (p pages) Delete(string, bool) error { return sqlite3.IOERR_DELETE_NOENT }

func (p pages) Access(string, vfs.AccessFlag) (bool, error) { return false, nil }

func (p pages) FullPathname(name string) (string, error) { return name, nil }

// pageFile is the file of one object's database.
type pageFile struct {
	store  *Store
	object int64
	lock   vfs.LockLevel
}

// number returns the number of a page's row.
func (f *pageFile) number(page int64) int64 { return f.object<<32 | page }

func (f *pageFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.store.query("SELECT data FROM pages WHERE number = ?", []any{f.number(off / pageSize)}, func(row *sqlite3.Stmt) {
		if data := row.ColumnRawBlob(0); len(data) == pageSize {
			n = copy(p, data[off%pageSize:])
		}
	})
	if err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *pageFile) WriteAt(p []byte, off int64) (n int, err error) {
	if len(p) != pageSize || off%pageSize != 0 || off/pageSize >= maxPages {
		return 0, sqlite3.IOERR_WRITE
	}
	if err := f.store.query("REPLACE INTO pages (number, data) VALUES (?, ?)", []any{f.number(off / pageSize), p}, nil); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *pageFile) Truncate(size int64) error {
	return f.store.query("DELETE FROM pages WHERE number BETWEEN ? AND ?", []any{f.number(size / pageSize), f.number(maxPages)}, nil)
}

func (f *pageFile) Size() (size int64, err error) {
	err = f.store.query("SELECT max(number) FROM pages WHERE number BETWEEN ? AND ?", []any{f.number(0), f.number(maxPages)}, func(row *sqlite3.Stmt) {
		if row.ColumnType(0) != sqlite3.NULL {
			size = (row.ColumnInt64(0) - f.number(0) + 1) * pageSize
		}
	})
	return size, err
}

func (f *pageFile) Close() error { return nil }

func (f *pageFile) Sync(vfs.SyncFlag) error { return nil }

func (f *pageFile) Lock(lock vfs.LockLevel) error {
	f.lock = lock
	return nil
}

func (f *pageFile) Unlock(lock vfs.LockLevel) error {
	f.lock = lock
	return nil
}

func (f *pageFile) CheckReservedLock() (bool, error) { return f.lock >= vfs.LOCK_RESERVED, nil }

func (f *pageFile) SectorSize() int { return pageSize }

func (f *pageFile) DeviceCharacteristics() vfs.DeviceCharacteristic { return 0 }
