package ir

// Keep asks an encoder for an answer that is stored: beside what the client gets, the encoder leaves the form to store in Head, Items
// and Tail. Only Responses has stored answers.
type Keep struct {
	ID     Escaped // the answer's id; it replaces the one that is made from the upstream's
	Hide   bool    // encrypted reasoning is stored but not shown to the client, which did not ask for it
	Action bool    // an answer that calls functions has "required_action": it waits for their outputs

	// Set by the encoder when the answer is complete. Head, Items and Tail joined are the answer's JSON, with all that Hide hides.
	Done              bool
	Head, Items, Tail []byte
}
