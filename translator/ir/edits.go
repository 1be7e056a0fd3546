package ir

// Edits is what a client asks its server to do to the history before a model reads it:
// context_management of Messages ("Context editing"). An upstream of the client's own API is told
// and does it. For any other upstream package compact does what it can.
type Edits struct {
	Raw      Raw        // as the client wrote it
	Clear    []Clearing // in their order
	Only     []string   // the paths of edits that only an upstream of the client's API can make
	Thinking bool       // one of them is about thinking
	Made     bool       // package translator has made the edits: the upstream speaks another API
	Cleared  []Cleared  // what has been cleared, where Made
}

// Clearing takes the results of tools out of the history, the oldest first: the edit
// clear_tool_uses_20250919.
type Clearing struct {
	Trigger int64 // nothing is cleared as long as the prompt has no more tokens than this
	Uses    bool  // Trigger is a number of calls with a result, not of tokens
	Keep    int64 // so many of the last results stay
	// in tokens: less than that is not cleared at a time, since it costs the prompt cache. 0:
	// anything is worth it
	AtLeast  int64
	Excluded []Escaped // names of tools whose results stay
	Inputs   bool      // the arguments of the calls are cleared too
	InputsOf []Escaped // those of the calls of these tools are
}

// Cleared is what one Clearing has taken out of a request.
type Cleared struct{ Uses, Tokens int64 }
