package archive

import (
	"strings"
	"unsafe"

	"edgelingua/worker/bridge"
)

// Query asks for a conversation and for further responses.
type Query struct {
	Previous string   // the id of the conversation's last response; "": no conversation
	Named    []string // ids of further responses, maybe repeated or unknown

	ids []string // the distinct ids of Named
}

// Statements returns the statements of the query; Read reads their rows. Responses that have
// expired at now, in Unix seconds, are not found. Call Statements once per Query.
func (q *Query) Statements(now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	if q.Previous != "" {
		const chain = `WITH RECURSIVE chain (id, parent, size, depth) AS (` +
			`SELECT id, parent, size, 0 FROM responses WHERE id = ? AND expires > ? ` +
			`UNION SELECT r.id, r.parent, r.size, depth + 1 FROM chain JOIN responses r ON r.id = ` +
			`chain.parent WHERE r.expires > ? LIMIT ?) `
		bind := func() {
			s.String(q.Previous).Number(float64(now)).Number(float64(now)).Number(maxResponses + 1)
		}
		s.SQL(chain + `SELECT id, parent, size FROM chain ORDER BY depth`)
		bind()
		s.SQL(chain + `SELECT p.id, p.kind, p.data FROM chain JOIN response_parts p ON p.id = chain.id ` +
			`WHERE p.kind IN (0, 2) AND (SELECT sum(size) FROM chain) <= ? ORDER BY depth DESC, ` +
			`p.kind, p.part`)
		bind()
		s.Number(maxItems)
	}
	seen := map[string]bool{}
	for _, id := range q.Named {
		if !seen[id] {
			seen[id] = true
			q.ids = append(q.ids, id)
		}
	}
	for rest := q.ids; len(rest) > 0; {
		n := min(len(rest), maxIDs)
		s.SQL(`SELECT p.id, p.kind, p.data FROM responses r JOIN response_parts p ON p.id = r.id WHERE ` +
			`r.expires > ? AND p.kind IN (0, 2) AND r.id IN (` +
			placeholders(n) + `) ORDER BY p.id, p.kind, p.part`).Number(float64(now))
		for _, id := range rest[:n] {
			s.String(id)
		}
		rest = rest[n:]
	}
	return s
}

// placeholders returns "?, ?, ..." for n arguments.
func placeholders(n int) string { return strings.Repeat("?, ", n-1) + "?" }

// History is the result of a Query. Its texts view the rows, which never change.
type History struct {
	Sides []Side // of the conversation, oldest first
	named []Side // of Query.Named
}

// Side is the input or the output of a response.
type Side struct {
	Response string // the response's id
	Input    bool
	pieces   [][]byte // at least one
}

// Problem is the reason why a conversation can't be used. One of its fields is set.
type Problem struct {
	Missing   string // the id of a response that is no longer stored, or never was
	Responses int    // the limit of responses in a conversation, if it is exceeded
	Bytes     int    // the limit of the items' bytes, if it is exceeded
}

// Read reads the rows of the statements. A Problem concerns only the conversation. A response of
// Named that is not stored is left out.
func (q *Query) Read(rows *bridge.Rows) (*History, *Problem) {
	h := &History{}
	if q.Previous != "" {
		rows.Statement()
		missing, turns, size := q.Previous, 0, 0
		for rows.Next() {
			rows.Value()
			missing = string(rows.Value().Bytes) // the parent; "" for the NULL of the first response
			size += int(rows.Value().Number)
			turns++
		}
		switch {
		case turns > maxResponses:
			return nil, &Problem{Responses: maxResponses}
		case missing != "":
			return nil, &Problem{Missing: missing}
		case size > maxItems:
			return nil, &Problem{Bytes: maxItems}
		}
		rows.Statement()
		h.Sides = readSides(nil, rows)
	}
	for n := len(q.ids); n > 0; n -= maxIDs {
		rows.Statement()
		h.named = readSides(h.named, rows)
	}
	return h, nil
}

// TooLarge reports whether the batch of a Query failed because its rows are over MaxRows.
func TooLarge(failed error) bool { return strings.Contains(failed.Error(), "the rows take more than") }

// MaxRows is the limit for the rows of a batch in bytes: see worker/bridge.
const MaxRows = 16 << 20

func readSides(sides []Side, rows *bridge.Rows) []Side {
	for rows.Next() {
		response, k, data := rows.Value().Bytes, kind(rows.Value().Number), rows.Value().Bytes
		n := len(sides)
		if n == 0 || sides[n-1].Response != view(response) || sides[n-1].Input != (k == input) {
			sides = append(sides, Side{Response: view(response), Input: k == input})
			n++
		}
		sides[n-1].pieces = append(sides[n-1].pieces, data)
	}
	return sides
}

// Add inserts items, separated by commas, before the conversation's own.
func (h *History) Add(items []byte) {
	if len(items) > 0 {
		h.Sides = append([]Side{{pieces: [][]byte{items}}}, h.Sides...)
	}
}

// Size returns an upper bound for the bytes of Append.
func (h *History) Size() (size int) {
	for i := range h.Sides {
		size += h.Sides[i].size() + 1
	}
	return size
}

// Append appends the items of the conversation, separated by commas.
func (h *History) Append(dst []byte) []byte {
	for i := range h.Sides {
		if i > 0 {
			dst = append(dst, ',')
		}
		for _, piece := range h.Sides[i].pieces {
			dst = append(dst, piece...)
		}
	}
	return dst
}

// Items returns the items of a response's input or output. It returns "" if there are none, or if
// the response was not queried or not found.
func (h *History) Items(response string, ofInput bool) string {
	for _, sides := range [...][]Side{h.named, h.Sides} {
		for i := range sides {
			if s := &sides[i]; s.Response == response && s.Input == ofInput {
				return s.Items()
			}
		}
	}
	return ""
}

// Items returns the items of the side. The first call joins the pieces.
func (s *Side) Items() string {
	if len(s.pieces) > 1 {
		whole := make([]byte, 0, s.size())
		for _, piece := range s.pieces {
			whole = append(whole, piece...)
		}
		s.pieces = [][]byte{whole}
	}
	return view(s.pieces[0])
}

func (s *Side) size() (size int) {
	for _, piece := range s.pieces {
		size += len(piece)
	}
	return size
}

// view returns b as a string without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
