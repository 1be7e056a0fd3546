package store

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
)

// The limits of Workers KV.
const (
	maxKey        = 512
	maxValue      = 25 << 20
	maxMetadata   = 1024
	maxList       = 1000
	minExpiration = 60 // seconds from now, at least
)

// Key is one entry of a list of keys.
type Key struct {
	Name       string          `json:"name"`
	Expiration int64           `json:"expiration,omitempty"` // in seconds since 1970; 0: never
	Metadata   json.RawMessage `json:"metadata,omitempty"`
}

// Page is one page of a list of keys. Cursor is the argument for the next page, or "" on the last
// page.
type Page struct {
	Keys   []Key  `json:"keys"`
	Cursor string `json:"cursor"`
}

// Get returns the value and the metadata (JSON) of a key; metadata is nil if the key has none. An
// expired key is not found.
func (s *Store) Get(key string) (value, metadata []byte, found bool, err error) {
	if err := checkKey("GET", key); err != nil {
		return nil, nil, false, err
	}
	err = s.join(func() error {
		return s.query("SELECT value, metadata FROM kv WHERE key = ? AND (expiration IS NULL OR "+
			"expiration > ?)",
			[]any{[]byte(key), s.now().Unix()}, func(row *sqlite3.Stmt) {
				found, value, metadata = true, row.ColumnBlob(0, []byte{}), row.ColumnBlob(1, nil)
			})
	})
	return value, metadata, found, err
}

// Put sets a key. metadata is JSON, or empty for none. expiration is in seconds since 1970, or 0
// for never. An argument that exceeds a limit of Workers KV is an error.
func (s *Store) Put(key string, value, metadata []byte, expiration int64) error {
	if err := s.checkPut(key, value, metadata, expiration); err != nil {
		return err
	}
	return s.do(func() error {
		return s.transaction(func() error { return s.put(key, value, metadata, expiration) })
	})
}

// checkPut returns an error if an argument of Put exceeds a limit.
func (s *Store) checkPut(key string, value, metadata []byte, expiration int64) error {
	switch {
	case len(value) > maxValue:
		return fmt.Errorf("KV PUT failed: 413 Value length of %d exceeds limit of %d.", len(value), maxValue)
	case len(metadata) > maxMetadata:
		return fmt.Errorf("KV PUT failed: 413 Metadata length of %d exceeds limit of %d.", len(metadata),
			maxMetadata)
	case len(metadata) > 0 && !json.Valid(metadata):
		return errors.New("KV PUT failed: the metadata is not JSON")
	case expiration != 0 && expiration < s.now().Unix()+minExpiration:
		return fmt.Errorf("KV PUT failed: 400 Invalid expiration of %d. Expiration times must be at least "+
			"%d seconds in the future.", expiration, minExpiration)
	}
	return checkKey("PUT", key)
}

// put is Put in a transaction, with arguments checked by checkPut.
func (s *Store) put(key string, value, metadata []byte, expiration int64) error {
	args := []any{[]byte(key), nil, nil, value}
	if expiration != 0 {
		args[1] = expiration
	}
	if len(metadata) > 0 {
		args[2] = string(metadata)
	}
	if err := s.query("DELETE FROM kv WHERE expiration <= ?", []any{s.now().Unix()}, nil); err != nil {
		return err
	}
	return s.query("REPLACE INTO kv (key, expiration, metadata, value) VALUES (?, ?, ?, ?)", args, nil)
}

// Delete deletes a key. A missing key is not an error.
func (s *Store) Delete(key string) error {
	if err := checkKey("DELETE", key); err != nil {
		return err
	}
	return s.do(func() error { return s.drop(key) })
}

// drop is Delete in an operation.
func (s *Store) drop(key string) error {
	return s.query("DELETE FROM kv WHERE key = ?", []any{[]byte(key)}, nil)
}

// List returns up to limit keys that begin with prefix, in the order of their bytes. cursor is ""
// for the first page, otherwise the Cursor of the page before.
func (s *Store) List(prefix, cursor string, limit int) (Page, error) {
	last, err := base64.RawURLEncoding.DecodeString(cursor)
	switch {
	case err != nil:
		return Page{}, errors.New("KV GET failed: 400 Invalid cursor.")
	case limit < 1 || limit > maxList:
		return Page{}, fmt.Errorf("KV GET failed: 400 Invalid key_count_limit of %d. Please specify an "+
			"integer from 1 to %d.", limit, maxList)
	case len(prefix) > maxKey:
		return Page{}, tooLong("GET", prefix)
	}
	page := Page{Keys: []Key{}}
	err = s.join(func() error {
		return s.query(`SELECT key, expiration, metadata FROM kv
		WHERE key >= ? AND substr(key, 1, ?) = ? AND key > ? AND (expiration IS NULL OR expiration > ?)
		ORDER BY key LIMIT ?`,
			[]any{[]byte(prefix), int64(len(prefix)), []byte(prefix), last, s.now().Unix(),
				int64(limit + 1)}, func(row *sqlite3.Stmt) {
				key := Key{Name: string(row.ColumnRawBlob(0)), Expiration: row.ColumnInt64(1),
					Metadata: row.ColumnBlob(2, nil)}
				page.Keys = append(page.Keys, key)
			})
	})
	if len(page.Keys) > limit {
		page.Keys = page.Keys[:limit]
		page.Cursor = base64.RawURLEncoding.EncodeToString([]byte(page.Keys[limit-1].Name))
	}
	return page, err
}

func checkKey(operation, key string) error {
	switch {
	case key == "":
		return errors.New("Key name cannot be empty.")
	case key == ".", key == "..":
		return fmt.Errorf("%q is not allowed as a key name.", key)
	case len(key) > maxKey:
		return tooLong(operation, key)
	}
	return nil
}

func tooLong(operation, key string) error {
	return fmt.Errorf("KV %s failed: 414 UTF-8 encoded length of %d exceeds key length limit of %d.",
		operation, len(key), maxKey)
}
