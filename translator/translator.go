// Package translator translates requests, answers and streams between LLM APIs. It knows no HTTP, no clock and no
// configuration; it starts no goroutines and keeps no state between requests.
//
// One request goes through it like this:
//
//	pair, ok := translator.Lookup("anthropic", "chat")
//	x, err := pair.Decode(body)              // the client's body
//	x.Request.Model = ...                    // the endpoint's model map
//	up, err := x.AppendRequest(nil, target)  // the upstream's body
//	s := x.Stream()                          // a streamed answer to a client that streams
//	out, done := s.Push(chunk)
//
// and through AppendBody, AppendStreamOfBody or AppendFolded where one side does not stream.
package translator

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/responses"
)

// Pair is a client's protocol and an upstream's.
type Pair struct {
	client   ir.Client
	upstream ir.Upstream
}

// Lookup returns the pair of two protocols by their names: "anthropic", "chat" or "responses". ok is false where the pair
// does not exist (yet).
func Lookup(client, upstream string) (p Pair, ok bool) {
	p.client, p.upstream = clientByName(client), upstreamByName(upstream)
	return p, p.client != nil && p.upstream != nil
}

func clientByName(name string) ir.Client {
	switch name {
	case anthropic.Name:
		return anthropic.Client{}
	}
	return nil
}

func upstreamByName(name string) ir.Upstream {
	switch name {
	case chat.Name:
		return chat.Upstream{}
	}
	return nil
}

// AppendError appends the body of an error answer in the dialect of a client's protocol, by its name; an unknown name gets
// that of chat. The status is HTTPStatus(client, e).
func AppendError(dst []byte, client string, e *ir.Error) []byte {
	switch client {
	case anthropic.Name:
		return anthropic.AppendError(dst, e)
	case responses.Name:
		return responses.AppendError(dst, e)
	}
	return chat.AppendError(dst, e)
}

// HTTPStatus returns the status of an error answer for a client, by its protocol's name. It is e's own, but for an upstream
// without capacity: Anthropic's clients know 529 and OpenAI's 503, where Codex looks for the code server_is_overloaded.
func HTTPStatus(client string, e *ir.Error) int {
	status := e.HTTPStatus()
	switch {
	case e.Kind != ir.Overloaded && status != 529:
		return status
	case client == anthropic.Name:
		return 529
	}
	return 503
}

// Exchange is one request and its answer. Its parts are used in the order of the package comment.
type Exchange struct {
	pair   Pair
	asked  ir.Escaped // the model that the client asked for, which its answer names
	target *ir.Target // what the upstream accepts

	// Request is what the client asks for. The caller may change it before AppendRequest.
	Request *ir.Request

	// Lost is what the upstream could not be told, and what the client could not be told of the answer: complete once the
	// answer is. Fields of the answer have paths in the upstream's protocol.
	Lost ir.Lost

	// MaxOutput bounds the answer, in bytes of text, arguments and reasoning, where it has to be gathered: for plain answers, and
	// for streams that end with all that was said. 0 is 8 MB.
	MaxOutput int

	// Secret is the upstream's key. Where the upstream repeats it in an error the client gets "[key]" in its place, unless it
	// is shorter than 8 bytes.
	Secret string
}

// Decode reads a client's body, which may be anything. The Exchange and its answer view body, which must not change until
// the answer is complete. An error is the client's fault and names the field.
//
// The body must be UTF-8. An upstream's answer is not held to that: what is not passes as it is, and clients' own decoders
// replace it.
func (p Pair) Decode(body []byte) (*Exchange, *ir.Error) {
	s := view(body)
	if !utf8.ValidString(s) {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Message: "The request body is not valid UTF-8."}
	}
	if err := jsonr.Check(s); err != nil {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Message: "The request body is " + err.Error() + "."}
	}
	x := &Exchange{pair: p, target: &ir.Target{}}
	r, err := p.client.DecodeRequest(s, &x.Lost)
	if err != nil {
		return nil, err
	}
	x.Request, x.asked = r, r.Model
	return x, nil
}

