// Package registry keeps the truth of a personal endpoint's record, in the database of the endpoint's object: the record, its revision,
// and after a deletion a tombstone. A change names the revision that it is based on, and fails where the record is at another one
// by then. KV has a copy of the record, which requests read; other locations see a new copy within a minute.
//
// An object without a row has never been asked to change the record: the copy in KV is the truth then, and the first change makes it a row.
//
// The package makes the SQL, and reads what comes back; worker/admin runs it. Each refusal of SQL is a NULL for a column that takes none,
// which makes the whole batch fail: the column in the error says what the refusal is.
package registry

const schema = `CREATE TABLE IF NOT EXISTS endpoint_record (one INTEGER PRIMARY KEY, ` +
	`rev INTEGER NOT NULL, ` + // how often the record was written or deleted
	`made INTEGER NOT NULL, ` + // when the endpoint was made, in Unix seconds
	`copied INTEGER NOT NULL, ` + // the last rev whose copy is in KV for certain
	`rotated INTEGER NOT NULL, ` + // until when the owner's rotations so far are paid off, in Unix seconds: see Rotate
	`record TEXT NOT NULL)` // "": the endpoint is deleted
