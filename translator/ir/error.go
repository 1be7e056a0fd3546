package ir

// ErrorKind says what went wrong, in terms shared by all protocols; each protocol maps a kind to
// its own error type, code and status.
type ErrorKind uint8

const (
	Internal         ErrorKind = iota + 1 // a fault in this program, or inside the upstream
	InvalidRequest                        // the client must change the request
	Authentication                        // no key, or a wrong one
	Permission                            // the key may not do this
	NotFound                              // no such path, model or object
	MethodNotAllowed                      // the path exists, but not for this HTTP method
	TooLarge                              // the body is over the limit
	ContextOverflow                       // the prompt does not fit into the model's context
	RateLimit                             // too many requests or tokens
	Quota                                 // no credit left
	Overloaded                            // the upstream has no capacity
	Timeout                               // the upstream took too long
	Unavailable                           // the upstream can't be reached, or its answer can't be read
)

// kinds are the names of the kinds, by number.
var kinds = [...]string{"", "internal", "invalid_request", "authentication", "permission", "not_found",
	"method_not_allowed", "too_large",
	"context_overflow", "rate_limit", "quota", "overloaded", "timeout", "unavailable"}

// String returns the kind's name in log lines, or "" for the zero kind.
func (k ErrorKind) String() string { return kinds[k] }

// Error is a failure, worded for the client.
type Error struct {
	Kind    ErrorKind
	Status  int    // the HTTP status for the client; 0: the kind's own
	Message string // plain text, not escaped, UTF-8
	Path    string // the wrong field, as "messages[3].content[1]"; "" for none
	Wait    int64  // after how many seconds the request may be sent again; 0: unknown
	Resets  int64  // when a spent budget begins anew, in seconds since 1970; 0: no budget is spent
	// the code for the client: the upstream's own, as "context_length_exceeded", or a code that
	// clients act on; "" for none
	Code string
}

// Error returns the message, preceded by the path and ": " if there is a path.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// Err returns e as an error, and nil for a nil e. (A nil *Error converted to an error is not nil.)
func (e *Error) Err() error {
	if e == nil {
		return nil
	}
	return e
}

// AsError returns the *Error that err is or wraps, and nil for nil. Any other error becomes an
// Internal error with the text of err.
func AsError(err error) *Error {
	for wrapped := err; wrapped != nil; {
		if e, ok := wrapped.(*Error); ok {
			return e
		}
		w, ok := wrapped.(interface{ Unwrap() error })
		if !ok {
			return &Error{Kind: Internal, Message: err.Error()}
		}
		wrapped = w.Unwrap()
	}
	return nil
}

// HTTPStatus returns Status, or the kind's status if Status is 0. A ContextOverflow is always 400,
// whatever the upstream's status: Claude Code compacts the conversation after such a 400, and gives
// up after a 413 (seen with 2.1.329).
func (e *Error) HTTPStatus() int {
	if e.Kind == ContextOverflow {
		return 400
	}
	if e.Status != 0 {
		return e.Status
	}
	switch e.Kind {
	case InvalidRequest:
		return 400
	case Authentication:
		return 401
	case Permission:
		return 403
	case NotFound:
		return 404
	case MethodNotAllowed:
		return 405
	case TooLarge:
		return 413
	case RateLimit, Quota:
		return 429
	case Unavailable:
		return 502
	case Overloaded:
		return 529
	case Timeout:
		return 504
	}
	return 500
}

// KindOfStatus returns the kind of error for an upstream's HTTP status of 400 or more, for a body
// that says nothing more exact.
func KindOfStatus(status int) ErrorKind {
	switch status {
	case 401:
		return Authentication
	case 402:
		return Quota
	case 403:
		return Permission
	case 404:
		return NotFound
	case 405:
		return MethodNotAllowed
	case 408, 504:
		return Timeout
	case 413:
		return TooLarge
	case 429:
		return RateLimit
	case 503, 529:
		return Overloaded
	}
	if 400 <= status && status < 500 {
		return InvalidRequest
	}
	return Internal
}
