package anthropic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestSession(t *testing.T) {
	for user, want := range map[ir.Escaped]ir.Escaped{
		`{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"7c9e-1\"}`: "7c9e-1",
		`user_d_account__session_7c9e-1`:                                        "7c9e-1",
		`user_d_account_a_session_`:                                             "",
		`{\"session_id\":7}`:                                                    "",
		`{\"session_id\":\"7c9e`:                                                "",
		`{\"device_id\":\"d\"}`:                                                 "",
		`[\"session_id\"]`:                                                      "",
		`\"session_id\"`:                                                        "",
		`{\"session_id\":\"7c9e-1\",\"device_id\":\"d\"}`:                       "7c9e-1",
		`7`:               "",
		`max@example.com`: "",
		``:                "",
	} {
		require.Equal(t, want, session(user), user)
	}
}
