package host

import "edgelingua/worker/bridge"

// program serves the request of a request: an instance of the module, or the same Go code in this
// process. The loop calls its methods, one at a time. A method calls js.Stop if the program has
// failed. Returned bytes are valid until the next call.
type program interface {
	// begin passes the request to the program, which later calls hostRequest.answer.
	begin()
	// settle passes the outcome of the pending call to the program, and lets the program continue.
	settle(code int, data []byte)
	// goOn lets the program make its stream's next call.
	goOn()

	// The exports of the module: see worker/bridge/doc.go.
	head(status int, lines string) (again bool)
	push(chunk []byte) (out []byte, next bridge.Next)
	complete() bool
	closeStream(c cause) (out []byte, next bridge.Next)
	end() (statements []byte)
	ended(reason string) (out []byte) // stream_ended; reason "": the statements ran
	remember() []byte
	accounts() (statements []byte)
	report() []byte

	// over returns the reason if the program ended by itself, or nil.
	over() error
	// close releases the program's resources. No method is called after close.
	close()
}
