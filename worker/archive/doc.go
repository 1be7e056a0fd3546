// Package archive keeps the answers of the Responses API, and what was asked, in the database of an endpoint's object: it makes the
// statements, and reads their rows. It does no input or output. Of a conversation each response holds its own input and its own
// output, and the id of the one that it goes on from: they are a tree, from whose leaves the whole history is read.
package archive

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// Bounds. A blob has up to 2 MB, and the rows of a batch 16 MB.
const (
	maxPart     = 1 << 20  // bytes
	maxItems    = 15 << 20 // bytes of a conversation
	maxTurns    = 4096     // responses of a conversation
	maxIDs      = 90       // arguments of one statement
	maxPurged   = 64       // responses that a write deletes because they have expired
	MaxResponse = 16 << 20 // bytes of a response's items
)

// kind is what a part belongs to, in the order in which parts are read.
type kind int

const (
	input      kind = iota // items
	head                   // of the answer, up to its items
	output                 // items
	tail                   // of the answer, behind its items
	parameters             // of the request, where they are needed later
)

const schema = `CREATE TABLE IF NOT EXISTS responses (id TEXT PRIMARY KEY, parent TEXT, expires INTEGER NOT NULL, hidden INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS responses_expires ON responses (expires);
CREATE TABLE IF NOT EXISTS response_parts (id TEXT NOT NULL, kind INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (id, kind, part));
` + deleted

// deleted says when an endpoint of the object's name was deleted.
const deleted = `CREATE TABLE IF NOT EXISTS responses_deleted (one INTEGER PRIMARY KEY, since INTEGER NOT NULL)`

// skew is by how many seconds isolates may disagree about the time.
const skew = 2

// Drop adds the statements of a deletion of the endpoint at now: all that is stored goes, and requests that still run store nothing.
//
//go:noinline
func Drop(s *bridge.Statements, now int64) *bridge.Statements {
	s.SQL(`DROP TABLE IF EXISTS response_parts; DROP TABLE IF EXISTS responses; ` + deleted)
	return s.SQL(`INSERT OR REPLACE INTO responses_deleted VALUES (0, ?)`).Number(float64(now - skew))
}

// Deleted returns the error for a write at an endpoint that was deleted meanwhile; nil for one that has failed otherwise.
//
//go:noinline
func Deleted(failed error) *ir.Error {
	if !strings.Contains(failed.Error(), "NOT NULL constraint failed: responses.expires") {
		return nil
	}
	return &ir.Error{Kind: ir.Permission, Message: "The response was not stored: this endpoint was deleted."}
}

// Response is a response as it is stored.
type Response struct {
	ID, Parent string // Parent: the one that it goes on from, "" for none
	Made       int64  // Unix seconds: when its endpoint was made; 0: nobody knows
	Expires    int64  // Unix seconds
	Hidden     bool   // the client does not see what carries reasoning to the next turn
	Input      string // items, separated by commas
	Answer     *ir.Keep
	Parameters string // of the request, members separated by commas; "": they are not kept
}

// Write makes the statements that store the response, and delete some of those that have expired at now.
//
//go:noinline
func (r *Response) Write(now int64) (*bridge.Statements, *ir.Error) {
	size := len(r.Input) + len(r.Answer.Items)
	if size > MaxResponse {
		return nil, &ir.Error{Kind: ir.TooLarge, Message: "The response can't be stored: its input and output are over 16 MB. Send it with \"store\":false."}
	}
	s := new(bridge.Statements)
	s.Grow(size + len(r.Answer.Head) + len(r.Answer.Tail) + len(r.Parameters) + 4<<10)
	s.SQL(schema)
	const expired = `(SELECT id FROM responses WHERE expires <= ? ORDER BY expires LIMIT ?)`
	s.SQL(`DELETE FROM response_parts WHERE id IN ` + expired).Number(float64(now)).Number(maxPurged)
	s.SQL(`DELETE FROM responses WHERE id IN ` + expired).Number(float64(now)).Number(maxPurged)
	hidden := 0.0
	if r.Hidden {
		hidden = 1
	}
	s.SQL(`INSERT INTO responses (id, parent, expires, hidden, size) VALUES (?, ?, ` +
		`CASE WHEN ? < (SELECT since FROM responses_deleted) THEN NULL ELSE ? END, ?, ?)`).String(r.ID)
	if r.Parent == "" {
		s.Null()
	} else {
		s.String(r.Parent)
	}
	if r.Made == 0 {
		s.Null()
	} else {
		s.Number(float64(r.Made))
	}
	s.Number(float64(r.Expires)).Number(hidden).Number(float64(size))
	for k, data := range [...]string{input: r.Input, head: view(r.Answer.Head), output: view(r.Answer.Items), tail: view(r.Answer.Tail), parameters: r.Parameters} {
		for part := 0; data != ""; part++ {
			n := min(len(data), maxPart)
			s.SQL(`INSERT INTO response_parts (id, kind, part, data) VALUES (?, ?, ?, ?)`).String(r.ID).Number(float64(k)).Number(float64(part)).Blob(data[:n])
			data = data[n:]
		}
	}
	return s, nil
}

// Read makes the statements that read the response with an id, unless it has expired at now.
//
//go:noinline
func Read(id string, now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	s.SQL(`SELECT hidden FROM responses WHERE id = ? AND expires > ?`).String(id).Number(float64(now))
	return s.SQL(`SELECT kind, data FROM response_parts WHERE id = ? AND kind > 0 ORDER BY kind, part`).String(id)
}

// Found is a response that was read: without its input.
type Found struct {
	Hidden                         bool
	Head, Output, Tail, Parameters string
}

// ReadResponse reads what Read has brought, nil where there is no such response.
//
//go:noinline
func ReadResponse(rows *bridge.Rows) *Found {
	rows.Statement()
	if !rows.Next() {
		return nil
	}
	f := &Found{Hidden: rows.Value().Number == 1}
	rows.Statement()
	var b builder
	for rows.Next() {
		k, data := kind(rows.Value().Number), rows.Value().Bytes
		to := [...]*string{head: &f.Head, output: &f.Output, tail: &f.Tail, parameters: &f.Parameters}[k]
		b.add(to, data)
	}
	return f
}

// builder puts parts together: a single one stays where it is.
type builder struct {
	to  *string
	buf []byte
}

func (b *builder) add(to *string, data []byte) {
	if b.to != to {
		b.to, b.buf = to, data[:len(data):len(data)]
	} else {
		b.buf = append(b.buf, data...)
	}
	*to = view(b.buf)
}

// Delete makes the statements that delete a response. The second one has a row if it was there at now.
//
//go:noinline
func Delete(id string, now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	s.SQL(`DELETE FROM responses WHERE id = ? RETURNING expires > ?`).String(id).Number(float64(now))
	return s.SQL(`DELETE FROM response_parts WHERE id = ?`).String(id)
}

// Was reads what Delete has brought: whether it was there.
//
//go:noinline
func Was(rows *bridge.Rows) bool {
	rows.Statement()
	return rows.Next() && rows.Value().Number == 1
}

// list is ?, ?, ... for n arguments.
func list(n int) string { return strings.Repeat("?, ", n-1) + "?" }
