package tenant

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/testobject"
	"edgelingua/worker/bridge"
)

// object is the database of an endpoint.
type object struct{ *testobject.Object }

func (o object) run(s *bridge.Statements) error {
	_, err := o.Try(s)
	return err
}

func (o object) state() Truth { return TruthOf(o.Run(ReadTruth())) }

// TestSave makes the changes of an endpoint's life. Before each change it tries changes based on
// old revisions.
func TestSave(t *testing.T) {
	o := object{testobject.New(t)}
	none := o.state()
	require.Equal(t, Truth{}, none)
	require.True(t, (&none).Copied() && !none.Deleted())

	var past []Truth
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
		require.NoError(t, o.run(Copied(int64(rev)))) // a late confirmation of the previous revision's copy
		now = o.state()
		require.False(t, now.Copied())
		require.NoError(t, o.run(now.Copy()), "the copy is due")
		for _, old := range past[1:] {
			require.Equal(t, Overtaken, Refused(o.run(old.Copy())), "a copy of what is past")
		}
		require.NoError(t, o.run(Copied(int64(rev+1))))
		require.Equal(t, Overtaken, Refused(o.run(now.Copy())), "the copy is written")
		now = o.state()
		require.True(t, now.Copied())
	}
}

func TestGuard(t *testing.T) {
	const record = `{"rev":3,"keys":[{"hash":"good"},{"hash":"later","expires":99999999999},{"hash":"old",` +
		`"expires":1}]}`
	o := object{testobject.New(t)}
	guard := func(rev, made int64, hash string) Refusal {
		s := new(bridge.Statements)
		guardKey(s, rev, made, hash)
		err := o.run(s)
		if err == nil {
			return None
		}
		require.NotEqual(t, None, Refused(err), err)
		return Refused(err)
	}
	require.Equal(t, None, guard(1, 1000, "any"), "an object without a row")

	s := o.state()
	require.NoError(t, o.run(s.Save(3, 1000, record)))
	require.Equal(t, None, guard(3, 1000, "any"),
		"the copy is that of the last change, and was asked for the key")
	for hash, want := range map[string]Refusal{"good": None, "later": None, "old": Revoked, "other": Revoked,
		"": None} {
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
	require.Equal(t, None,
		Refused(errors.New("statement 1: NOT NULL constraint failed: endpoint_records.rev")))
	require.Equal(t, None, Refused(fmt.Errorf("There is no binding")))
}

func TestRotate(t *testing.T) {
	const now = 1_800_000_000
	s := Truth{}
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
	s.Renew()
	require.Zero(t, s.Rotate(now+10*pause), "a new endpoint of the name")
}
