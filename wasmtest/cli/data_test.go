package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/seal"
)

// TestWrongSealKey: serve warns at its start if SEAL_KEY did not seal the stored upstream keys.
func TestWrongSealKey(t *testing.T) {
	const otherSeal = "EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE"
	data := t.TempDir()
	state, err := openStore(data)
	require.NoError(t, err)
	require.NoError(t, state.Put("endpoint:aaron", []byte(`{"version":1,"upstreams":[{"name":"v1"}]}`), nil, 0))
	sealed, err := seal.Seal(map[string]string{"SEAL_KEY": goodSeal}, []byte("endpoint/anna/up/up.test"),
		[]byte("sk-0123456789"))
	require.NoError(t, err)
	require.NoError(t, state.Put("endpoint:anna",
		[]byte(`{"version":1,"upstreams":[{"name":"up","key":"`+sealed+`"}]}`), nil, 0))
	// the text of a header may look like a sealed one, and the first record may have the new key
	require.NoError(t, state.Put("endpoint:aaron2", []byte(`{"version":1,"upstreams":[{"name":"up","headers":`+
		`{"x-trace":"v1.AAAAAAAA.BBBBBBBBBBBBBBBB.C"}}]}`), nil, 0))
	require.NoError(t, state.Put("endpoint:berta",
		[]byte(`{"version":1,"upstreams":[{"name":"up","keys":["`+sealed+`"]}]}`), nil, 0))
	require.NoError(t, state.Close())

	const warning = "SEAL_KEY is not the key that sealed the upstream keys of the endpoints anna, berta, .* " +
		"former SEAL_KEY, .*SEAL_KEY_PREVIOUS.* set the upstream keys again at /admin\n"
	for _, c := range []struct {
		flags []string
		warns bool
	}{
		{[]string{"--secret", "SEAL_KEY=" + goodSeal}, false},
		{[]string{"--secret", "SEAL_KEY=" + otherSeal, "--secret", "SEAL_KEY_PREVIOUS=" + goodSeal}, false},
		{[]string{"--secret", "SEAL_KEY=" + otherSeal}, true},
		{nil, true},
	} {
		s := startServer(t, append([]string{"--data", data, "--secret", "ADMIN_KEY=" + goodKey}, c.flags...)...)
		log := s.stop(t)
		if c.warns {
			assert.Regexp(t, warning, log)
			assert.NotContains(t, log, sealed)
		} else {
			assert.NotContains(t, log, "sealed the upstream keys")
		}
	}
}

// TestSealedMembers: only the members of a record that are sealed are compared with SEAL_KEY, each of
// them, in every record.
func TestSealedMembers(t *testing.T) {
	vars := map[string]string{"SEAL_KEY": goodSeal}
	seals := func(key string) string {
		sealed, err := seal.Seal(map[string]string{"SEAL_KEY": key}, []byte("context"), []byte("sk-1"))
		require.NoError(t, err)
		return sealed
	}
	now, former := seals(goodSeal), seals("EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE")
	for record, warns := range map[string]bool{
		`{"upstreams":[{"key":"` + now + `","headers":{"x":"` + former + `"}}],"options":{"alias":"` + former +
			`","web_search":{"key":"` + now + `"}}}`: false,
		`{"upstreams":[{"key":"plain"},{"name":"` + former + `"}]}`:                               false,
		`{"upstreams":"` + former + `"}`:                                                          false,
		`{"upstreams":[{"key":"` + now + `"},{"key":"` + former + `"}]}`:                          true,
		`{"upstreams":[{"keys":["` + now + `","` + former + `"]}]}`:                               true,
		`{"upstreams":[{"key":"` + now + `","gateway":{"token":"` + former + `"}}]}`:              true,
		`{"upstreams":[{"key":"` + now + `"}],"options":{"web_search":{"key":"` + former + `"}}}`: true,
	} {
		state, err := openStore(t.TempDir())
		require.NoError(t, err)
		require.NoError(t, state.Put("endpoint:a", []byte(`{"upstreams":[{"key":"`+now+`"}]}`), nil, 0))
		require.NoError(t, state.Put("endpoint:b", []byte(record), nil, 0))
		warning, err := sealWarning(state, vars)
		require.NoError(t, err)
		require.Equal(t, warns, warning != "", record)
		require.NoError(t, state.Close())
		_, err = sealWarning(state, vars)
		require.Error(t, err, "serve logs an error of the store, and goes on")
	}
}
