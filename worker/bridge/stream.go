package bridge

// Cause is how an upstream's body ended.
type Cause int32

const (
	Ended    Cause = iota // it came to its end
	Cut                   // the connection broke
	TimedOut              // the upstream sent nothing for too long
)

// Stream turns an upstream's response into the client's, driven by the pump. Its output belongs to it and is good until its next call.
type Stream interface {
	// Head takes the upstream's head where that comes after HeadWait, or after Refetch; status 0: the fetch has failed, and lines is the
	// reason. again: the stream waits for another call, as Chained.Again says.
	Head(status int, lines string) (again bool)
	// Push takes a chunk of the body, which is good until Push returns. done: out is the last output.
	Push(chunk []byte) (out []byte, done bool)
	// Complete reports whether the answer is complete but for what the upstream may still say about it.
	Complete() bool
	// Close takes the end of the body. It is not called after done.
	Close(cause Cause) (out []byte)
}

// Keeper is a Stream whose last output waits until the answer is stored.
type Keeper interface {
	// Keep returns the statements that store the answer; nil: there are none. It is called once, behind the last of Push and Close.
	Keep() *Statements
	// Kept takes the error of the statements, nil where they have run or there were none, and returns the last output.
	Kept(err error) (out []byte)
}

// Chained is a Stream whose client gets the answers of several calls.
type Chained interface {
	// Again is called once behind each last output of Push and Close: true says that this output does not end the stream, which waits for
	// another call. The goroutine in UntilAgain makes it, and Head takes what comes of it.
	Again() bool
}

// Scattered is a Stream whose output may be in pieces. Pieces is called once behind each output of Push and Close: it returns the whole of that, nil
// where the output is in one piece.
type Scattered interface {
	Pieces() [][]byte
}
