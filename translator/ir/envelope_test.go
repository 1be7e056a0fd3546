package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenEnvelope(t *testing.T) {
	for _, c := range []struct {
		e            Escaped
		origin       string
		redacted, ok bool
		id, blob     Escaped
	}{
		{"el1:anthropic:t::c2ln", "anthropic", false, true, "", "c2ln"},
		{"el1:responses:r:rs_1:gAAA", "responses", true, true, "rs_1", "gAAA"},
		{`el1:chat:t::[{\"a\":1}]`, "chat", false, true, "", `[{\"a\":1}]`},
		{"gAAA", "", false, false, "", ""},
		{"el1", "", false, false, "", ""},
		{"elm:", "", false, false, "", ""},

		// An envelope that can't be read is still an envelope, and has no origin.
		{"el2:anthropic:t::c2ln", "", false, true, "", "el2:anthropic:t::c2ln"},
		{"el1:anthropic:t::", "", false, true, "", "el1:anthropic:t::"},
		{"el1:anthropic:x::c2ln", "", false, true, "", "el1:anthropic:x::c2ln"},
		{"el1:", "", false, true, "", "el1:"},
		{Unsigned, "", false, true, "", "-"},
	} {
		origin, redacted, id, blob, ok := OpenEnvelope(c.e)
		require.Equal(t, c, struct {
			e            Escaped
			origin       string
			redacted, ok bool
			id, blob     Escaped
		}{c.e, origin, redacted, ok, id, blob})
	}
}
