package translator_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// seed adds the corpus' sections with the given end.
func seed(f *testing.F, end string) {
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		for _, file := range archive.Files {
			if strings.HasPrefix(file.Name, "upstream.") == (end != "request.anthropic.json") && strings.HasSuffix(file.Name, end) {
				f.Add(file.Data)
			}
		}
		return nil
	})
	require.NoError(f, err)
}

// FuzzRequest sends any body through the pair: it is refused, or what reaches the upstream is JSON.
func FuzzRequest(f *testing.F) {
	seed(f, "request.anthropic.json")
	pair, _ := translator.Lookup("anthropic", "chat")
	f.Fuzz(func(t *testing.T, body []byte) {
		x, refused := pair.Decode(body)
		if refused == nil {
			var out []byte
			if out, refused = x.AppendRequest(nil, &ir.Target{Efforts: []string{"high"}}); refused == nil {
				require.True(t, json.Valid(out), "%s", out)
				return
			}
		}
		require.Equal(t, 400, refused.HTTPStatus())
		require.True(t, json.Valid(translator.AppendError(nil, "anthropic", refused)))
	})
}

// FuzzStream sends any stream through the pair: its events keep the grammar, what the client gets is whole events of JSON and
// the same however the stream is cut, and the plain body is JSON.
func FuzzStream(f *testing.F) {
	seed(f, "chat.sse")
	f.Fuzz(func(t *testing.T, stream []byte) {
		x := exchange(t)
		whole := pushed(x, stream, max(len(stream), 1))
		checkStream(t, x, whole)
		require.Equal(t, string(whole), string(pushed(x, stream, 1)))
		require.Equal(t, string(whole), string(pushed(x, stream, 7)))
		if body, failure := x.AppendFolded(nil, stream); failure == nil {
			require.True(t, json.Valid(body), "%s", body)
		}
	})
}

// FuzzBody does the same with a plain body.
func FuzzBody(f *testing.F) {
	seed(f, "chat.json")
	f.Fuzz(func(t *testing.T, body []byte) {
		x := exchange(t)
		recorder := &recorder{t: t}
		x.Record(recorder, body, true)
		require.NoError(t, recorder.checker.End())
		checkStream(t, x, x.AppendStreamOfBody(nil, body))
		if out, failure := x.AppendBody(nil, body); failure == nil {
			require.True(t, json.Valid(out), "%s", out)
		}
		e := x.UpstreamError(500, body)
		require.True(t, json.Valid(translator.AppendError(nil, "responses", e)))
	})
}
