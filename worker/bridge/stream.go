package bridge

// Cause is the way in which an upstream's body ended.
type Cause int32

const (
	Ended    Cause = iota // complete
	Cut                   // the connection broke
	TimedOut              // the upstream was silent for too long
)

// Stream turns an upstream's response into the client's. The pump drives it. The output belongs to
// the Stream and is valid until the next call. A Stream that implements Rounds turns the responses
// of several upstream requests into one. If the client leaves, no method is called any more: the
// program does not learn of it before Exports.Account.
type Stream interface {
	// Head receives an upstream's head that comes after HeadWait, or after Refetch. status 0: the
	// fetch failed, and lines is the reason. again: the stream needs a further call, as in Rounds.
	Head(status int, lines string) (again bool)
	// Push receives a chunk of the body. The chunk is valid until Push returns. done: out is the
	// last output for this body.
	Push(chunk []byte) (out []byte, done bool)
	// Complete reports whether only additions to the answer, such as its usage, are missing.
	Complete() bool
	// Close receives the end of the body, and returns the last output for it. Close is not called if
	// Push returned done for this body.
	Close(cause Cause) (out []byte)
}

// Storer is a Stream whose last output waits until the answer is stored.
type Storer interface {
	// Store returns the statements that store the answer; nil: none. The pump calls Store once,
	// after the last Push or Close of the last body.
	Store() *Statements
	// Stored receives the error of the statements, nil for success or no statements, and returns the
	// last output.
	Stored(err error) (out []byte)
}

// Rounds is a Stream of the answers of several calls. Package serve uses Rounds for the rounds of web
// searches, not for fallbacks.
type Rounds interface {
	// NextRound is called once after the last output for each body. It returns true if the stream
	// needs a further call instead of ending. The goroutine in AwaitNextRequest makes this call, and
	// Head, Push and Close receive the response.
	NextRound() bool
}

// PieceStream is a Stream whose output may be in pieces. Pieces is called once after each output of
// Push and Close. It returns the whole output, or nil if the output is in one piece.
type PieceStream interface {
	Pieces() [][]byte
}
