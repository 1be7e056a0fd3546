package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
)

// MaxItems limits the messages, blocks, tools and similar items of a request, all together. Each
// item needs some 200 bytes in the hub, even if it is only a few bytes of the body.
const MaxItems = 20_000

// Items counts the items of one request.
type Items struct {
	Of string // the word for items in the client's API, for the error message
	n  int
}

// Meet counts n items, and returns an error if the request now has more than MaxItems.
func (c *Items) Meet(n int) *Error {
	if c.n += n; c.n > MaxItems {
		return &Error{Kind: InvalidRequest, Code: "invalid_value",
			Message: "The request has too many " + c.Of + ": the limit is " + strconv.Itoa(MaxItems) +
				" in total. Shorten the conversation."}
	}
	return nil
}

// Count returns the length of the list that r is at, and counts its elements.
func (c *Items) Count(r *jsonr.Reader) (int, *Error) {
	n := r.Len()
	return n, c.Meet(n)
}
