package ir

// Client is one LLM API on the client's side. Implementations hold no state.
//
// The path of a request is without what names a personal endpoint, and has the query behind it, but for a key.
type Client interface {
	// DecodeRequest reads a client's body, which jsonr.Check has accepted, and the path that it came to. The Request views both.
	// What the hub has no place for is added to lost; what would change the meaning is an error with its path.
	DecodeRequest(path, body string, lost *Lost) (*Request, *Error)

	// Model returns the model that a request names, whose body may be anything; "" where it names none. The string does not view body.
	Model(path, body string) string

	// Streams says what a request asks for, whose body may be anything: whether that is a stream, and whether the upstream says in
	// the answer how many tokens it was. A body that can't be read may ask for anything.
	Streams(path, body string) (streams, counted bool)

	// HoldsForeign reports whether a body, which may be anything, seems to give back what a translated answer of another vendor
	// has left in the conversation without an envelope. It looks for bytes: where a text of the conversation has them, the request
	// is translated in vain.
	HoldsForeign(body string) bool

	// FieldPath returns the path of a field of the request that DecodeRequest has read.
	FieldPath(r *Request, f Field) string

	// Shows reports whether an answer of this API has a form for blocks of a kind. A decoder leaves others out, and notes them
	// as lost. ServerToolBlock is never shown: it is for clients of the upstream's own API, which decoders see by Request.API.
	Shows(b BlockKind) bool

	// NewEncoder returns an encoder of one streamed answer. model is the name that the answer shows.
	NewEncoder(r *Request, model Escaped) Encoder

	// NewFolder returns an encoder of one plain answer, which it appends to dst.
	NewFolder(r *Request, model Escaped, dst []byte) Folder

	// AppendError appends the body of an error answer. Its status is API.Status.
	AppendError(dst []byte, e *Error) []byte
}

// Upstream is one LLM API on the upstream's side. Implementations hold no state.
type Upstream interface {
	// Path returns what stands behind the base URL in the URL of a request to model, whose answer is to be streamed or not. The base
	// URL is what the vendor's official SDK takes: OpenAI's ends with /v1, Anthropic's does not. model is
	// escaped as one segment of a path: a client says it, and it must lead to no other path and add no query.
	Path(model string, stream bool) string

	// CountPath is Path for the question how many tokens a request is; "" where the API has no such question.
	CountPath(model string) string

	// Target returns what is known of the server at host, which may have a port, when it is asked for model. The zero Target is
	// the safe set.
	Target(host, model string) Target

	// TakesStop reports whether the API can be told of a stop sequence. What it can't be told of is watched for here.
	TakesStop(sequence Escaped) bool

	// AppendRequest appends the body for an upstream that accepts what t says. What the upstream can't be told is added to
	// lost, by its path in the client's body; on an error dst is as it was.
	AppendRequest(dst []byte, r *Request, t *Target, lost *Lost) ([]byte, *Error)

	// NewDecoder returns a decoder of one answer to r, from an upstream that accepts what t says, which hands its events to
	// sink. What the events have no place for, or what the client's API can't show, is added to lost, by its path in a plain
	// answer, once.
	NewDecoder(r *Request, t *Target, lost *Lost, sink Sink) Decoder

	// DecodeError reads an answer with an HTTP status of 400 or more; body may be anything.
	DecodeError(status int, body string) *Error
}

// Decoder turns one upstream answer into events. After a Finish or a Failure further calls do nothing.
type Decoder interface {
	// Event takes one SSE event, whose data may be anything. Both strings are good until it returns.
	Event(name, data string)

	// Body takes a whole plain answer, which may be anything, in place of a stream.
	Body(body string)

	// Complete reports whether the answer is complete but for its usage: Close then ends it well.
	Complete() bool

	// Close takes the end of the stream. A decoder that has not seen the answer's own end yields a Failure. cause is what
	// cut the stream, nil where it just ended.
	Close(cause *Error)
}

// Encoder turns events into the SSE stream of a client.
type Encoder interface {
	// AppendEvent appends what the client gets for ev: whole SSE events, or nothing.
	AppendEvent(dst []byte, ev *Event) []byte

	// KeepAlive returns what may be sent at any time between two events to keep the connection open. Constant.
	KeepAlive() string

	// Trap returns the events that end a stream whose translator died. Constant; it may be sent instead of any event.
	Trap() string
}

// Folder turns events into the plain body of a client. It copies what it keeps.
type Folder interface {
	Sink

	// Body returns dst with the JSON body behind it, or as it was and the Failure that came instead, after the last event.
	Body() ([]byte, *Error)
}
