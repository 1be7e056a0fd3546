package events

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Call is the identity of a tool call. Upstreams may send its parts separately and late.
type Call struct {
	ID    []byte // for the client; "" if not known yet
	Name  []byte // from the upstream; "" if not known yet
	given int    // how much of ID the upstream has given
}

// Known reports whether the call has an id and a name.
func (c *Call) Known() bool { return len(c.ID) > 0 && len(c.Name) > 0 }

// IsGiven reports whether the upstream knows the call by an id.
func (c *Call) IsGiven(id ir.Escaped) bool { return jsonw.View(c.ID[:c.given]) == id }

// GiveID gives a call without an id the upstream's id. Clients match results to calls by id: if an
// earlier call of the answer has the same id, GiveID appends a number.
func (q *Queue) GiveID(c *Call, id ir.Escaped, number int) {
	c.ID, c.given = append(c.ID, id...), len(id)
	for _, other := range q.callIDs {
		if other == id {
			c.ID = strconv.AppendInt(append(c.ID, '_'), int64(number), 10)
			break
		}
	}
	q.callIDs = append(q.callIDs, jsonw.View(c.ID))
}

// MakeID makes an id for a call without an id from the upstream. The id combines at most max
// characters of from, an id of the upstream's, and the call's number, so the ids of different turns
// and calls differ.
func (q *Queue) MakeID(c *Call, from ir.Escaped, max, number int) {
	c.ID = append(c.ID, "call_"...)
	if from != "" {
		c.ID = append(append(c.ID, ir.Identifier(from, max)...), '_')
	}
	c.ID = strconv.AppendInt(c.ID, int64(number), 10)
	q.callIDs = append(q.callIDs, jsonw.View(c.ID))
}
