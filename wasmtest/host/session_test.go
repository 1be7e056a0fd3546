package host

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
	"edgelingua/worker/session"
)

const signedIn = 1795219200

func TestSessions(t *testing.T) {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	defer s.Close()
	open := func(id, holder, key string, now int64) int64 {
		return session.Opened(archived(t, s, session.Open(id, holder, key, now)))
	}
	found := func(id string, now int64) string {
		key, expires, ok := session.Found(archived(t, s, session.Find(id, now)))
		if !ok {
			return "none"
		}
		assert.EqualValues(t, signedIn+session.Life, expires)
		return key
	}
	assert.Equal(t, "none", found("a", signedIn))
	require.Zero(t, open("a", session.Admin, "", signedIn))
	require.Zero(t, open("b", session.Owner("anna"), "hash", signedIn))
	for _, test := range []struct {
		id   string
		at   int64
		want string
	}{
		{"a", 0, ""}, {"b", 0, "hash"}, {"c", 0, "none"}, {"", 0, "none"},
		{"a", session.Life - 1, ""}, {"a", session.Life, "none"},
		{"a", -60, ""}, {"a", -61, "none"}, // another instance's clock
	} {
		assert.Equal(t, test.want, found(test.id, signedIn+test.at), test)
	}
	archived(t, s, session.End("a"))
	archived(t, s, session.End("nobody's"))
	assert.Equal(t, "none", found("a", signedIn))
	assert.Equal(t, "hash", found("b", signedIn))

	ids := func() string {
		rows, err := s.Batch("o",
			[]store.Statement{{SQL: "SELECT group_concat(id) FROM (SELECT id FROM session ORDER BY id)"}})
		require.NoError(t, err)
		return fmt.Sprint(rows[0].Values[0])
	}
	require.Zero(t, open("d", session.Admin, "", signedIn+session.Life-1))
	assert.Equal(t, "a,b,d", ids())
	require.Zero(t, open("e", session.Admin, "", signedIn+session.Life))
	assert.Equal(t, "d,e", ids(), "the next one deletes those that are over")
}

// TestSessionsOfAnHour also ends each session, which frees no slot.
func TestSessionsOfAnHour(t *testing.T) {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	defer s.Close()
	open := func(id, holder string, now int64) int64 {
		return session.Opened(archived(t, s, session.Open(id, holder, "hash", now)))
	}
	for i := range 100 {
		id := fmt.Sprint(i)
		require.Zero(t, open(id, session.Owner("anna"), signedIn+int64(i)))
		archived(t, s, session.End(id))
	}
	assert.EqualValues(t, 3500, open("x", session.Owner("anna"), signedIn+100))
	_, _, ok := session.Found(archived(t, s, session.Find("x", signedIn+100)))
	assert.False(t, ok)
	assert.Zero(t, open("y", session.Owner("bert"), signedIn+100))
	assert.EqualValues(t, 1, open("x", session.Owner("anna"), signedIn+3599))
	assert.Zero(t, open("x", session.Owner("anna"), signedIn+3600))
	assert.EqualValues(t, 1, open("z", session.Owner("anna"), signedIn+3600))
}

func TestWrongKeys(t *testing.T) {
	s, err := store.Open("", time.Now)
	require.NoError(t, err)
	defer s.Close()
	wrong := func(address string, now int64) int64 {
		return session.Refused(archived(t, s, session.Wrong(address, now)))
	}
	const a, b = "192.0.2.1", "192.0.2.2"
	for i := range 10 {
		require.Zero(t, wrong(a, signedIn+int64(i)))
	}
	for range 3 {
		assert.EqualValues(t, 50, wrong(a, signedIn+10))
	}
	assert.EqualValues(t, 1, wrong(a, signedIn+59))
	assert.Zero(t, wrong(b, signedIn+10))
	assert.Zero(t, wrong("", signedIn+10), "12 of all so far")

	// All together reach their limit, whose minute began at 0.
	for i := range 88 {
		require.Zero(t, wrong(fmt.Sprint(i), signedIn+20))
	}
	for _, address := range []string{"", b, "new"} {
		assert.EqualValues(t, 30, wrong(address, signedIn+30), address)
	}
	rows, err := s.Batch("o", []store.Statement{{SQL: "SELECT count(*), sum(wrong) FROM session_wrong"}})
	require.NoError(t, err)
	assert.Equal(t, []any{91.0, 199.0}, rows[0].Values, "a key that is refused writes nothing")
	assert.Zero(t, wrong(a, signedIn+60))
	assert.Zero(t, wrong("new", signedIn+60))
	assert.Zero(t, wrong("new", signedIn-3600), "the clock was set back")
}
