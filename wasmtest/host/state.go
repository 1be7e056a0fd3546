package host

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/store"
)

// Store has the contents of Cloudflare's bindings: a KV namespace, and the databases of objects.
// The program sees its errors. Many goroutines call its methods.
type Store interface {
	// Get returns the value and the metadata (JSON) of a key. metadata is nil for a key without
	// metadata.
	Get(key string) (value, metadata []byte, found bool, err error)
	// Put sets a key. metadata is JSON, or empty for none; expiration is in seconds since 1970, or
	// 0 for never.
	Put(key string, value, metadata []byte, expiration int64) error
	Delete(key string) error
	// List returns up to limit keys with a prefix, in the order of their bytes. cursor is "" or the
	// cursor of the previous page.
	List(prefix, cursor string, limit int) (store.Page, error)
	// Batch runs statements in the database of an object: all of them take effect, or none.
	Batch(object string, statements []store.Statement) ([]store.Rows, error)
	// Count is Batch for statements that count, or only read. If the host's process is killed, the last
	// ones may have no effect. If they can't be stored later, lost gets the error.
	Count(object string, statements []store.Statement, lost func(error)) ([]store.Rows, error)
	// Change runs statements as Batch does, sets a key or, if value is nil, deletes the key, and
	// runs the statements after.
	Change(object string, statements []store.Statement, key string, value, metadata []byte,
		after []store.Statement) error
}

// notFoundCode is settle's code for a missing key.
const notFoundCode = 1

// errUnbound corresponds to the error of worker/workerd/store.mjs about a missing binding. That
// error names wrangler.toml, but this host does not read the file.
var errUnbound = errors.New("There is no store: the host was started without one.")

// stored runs an operation of the store on a separate goroutine, and settles with the result.
func (x *hostRequest) stored(operation func(s Store) (code int, data []byte, err error)) js.Value {
	x.loop.Async(func() func() {
		code, data, err := 0, []byte(nil), errUnbound
		if x.store != nil {
			code, data, err = operation(x.store)
		}
		return func() {
			if err != nil {
				x.settleFailure(err)
				return
			}
			x.settle(code, data)
		}
	})
	return nil
}

func (x *hostRequest) kvGet(args arguments) js.Value {
	key := args.string(0)
	return x.stored(func(s Store) (int, []byte, error) {
		value, metadata, found, err := s.Get(key)
		if !found {
			return notFoundCode, nil, err
		}
		data := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(metadata)+len(value)),
			uint32(len(metadata)))
		return 0, append(append(data, metadata...), value...), err
	})
}

func (x *hostRequest) kvPut(args arguments) js.Value {
	key, value, metadata, expiration := args.string(0), args.bytes(1), args.string(2), args.int(3)
	return x.stored(func(s Store) (int, []byte, error) {
		return 0, nil, s.Put(key, value, []byte(metadata), int64(expiration))
	})
}

func (x *hostRequest) kvDelete(args arguments) js.Value {
	key := args.string(0)
	return x.stored(func(s Store) (int, []byte, error) { return 0, nil, s.Delete(key) })
}

func (x *hostRequest) kvList(args arguments) js.Value {
	prefix, cursor, limit := args.string(0), args.string(1), args.int(2)
	return x.stored(func(s Store) (int, []byte, error) {
		page, err := s.List(prefix, cursor, limit)
		if err != nil {
			return 0, nil, err
		}
		data, err := json.Marshal(page)
		return 0, data, err
	})
}

func (x *hostRequest) batch(args arguments) js.Value {
	object, statements, counts := args.string(0), unpack(args.bytes(1)), args.bool(2)
	return x.stored(func(s Store) (int, []byte, error) {
		run := s.Batch
		if counts {
			run = func(object string, statements []store.Statement) ([]store.Rows, error) {
				return s.Count(object, statements, x.lostCounts)
			}
		}
		rows, err := run(object, statements)
		return 0, pack(rows), err
	})
}

func (x *hostRequest) change(args arguments) js.Value {
	object, statements, after := args.string(0), unpack(args.bytes(1)), unpack(args.bytes(5))
	key, value, metadata := args.string(2), args.bytes(3), args.string(4)
	return x.stored(func(s Store) (int, []byte, error) {
		return 0, nil, s.Change(object, statements, key, value, []byte(metadata), after)
	})
}
