package ir

// AnswerCopy asks an encoder for a copy of the answer that can be stored, or remembered for the client's
// connection: the encoder writes the client's answer, and leaves the copy in Head, Items and Tail.
// Only Responses has such answers.
type AnswerCopy struct {
	ID    Escaped // the answer's id; replaces the id derived from the upstream's
	Brief bool    // the answer is only remembered, not stored, and says so to the client
	Hide  bool    // encrypted reasoning is stored, but hidden from the client, which did not request it
	// an answer with function calls has "required_action": the response waits for their outputs
	Action     bool
	Background bool // the answer is made in the background, and says so

	// Notes appends members to the "metadata" of the answer's last event, each after a comma; nil:
	// there are none. Notes is called when the last event is written.
	Notes func(dst []byte) []byte

	// Set by the encoder when the answer is complete. Head, Items and Tail joined are the answer's
	// JSON, including everything that Hide hides.
	Done              bool
	Head, Items, Tail []byte
}
