package ir

import "strconv"

// MaxItems bounds how many messages, blocks, tools and other list elements a request may hold together: each takes memory,
// however few bytes it has in the body.
const MaxItems = 20_000

// Items counts the list elements of a request while it is read.
type Items int

// Meet counts n more elements. Over MaxItems in all it returns the error that refuses the request; what names the elements in it,
// in the client API's words.
//
//go:noinline
func (c *Items) Meet(n int, what string) *Error {
	if *c += Items(n); *c > MaxItems {
		return &Error{Kind: InvalidRequest, Code: "invalid_value", Message: "The request has more than " + strconv.Itoa(MaxItems) +
			" " + what + " together, which is the limit. Shorten the conversation."}
	}
	return nil
}
