package bridge

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// Host has no fields of its own that differ between hosts: see host_js.go and native.go. A method that waits blocks the goroutine of the
// request. One call waits at a time.

// ErrTooLarge is what Body and Read return for a body over their limit.
var ErrTooLarge = errors.New("the body is over the limit")

// Codes of settle that are no success.
const (
	codeFailed   = -1
	codeTooLarge = -2
)

// settled waits until the host settles the call, and returns its outcome. The data belongs to the caller.
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

// ClientHead returns the head of the client's request as lines; HeaderOf reads it.
func (h Host) ClientHead() string { return h.text("clientHead") }

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

// cutSetting takes the first setting off the text of all settings.
func cutSetting(text string) (name, value, rest string) {
	name, rest, _ = strings.Cut(text, "\x00")
	value, rest, _ = strings.Cut(rest, "\x00")
	return name, value, rest
}

// Body returns the whole body of the client's request, of at most limit bytes. The bytes belong to the caller, and their slice has a
// capacity for 256 more.
func (h Host) Body(limit int) ([]byte, error) {
	h.call("body", limit)
	_, body, err := h.settled()
	return body, err
}

// Random returns 43 random letters and digits, which are 256 bits. A double click marks all of them. Go's crypto/rand would add math/big
// to the module.
func (h Host) Random() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text, random := make([]byte, 0, 43), make([]byte, 64)
	for {
		h.random(random)
		for _, b := range random {
			if b >= 4*62 { // of these the first letters would get more than their share
				continue
			}
			if text = append(text, alphabet[b%62]); len(text) == cap(text) {
				return string(text)
			}
		}
	}
}

// KVGet returns the value of a key and its metadata, which is JSON, or nil for none. The bytes belong to the caller.
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

// KVPut sets a key. metadata is JSON, or "" for none; expiration is in seconds of the Unix epoch, or 0 for never.
func (h Host) KVPut(key string, value []byte, metadata string, expiration int64) error {
	h.call("kvPut", key, Bytes(value), metadata, expiration)
	_, _, err := h.settled()
	return err
}

// KVDelete deletes a key. A key that does not exist is no error.
func (h Host) KVDelete(key string) error {
	h.call("kvDelete", key)
	_, _, err := h.settled()
	return err
}

// KVList returns a page of the keys that begin with prefix, as the JSON that the package comment describes.
func (h Host) KVList(prefix, cursor string, limit int) ([]byte, error) {
	h.call("kvList", prefix, cursor, limit)
	_, page, err := h.settled()
	return page, err
}

// Batch runs statements in the database of an object, in one transaction, and returns their rows.
func (h Host) Batch(object string, s *Statements) (*Rows, error) {
	h.call("batch", object, Bytes(s.packed))
	_, rows, err := h.settled()
	if err != nil {
		return nil, err
	}
	return NewRows(rows), nil
}

// Change runs statements in the database of an object, then puts value under a key of KV, with metadata, or deletes the key if value is
// nil, and then runs the statements after: see "State" in the package comment.
func (h Host) Change(object string, s *Statements, key string, value []byte, metadata string, after *Statements) error {
	copied := NoBody()
	if value != nil {
		copied = Bytes(value)
	}
	h.call("change", object, Bytes(s.packed), key, copied, metadata, Bytes(after.packed))
	_, _, err := h.settled()
	return err
}

// Uncopied reports whether a Change has failed for KV alone: its statements have taken effect.
func Uncopied(err error) bool { return strings.HasPrefix(err.Error(), "not copied: ") }

// Undone reports whether a Batch or a Change has failed for its SQL, or before that, so that nothing has happened.
func Undone(err error) bool { return strings.HasPrefix(err.Error(), "statement ") || Unbound(err) }

// Unbound reports whether a call has failed because the deployment has no binding for it, so that nothing is stored there.
func Unbound(err error) bool { return strings.HasPrefix(err.Error(), "There is no ") }

// Account keeps an account of the request in an object of ENDPOINT_STATE: from now on the host runs renewal there every so many
// milliseconds, 0 for never, and once the request is over the statements that last returns. It calls last once, unless the program has
// trapped. last may not call the host.
func (h Host) Account(object string, renewal *Statements, every int, last func() *Statements) {
	h.exports().closing = last
	h.call("account", object, Bytes(renewal.packed), every)
}

// Prices returns what the host knows of the price of a model that is asked for at a URL, as usage.ReadPrices reads it; "" for a model that
// it does not know, and if the call fails.
func (h Host) Prices(url, model string) string {
	h.call("prices", url, model)
	_, text, _ := h.settled()
	return string(text)
}

// Report sets what tells the host, for its log, what came of the request. Without it the host is told nothing.
func (h Host) Report(r Reporter) { h.exports().reporter = r }

// Socket reports whether the request came as a frame of a WebSocket.
func (h Host) Socket() bool { return h.flag("socket") }

// Accept makes a WebSocket of the client's connection, for so many milliseconds at most, unless as many as most with the same name are
// open at this host: whose is the endpoint's name. The program then answers with status 204 and no body.
func (h Host) Accept(whose string, most, lifetime int) bool {
	return h.ask("accept", whose, most, lifetime)
}

// Recall takes the items, separated by commas, that the connection remembers for a response with this id. ok is false if it remembers no
// such response. The bytes belong to the caller.
func (h Host) Recall(id string) (items []byte, ok bool) {
	h.call("recall", id)
	code, items, err := h.settled()
	return items, err == nil && code == 0
}

// HangUp ends the connection after the answer to this request.
func (h Host) HangUp() { h.call("hangUp") }

// Remember sets the function that says, once the request is over, what its connection remembers: see "WebSockets" in the package comment.
func (h Host) Remember(remembered func() []byte) { h.exports().remembered = remembered }

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

// Open returns the secret of a text that was sealed for a context. ok is false if the text does not open. stale: it was sealed with
// SEAL_KEY_PREVIOUS, and is to be sealed again when it is next written. An error is a fault of the deployment, such as no SEAL_KEY.
func (h Host) Open(context, sealed string) (secret string, ok, stale bool, err error) {
	h.call("open", bytesOf(context), sealed)
	code, opened, err := h.settled()
	return string(opened), err == nil && code != 1, code == 2, err
}

// Token returns a token for Google's APIs, and when it ends, in seconds since 1970, by a service account's key: the one that is sealed for
// a context or, if sealed is "", the deployment's UPSTREAM_KEY. An error is in words for the deployment's owner.
func (h Host) Token(context, sealed string) (token string, expires int64, err error) {
	h.call("token", bytesOf(context), sealed)
	_, said, err := h.settled()
	until, token, _ := strings.Cut(string(said), " ")
	expires, _ = strconv.ParseInt(until, 10, 64)
	return token, expires, err
}

// NoSealKey reports whether Seal, Open or Token has failed because the deployment has no SEAL_KEY.
func NoSealKey(err error) bool {
	return strings.HasPrefix(err.Error(), "The secret SEAL_KEY is missing")
}
