package ir

// ErrorKind is what went wrong, the same for all protocols; each maps it to its own type, code and status.
type ErrorKind uint8

const (
	Internal         ErrorKind = iota + 1 // a fault of ours or of the upstream
	InvalidRequest                        // the client must change the request
	Authentication                        // no key, or a wrong one
	Permission                            // the key may not do this
	NotFound                              // no such path, model or object
	MethodNotAllowed                      //
	TooLarge                              // the body is over the limit
	ContextOverflow                       // the prompt does not fit into the model's context
	RateLimit                             // too many requests or tokens
	Quota                                 // no credit left
	Overloaded                            // the upstream has no capacity
	Timeout                               // the upstream took too long
	Unavailable                           // the upstream can't be reached, or its answer can't be read
)

// kinds are the names of the kinds, in their order.
var kinds = [...]string{"", "internal", "invalid_request", "authentication", "permission", "not_found", "method_not_allowed", "too_large",
	"context_overflow", "rate_limit", "quota", "overloaded", "timeout", "unavailable"}

// String returns the kind's name, as reports have it; "" for none.
func (k ErrorKind) String() string { return kinds[k] }

// Error is a failure in the words that a client gets to see.
type Error struct {
	Kind    ErrorKind
	Status  int    // the HTTP status for the client; 0: the kind's own
	Message string // plain text, not escaped, UTF-8
	Path    string // the field that is to blame, as "messages[3].content[1]", or ""
	Code    string // the upstream's own code, where it gave one, as "context_length_exceeded", or one that a client acts on
}

// Error returns the message, behind the path where there is one.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// HTTPStatus returns Status, or the status that the kind stands for. A prompt that is too long is always 400, whatever the
// upstream said: clients shorten the conversation on that, but not on 413.
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

// KindOfStatus returns what an upstream's HTTP status says by itself.
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
