package ir

// Client is one LLM API on the client's side. Implementations hold no state.
//
// The path of a request is without what names a personal endpoint, and has the query behind it, but
// for a key.
type Client interface {
	// DecodeRequest reads a client's body, which jsonr.Check has accepted, and the path that it
	// came to. The Request views both. Fields that the hub has no place for are added to lost.
	// Where a request would mean something else without such a field, that is an error, which names
	// its path.
	DecodeRequest(path, body string, lost *Lost) (*Request, *Error)

	// Model returns the model that a request names in its path or its body, which may be anything;
	// "" where it names none. The string does not view body.
	Model(path, body string) string

	// Streams says of a request, whose body may be anything, whether it asks for a stream, and
	// whether the upstream's answer to it says how many tokens it took. A body that is no JSON
	// object counts as one that asks for a stream.
	Streams(path, body string) (streams, counted bool)

	// HoldsForeign reports whether a body, which may be anything, seems to give back a part of
	// another vendor's answer whose translation put it into no Envelope, as reasoning with an empty
	// signature. It searches for bytes: a text of the conversation that has them makes it true too,
	// and the request is then translated without need.
	HoldsForeign(body string) bool

	// FieldPath returns the path that a field has in the body of a request which DecodeRequest has
	// read.
	FieldPath(r *Request, f Field) string

	// Shows reports whether an answer of this API has a form for blocks of a kind. Decoders leave
	// out blocks of other kinds, and add them to the lost fields. No API shows a ServerToolBlock:
	// decoders emit it only for clients of the upstream's own API, which they know by Request.API.
	Shows(b BlockKind) bool

	// NewEncoder returns an encoder of one streamed answer. model is the name that the answer shows.
	NewEncoder(r *Request, model Escaped) Encoder

	// NewFolder returns an encoder of one plain answer, which it appends to dst. model is the name
	// that the answer shows.
	NewFolder(r *Request, model Escaped, dst []byte) Folder

	// AppendError appends the body of an error answer. Its status is API.Status.
	AppendError(dst []byte, e *Error) []byte
}

// Upstream is one LLM API on the upstream's side. Implementations hold no state.
type Upstream interface {
	// Path returns what stands behind the base URL in the URL of a request to model, whose answer
	// is to be streamed or not. The base URL is what the vendor's official SDK takes: OpenAI's ends
	// with /v1, Anthropic's does not. model is escaped as one segment of a path: a client says it,
	// and it must lead to no other path and add no query.
	Path(model string, stream bool) string

	// CountPath is Path for the question how many tokens a request is; "" where the API has no such
	// question.
	CountPath(model string) string

	// Target returns what is known of the server at host, which may have a port, when it is asked
	// for model. The zero Target is the safe set. The result is the caller's own.
	Target(host, model string) *Target

	// TakesStop reports whether the API can be told of a stop sequence. Where it can't, package
	// translator searches the answer for the sequence and ends it there.
	TakesStop(sequence Escaped) bool

	// Runs reports whether an upstream that accepts what t says can be asked to run a tool of a
	// kind by itself: WebSearchTool or WebFetchTool.
	Runs(kind ToolKind, t *Target) bool

	// TakesFormat reports whether an upstream that accepts what t says can be asked to answer in a
	// format. Where it can't, package translator asks the model for it: see Structured.
	TakesFormat(f *Format, t *Target) bool

	// AppendRequest appends the body for an upstream that accepts what t says. Fields that the
	// upstream can't be told are added to lost, by their paths in the client's body. On an error it
	// returns dst as it was.
	AppendRequest(dst []byte, r *Request, t *Target, lost *Lost) ([]byte, *Error)

	// NewDecoder returns a decoder of one answer to r, from an upstream that accepts what t says.
	// The decoder hands its events to sink. Fields that events have no place for, or that the
	// client's API can't show, are added to lost, each once, by their paths in a plain answer of
	// the upstream.
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

	// Complete reports whether nothing of the answer but its usage may still come: Close then
	// yields a Finish.
	Complete() bool

	// Close takes the end of the stream. A decoder that has not seen the answer's own end yields a
	// Failure. cause is the error that has cut the stream, nil where the stream just ended.
	Close(cause *Error)
}

// Encoder turns events into the SSE stream of a client.
type Encoder interface {
	// AppendEvent appends what the client gets for ev: whole SSE events, or nothing.
	AppendEvent(dst []byte, ev *Event) []byte

	// KeepAlive returns the bytes that may be sent between any two events to keep the connection
	// open. It is a constant.
	KeepAlive() string

	// Trap returns the events that end a stream whose translator has died. It is a constant, and
	// may be sent in place of any event.
	Trap() string
}

// Folder turns events into the plain body of a client. It copies what it keeps of them.
type Folder interface {
	Sink

	// Body is called after the last event. It returns dst with the JSON body appended; or dst as it
	// was, and the error of the Failure with which the answer has ended.
	Body() ([]byte, *Error)
}
