package ir

// Keep asks an encoder for an answer that is stored, or that a client's connection remembers:
// beside what the client gets, the encoder leaves the form to keep in Head, Items and Tail. Only
// Responses has such answers.
type Keep struct {
	ID     Escaped // the answer's id; it replaces the one that is made from the upstream's
	Brief  bool    // the answer is not stored, and tells the client so: it is only remembered
	Hide   bool    // encrypted reasoning is stored but not shown to the client, which did not ask for it
	Action bool    // an answer that calls functions has "required_action": it waits for their outputs

	// Notes appends members, each behind a comma, to what the answer's last event has as its
	// "metadata"; nil: there are none. It is called when that event is written.
	Notes func(dst []byte) []byte

	// Set by the encoder when the answer is complete. Head, Items and Tail joined are the answer's
	// JSON, with all that Hide hides.
	Done              bool
	Head, Items, Tail []byte
}
