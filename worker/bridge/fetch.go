package bridge

import "unsafe"

// Head is the status and the head of an upstream response.
type Head struct {
	Status int
	Lines  string // see the package comment; HeaderOf reads it
}

// Call is one request to an upstream.
type Call struct {
	Method, URL string
	Head        string   // lines of a head
	Body        []byte   // nil: none
	Pieces      [][]byte // of Body, which lacks some; nil: Body is whole
	HeadWait    int      // milliseconds that Fetch waits for the head; 0: until it comes or the fetch fails
	Silence     int      // milliseconds that the upstream may send nothing
	Public      bool     // the upstream must have an address on the public internet
}

// Fetch sends a request upstream and waits for the head of its response. Status 0: the head did not come within HeadWait, and may still
// come. The error's text is what the package comment says of fetch.
func (h Host) Fetch(c Call) (Head, error) {
	h.Refetch(c)
	status, head, err := h.settled()
	return Head{Status: status, Lines: unsafe.String(unsafe.SliceData(head), len(head))}, err
}

// Refetch sends a request upstream for a stream that waits for it: see UntilAgain. It does not wait. Stream.Head gets the outcome.
func (h Host) Refetch(c Call) {
	body := NoBody()
	switch {
	case c.Pieces != nil:
		body = h.gather(c.Pieces)
	case c.Body != nil:
		body = Bytes(c.Body)
	}
	h.call("fetch", c.URL, c.Method, c.Head, body, c.HeadWait, c.Silence, c.Public)
}

// Read returns the whole body of the upstream's response, of at most limit bytes. The bytes belong to the caller. The body may take so
// many milliseconds; 0: any number.
func (h Host) Read(limit, time int) ([]byte, error) {
	h.call("read", limit, time)
	_, body, err := h.settled()
	return body, err
}

// Pass returns the upstream's body as it comes, for the answer to the client. The program answers after that.
func (h Host) Pass() ClientBody { return h.body("pass") }

// Pump makes s the stream of this request, and returns the body for the answer to the client. The program answers after that. The other
// arguments are those of stream in the package comment. object is where the statements of a Keeper run; "" for any other s.
func (h Host) Pump(s Stream, keepAlive string, keepAliveEvery int, trap, object string, window int) ClientBody {
	h.exports().stream = s
	return h.body("stream", keepAlive, keepAliveEvery, trap, object, window)
}
