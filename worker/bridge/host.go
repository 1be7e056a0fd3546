package bridge

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// Host has methods here that are the same for all hosts. The type and the methods that differ are
// in host_js.go and native.go. A method that waits blocks the goroutine of the request. Only one
// call waits at a time.

// ErrTooLarge is the error of Body and Read for a body over the limit.
var ErrTooLarge = errors.New("the body is over the limit")

// Codes of settle for failures.
const (
	codeFailed   = -1
	codeTooLarge = -2
)

// settled waits until the host settles the call, and returns its outcome. The data belongs to the
// caller.
func (h Host) settled() (code int, data []byte, err error) {
	code, data = h.wait()
	switch code {
	case codeFailed:
		return 0, nil, errors.New(string(data))
	case codeTooLarge:
		return 0, nil, ErrTooLarge
	}
	return code, data, nil
}

// ClientHead returns the head of the client's request as lines; HeaderOf reads them.
func (h Host) ClientHead() string { return h.text("clientHead") }

// Setting returns a variable or a secret of the deployment. ok is false if it is missing. The value
// is not checked.
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

// cutSetting cuts the first setting off the text of all settings.
func cutSetting(text string) (name, value, rest string) {
	name, rest, _ = strings.Cut(text, "\x00")
	value, rest, _ = strings.Cut(rest, "\x00")
	return name, value, rest
}

// Body returns the whole body of the client's request, at most limit bytes. The bytes belong to the
// caller. In the module the slice of a large body has capacity for 256 more. The error is ErrTooLarge
// for a longer body.
func (h Host) Body(limit int) ([]byte, error) {
	h.call("body", limit)
	_, body, err := h.settled()
	return body, err
}

// Random returns 43 random letters and digits, which are 256 bits. A double click selects all of
// them. Go's crypto/rand would add math/big to the module.
func (h Host) Random() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text, random := make([]byte, 0, 43), make([]byte, 64)
	for {
		h.random(random)
		for _, b := range random {
			if b >= 4*62 { // modulo 62, these would make the first letters more likely
				continue
			}
			if text = append(text, alphabet[b%62]); len(text) == cap(text) {
				return string(text)
			}
		}
	}
}

