package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/corpus"
)

func TestScenarioThatCantBeRead(t *testing.T) {
	const request = "-- request.chat.json --\n{}\n"
	for text, want := range map[string]string{
		"only a comment":                        "no section request.<client>.json",
		request + "-- config --\n{\"a\":1}":     `section config: json: unknown field "a"`,
		request + "-- upstream.chat.head --\nx": "section upstream.chat.head: expected integer",
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a.txtar")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := corpus.Load(folder)
		require.EqualError(t, err, path+": "+want)
	}
	_, err := corpus.Load("no-such-folder")
	require.Error(t, err)
}

func TestTargetsOfNoField(t *testing.T) {
	s, err := corpus.Parse("a",
		[]byte("-- config --\n{\"target\":{\"Nonsense\":1}}\n-- request.chat.json --\n{}\n"))
	require.NoError(t, err)
	u, err := corpus.Upstream(s.Settings("chat"))
	require.NoError(t, err)
	_, err = s.Target(u, "m")
	require.EqualError(t, err, `json: unknown field "Nonsense"`)
}

func TestSettingsThatNoWorkerTakes(t *testing.T) {
	s, err := corpus.Parse("a",
		[]byte("-- config --\n{\"options\":{\"lossy\":1}}\n-- request.chat.json --\n{}\n"))
	require.NoError(t, err)
	_, err = s.Cases()
	require.ErrorContains(t, err, "a: chat to anthropic, plain: This deployment is not set up: OPTIONS.lossy")
}

func TestAskedByEachClient(t *testing.T) {
	s, err := corpus.Parse("a", []byte(`
-- request.chat.json --
{"model":"m","messages":[{"role":"user","content":"Hi"}],  "stream":true}
-- upstream.chat.head --
429
-- upstream.chat.json --
{"error":{"message":"slow down"}}
`))
	require.NoError(t, err)
	list, err := s.Cases()
	require.NoError(t, err)
	got := map[string]bool{}
	for _, x := range list {
		got[x.String()] = strings.Contains(string(x.Request), `"stream":true`) ||
			strings.Contains(x.Path, ":stream")
		require.Equal(t, "application/json", x.Answer.ContentType())
		require.Equal(t, 429, x.Want.Status)
	}
	require.Equal(t, map[string]bool{
		"a: anthropic to chat, plain": false, "a: anthropic to chat, streamed": true,
		"a: chat to chat, plain": false, "a: chat to chat, streamed": true,
		"a: responses to chat, plain": false, "a: responses to chat, streamed": true,
		"a: gemini to chat, plain": false, "a: gemini to chat, streamed": true,
		"a: interactions to chat, plain": false, "a: interactions to chat, streamed": true,
	}, got)
	require.Equal(t, string(s.Request), string(list[0].Request))
	require.Equal(t, `{"error":{"message":"slow down"}}`+"\n", string(list[0].Want.Body))
}
