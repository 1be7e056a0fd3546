package tenant

import "edgelingua/worker/bridge"

const schema = `CREATE TABLE IF NOT EXISTS endpoint_record (one INTEGER PRIMARY KEY, ` +
	`rev INTEGER NOT NULL, ` + // how often the record was written or deleted
	`made INTEGER NOT NULL, ` + // when the endpoint was made, in Unix seconds
	`copied INTEGER NOT NULL, ` + // the last rev whose copy is in KV for certain
	`rotated INTEGER NOT NULL, ` + // until when the owner's rotations so far are paid off, in Unix seconds: see Rotate
	`record TEXT NOT NULL)` // "": the endpoint is deleted

// Truth is what an object knows of its endpoint's record.
type Truth struct {
	Known  bool   // the object has a row: false, and all else zero, where the copy in KV is all there is
	Rev    int64  // how often the record was written or deleted
	Made   int64  // when the endpoint was made, in Unix seconds
	Record string // "": the endpoint is deleted

	copied, rotated int64
}

// Deleted reports whether the endpoint was deleted.
func (s *Truth) Deleted() bool { return s.Known && s.Record == "" }

// Copied reports whether the copy in KV was written, or deleted, after the last change. It was not where that failed.
func (s *Truth) Copied() bool { return !s.Known || s.copied == s.Rev }

// ReadTruth makes the statements that read the truth.
func ReadTruth() *bridge.Statements {
	return new(bridge.Statements).SQL(schema).SQL("SELECT rev, made, copied, rotated, record FROM endpoint_record")
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

// Save makes the statements that write a record in place of the one in s, or of none: its revision, when its endpoint was made, and its
// JSON. "" is a deletion. The batch fails, and Overtaken tells why, where the record has changed since s was read.
func (s *Truth) Save(rev, made int64, record string) *bridge.Statements {
	b := new(bridge.Statements).SQL(schema)
	b.SQL("INSERT OR REPLACE INTO endpoint_record (one, rev, made, copied, rotated, record) VALUES " +
		"(0, CASE WHEN (SELECT rev FROM endpoint_record) IS ? THEN ? END, ?, ?, ?, ?)")
	if s.Known {
		b.Number(float64(s.Rev))
	} else {
		b.Null()
	}
	return b.Number(float64(rev)).Number(float64(made)).Number(float64(s.copied)).Number(float64(s.rotated)).String(record)
}

// Copy makes the statements with which the copy of the record in s is written again, where that is due: the batch fails, and Overtaken
// tells why, where the record has changed since s was read, or its copy is written by now.
func (s *Truth) Copy() *bridge.Statements {
	b := new(bridge.Statements).SQL("UPDATE endpoint_record SET rev = NULL WHERE rev <> ?1 OR copied = rev")
	return b.Number(float64(s.Rev))
}

// Renew makes s the truth for a new endpoint, where an earlier one of its name was deleted: nothing of that one counts, but its revisions.
func (s *Truth) Renew() { s.rotated = 0 }

// Copied makes the statement that notes that the copy of a revision is in KV.
func Copied(rev int64) *bridge.Statements {
	return new(bridge.Statements).SQL("UPDATE endpoint_record SET copied = ?1 WHERE rev = ?1").Number(float64(rev))
}

// An owner may replace a key a few times in a row, and then once in a while: each rotation writes to KV, whose free plan has 1,000
// writes a day for all endpoints and the operator together.
const (
	Rotations = 4        // in a row
	pause     = 6 * 3600 // seconds after which one more is allowed
)

// Rotate counts a rotation by the owner at now, in Unix seconds, for Save to write. wait is 0 or, where the owner has to wait, for how
// many seconds; then nothing is counted.
func (s *Truth) Rotate(now int64) (wait int64) {
	from := max(s.rotated, now)
	if wait = from - now - (Rotations-1)*pause; wait > 0 {
		return wait
	}
	s.rotated = from + pause
	return 0
}