// KVGet returns the value of a key and its metadata as JSON, nil for none. The bytes belong to the
// caller.
func (h Host) KVGet(key string) (value, metadata []byte, found bool, err error) {
	h.call("kvGet", key)
	code, data, err := h.settled()
	if err != nil || code != 0 {
		return nil, nil, false, err
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	if end > 4 {
		metadata = data[4:end]
	}
	return data[end:], metadata, true, nil
}

// KVPut sets a key. metadata is JSON, or "" for none. expiration is in seconds of the Unix epoch,
// or 0 for never.
func (h Host) KVPut(key string, value []byte, metadata string, expiration int64) error {
	h.call("kvPut", key, Bytes(value), metadata, expiration)
	_, _, err := h.settled()
	return err
}

// KVDelete deletes a key. A missing key is not an error.
func (h Host) KVDelete(key string) error {
	h.call("kvDelete", key)
	_, _, err := h.settled()
	return err
}

// KVList returns a page of the keys that begin with prefix, as the JSON in the package comment.
func (h Host) KVList(prefix, cursor string, limit int) ([]byte, error) {
	h.call("kvList", prefix, cursor, limit)
	_, page, err := h.settled()
	return page, err
}

// Batch runs statements in the database of an object, in one transaction, and returns their rows.
func (h Host) Batch(object string, s *Statements) (*Rows, error) { return h.batch(object, s, false) }

// Count is Batch for statements that count, or only read: after a crash of the host the last ones may
// have had no effect.
func (h Host) Count(object string, s *Statements) (*Rows, error) { return h.batch(object, s, true) }

func (h Host) batch(object string, s *Statements, counts bool) (*Rows, error) {
	h.call("batch", object, Bytes(s.packed), counts)
	_, rows, err := h.settled()
	if err != nil {
		return nil, err
	}
	return NewRows(rows), nil
}

// Change runs statements in the database of an object. Then it puts value under a key of KV, with
// metadata, or deletes the key if value is nil. Then it runs the statements after. See "State" in
// the package comment.
func (h Host) Change(object string, s *Statements, key string, value []byte, metadata string,
	after *Statements) error {
	body := NoBody()
	if value != nil {
		body = Bytes(value)
	}
	h.call("change", object, Bytes(s.packed), key, body, metadata, Bytes(after.packed))
	_, _, err := h.settled()
	return err
}

// Uncopied reports whether a Change failed only for KV: its statements have taken effect.
func Uncopied(err error) bool { return strings.HasPrefix(err.Error(), "not copied: ") }

// Undone reports whether a Batch or a Change failed in its SQL, or before, so nothing has changed.
func Undone(err error) bool { return strings.HasPrefix(err.Error(), "statement ") || Unbound(err) }

// Unbound reports whether a call failed because the deployment lacks the binding, so nothing is
// stored there.
func Unbound(err error) bool { return strings.HasPrefix(err.Error(), "There is no ") }

// Account opens an account of the request in an object of ENDPOINT_STATE. From now on the host runs
// renewal there periodically; every is the period in milliseconds, 0 for never. Once the request is
// over, the host runs the statements that closeAccount returns. The host calls closeAccount once,
// unless the program has trapped (see Insure). closeAccount may not call the host. If the last of those
// statements returns a text, the host runs merge in the object further, with the text as the argument
// of each statement. Without statements in merge a text is ignored.
func (h Host) Account(object string, renewal *Statements, every int, further string, merge *Statements,
	closeAccount func() *Statements) {
	h.exports().closeAccount = closeAccount
	h.call("account", object, Bytes(renewal.packed), every, further, Bytes(merge.packed))
}

// Insure replaces the statements that end the account if the program traps. It requires Account.
func (h Host) Insure(s *Statements) { h.call("insure", Bytes(s.packed)) }

// Prices returns the host's prices for a model at a URL, in the form that usage.ReadPrices reads.
// It returns "" for an unknown model, and if the call fails. For the model "" the prices are those of
// any model at the URL.
func (h Host) Prices(url, model string) string {
	h.call("prices", url, model)
	_, text, _ := h.settled()
	return string(text)
}

// Report sets the Reporter of the request for the host's log. Without one there is no report.
func (h Host) Report(r Reporter) { h.exports().reporter = r }

// Socket reports whether the request came as a frame of a WebSocket.
func (h Host) Socket() bool { return h.flag("socket") }

// Accept turns the client's connection into a WebSocket, for at most lifetime milliseconds. limit
// is the limit of open WebSockets at this host for the endpoint with that name. Accept returns false
// if the limit is reached. After true the program answers with status 204 and no body.
func (h Host) Accept(endpoint string, limit, lifetime int) bool {
	return h.ask("accept", endpoint, limit, lifetime)
}

// Recall takes from the connection's memory the items of the response id, separated by commas. ok
// is false if the connection does not remember that response. The bytes belong to the caller.
func (h Host) Recall(id string) (items []byte, ok bool) {
	h.call("recall", id)
	code, items, err := h.settled()
	return items, err == nil && code == 0
}

// HangUp ends the connection after the answer to this request.
func (h Host) HangUp() { h.call("hangUp") }

// Remember sets the function that returns, once the request has ended, what its connection remembers:
// see "WebSockets" in the package comment.
func (h Host) Remember(remember func() []byte) { h.exports().remember = remember }

// Background reports whether the host runs responses in the background: see "Background responses"
// in the package comment.
func (h Host) Background() bool { return h.flag("background") }

// Reserve takes one of the owner's places for background responses, until the request has ended. It
// returns false if all are taken.
func (h Host) Reserve(owner string) bool { return h.ask("reserve", owner) }

// Detach lets the answer that follows, a stream, run to its end in the background, as the response
// id. state is the response before its answer. The client gets the stream if streams is true, else
// state. If the response fails or is cancelled, the host runs the statements failed in object, with the
// last response as a further argument at the end. Detach returns false if the host can't do it any more.
func (h Host) Detach(id string, state []byte, streams bool, object string, failed *Statements) bool {
	return h.ask("detach", id, Bytes(state), streams, object, Bytes(failed.packed))
}

// Task finds a background response of the owner and, depending on action, shows, ends or deletes it.
// data is the response or, for TaskEvents, the number of its events so far.
func (h Host) Task(owner, id string, action TaskAction) (data []byte, found bool) {
	h.call("task", owner, id, int(action))
	code, data, err := h.settled()
	return data, err == nil && code == 0
}

// TaskAction is what Task does with a background response.
type TaskAction int

const (
	ShowTask   TaskAction = iota // data is its state
	TaskEvents                   // data is the number of its events; Follow is to be called
	CancelTask                   // ends it; data is its last state
	DeleteTask                   // ends and forgets it
	EndTasks                     // ends and forgets all of the owner, whatever id is
)

// Follow returns the stream of the background response that Task has found, from an event on.
func (h Host) Follow(event int) ClientBody { return h.body("follow", event) }

// Digest returns the SHA-256 of a text, as 43 characters of base64url.
func (h Host) Digest(text string) (string, error) {
	h.call("digest", bytesOf(text))
	_, digest, err := h.settled()
	return string(digest), err
}

// Seal returns a secret of up to 64 KB, sealed for a context: see "Secrets" in the package comment.
func (h Host) Seal(context, secret string) (string, error) {
	h.call("seal", bytesOf(context), bytesOf(secret))
	_, sealed, err := h.settled()
	return string(sealed), err
}

// Open returns the secret of a text that was sealed for a context. ok is false if the text does not
// open. stale means that SEAL_KEY_PREVIOUS opened the text: seal the secret again when it is next
// written. An error is a fault of the deployment, such as a missing SEAL_KEY.
func (h Host) Open(context, sealed string) (secret string, ok, stale bool, err error) {
	h.call("open", bytesOf(context), sealed)
	code, opened, err := h.settled()
	return string(opened), err == nil && code != 1, code == 2, err
}

// Token returns a token for Google's APIs and its end, in seconds since 1970. The service account's
// key is sealed for the context or, if sealed is "", the deployment's UPSTREAM_KEY. The error is a
// message for the deployment's owner.
func (h Host) Token(context, sealed string) (token string, expires int64, err error) {
	h.call("token", bytesOf(context), sealed)
	_, text, err := h.settled()
	end, token, _ := strings.Cut(string(text), " ")
	expires, _ = strconv.ParseInt(end, 10, 64)
	return token, expires, err
}

// NoSealKey reports whether Seal, Open or Token failed because the deployment has no SEAL_KEY.
func NoSealKey(err error) bool {
	return strings.HasPrefix(err.Error(), "The secret SEAL_KEY is missing")
}
