package translator

import "edgelingua/translator/ir"

// maxTapped bounds a plain answer that a Tap reads, in bytes.
const maxTapped = 16 << 20

// Tap reads the bytes of an answer that passes unchanged, for the tokens that it took and whether it failed. The answer passes whether
// or not Tap can read it.
type Tap struct {
	exchange Exchange
	cutter   cutter
	begun    bool   // a byte other than space has come
	plain    bool   // the body is JSON, not a stream
	whole    []byte // the plain body so far
	large    bool   // the plain body is over maxTapped, and whole was dropped
}

// NewTap returns a Tap of one answer of an upstream that speaks api.
func NewTap(api *ir.API) *Tap {
	t := &Tap{}
	request := &ir.Request{API: api}
	t.exchange = Exchange{pair: Pair{api, api}, target: &ir.Target{}, Request: request, sent: request, Usage: ir.NoUsage, AskUsage: true}
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

// Close takes the end of the body. cause is the error that has cut it, nil where it just ended.
func (t *Tap) Close(cause *ir.Error) {
	switch {
	case t.plain && t.large && cause == nil:
	case t.plain && cause == nil:
		t.cutter.decoder.Body(view(t.whole))
	default:
		t.cutter.close(cause)
	}
}

// Usage returns the tokens that the upstream has counted so far.
func (t *Tap) Usage() *ir.Usage { return &t.exchange.Usage }

// OutputTokens is Exchange.OutputTokens.
func (t *Tap) OutputTokens(model string) int64 { return t.exchange.OutputTokens(model) }

// Failed returns the kind of error with which the answer has failed, 0 where it has not.
func (t *Tap) Failed() ir.ErrorKind { return t.exchange.Failed }

// TooLarge reports whether the answer is a plain one of more than 16 MB: its tokens are not read.
func (t *Tap) TooLarge() bool { return t.large }

// unheard is a sink that drops its events: watched, in front of it, has read them.
type unheard struct{}

// Event does nothing.
func (unheard) Event(*ir.Event) {}

// Streams is ir.Client.Streams for a body of bytes.
func Streams(client *ir.API, path string, body []byte) (streams, counted bool) {
	return client.Client.Streams(path, view(body))
}
