package bridge

import (
	"errors"
	"strings"
	"time"
)

// ErrTooLarge is what Body and Read return for a body over their limit.
var ErrTooLarge = errors.New("the body is over the limit")

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

// Services is what the program asks of its host, for one request. Host implements it: in the module by the imports, and elsewhere by
// the value that Host holds. A method that waits blocks the goroutine of the request. One call waits at a time.
type Services interface {
	// ClientHead returns the head of the client's request as lines; HeaderOf reads it.
	ClientHead() string
	// Settings returns the variables and secrets of the deployment, as the package comment says. Setting reads one.
	Settings() string
	// Body returns the whole body of the client's request, of at most limit bytes. The bytes belong to the caller, and their slice has a
	// capacity for 256 more.
	Body(limit int) ([]byte, error)
	// Now returns the time. On workerd the clock stands still while the program computes, and goes on with each input or output
	// (Cloudflare's documentation: "Performance and timers").
	Now() time.Time
	// Random returns 43 random letters and digits, which are 256 bits. A double click marks all of them.
	Random() string

	// Fetch sends a request upstream and waits for the head of its response. Status 0: the head did not come within HeadWait, and may
	// still come. The error's text is what the package comment says of fetch.
	Fetch(c Call) (Head, error)
	// Refetch sends a request upstream for a stream that goes on with it: see UntilAgain. It does not wait. Stream.Head gets the outcome.
	Refetch(c Call)
	// UntilAgain blocks until the stream of this request waits for a call, which the caller then makes with Refetch. If the stream never
	// does, it does not return.
	UntilAgain()
	// Read returns the whole body of the upstream's response, of at most limit bytes. The bytes belong to the caller. The body may take
	// so many milliseconds; 0: any number.
	Read(limit, time int) ([]byte, error)
	// Pass returns the upstream's body as it comes, for the answer to the client. The program answers after that.
	Pass() ClientBody
	// Pump makes s the stream of this request, and returns the body for the answer to the client. The program answers after that. The
	// other arguments are those of stream in the package comment. object is where the statements of a Keeper run; "" for any other s.
	Pump(s Stream, keepAlive string, keepAliveEvery int, trap, object string, window int) ClientBody

	// KVGet returns the value of a key and its metadata, which is JSON, or nil for none. The bytes belong to the caller.
	KVGet(key string) (value, metadata []byte, found bool, err error)
	// KVPut sets a key. metadata is JSON, or "" for none; expiration is in seconds of the Unix epoch, or 0 for never.
	KVPut(key string, value []byte, metadata string, expiration int64) error
	// KVDelete deletes a key. A key that does not exist is no error.
	KVDelete(key string) error
	// KVList returns a page of the keys that begin with prefix, as the JSON that the package comment describes.
	KVList(prefix, cursor string, limit int) ([]byte, error)
	// Batch runs statements in the database of an object, in one transaction, and returns their rows.
	Batch(object string, s *Statements) (*Rows, error)
	// Change runs statements in the database of an object, then puts value under a key of KV, with metadata, or deletes the key if value
	// is nil, and then runs the statements after: see "State" in the package comment.
	Change(object string, s *Statements, key string, value []byte, metadata string, after *Statements) error
	// Account keeps an account of the request in an object of ENDPOINT_STATE: from now on the host runs renewal there every so many
	// milliseconds, 0 for never, and once the request is over the statements that last returns. It calls last once, unless the program
	// has trapped. last may not call the host.
	Account(object string, renewal *Statements, every int, last func() *Statements)
	// Prices returns what the host knows of the price of a model that is asked for at a URL, as usage.ReadPrices reads it; "" for a model
	// that it does not know, and if the call fails.
	Prices(url, model string) string

	// Socket reports whether the request came as a frame of a WebSocket.
	Socket() bool
	// Accept makes a WebSocket of the client's connection, for so many milliseconds at most, unless as many as most with the same name
	// are open at this host: whose is the endpoint's name. The program then answers with status 204 and no body.
	Accept(whose string, most, lifetime int) bool
	// Recall takes the items, separated by commas, that the connection remembers for a response with this id. ok is false if it remembers
	// no such response. The bytes belong to the caller.
	Recall(id string) (items []byte, ok bool)
	// HangUp ends the connection after the answer to this request.
	HangUp()
	// Remember sets the function that says, once the request is over, what its connection remembers: see "WebSockets". nil: nothing.
	Remember(remembered func() []byte)

	// Digest returns the SHA-256 of a text, as 43 characters of base64url.
	Digest(text string) (string, error)
	// Seal returns a secret of up to 64 KB, sealed for a context: see "Secrets" in the package comment.
	Seal(context, secret string) (string, error)
	// Open returns the secret of a text that was sealed for a context. ok is false if the text does not open. stale: it was sealed with
	// SEAL_KEY_PREVIOUS, and is to be sealed again when it is next written. An error is a fault of the deployment, such as no SEAL_KEY.
	Open(context, sealed string) (secret string, ok, stale bool, err error)
	// Token returns a token for Google's APIs, and when it ends, in seconds since 1970, by a service account's key: the one that is sealed
	// for a context or, if sealed is "", the deployment's UPSTREAM_KEY. An error is in words for the deployment's owner.
	Token(context, sealed string) (token string, expires int64, err error)

	// Report sets what tells the host, for its log, what came of the request. Without it the host is told nothing.
	Report(r Reporter)
}

// Reporter tells the host what came of the request, for its log.
type Reporter interface {
	// AppendReport appends one JSON object, whose members the package comment lists.
	AppendReport(dst []byte) []byte
}

// Setting returns a variable or a secret of the deployment; ok is false if it is missing. Its value is not checked.
func (h Host) Setting(name string) (value string, ok bool) {
	for rest := h.Settings(); rest != ""; {
		var key string
		if key, value, rest = cutSetting(rest); key == name {
			return value, true
		}
	}
	return "", false
}

// SettingNames returns the names of all variables and secrets of the deployment.
func (h Host) SettingNames() (names []string) {
	for rest := h.Settings(); rest != ""; {
		var name string
		name, _, rest = cutSetting(rest)
		names = append(names, name)
	}
	return names
}

// cutSetting takes the first setting off a text of packed ones.
func cutSetting(text string) (name, value, rest string) {
	name, rest, _ = strings.Cut(text, "\x00")
	value, rest, _ = strings.Cut(rest, "\x00")
	return name, value, rest
}

// NoSealKey reports whether Seal, Open or Token has failed because the deployment has no SEAL_KEY.
func NoSealKey(err error) bool {
	return strings.HasPrefix(err.Error(), "The secret SEAL_KEY is missing")
}

// Uncopied reports whether a Change has failed for KV alone: its statements have taken effect.
func Uncopied(err error) bool { return strings.HasPrefix(err.Error(), "not copied: ") }

// Undone reports whether a Batch or a Change has failed for its SQL, or before that, so that nothing has happened.
func Undone(err error) bool { return strings.HasPrefix(err.Error(), "statement ") || Unbound(err) }

// Unbound reports whether a call has failed because the deployment has no binding for it, so that nothing is stored there.
func Unbound(err error) bool { return strings.HasPrefix(err.Error(), "There is no ") }
