package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
)

// MaxItems bounds what a request may hold of messages, blocks, tools and the like together: each takes memory that the size of the
// body does not tell.
const MaxItems = 20_000

// Items counts them.
type Items struct {
	Of string // what they are in words of the client's API, for the refusal of too many
	n  int
}

// Meet counts n more.
//
//go:noinline
func (c *Items) Meet(n int) *Error {
	if c.n += n; c.n > MaxItems {
		return &Error{Kind: InvalidRequest, Code: "invalid_value", Message: "The request has more than " + strconv.Itoa(MaxItems) +
			" " + c.Of + " together, which is the limit. Shorten the conversation."}
	}
	return nil
}

// Count returns the length of the list that r stands before, and counts its elements.
func (c *Items) Count(r *jsonr.Reader) (int, *Error) {
	n := r.Len()
	return n, c.Meet(n)
}
