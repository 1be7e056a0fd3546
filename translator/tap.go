package translator

import (
	"edgelingua/translator/ir"
)

// maxTapped bounds a plain answer that a Tap reads, in bytes.
const maxTapped = 16 << 20

// Tap reads an answer that passes, for what it has cost and whether it failed. What it can't read it does without.
type Tap struct {
	exchange Exchange
	cutter   cutter
	begun    bool // the body has
	plain    bool // it is no stream
	whole    []byte
	large    bool
}

// NewTap returns a tap of an answer of a protocol.
func NewTap(api *ir.API) *Tap {
	t := &Tap{}
	request := &ir.Request{API: api}
	t.exchange = Exchange{pair: Pair{api, api}, target: &ir.Target{}, Request: request, sent: request, Usage: ir.NoUsage}
	t.cutter.decoder = t.exchange.decoder(&watched{&t.exchange, unheard{}}, streamed)
	return t
}

// Push takes the next chunk of the body, cut anywhere, which is not kept.
func (t *Tap) Push(chunk []byte) {
	if !t.begun {
		for i := 0; i < len(chunk) && !t.begun; i++ {
			if c := chunk[i]; c > ' ' {
				t.begun, t.plain = true, c == '{' || c == '['
			}
		}
	}
	switch {
	case !t.plain:
		t.cutter.push(chunk)
	case len(t.whole)+len(chunk) > maxTapped:
		t.large, t.whole = true, nil
	case !t.large:
		t.whole = append(t.whole, chunk...)
	}
}

// Close takes the end of the body. cause is what cut it, nil where it just ended.
func (t *Tap) Close(cause *ir.Error) {
	switch {
	case t.plain && t.large && cause == nil:
	case t.plain && cause == nil:
		t.cutter.decoder.Body(view(t.whole))
	default:
		t.cutter.close(cause)
	}
}

// Usage is what the answer has cost, as far as the upstream has said yet.
func (t *Tap) Usage() *ir.Usage { return &t.exchange.Usage }

// Failed is what the answer has failed with, 0 where it has not.
func (t *Tap) Failed() ir.ErrorKind { return t.exchange.Failed }

// TooLarge reports whether the answer is plain, and longer than what is read of it: 16 MB.
func (t *Tap) TooLarge() bool { return t.large }

// unheard is a sink for events that only watched looks at.
type unheard struct{}

// Event does nothing.
func (unheard) Event(*ir.Event) {}

// Streams says what a client's request asks for, whose body may be anything: whether that is a stream, and whether the upstream says in
// the answer how many tokens it was. A body that can't be read may ask for anything.
func Streams(client *ir.API, path string, body []byte) (streams, counted bool) {
	return client.Client.Streams(path, view(body))
}
