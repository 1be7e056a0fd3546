package interactions

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestTime compares dates with the standard library's.
func TestTime(t *testing.T) {
	for _, seconds := range []int64{0, 951_782_399, 951_782_400, 1_709_164_800, 4_107_542_399} {
		require.Equal(t, time.Unix(seconds, 0).UTC().Format(time.RFC3339), string(appendTime(nil, seconds)))
	}
	for day := int64(0); day < 366*150; day += 13 {
		seconds := day*86400 + day%86400
		require.Equal(t, time.Unix(seconds, 0).UTC().Format(time.RFC3339), string(appendTime(nil, seconds)))
	}
	require.Equal(t, "1970-01-01T00:00:00Z", string(appendTime(nil, -1)))
}

// TestReadStoring has each form of an input as it is stored, and what is left of the body.
func TestReadStoring(t *testing.T) {
	id := "v1_" + strings.Repeat("aB-_", 10) + "xyz"
	const step = `{"type":"user_input","content":[{"type":"text","text":"q"}]}`
	for body, want := range map[string]struct {
		own, left string
		store     bool
		previous  string
	}{
		`{"input":"q"}`: {step, `{"input":"q"}`, true, ""},
		`{"store":true,"input":{"type":"text","text":"q"}}`: {step,
			`{"store":null,"input":{"type":"text","text":"q"}}`, true, ""},
		`{"store":false,"input":[{"type":"text","text":"q"}]}`: {step,
			`{"store":false,"input":[{"type":"text","text":"q"}]}`, false, ""},
		`{"input":[ ` + step + ` ]}`: {step, `{"input":[ ` + step + ` ]}`, true, ""},
		`{"input":[]}`:               {"", `{"input":[]}`, true, ""},
		`{"previous_interaction_id":"` + id + `","input":"q"}`: {step,
			`{"previous_interaction_id":null` + strings.Repeat(" ", 44) + `,"input":"q"}`, true, id},
		`{"previous_interaction_id":null,"input":"q"}`: {step, `{"previous_interaction_id":null,"input":"q"}`,
			true, ""},
	} {
		bytes := []byte(body)
		s, err := readStoring(bytes)
		require.NoError(t, err, body)
		require.True(t, s.HasInput(), body)
		require.Equal(t, want.own, s.Own(nil), body)
		require.Equal(t, want.left, string(bytes))
		require.Equal(t, want.store, s.Store, body)
		require.Equal(t, want.previous, s.Previous)
	}
	for _, body := range []string{`{"input":7}`, `{}`, `[]`, `{"input":null}`} {
		s, err := readStoring([]byte(body))
		require.NoError(t, err)
		require.False(t, s.HasInput(), body)
	}
	for body, message := range map[string]string{
		`{"previous_interaction_id":7}`:                     "a string is expected",
		`{"previous_interaction_id":"resp_` + id[3:] + `"}`: "Previous interaction with id 'resp_",
		`{"previous_interaction_id":""}`:                    "Previous interaction with id '' not found.",
	} {
		_, err := readStoring([]byte(body))
		require.ErrorContains(t, err, message)
		require.Equal(t, "previous_interaction_id", ir.AsError(err).Path)
	}
}
