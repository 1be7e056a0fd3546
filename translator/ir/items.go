package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
)

// MaxItems is how many messages, blocks, tools and the like a request may have together. Each takes
// some 200 bytes in the hub, however few it has in the body.
const MaxItems = 20_000

// Items counts the items of one request.
type Items struct {
	Of string // what items are in the words of the client's API, for the refusal of too many
	n  int
}

// Meet counts n items, and refuses the request where that is too many.
func (c *Items) Meet(n int) *Error {
	if c.n += n; c.n > MaxItems {
		return &Error{Kind: InvalidRequest, Code: "invalid_value",
			Message: "The request has more than " + strconv.Itoa(MaxItems) +
				" " + c.Of + " together, which is the limit. Shorten the conversation."}
	}
	return nil
}

// Count returns the length of the list that r stands before, and counts its elements.
func (c *Items) Count(r *jsonr.Reader) (int, *Error) {
	n := r.Len()
	return n, c.Meet(n)
}
