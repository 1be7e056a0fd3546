package tenant

import "edgelingua/worker/bridge"

const schema = `CREATE TABLE IF NOT EXISTS endpoint_record (one INTEGER PRIMARY KEY, ` +
	`rev INTEGER NOT NULL, ` + // the number of writes and deletions of the record
	`made INTEGER NOT NULL, ` + // the creation time of the endpoint, in Unix seconds
	`copied INTEGER NOT NULL, ` + // the last rev whose copy is certainly in KV
	// when the owner's rotations so far stop counting, in Unix seconds: see Rotate
	`rotated INTEGER NOT NULL, ` +
	`record TEXT NOT NULL)` // "": the endpoint is deleted

// Truth is an object's knowledge of its endpoint's record.
type Truth struct {
	// the object has a row; false: the copy in KV is all there is, and the other fields are zero
	Known  bool
	Rev    int64  // the number of writes and deletions of the record
	Made   int64  // the creation time of the endpoint, in Unix seconds
	Record string // "": the endpoint is deleted

	copied, rotated int64
}

// Deleted reports whether the endpoint was deleted.
func (s *Truth) Deleted() bool { return s.Known && s.Record == "" }

// Copied reports whether the last change reached the copy in KV. If a write to KV failed, it did
// not.
func (s *Truth) Copied() bool { return !s.Known || s.copied == s.Rev }

// ReadTruth returns the statements that read the truth. TruthOf reads their rows.
func ReadTruth() *bridge.Statements {
	return new(bridge.Statements).SQL(schema).SQL("SELECT rev, made, copied, rotated, record FROM " +
		"endpoint_record")
}

// TruthOf reads the rows of ReadTruth's statements.
func TruthOf(rows *bridge.Rows) (s Truth) {
	rows.Answer()
	if rows.Next() {
		number := func() int64 { return int64(rows.Value().Number) }
		s = Truth{Known: true, Rev: number(), Made: number(), copied: number(), rotated: number()}
		s.Record = string(rows.Value().Bytes)
	}
	return s
}

// Save returns the statements that replace the record in s, if there is one: by a revision, the
// creation time of the endpoint, and the record's JSON; "" is a deletion. If the record changed
// after s was read, the batch fails with the reason Overtaken.
func (s *Truth) Save(rev, made int64, record string) *bridge.Statements {
	b := new(bridge.Statements).SQL(schema)
	b.SQL("INSERT OR REPLACE INTO endpoint_record (one, rev, made, copied, rotated, record) VALUES " +
		"(0, CASE WHEN (SELECT rev FROM endpoint_record) IS ? THEN ? END, ?, ?, ?, ?)")
	if s.Known {
		b.Number(float64(s.Rev))
	} else {
		b.Null()
	}
	b.Number(float64(rev)).Number(float64(made)).Number(float64(s.copied)).Number(float64(s.rotated))
	return b.String(record)
}

// Copy returns the statements for another write of the copy in KV, if it is due. If the record
// changed after s was read, or the copy is written by now, the batch fails with the reason
// Overtaken.
func (s *Truth) Copy() *bridge.Statements {
	b := new(bridge.Statements).SQL("UPDATE endpoint_record SET rev = NULL WHERE rev <> ?1 OR copied = rev")
	return b.Number(float64(s.Rev))
}

// Renew makes s the truth for a new endpoint after an earlier one of its name was deleted. Only the
// revisions continue.
func (s *Truth) Renew() { s.rotated = 0 }

// Copied returns the statement that records that the copy of a revision is in KV.
func Copied(rev int64) *bridge.Statements {
	return new(bridge.Statements).SQL("UPDATE endpoint_record SET copied = ?1 " +
		"WHERE rev = ?1").Number(float64(rev))
}

// An owner may rotate a key a few times in a row, and then once per pause. Each rotation writes to
// KV, whose free plan has 1,000 writes a day for all endpoints and the operator together.
const (
	Rotations = 4        // in a row
	pause     = 6 * 3600 // seconds until one more rotation is allowed
)

// Rotate counts a rotation by the owner at now, in Unix seconds, for Save to write. wait is 0, or
// the seconds that the owner must wait; then the rotation does not count.
func (s *Truth) Rotate(now int64) (wait int64) {
	from := max(s.rotated, now)
	if wait = from - now - (Rotations-1)*pause; wait > 0 {
		return wait
	}
	s.rotated = from + pause
	return 0
}