// AppendRequest appends the body for an upstream that accepts what t says, which the answer is read by too. On an error, which
// is the client's fault, dst comes back as it was.
func (x *Exchange) AppendRequest(dst []byte, t *ir.Target) ([]byte, *ir.Error) {
	x.target = t
	if x.cutsStops() {
		if err := checkStops(x.Request); err != nil {
			return dst, err
		}
	}
	return x.pair.upstream.AppendRequest(dst, x.Request, t, &x.Lost)
}

// UpstreamError reads an upstream's answer with a status of 400 or more; body may be anything.
func (x *Exchange) UpstreamError(status int, body []byte) *ir.Error {
	return x.withoutSecret(x.pair.upstream.DecodeError(status, view(body)))
}

// AppendBody appends a client's plain body for an upstream's plain body, or returns the failure that came instead.
func (x *Exchange) AppendBody(dst, body []byte) ([]byte, *ir.Error) {
	f := x.pair.client.NewFolder(x.Request, x.asked, dst)
	x.decoder(x.limited(f), true).Body(view(body))
	return x.folded(f)
}

// AppendFolded appends a client's plain body for an upstream's whole stream, or returns the failure that came instead.
func (x *Exchange) AppendFolded(dst, stream []byte) ([]byte, *ir.Error) {
	f := x.pair.client.NewFolder(x.Request, x.asked, dst)
	c := cutter{decoder: x.decoder(x.limited(f), true)}
	c.push(stream)
	c.close(nil)
	return x.folded(f)
}

// AppendStreamOfBody appends a client's whole stream for an upstream's plain body. A failure is an event of it.
func (x *Exchange) AppendStreamOfBody(dst, body []byte) []byte {
	out := output{exchange: x, encoder: x.pair.client.NewEncoder(x.Request, x.asked), buf: dst}
	x.decoder(x.streamed(&out), true).Body(view(body))
	return out.buf
}

// decoder returns a decoder of the answer that hands its events to sink through the filters that the request needs. whole says
// that the answer is already there, to its end.
func (x *Exchange) decoder(sink ir.Sink, whole bool) ir.Decoder {
	if x.cutsStops() {
		sink = newStops(sink, x.Request.Stop, whole)
	}
	if x.pair.client.Shows(ir.CustomToolCallBlock) && hasCustomTool(x.Request) {
		sink = &customs{sink: sink, request: x.Request}
	}
	return x.pair.upstream.NewDecoder(x.Request, x.target, &x.Lost, sink)
}

// cutsStops reports whether the answer has to be cut at the client's stop sequences here: Responses knows none, and some other
// upstreams refuse them.
func (x *Exchange) cutsStops() bool {
	return len(x.Request.Stop) > 0 && (x.target.NoStop || x.pair.upstream.Name() == responses.Name)
}

// limited bounds an answer that is gathered.
func (x *Exchange) limited(sink ir.Sink) ir.Sink {
	n := x.MaxOutput
	if n == 0 {
		n = defaultMaxOutput
	}
	return &limit{sink: sink, rest: n, max: n}
}

// streamed bounds a stream whose encoder gathers the answer: the last event of Responses repeats all of it.
func (x *Exchange) streamed(sink ir.Sink) ir.Sink {
	if x.pair.client.Name() == responses.Name {
		return x.limited(sink)
	}
	return sink
}

func (x *Exchange) folded(f ir.Folder) ([]byte, *ir.Error) {
	body, err := f.Body()
	if err != nil {
		return body, x.withoutSecret(err)
	}
	return body, nil
}

// withoutSecret returns e without the upstream's key, also where the message was cut in the middle of it.
func (x *Exchange) withoutSecret(e *ir.Error) *ir.Error {
	const hidden, shortest = "[key]", 16
	if len(x.Secret) < shortest {
		return e
	}
	clean := *e
	clean.Message = strings.ReplaceAll(e.Message, x.Secret, hidden)
	clean.Code = strings.ReplaceAll(e.Code, x.Secret, hidden)
	for n := len(x.Secret) - 1; n >= shortest; n-- {
		if rest, ok := strings.CutSuffix(clean.Message, x.Secret[:n]); ok {
			clean.Message = rest + hidden
			break
		}
	}
	return &clean
}
