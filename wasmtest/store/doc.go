// Package store keeps what Cloudflare keeps for the deployed worker: a KV namespace, and the
// databases of the Durable Objects of one class. All of it is in one SQLite file, edgelingua.sqlite
// in the folder that Open is given, or in memory, where it is bounded (memory.go).
//
// What Cloudflare refuses is refused here too, by the same limits, so that what works on a laptop
// works when it is deployed. The limits are those of the pages "Limits" of Workers KV and of
// Durable Objects and, where these say nothing, of workerd.
//
// # The file
//
// The file has a write-ahead log, so a killed process loses nothing that it has answered, and
// several processes may share a folder. Each operation is one transaction. There is one connection
// with a lock around it, since an operation takes microseconds. An operation that fails leaves
// nothing behind, also where SQLite itself has failed in it: the next one opens another connection.
//
//	kv       the namespace: a key's bytes, its value, its metadata as JSON, and when it expires
//	objects  the name of each object, and its number
//	pages    the database file of each object, page by page, under object<<32 | page
//
// # An object's database
//
// An object's database is a SQLite database of its own, whose file (pages.go) consists of rows of
// the table pages. SQL in it reaches the tables of that object only. Its writes are part of the
// transaction of the one file. Once more than half of it is free, it gives that back.
package store
