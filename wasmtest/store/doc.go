// Package store keeps what Cloudflare keeps for the deployed worker: a KV namespace, and the databases of the Durable Objects
// of one class. All of it lies in one SQLite file, edgelingua.sqlite in the folder that Open names, or in memory.
//
// What Cloudflare refuses is refused here, with the same limits (pages "Limits" of Workers KV and of Durable Objects, and what
// workerd says where those are silent), so that what works on a laptop works when it is deployed.
//
// # The file
//
// A write-ahead log, so a killed process loses nothing that was answered, and several processes may share a folder. Each
// operation is one transaction, and there is one connection with a lock around it: an operation takes microseconds.
//
//	kv       the namespace: a key's bytes, its value, its metadata as JSON, and when it expires
//	objects  the name of each object, and its number
//	pages    the database file of each object, page by page, under object<<32 | page
//
// # An object's database
//
// It is a SQLite database of its own, whose file (pages.go) consists of rows of the table pages. SQL in it finds the tables of
// that object, and no words for any others. Its writes are part of the transaction of the one file around it.
package store
