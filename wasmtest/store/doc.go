// Package store is the storage of the local host. It replaces Cloudflare's: a KV namespace, and the
// databases of the Durable Objects of one class. Everything is in one SQLite file,
// edgelingua.sqlite in the folder given to Open, or in bounded memory (memory.go).
//
// The store has Cloudflare's limits and refuses what Cloudflare refuses. A program that works on a
// laptop therefore also works when deployed. The limits are those of the pages "Limits" of Workers
// KV and of Durable Objects. Where these pages are silent, the limits of workerd apply.
//
// # The file
//
// The file has a write-ahead log, so a killed process loses no operation that was answered, except
// counts of its last moment (counts.go), and several processes may share a folder. Each other operation
// is one transaction. There is one connection with a lock, since an operation takes microseconds. A
// failed operation changes nothing, even if SQLite itself failed; the next operation then opens another
// connection.
//
//	kv       the namespace: a key's bytes, its value, its metadata as JSON, and when it expires
//	objects  the name of each object, and its number
//	alarms   the alarm of each object that has one (alarm.go)
//	pages    the database file of each object, page by page, under object<<32 | page
//
// # An object's database
//
// Each object has a SQLite database of its own. The database file (pages.go) consists of rows of
// the table pages. SQL in it can only access the tables of that object. Its writes are part of the
// transaction of the store's file. If more than half of the database is free, the free pages are
// returned to the file (header.wasteful has the exact rule).
package store
