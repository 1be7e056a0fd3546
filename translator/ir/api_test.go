package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConversePath(t *testing.T) {
	api := API{Routes: []Route{{"/v1/models", ListModels}, {"/v1/converse", Converse}, {"/v2/converse",
		Converse}}}
	require.Equal(t, "/v1/converse", api.ConversePath())
	require.Empty(t, (&API{Routes: []Route{{"/", Greet}}}).ConversePath())
	require.Equal(t, "/models/{model}:generate",
		(&API{Routes: []Route{{"/models/**:generate", Converse}}}).ConversePath())
}

func TestFits(t *testing.T) {
	long := string(make([]byte, maxOpaque+1))
	for _, c := range []struct {
		form  Form
		value string
		want  bool
	}{
		{Quantity, "0", true}, {Quantity, "9", true}, {Quantity, "6m0s", true}, {Quantity, "100, 100;w=60",
			true}, {Quantity, "2026-11-22T10:00:00Z", true},
		{Quantity, "true", true}, {Quantity, "", false}, {Quantity, "5<", false}, {Quantity, "/5", false},
		{Quantity, ":5", false}, {Quantity, "a word", false},
		{Quantity, "Sun, 22 Nov 2026 17:00:09 GMT", true}, {Quantity, "Sun, 22 Nov 2026 17:00:0x GMT",
			false}, {Quantity, "Sun, 22 Nov 2026 17:00:00 UTC", false},
		{Named, "req_0-9/aZ:@+%.", true}, {Named, "", false}, {Named, "a b", false}, {Named, "a\"b", false},
		{Tokens, "a-b, c_d=9", true}, {Tokens, "a;b", false},
		{Opaque, "a b!~", true}, {Opaque, " ", true}, {Opaque, "~", true}, {Opaque, "", false},
		{Opaque, "a\x1f", false}, {Opaque, "a\x7f", false}, {Opaque, long, false},
	} {
		require.Equal(t, c.want, c.form.Fits(c.value), "%d %.20q", c.form, c.value)
	}
	most := make([]byte, maxOpaque)
	for i := range most {
		most[i] = 'x'
	}
	require.True(t, Opaque.Fits(string(most)))
	require.True(t, Named.Fits(string(most[:maxNamed])))
	require.False(t, Named.Fits(string(most[:maxNamed+1])))
	require.True(t, Quantity.Fits(string(most[:maxWord])))
	require.False(t, Quantity.Fits(string(most[:maxWord+1])))
}

func TestFormOf(t *testing.T) {
	headers := []AnswerHeader{{"request-id", Named}, {"x-codex-*", Opaque}, {"x-*", Quantity}}
	for name, want := range map[string]Form{"request-id": Named, "x-codex-turn": Opaque,
		"x-other": Quantity} {
		f, ok := FormOf(headers, name)
		require.True(t, ok, name)
		require.Equal(t, want, f, name)
	}
	_, ok := FormOf(headers, "request-id-2")
	require.False(t, ok)
}
