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
	require.NoError(t, state.Close())

	const warning = "SEAL_KEY is not the key that sealed the upstream keys of the endpoint anna, .* " +
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
