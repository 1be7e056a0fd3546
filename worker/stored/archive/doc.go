// Package archive stores responses and their input in the database of an endpoint's object. It
// writes the SQL statements, and reads their rows. worker/stored runs the statements and parses the
// stored texts.
//
// A response has an input and an output. Each is a list of items: JSON values separated by commas.
// A response is stored with only its own input, and with its parent, the response from which it
// continues. So responses form trees, and a conversation is the path from a root to a response. A
// conversation is read by the id of its last response.
package archive

import "edgelingua/worker/bridge"

// Limits. SQLite in a Durable Object accepts blobs of up to 2 MB, and a batch returns rows of up to
// 16 MB (worker/bridge).
const (
	maxPiece     = 1 << 20  // bytes of a blob
	maxItems     = 15 << 20 // bytes of a conversation's items
	maxResponses = 4096     // responses of a conversation
	maxIDs       = 90       // ids in a statement, which may have 100 arguments
	maxPurged    = 64       // expired responses that a write deletes
	MaxResponse  = 16 << 20 // bytes of a response's input and output together
	overhead     = 1 << 10  // bytes that a response counts in addition to its pieces, for its rows
)

// kind is the text to which a blob in response_parts belongs. Pieces are read in the order of their
// kinds.
type kind int

const (
	input      kind = iota // the items of the input
	head                   // the answer's body before the items
	output                 // the items of the output
	tail                   // the answer's body after the items
	parameters             // the members of the request that a later request repeats
)

const schema = `CREATE TABLE IF NOT EXISTS responses (id TEXT PRIMARY KEY, parent TEXT,
	expires INTEGER NOT NULL, hidden INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS responses_expires ON responses (expires);
CREATE TABLE IF NOT EXISTS response_parts (id TEXT NOT NULL, kind INTEGER NOT NULL, part INTEGER NOT NULL,
	data BLOB NOT NULL, PRIMARY KEY (id, kind, part))`

// totals maintains the bytes of all responses in a table of one row. Triggers add and subtract at
// every insertion and deletion. The last statement counts the responses that are older than the
// table. If no response is left, the last statement counts again, since the tables may have been
// dropped together with their triggers.
const totals = `CREATE TABLE IF NOT EXISTS responses_total (one INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
CREATE TRIGGER IF NOT EXISTS response_added AFTER INSERT ON responses
	BEGIN UPDATE responses_total SET bytes = bytes + 1024; END;
CREATE TRIGGER IF NOT EXISTS response_deleted AFTER DELETE ON responses
	BEGIN UPDATE responses_total SET bytes = bytes - 1024;
	DELETE FROM response_parts WHERE id = old.id; END;
CREATE TRIGGER IF NOT EXISTS response_part_added AFTER INSERT ON response_parts
	BEGIN UPDATE responses_total SET bytes = bytes + length(new.data); END;
CREATE TRIGGER IF NOT EXISTS response_part_deleted AFTER DELETE ON response_parts
	BEGIN UPDATE responses_total SET bytes = bytes - length(old.data); END;
INSERT OR REPLACE INTO responses_total SELECT 0, (SELECT 1024 * count(*) FROM responses) +
	(SELECT coalesce(sum(length(data)), 0) FROM response_parts)
WHERE NOT EXISTS (SELECT 1 FROM responses_total) OR NOT EXISTS (SELECT 1 FROM responses)`

// Drop adds to s the statements that delete all responses.
func Drop(s *bridge.Statements) *bridge.Statements {
	return s.SQL(`DROP TABLE IF EXISTS response_parts; DROP TABLE IF EXISTS responses`)
}
