package serve_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
)

// watchedStore is the store of a deployment. It counts calls, and fails on demand.
type watchedStore struct {
	*store.Store
	deployment *deployment // its batch runs before each Batch and Count
	mu         sync.Mutex
	operations []string        // the calls, with key or object
	objects    map[string]bool // the names of all objects
	failing    error           // fails each call; nil: none fails
	before     func()          // runs once, before the next Change
}

func (s *watchedStore) called(operation, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.operations = append(s.operations, operation+" "+name)
	if operation == "batch" || operation == "change" {
		if s.objects == nil {
			s.objects = map[string]bool{}
		}
		s.objects[name] = true
	}
	return s.failing
}

// beforeChange runs a function once, between a program's read and the next Change.
func (s *watchedStore) beforeChange(run func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = run
}

func (s *watchedStore) Get(key string) (value, metadata []byte, found bool, err error) {
	if err := s.called("get", key); err != nil {
		return nil, nil, false, err
	}
	return s.Store.Get(key)
}

func (s *watchedStore) Put(key string, value, metadata []byte, expiration int64) error {
	if err := s.called("put", key); err != nil {
		return err
	}
	return s.Store.Put(key, value, metadata, expiration)
}

func (s *watchedStore) Delete(key string) error {
	if err := s.called("delete", key); err != nil {
		return err
	}
	return s.Store.Delete(key)
}

func (s *watchedStore) List(prefix, cursor string, limit int) (store.Page, error) {
	if err := s.called("list", prefix); err != nil {
		return store.Page{}, err
	}
	return s.Store.List(prefix, cursor, limit)
}

func (s *watchedStore) Batch(object string, statements []store.Statement) ([]store.Rows, error) {
	if err := s.batch(object, statements); err != nil {
		return nil, err
	}
	return s.Store.Batch(object, statements)
}

func (s *watchedStore) Count(object string, statements []store.Statement,
	lost func(error)) ([]store.Rows, error) {
	if err := s.batch(object, statements); err != nil {
		return nil, err
	}
	return s.Store.Count(object, statements, lost)
}

// batch is called before each Batch and Count.
func (s *watchedStore) batch(object string, statements []store.Statement) error {
	if err := s.called("batch", object); err != nil {
		return err
	}
	s.deployment.mu.Lock()
	batch := s.deployment.batch
	s.deployment.mu.Unlock()
	if batch == nil {
		return nil
	}
	return batch(object, statements)
}

func (s *watchedStore) Change(object string, statements []store.Statement, key string,
	value, metadata []byte, after []store.Statement) error {
	if err := s.called("change", object); err != nil {
		return err
	}
	s.mu.Lock()
	before := s.before
	s.before = nil
	s.mu.Unlock()
	if before != nil {
		before()
	}
	return s.Store.Change(object, statements, key, value, metadata, after)
}

// rows returns the rows of one statement in an object.
func (d *deployment) rows(object, sql string, args ...any) []any {
	d.t.Helper()
	rows, err := d.store.Batch(object, []store.Statement{{SQL: sql, Args: args}})
	require.NoError(d.t, err)
	return rows[0].Values
}

// tables returns the names of the tables of an object.
func (d *deployment) tables(object string) (names []string) {
	for _, name := range d.rows(object, "SELECT name FROM sqlite_master WHERE type = 'table'") {
		names = append(names, name.(string))
	}
	return names
}

// dump returns the whole store, KV and objects, as text.
func (d *deployment) dump() string {
	var text strings.Builder
	page, err := d.store.List("", "", 1000)
	require.NoError(d.t, err)
	for _, key := range page.Keys {
		value, metadata, _, err := d.store.Get(key.Name)
		require.NoError(d.t, err)
		fmt.Fprintf(&text, "%s %s %s\n", key.Name, value, metadata)
	}
	for _, object := range slices.Sorted(maps.Keys(d.state.objects)) {
		for _, table := range d.tables(object) {
			for _, value := range d.rows(object, `SELECT * FROM "`+table+`"`) {
				if bytes, ok := value.([]byte); ok {
					value = string(bytes)
				}
				fmt.Fprintf(&text, "%s %s %v\n", object, table, value)
			}
		}
	}
	return text.String()
}
