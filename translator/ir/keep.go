package ir

// Keep asks for an answer in the form in which it is stored. The client's API must know stored answers.
type Keep struct {
	ID     Escaped // of the answer, in place of what follows from the upstream's
	Hide   bool    // what carries reasoning to the next turn is stored, but not shown
	Action bool    // an answer that calls functions says that it waits for their outputs

	// What the encoder leaves here once the answer is complete; the items are whole, whatever is shown. Its parts joined are the answer.
	Done              bool
	Head, Items, Tail []byte
}
