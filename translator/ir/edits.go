package ir

// Edits are the edits of the history that a client requests: context_management of Messages
// ("Context editing"). An upstream of the client's own API is sent the edits and makes them. For
// any other upstream, package compact makes the edits that it can.
type Edits struct {
	Raw      Raw        // as the client wrote the edits
	Clear    []Clearing // in their order
	Only     []string   // the paths of edits that only an upstream of the client's API can make
	Thinking bool       // there is an edit of thinking
	Made     bool       // package compact has made the edits: the upstream speaks another API
	Cleared  []Cleared  // what was cleared, if Made
}

// Clearing is an edit that removes tool results from the history, the oldest first:
// clear_tool_uses_20250919.
type Clearing struct {
	Trigger int64 // the number of tokens in the prompt up to which nothing is cleared
	Uses    bool  // Trigger is a number of calls with a result, not of tokens
	Keep    int64 // how many of the last results stay
	// in tokens: smaller edits are not made, because clearing costs the prompt cache. 0: no minimum
	AtLeast  int64
	Excluded []Escaped // names of tools: their results stay
	Inputs   bool      // the arguments of the calls are cleared too
	InputsOf []Escaped // names of tools: the arguments of their calls are cleared
}

// Cleared is what one Clearing removed from a request.
type Cleared struct{ Uses, Tokens int64 }
