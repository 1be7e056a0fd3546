package bridge

import "unsafe"

// Head is the status and the header lines of an upstream response.
type Head struct {
	Status int
	Lines  string // in the form of the package comment; HeaderOf reads it
}

// Call is a request to an upstream.
type Call struct {
	Method, URL string
	Head        string   // lines "name: value\n"
	Body        []byte   // nil: no body
	Pieces      [][]byte // the whole body, if Body lacks parts of it; nil: Body is whole
	HeadWait    int      // milliseconds that Fetch waits for the head; 0: no limit except Silence
	Silence     int      // milliseconds without a byte from the upstream until the call fails; more than 0
	Public      bool     // the upstream must have an address on the public internet
}

// Fetch sends a request upstream and waits for the head of its response. Status 0: the head did not
// come within HeadWait, and may still come. The package comment lists the errors of fetch.
func (h Host) Fetch(c Call) (Head, error) {
	h.send(c)
	status, head, err := h.settled()
	return Head{Status: status, Lines: unsafe.String(unsafe.SliceData(head), len(head))}, err
}

// Refetch sends a further request upstream for a stream: see AwaitNextRequest. It does not wait.
// The outcome goes to Stream.Head, also the failure of a Call without a URL.
func (h Host) Refetch(c Call) { h.send(c) }

// send calls the host's fetch.
func (h Host) send(c Call) {
	body := NoBody()
	switch {
	case c.Pieces != nil:
		body = h.gather(c.Pieces)
	case c.Body != nil:
		body = Bytes(c.Body)
	}
	h.call("fetch", c.URL, c.Method, c.Head, body, c.HeadWait, c.Silence, c.Public)
}

// Read returns the whole body of the upstream's response. The bytes belong to the caller. A body
// over limit bytes is ErrTooLarge. time limits the milliseconds until the end of the body; 0: no
// limit.
func (h Host) Read(limit, time int) ([]byte, error) {
	h.call("read", limit, time)
	_, body, err := h.settled()
	return body, err
}

// Pass returns the upstream's body for the answer to the client, which the program then sends. The
// host passes the bytes on as they come.
func (h Host) Pass() ClientBody { return h.body("pass") }

// Pump makes s the stream of this request, and returns the body for the answer to the client, which
// the program then sends. The other arguments are those of stream in the package comment. object is
// where the statements of a Storer run; "" for any other s.
func (h Host) Pump(s Stream, keepAlive string, keepAliveEvery int, trap, object string,
	window int) ClientBody {
	h.exports().stream = s
	return h.body("stream", keepAlive, keepAliveEvery, trap, object, window)
}
