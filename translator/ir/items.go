package ir

import "strconv"

// MaxItems bounds what a request may hold of messages, blocks, tools and the like together: each takes memory that the size of the
// body does not tell.
const MaxItems = 20_000

// Items counts them.
type Items int

// Meet counts n more. What they are in words of the client's API is for the refusal of too many.
//
//go:noinline
func (c *Items) Meet(n int, what string) *Error {
	if *c += Items(n); *c > MaxItems {
		return &Error{Kind: InvalidRequest, Code: "invalid_value", Message: "The request has more than " + strconv.Itoa(MaxItems) +
			" " + what + " together, which is the limit. Shorten the conversation."}
	}
	return nil
}
