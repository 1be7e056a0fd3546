package ir

// Client is one LLM API on the client's side. Implementations hold no state.
//
// The path parameters of the methods are request paths without /u/NAME, the part for a personal
// endpoint, and with the query except a key.
type Client interface {
	// DecodeRequest reads a client's body, after jsonr.Check accepted it, and the path of the
	// request. The Request is a view of both. Fields without a place in the hub are added to lost.
	// If no answer could make up for such a field, as for "background", DecodeRequest returns an
	// error with the field's path instead. Losses that depend on the upstream are found by
	// Upstream.AppendRequest: see Lost.AddOrRefuse.
	DecodeRequest(path, body string, lost *Lost) (*Request, *Error)

	// Model returns the model that a request names in its path or its body, or "". body may be
	// anything. The string is not a view of body.
	Model(path, body string) string

	// Streams reports whether a request asks for a stream, and whether the upstream's answer
	// reports token usage. body may be anything; if body is not a JSON object, streams is true.
	// The limit of open streams then applies, whatever the upstream makes of such a body.
	Streams(path, body string) (streams, counted bool)

	// HoldsForeign reports whether body seems to give back a part of another vendor's answer
	// translated without an Envelope, such as reasoning with an empty signature. body may be
	// anything. HoldsForeign searches for bytes: a text of the conversation may contain the same
	// bytes, and the request is then translated needlessly.
	HoldsForeign(body string) bool

	// FieldPath returns the path of a field in the body of a request from DecodeRequest.
	FieldPath(r *Request, f Field) string

	// Shows reports whether an answer of this API can show blocks of a kind. Decoders drop blocks
	// of other kinds and add them to the lost fields. No API shows a ServerToolBlock: decoders emit
	// such a block only if the client speaks the upstream's own API (Request.API).
	Shows(b BlockKind) bool

	// NewEncoder returns an encoder of one streamed answer. The answer shows model as its model.
	NewEncoder(r *Request, model Escaped) Encoder

	// NewPlainEncoder returns an encoder that appends one plain answer to dst. The answer shows model as
	// its model.
	NewPlainEncoder(r *Request, model Escaped, dst []byte) PlainEncoder

	// AppendError appends the body of an error answer. The answer's status is API.Status.
	AppendError(dst []byte, e *Error) []byte
}

// Upstream is one LLM API on the upstream's side. Implementations hold no state.
type Upstream interface {
	// Path returns the path of a request to model, streamed or not, below the base URL. The base
	// URL is in the form of the vendor's official SDK: OpenAI's ends with /v1, Anthropic's does
	// not. The caller must escape model as one path segment: the client chooses model, and must not
	// be able to change the path or add a query.
	Path(model string, stream bool) string

	// CountPath is Path for a token count; "" if the API has no token counts.
	CountPath(model string) string

	// Target returns what is known about model on the server at host. host may have a port. The
	// zero Target is the safe set. The caller owns the result.
	Target(host, model string) *Target

	// AcceptsStop reports whether a request can contain a stop sequence. If not, package stages
	// searches the answer for the sequence and ends the answer there.
	AcceptsStop(sequence Escaped) bool

	// Runs reports whether an upstream with target t can run a tool of a kind itself: WebSearchTool,
	// WebFetchTool, ToolSearchTool, AdvisorTool or ProgramTool.
	Runs(kind ToolKind, t *Target) bool

	// AcceptsFormat reports whether an upstream with target t accepts a format. If not, package
	// stages asks the model for the format: see Structured.
	AcceptsFormat(f *Format, t *Target) bool

	// AppendRequest appends the body for an upstream with target t. Fields that can't be sent to
	// the upstream are added to lost, by their paths in the client's body. On an error
	// AppendRequest returns dst unchanged.
	AppendRequest(dst []byte, r *Request, t *Target, lost *Lost) ([]byte, *Error)

	// NewDecoder returns a decoder of one answer to r, from an upstream with target t. The decoder
	// passes its events to sink. Fields without a place in events, or without a form in the
	// client's API, are added to lost, each once, by their paths in a plain answer of the upstream.
	NewDecoder(r *Request, t *Target, lost *Lost, sink Sink) Decoder

	// DecodeError reads an answer with an HTTP status of 400 or more; body may be anything.
	DecodeError(status int, body string) *Error
}

// Decoder turns one upstream answer into events. After a Finish or a Failure, further calls do
// nothing.
type Decoder interface {
	// Event decodes one SSE event. data may be anything. Both strings are valid until Event
	// returns.
	Event(name, data string)

	// Body decodes a whole plain answer instead of a stream. body may be anything.
	Body(body string)

	// Complete reports whether the answer is complete except perhaps for its usage: Close then
	// yields a Finish.
	Complete() bool

	// Close ends the stream. If the decoder has not seen the answer's own end, Close yields a
	// Failure. cause is the error that cut the stream, or nil if the stream just ended.
	Close(cause *Error)
}

// Encoder turns events into the SSE stream of a client.
type Encoder interface {
	// AppendEvent appends the client's form of ev: whole SSE events, or nothing.
	AppendEvent(dst []byte, ev *Event) []byte

	// KeepAlive returns bytes that keep the connection open. The caller may send them between any
	// two events. They are a constant.
	KeepAlive() string

	// Trap returns events that end the stream after the translator has crashed. They are a
	// constant, and the caller may send them instead of any event.
	Trap() string
}

// PlainEncoder turns events into a client's plain body. It copies the bytes that it retains.
type PlainEncoder interface {
	Sink

	// Body is called after the last event. It returns dst with the JSON body appended, or, if the
	// answer ended with a Failure, dst unchanged and the Failure's error.
	Body() ([]byte, *Error)
}
