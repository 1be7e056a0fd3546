package registry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
	"edgelingua/worker/bridge"
)

// object runs batches in the database of one endpoint's object, as a host does.
type object struct {
	t     *testing.T
	store *store.Store
}

func newObject(t *testing.T) object {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return object{t, s}
}

func (o object) run(s *bridge.Statements) error {
	_, err := o.store.Batch("endpoint:anna", unpacked(s.Packed()))
	return err
}

func (o object) state() State {
	rows, err := o.store.Batch("endpoint:anna", unpacked(Read().Packed()))
	require.NoError(o.t, err)
	return ReadState(bridge.NewRows(packed(rows)))
}

func unpacked(b []byte) (statements []store.Statement) {
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

func packed(all []store.Rows) (b []byte) {
	for _, rows := range all {
		b = binary.LittleEndian.AppendUint32(append(b, 'r'), uint32(rows.Columns))
		for _, v := range rows.Values {
			switch v := v.(type) {
			case float64:
				b = binary.LittleEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
			case string:
				b = binary.LittleEndian.AppendUint32(append(b, 's'), uint32(len(v)))
				b = append(b, v...)
			}
		}
	}
	return b
}

// TestSave makes the changes of an endpoint's life, and before each of them one that is based on another revision.
func TestSave(t *testing.T) {
	o := newObject(t)
	none := o.state()
	require.Equal(t, State{}, none)
	require.True(t, (&none).Copied() && !none.Deleted())

	var past []State
	now := none
	for rev, record := range []string{`{"a":1}`, `{"a":2}`, "", `{"b":1}`, ""} {
		for _, old := range past {
			require.Equal(t, Overtaken, Refused(o.run(old.Save(99, 99, "stale"))), rev)
		}
		require.NoError(t, o.run(now.Save(int64(rev+1), 1000, record)))
		past = append(past, now)
		now = o.state()
		require.True(t, now.Known && now.Rev == int64(rev+1) && now.Made == 1000 && now.Record == record)
		require.Equal(t, record == "", now.Deleted())
		require.False(t, now.Copied())
		require.NoError(t, o.run(Copied(int64(rev)))) // a late note of the revision before
		now = o.state()
		require.False(t, now.Copied())
		require.NoError(t, o.run(Copied(int64(rev+1))))
		now = o.state()
		require.True(t, now.Copied())
	}
}

func TestGuard(t *testing.T) {
	const record = `{"rev":3,"keys":[{"hash":"good"},{"hash":"later","expires":99999999999},{"hash":"old","expires":1}]}`
	o := newObject(t)
	guard := func(rev, made int64, hash string) Refusal {
		err := o.run(Guard(new(bridge.Statements), rev, made, hash))
		if err == nil {
			return None
		}
		require.NotEqual(t, None, Refused(err), err)
		return Refused(err)
	}
	require.Equal(t, None, guard(1, 1000, "any"), "an object without a row")

	s := o.state()
	require.NoError(t, o.run(s.Save(3, 1000, record)))
	require.Equal(t, None, guard(3, 1000, "any"), "the copy is that of the last change, and was asked for the key")
	for hash, want := range map[string]Refusal{"good": None, "later": None, "old": Revoked, "other": Revoked, "": None} {
		require.Equal(t, want, guard(2, 1000, hash), hash)
	}
	require.Equal(t, None, guard(2, 0, "good"), "a copy that does not say when its endpoint was made")
	require.Equal(t, Gone, guard(2, 999, "good"), "an endpoint of this name that was there before")
	require.Equal(t, Gone, guard(3, 999, "good"))

	s = o.state()
	require.NoError(t, o.run(s.Save(4, 1000, `{"disabled":true,"keys":[{"hash":"good"}]}`)))
	require.Equal(t, Disabled, guard(3, 1000, "good"))
	s = o.state()
	require.NoError(t, o.run(s.Save(5, 1000, "")))
	for _, hash := range []string{"good", ""} {
		require.Equal(t, Gone, guard(4, 1000, hash))
		require.Equal(t, Gone, guard(0, 0, hash))
	}
	require.Equal(t, None, Refused(errors.New("statement 1: NOT NULL constraint failed: endpoint_records.rev")))
	require.Equal(t, None, Refused(fmt.Errorf("There is no binding")))
}

func TestRotate(t *testing.T) {
	const now = 1_800_000_000
	s := State{}
	for range Rotations {
		require.Zero(t, s.Rotate(now))
	}
	paid := s
	require.EqualValues(t, pause, s.Rotate(now))
	require.EqualValues(t, 1, s.Rotate(now+pause-1))
	require.Equal(t, paid, s, "a refused rotation counts for nothing")
	require.Zero(t, s.Rotate(now+pause))
	require.EqualValues(t, pause, s.Rotate(now+pause))
	for range Rotations {
		require.Zero(t, s.Rotate(now+10*pause))
	}
	require.NotZero(t, s.Rotate(now+10*pause))
}
