// Package archive keeps responses, each with what it answers, in the database of an endpoint's object: it makes the SQL statements, and
// reads their rows. It does no input or output, and does not look into what it keeps: worker/stored does both.
//
// A response has an input and an output, each a list of items: JSON values separated by commas. It is stored with its own input only,
// and with its parent, which is the response that it goes on from. Responses are thus trees, and a conversation is the way from a
// root to one response: it is read by the id of the last.
package archive

import "edgelingua/worker/bridge"

// Bounds. SQLite of a Durable Object takes blobs of up to 2 MB, and a batch returns rows of up to 16 MB (worker/bridge).
const (
	maxPiece    = 1 << 20  // bytes of a blob
	maxItems    = 15 << 20 // bytes of a conversation's items
	maxTurns    = 4096     // responses of a conversation
	maxIDs      = 90       // ids in one statement, which takes 100 arguments
	maxPurged   = 64       // expired responses that one write deletes
	MaxResponse = 16 << 20 // bytes of a response's input and output together
)

// kind says what a blob in response_parts is a piece of. Pieces are read in the order of their kinds.
type kind int

const (
	input      kind = iota // the items of the input
	head                   // what stands before the items in the answer's body
	output                 // the items of the output
	tail                   // what stands behind the items in the answer's body
	parameters             // the members of the request that a later one repeats
)

const schema = `CREATE TABLE IF NOT EXISTS responses (id TEXT PRIMARY KEY, parent TEXT, expires INTEGER NOT NULL, hidden INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS responses_expires ON responses (expires);
CREATE TABLE IF NOT EXISTS response_parts (id TEXT NOT NULL, kind INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (id, kind, part))`

// Drop adds to s the statements that delete all responses.
//
//go:noinline
func Drop(s *bridge.Statements) *bridge.Statements {
	return s.SQL(`DROP TABLE IF EXISTS response_parts; DROP TABLE IF EXISTS responses`)
}
