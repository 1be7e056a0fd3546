//go:build js && wasm

package bridge

import (
	"encoding/binary"
	"syscall/js"
)

func (Host) KVGet(key string) (value, metadata []byte, found bool, err error) {
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

func (Host) KVPut(key string, value []byte, metadata string, expiration int64) error {
	host().Call("kvPut", key, Bytes(value), metadata, expiration)
	_, _, err := settled()
	return err
}

func (Host) KVDelete(key string) error {
	host().Call("kvDelete", key)
	_, _, err := settled()
	return err
}

func (Host) KVList(prefix, cursor string, limit int) ([]byte, error) {
	host().Call("kvList", prefix, cursor, limit)
	_, page, err := settled()
	return page, err
}

func (Host) Batch(object string, s *Statements) (*Rows, error) {
	host().Call("batch", object, Bytes(s.packed))
	_, rows, err := settled()
	if err != nil {
		return nil, err
	}
	return NewRows(rows), nil
}

func (Host) Change(object string, s *Statements, key string, value []byte, metadata string, after *Statements) error {
	copied := js.Null()
	if value != nil {
		copied = Bytes(value)
	}
	host().Call("change", object, Bytes(s.packed), key, copied, metadata, Bytes(after.packed))
	_, _, err := settled()
	return err
}
