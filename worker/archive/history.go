package archive

import (
	"strconv"
	"strings"
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
)

// Query asks for what a request stands on: the conversation up to Previous, and the responses that its references name.
type Query struct {
	Previous   string // "": none
	References []responses.Reference
	ids        []string // of the responses that they are items of
}

// Needed reports whether there is anything to ask for.
func (q *Query) Needed() bool { return q.Previous != "" || len(q.References) > 0 }

// Statements makes those that read it. What has expired at now is not there.
//
//go:noinline
func (q *Query) Statements(now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	if q.Previous != "" {
		const chain = `WITH RECURSIVE chain (id, parent, size, depth) AS (` +
			`SELECT id, parent, size, 0 FROM responses WHERE id = ? AND expires > ? ` +
			`UNION SELECT r.id, r.parent, r.size, depth + 1 FROM chain JOIN responses r ON r.id = chain.parent WHERE r.expires > ? LIMIT ?) `
		bind := func() { s.String(q.Previous).Number(float64(now)).Number(float64(now)).Number(maxTurns + 1) }
		s.SQL(chain + `SELECT id, parent, size FROM chain ORDER BY depth`)
		bind()
		s.SQL(chain + `SELECT p.id, p.kind, p.data FROM chain JOIN response_parts p ON p.id = chain.id ` +
			`WHERE p.kind IN (0, 2) AND (SELECT sum(size) FROM chain) <= ? ORDER BY depth DESC, p.kind, p.part`)
		bind()
		s.Number(maxItems)
	}
	seen := map[string]bool{}
	for i := range q.References {
		if at, ok := responses.Place(q.References[i].ID); ok && !seen[at.Response] {
			seen[at.Response] = true
			q.ids = append(q.ids, at.Response)
		}
	}
	for rest := q.ids; len(rest) > 0; {
		n := min(len(rest), maxIDs)
		s.SQL(`SELECT p.id, p.kind, p.data FROM responses r JOIN response_parts p ON p.id = r.id WHERE r.expires > ? AND p.kind IN (0, 2) AND r.id IN (` +
			list(n) + `) ORDER BY p.id, p.kind, p.part`).Number(float64(now))
		for _, id := range rest[:n] {
			s.String(id)
		}
		rest = rest[n:]
	}
	return s
}

// History is what a Query has brought.
type History struct {
	turns []turn // of the conversation, the first one first
	named []turn // that references name
}

// turn is the input or the output of one response.
type turn struct {
	response string
	kind     kind
	parts    [][]byte
}

// Read reads the rows of the statements. The error is the client's to mend.
//
//go:noinline
func (q *Query) Read(rows *bridge.Rows) (h *History, err *ir.Error) {
	h = &History{}
	if q.Previous != "" {
		rows.Statement()
		missing, turns, size := q.Previous, 0, 0
		for rows.Next() {
			rows.Value()
			missing = string(rows.Value().Bytes)
			size += int(rows.Value().Number)
			turns++
		}
		switch {
		case turns > maxTurns:
			return nil, tooLong("4,096 turns")
		case missing != "":
			return nil, responses.NoPrevious(missing)
		case size > maxItems:
			return nil, TooLong(maxItems)
		}
		rows.Statement()
		h.turns = readTurns(nil, rows)
	}
	for n := len(q.ids); n > 0; n -= maxIDs {
		rows.Statement()
		h.named = readTurns(h.named, rows)
	}
	return h, nil
}

// TooLong is the error for a conversation that is over most bytes with what is added to it.
//
//go:noinline
func TooLong(most int) *ir.Error { return tooLong(strconv.Itoa(most>>20) + " MB") }

// TooLarge is the error for a batch whose rows are over their bound; nil where it has failed otherwise.
//
//go:noinline
func TooLarge(failed error) *ir.Error {
	if !strings.Contains(failed.Error(), "the rows take more than") {
		return nil
	}
	return TooLong(16 << 20)
}

func tooLong(most string) *ir.Error {
	return &ir.Error{Kind: ir.ContextOverflow, Path: "previous_response_id", Message: "The stored conversation is over " + most +
		". Begin a new one: send a summary, or the latest items, in 'input' without 'previous_response_id'."}
}

//go:noinline
func readTurns(turns []turn, rows *bridge.Rows) []turn {
	for rows.Next() {
		response, k, data := rows.Value().Bytes, kind(rows.Value().Number), rows.Value().Bytes
		n := len(turns)
		if n == 0 || turns[n-1].response != view(response) || turns[n-1].kind != k {
			turns = append(turns, turn{response: view(response), kind: k})
			n++
		}
		turns[n-1].parts = append(turns[n-1].parts, data)
	}
	return turns
}

// Size is that of the conversation, in bytes.
func (h *History) Size() (size int) {
	for i := range h.turns {
		size += h.turns[i].size() + 1
	}
	return size
}

// Append appends the items of the conversation, separated by commas.
//
//go:noinline
func (h *History) Append(dst []byte) []byte {
	begun := false
	for i := range h.turns {
		if begun {
			dst = append(dst, ',')
		}
		begun = true
		for _, part := range h.turns[i].parts {
			dst = append(dst, part...)
		}
	}
	return dst
}

// Item returns the item with an id, "" where it is not stored.
//
//go:noinline
func (h *History) Item(id string) ir.Raw {
	at, ok := responses.Place(id)
	if !ok {
		return ""
	}
	k := output
	if at.Input {
		k = input
	}
	for _, turns := range [...][]turn{h.named, h.turns} {
		for i := range turns {
			if t := &turns[i]; t.response == at.Response && t.kind == k {
				return responses.Item(t.items(), at.Index)
			}
		}
	}
	return ""
}

func (t *turn) size() (size int) {
	for _, part := range t.parts {
		size += len(part)
	}
	return size
}

// items puts the parts together, once.
func (t *turn) items() string {
	if len(t.parts) > 1 {
		whole := make([]byte, 0, t.size())
		for _, part := range t.parts {
			whole = append(whole, part...)
		}
		t.parts = [][]byte{whole}
	}
	return view(t.parts[0])
}

// view returns b as a string without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
