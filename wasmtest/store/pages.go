package store

import (
	"encoding/binary"
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

// pages is the file system (a SQLite VFS) of the objects' databases. It is only used inside a
// transaction of the store's file, and that transaction serves as the lock. Therefore the VFS's own
// locks, syncs and journals do nothing.
type pages struct{ store *Store }

var registered atomic.Int64

func (s *Store) registerPages() {
	s.vfs = fmt.Sprintf("edgelingua-%d", registered.Add(1))
	vfs.Register(s.vfs, pages{s})
}

func (s *Store) unregisterPages() { vfs.Unregister(s.vfs) }

// Open opens the database of the object with the number name. The journal stays in memory.
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
	err = f.store.query("SELECT data FROM pages WHERE number = ?", []any{f.number(off / pageSize)},
		func(row *sqlite3.Stmt) {
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

// change runs SQL that writes. If there is no room, for example, SQLite ends the file's transaction
// without being asked. Then change fails, since each further page would be written in a separate
// transaction.
func (f *pageFile) change(sql string, args []any) error {
	if f.store.file.GetAutocommit() {
		return sqlite3.IOERR_WRITE
	}
	return f.store.query(sql, args, nil)
}

func (f *pageFile) WriteAt(p []byte, off int64) (n int, err error) {
	if len(p) != pageSize || off%pageSize != 0 || off/pageSize >= maxPages {
		return 0, sqlite3.IOERR_WRITE
	}
	if off == 0 {
		f.store.written = header{pages: binary.BigEndian.Uint32(p[28:]),
			free: binary.BigEndian.Uint32(p[36:])}
	}
	if err := f.change("REPLACE INTO pages (number, data) VALUES (?, ?)", []any{f.number(off / pageSize),
		p}); err != nil {
		return 0, err
	}
	return len(p), nil
}

// header has the numbers of pages in the header of a database file.
type header struct{ pages, free uint32 }

// wasteful reports whether more than half of a database, and at least 1 MB, is free: VACUUM then
// copies less than it frees. The rest must not exceed 32 MB, since VACUUM makes the copy in memory.
func (h header) wasteful() bool {
	const megabyte = 1 << 20 / pageSize
	return h.free > h.pages/2 && h.free >= megabyte && h.pages-h.free <= 32*megabyte
}

func (f *pageFile) Truncate(size int64) error {
	return f.change("DELETE FROM pages WHERE number BETWEEN ? AND ?", []any{f.number(size / pageSize),
		f.number(maxPages)})
}

func (f *pageFile) Size() (int64, error) { return f.store.sizeOf(f.object) }

// sizeOf returns the size of an object's database in bytes.
func (s *Store) sizeOf(object int64) (size int64, err error) {
	f := pageFile{object: object}
	err = s.query("SELECT max(number) FROM pages WHERE number BETWEEN ? AND ?", []any{f.number(0),
		f.number(maxPages)}, func(row *sqlite3.Stmt) {
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
