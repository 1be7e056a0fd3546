//go:build js && wasm

package bridge

import (
	"encoding/binary"
	"strings"
	"syscall/js"
)

// KVGet returns the value of a key and its metadata, which is JSON, or nil for none. The bytes are the caller's.
func KVGet(key string) (value, metadata []byte, found bool, err error) {
	host().Call("kvGet", key)
	code, data, err := settled()
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
func KVPut(key string, value []byte, metadata string, expiration int64) error {
	host().Call("kvPut", key, Bytes(value), metadata, expiration)
	_, _, err := settled()
	return err
}

// KVDelete deletes a key; one that is not there is no error.
func KVDelete(key string) error {
	host().Call("kvDelete", key)
	_, _, err := settled()
	return err
}

// KVList returns a page of the keys that begin with prefix, as the JSON that the package comment describes.
func KVList(prefix, cursor string, limit int) ([]byte, error) {
	host().Call("kvList", prefix, cursor, limit)
	_, page, err := settled()
	return page, err
}

// Batch runs statements in the database of an object, in one transaction, and returns their rows.
func Batch(object string, s *Statements) (*Rows, error) {
	host().Call("batch", object, Bytes(s.packed))
	_, rows, err := settled()
	if err != nil {
		return nil, err
	}
	return NewRows(rows), nil
}

// Change runs statements in the database of an object, then puts value under a key of KV, with metadata, or deletes the key where value is
// nil, and then runs the statements after: see "State" in the package comment.
func Change(object string, s *Statements, key string, value []byte, metadata string, after *Statements) error {
	copied := js.Null()
	if value != nil {
		copied = Bytes(value)
	}
	host().Call("change", object, Bytes(s.packed), key, copied, metadata, Bytes(after.packed))
	_, _, err := settled()
	return err
}

// Uncopied reports whether a Change has failed for KV alone: its statements have taken effect.
func Uncopied(err error) bool { return strings.HasPrefix(err.Error(), "not copied: ") }

// Undone reports whether a Batch or a Change has failed for its SQL, or before that, so that nothing has happened.
func Undone(err error) bool { return strings.HasPrefix(err.Error(), "statement ") || Unbound(err) }

// Unbound reports whether a call of this file has failed because the deployment has no binding for it, so that nothing is stored there.
func Unbound(err error) bool { return strings.HasPrefix(err.Error(), "There is no ") }
