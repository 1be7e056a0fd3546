package translator_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
)

// TestRequestsInPieces makes the texts in the requests of the corpus long, and sends each upstream
// the body whole and in pieces: the bytes are the same, and the written part has no long text.
func TestRequestsInPieces(t *testing.T) {
	t.Parallel()
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	apart := 0
	for _, s := range scenarios {
		var request any
		if json.Unmarshal(s.Request, &request) != nil {
			continue
		}
		long, err := json.Marshal(lengthened("", request))
		require.NoError(t, err)
		for _, upstream := range protocols {
			whole, _, refused := writtenFor(t, s, upstream, long, false)
			body, pieces, refusedToo := writtenFor(t, s, upstream, long, true)
			require.Equal(t, refused, refusedToo, "%s to %s", s.Name, upstream)
			if pieces == nil {
				require.Equal(t, whole, body, "%s to %s", s.Name, upstream)
				continue
			}
			apart++
			require.Equal(t, string(whole), string(bytes.Join(pieces, nil)), "%s to %s", s.Name, upstream)
			require.Less(t, len(body), len(whole)-len(padding)/2)
		}
	}
	assert.Greater(t, apart, 1000)
}

// TestManyPieces sends more long texts than a byte can count.
func TestManyPieces(t *testing.T) {
	turn := `{"role":"user","content":"` + strings.Repeat("x", 2000) + `"},{"role":"assistant","content":"` +
		strings.Repeat("y", 3000) + `"},`
	request := []byte(`{"model":"m","max_tokens":9,"messages":[` + strings.Repeat(turn, 300) +
		`{"role":"user","content":"go on"}]}`)
	x := read(t, "anthropic", "chat", request)
	whole, refused := x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, refused)
	x = read(t, "anthropic", "chat", request)
	require.Equal(t, 300*5000, translator.ForWorker(x).UsePieces())
	body, refused := x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, refused)
	require.Equal(t, string(whole), string(bytes.Join(translator.ForWorker(x).Pieces(body), nil)))
	require.Less(t, len(body), 100<<10)
}

func read(t *testing.T, client, upstream string, request []byte) *translator.Exchange {
	t.Helper()
	pair, _ := translator.Lookup(client, upstream)
	x, refused := pair.Decode("", request)
	require.Nil(t, refused)
	return x
}

// writtenFor returns the upstream's body for a client's request to a scenario's endpoint, and its
// pieces if scattered is true.
func writtenFor(t *testing.T, s *corpus.Scenario, upstream string, request []byte,
	scattered bool) (body []byte, pieces [][]byte, refused *ir.Error) {
	t.Helper()
	pair, ok := translator.Lookup(s.Client, upstream)
	require.True(t, ok)
	x, err := pair.Decode(s.Path, bytes.Clone(request))
	if err != nil {
		return nil, nil, ir.AsError(err)
	}
	u, failed := corpus.Upstream(s.Settings(upstream))
	require.NoError(t, failed)
	target, failed := s.Target(u, u.Models.Map(jsonw.Unescape(x.Request.Model)))
	require.NoError(t, failed)
	corpus.Obey(x, u)
	most := 0
	if scattered {
		most = translator.ForWorker(x).UsePieces()
	}
	if body, err = x.AppendRequest(nil, target); err != nil {
		return nil, nil, ir.AsError(err)
	}
	if pieces = translator.ForWorker(x).Pieces(body); pieces != nil {
		require.Positive(t, most)
	}
	return body, pieces, nil
}

// padding makes a text long. It ends with white space, which Anthropic's API rejects at the end of
// an assistant text to be continued.
var padding = strings.Repeat("a \\ \"é\"\n", 1000)

// lengthened returns a value of a request with padding after its texts.
func lengthened(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = lengthened(k, member)
		}
	case []any:
		for i, element := range v {
			v[i] = lengthened(key, element)
		}
	case string:
		if slices.Contains([]string{"text", "content", "output", "instructions", "system", "input", "data",
			"title"}, key) {
			return v + padding
		}
	}
	return value
}
