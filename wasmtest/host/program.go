package host

import "edgelingua/worker/bridge"

// program is what serves the request of an exchange: an instance of the module, or the same Go code in this process. The loop calls its
// methods, one at a time, and the methods call stop where the program has failed. Bytes that they return are good until the next call.
type program interface {
	// begin hands the request to the program, which later calls exchange.answer.
	begin()
	// settle tells the program the outcome of the call that it waits for, and lets it go on.
	settle(code int, data []byte)
	// goOn lets the program make the call that its stream waits for.
	goOn()

	// The exports of the module, which worker/bridge/doc.go describes.
	head(status int, lines string) (again bool)
	push(chunk []byte) (out []byte, next bridge.Next)
	complete() bool
	closeStream(c cause) (out []byte, next bridge.Next)
	end() (statements []byte)
	kept(reason string) (out []byte) // stream_ended; "": the statements have run
	remember() []byte
	accounts() (statements []byte)
	report() []byte

	// over returns why the program has ended by itself; nil: it has not.
	over() error
	// close frees what the program holds. Nothing is called after it.
	close()
}
