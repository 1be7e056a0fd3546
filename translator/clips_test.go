package translator_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator"
)

// TestClipsAreNoDocuments: a video or a sound at a URL goes only to Google's APIs. Any other upstream
// would read the URL as a PDF, so the part is reported.
func TestClipsAreNoDocuments(t *testing.T) {
	t.Parallel()
	gemini := func(part string) string {
		return `{"contents":[{"role":"user","parts":[{"fileData":{` + part + `}},{"text":"q"}]}]}`
	}
	interactions := func(part string) string {
		return `{"model":"m","input":[{` + part + `},{"type":"text","text":"q"}]}`
	}
	for _, c := range []struct{ client, path, body, lost string }{
		{"gemini", "/v1beta/models/m:generateContent",
			gemini(`"mimeType":"video/mp4","fileUri":"https://a/b.mp4"`), "contents[0].parts[0]"},
		{"gemini", "/v1beta/models/m:generateContent",
			gemini(`"mimeType":"audio/mpeg","fileUri":"https://a/b"`), "contents[0].parts[0]"},
		{"interactions", "/v1beta/interactions",
			interactions(`"type":"video","mime_type":"video/webm","uri":"https://a/b"`), "input[0]"},
		{"interactions", "/v1beta/interactions", interactions(`"type":"video","uri":"https://a/b.mov"`), "input[0]"},
		{"interactions", "/v1beta/interactions", interactions(`"type":"video","uri":"https://a/b"`), "input[0]"},
	} {
		for up, sends := range map[string]string{"anthropic": "", "responses": "", "gemini": "https://a/b"} {
			pair, ok := translator.Lookup(c.client, up)
			require.True(t, ok)
			x, err := pair.Decode(c.path, []byte(c.body))
			require.NoError(t, err)
			out, err := x.AppendRequest(nil, pair.Target("up.example", "m"))
			require.NoError(t, err, c.body)
			if sends != "" {
				assert.Contains(t, string(out), sends)
				continue
			}
			assert.Equal(t, []string{c.lost}, x.Lost.Paths(), "%s %s", up, c.body)
			assert.NotContains(t, string(out), "https://a/b")
		}
	}
}
