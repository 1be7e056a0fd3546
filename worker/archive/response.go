package archive

import (
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
)

// Response is a response as it is stored.
type Response struct {
	ID, Parent string // Parent: the one that it goes on from, "" for none
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
	s.SQL(`INSERT INTO responses (id, parent, expires, hidden, size) VALUES (?, ?, ?, ?, ?)`).String(r.ID)
	if r.Parent == "" {
		s.Null()
	} else {
		s.String(r.Parent)
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

// Deleted reads what Delete has brought: whether it was there.
//
//go:noinline
func Deleted(rows *bridge.Rows) bool {
	rows.Statement()
	return rows.Next() && rows.Value().Number == 1
}
