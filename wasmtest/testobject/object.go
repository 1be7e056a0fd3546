// Package testobject runs the program's SQL natively in the database of one object, as a host does,
// for tests of packages that generate SQL.
package testobject

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
	"edgelingua/worker/bridge"
)

// Object is an object of a store in memory.
type Object struct {
	t     testing.TB
	store *store.Store
}

// New returns an object without tables. The object is closed at the end of the test.
func New(t testing.TB) *Object {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return &Object{t, s}
}

// Run runs a batch and returns the rows. The test fails if the batch does.
func (o *Object) Run(s *bridge.Statements) *bridge.Rows {
	o.t.Helper()
	rows, err := o.Try(s)
	require.NoError(o.t, err)
	return rows
}

// Try runs a batch, and returns its rows or the error.
func (o *Object) Try(s *bridge.Statements) (*bridge.Rows, error) {
	rows, err := o.store.Batch("o", unpack(s.Packed()))
	if err != nil {
		return nil, err
	}
	return bridge.NewRows(pack(rows)), nil
}

// unpack returns packed statements (worker/bridge, "State").
func unpack(b []byte) (statements []store.Statement) {
	for len(b) > 0 {
		letter := b[0]
		var v any
		switch b = b[1:]; letter {
		case 'n':
		case 'f':
			v, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		default:
			end := 4 + int(binary.LittleEndian.Uint32(b))
			v, b = string(b[4:end]), b[end:]
		}
		if letter == 'q' {
			statements = append(statements, store.Statement{SQL: v.(string)})
			continue
		}
		last := &statements[len(statements)-1]
		last.Args = append(last.Args, v)
	}
	return statements
}

// pack packs rows without blobs.
func pack(all []store.Rows) (b []byte) {
	for _, rows := range all {
		b = binary.LittleEndian.AppendUint32(append(b, 'r'), uint32(rows.Columns))
		for _, v := range rows.Values {
			switch v := v.(type) {
			case nil:
				b = append(b, 'n')
			case float64:
				b = binary.LittleEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
			case string:
				b = append(binary.LittleEndian.AppendUint32(append(b, 's'), uint32(len(v))), v...)
			}
		}
	}
	return b
}
