package archive

import (
	"strings"

	"edgelingua/worker/bridge"
)

// Response is a response in its stored form. The body of the answer is Head, Output and Tail
// joined.
type Response struct {
	ID         string
	Parent     string // id of the previous response, or "" at the start of a conversation
	Expires    int64  // Unix seconds
	Hidden     bool   // some of the output is not for the client; Read returns the flag unchanged
	Input      string // items
	Head       string
	Output     string // items
	Tail       string
	Parameters string // "": no parameters are stored
	Most       int64  // the limit for the bytes of all responses in the object together
	Finishes   bool   // the response replaces what is stored under Unfinished(ID)
}

// Size returns the size of the response's items in bytes. Write accepts at most MaxResponse.
func (r *Response) Size() int { return len(r.Input) + len(r.Output) }

// Write returns the statements that store the response. The statements also delete responses that
// have expired at now, in Unix seconds: up to 64, and more if needed to make room. Without room for
// the response the batch fails: see Full.
func (r *Response) Write(now int64) *bridge.Statements {
	size := r.Size()
	counts := float64(size + len(r.Head) + len(r.Tail) + len(r.Parameters) + overhead)
	s := new(bridge.Statements)
	s.Grow(int(counts) + 8<<10)
	// A write adds one row that will expire, so 64 deletions catch up, and no write waits for a
	// month of rows. An alarm per object would be a wake-up to delete rows that no query can read.
	// totals counts by triggers in the same transaction, so a write reads one number. 1,024 bytes
	// per response are more than SQLite took in a database of small responses, so their number is
	// limited too.
	s.SQL(schema).SQL(totals)
	if r.Finishes {
		s.SQL(`DELETE FROM responses WHERE id = ?`).String(Unfinished(r.ID))
	}
	s.SQL(`DELETE FROM responses WHERE id IN (SELECT id FROM responses WHERE expires <= ? ORDER BY ` +
		`expires LIMIT ?)`).Number(float64(now)).Number(maxPurged)
	// A response counts its size and at least 1,024 more bytes. The inner query reads as many rows
	// as can be needed under this rule, maybe more. The outer query deletes only as many as needed.
	const lacking = `(SELECT bytes + ?2 - ?3 FROM responses_total)`
	s.SQL(`DELETE FROM responses WHERE id IN (SELECT id FROM (SELECT id, sum(size + 1024) OVER (ORDER BY ` +
		`expires, id) - size - 1024 AS freed ` +
		`FROM (SELECT id, expires, size FROM responses WHERE expires <= ?1 ORDER BY expires, id LIMIT ` +
		`max(0, CAST(` + lacking + ` AS INTEGER) / 1024 + 1))) ` +
		`WHERE freed < ` + lacking + `)`).Number(float64(now)).Number(counts).Number(float64(r.Most))
	s.SQL(`UPDATE responses_total SET bytes = CASE WHEN bytes + ? > ? THEN NULL ELSE ` +
		`bytes END`).Number(counts).Number(float64(r.Most))
	hidden := 0.0
	if r.Hidden {
		hidden = 1
	}
	s.SQL(`INSERT INTO responses (id, parent, expires, hidden, size) VALUES (?, ?, ?, ?, ?)`).String(r.ID)
	if r.Parent == "" {
		s.Null()
	} else {
		s.String(r.Parent)
	}
	s.Number(float64(r.Expires)).Number(hidden).Number(float64(size))
	for k, data := range [...]string{input: r.Input, head: r.Head, output: r.Output, tail: r.Tail,
		parameters: r.Parameters} {
		for part := 0; data != ""; part++ {
			n := min(len(data), maxPiece)
			s.SQL(`INSERT INTO response_parts (id, kind, part, data) VALUES (?, ` +
				`?, ?, ?)`).String(r.ID).Number(float64(k)).Number(float64(part)).Blob(data[:n])
			data = data[n:]
		}
	}
	return s
}

// Full reports whether the batch of Write failed for lack of room.
func Full(failed error) bool {
	return strings.Contains(failed.Error(), "NOT NULL constraint failed: responses_total.bytes")
}

// Read returns the statements that read the response with an id, unless it has expired at now, in
// Unix seconds. ReadResponse reads their rows.
func Read(id string, now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	s.SQL(`SELECT hidden FROM responses WHERE id = ? AND expires > ?`).String(id).Number(float64(now))
	return s.SQL(`SELECT kind, data FROM response_parts WHERE id = ? AND kind > 0 ORDER BY ` +
		`kind, part`).String(id)
}

// Found is a response that was read, without its id, parent and input.
type Found struct {
	Hidden                         bool
	Head, Output, Tail, Parameters string
}

// ReadResponse reads the rows of Read's statements. It returns nil if the response does not exist
// or has expired.
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

// builder joins the consecutive pieces of a text. A text of one piece is not copied.
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

// Delete returns the statements that delete a response, complete or unfinished. Existed reads their
// rows. now is in Unix seconds.
func Delete(id string, now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema).SQL(totals)
	s.SQL(`DELETE FROM responses WHERE id IN (?, ?) RETURNING expires > ?`)
	return s.String(id).String(Unfinished(id)).Number(float64(now))
}

// Existed reads the rows of Delete's statements, and reports whether the response existed and had
// not expired.
func Existed(rows *bridge.Rows) bool {
	rows.Statement()
	rows.Statement()
	return rows.Next() && rows.Value().Number == 1
}
