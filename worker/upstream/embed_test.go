package upstream

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// TestBoundEmbeddings has the form of the binding AI.
func TestBoundEmbeddings(t *testing.T) {
	chat, gemini := translator.API("chat"), translator.API("gemini")
	u := &endpoint.Upstream{URL: endpoint.CloudflareAI, API: chat}
	up := EmbeddingsOf(u).Upstream
	for path, body := range map[string]string{
		"/v1/embeddings":                      `{"model":"m","input":["a","b"]}`,
		"/v1beta/models/m:batchEmbedContents": `{"requests":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`,
	} {
		client := chat
		if strings.Contains(path, "beta") {
			client = gemini
		}
		x, err := translator.DecodeEmbed(client, path, []byte(body))
		require.NoError(t, err)
		out, err := x.AppendRequest(nil, up, "@cf/baai/bge-m3", &ir.Target{})
		require.NoError(t, err)
		assert.JSONEq(t, `{"model":"@cf/baai/bge-m3","text":["a","b"]}`, string(out))
		for answer, want := range map[string]int64{`{"shape":[2,2],"data":[[1,2],[3,4]],"pooling":"mean"}`: -1,
			`{"data":[[1,2],[3,4]],"usage":{"prompt_tokens":6}}`: 6} {
			out, input, err := x.AppendAnswer(nil, []byte(answer), up)
			require.NoError(t, err)
			assert.Equal(t, want, input)
			assert.Contains(t, string(out), "[3,4]")
		}
		_, _, err = x.AppendAnswer(nil, []byte(`{"data":[[1,2]]}`), up)
		assert.ErrorContains(t, err, "can't be read")
	}
	for body, path := range map[string]string{
		`{"model":"m","input":[` + strings.Repeat(`"a",`, 100) + `"a"]}`: "input",
		`{"model":"m","input":[1]}`:                                      "input",
		`{"model":"m","input":"a","dimensions":2}`:                       "dimensions",
	} {
		x, err := translator.DecodeEmbed(chat, "/v1/embeddings", []byte(body))
		require.NoError(t, err)
		_, err = x.AppendRequest(nil, up, "m", &ir.Target{})
		assert.Equal(t, path, ir.AsError(err).Path)
	}
	// a task changes the vectors, so lossy "refuse" refuses it
	x, err := translator.DecodeEmbed(gemini, "/v1beta/models/m:embedContent",
		[]byte(`{"content":{"parts":[{"text":"a"}]},"taskType":"CLUSTERING"}`))
	require.NoError(t, err)
	_, err = x.AppendRequest(nil, up, "m", &ir.Target{RefuseLossy: true})
	assert.Equal(t, "taskType", ir.AsError(err).Path)

	assert.Same(t, chat.Embeddings, EmbeddingsOf(&endpoint.Upstream{URL: "https://api.openai.com/v1", API: chat}))
	assert.Same(t, chat.Embeddings, translator.API("responses").Embeddings)
	vertex := &endpoint.Upstream{URL: "https://aiplatform.googleapis.com/v1/projects/p/locations/global", API: gemini}
	assert.Nil(t, EmbeddingsOf(vertex))
	assert.Contains(t, NoEmbeddings(vertex).Message, "Vertex AI, which has no embeddings")
}

// TestOtherKind gives advice only for a refusal of a model of the other kind.
func TestOtherKind(t *testing.T) {
	refused := &ir.Error{Kind: ir.NotFound, Message: "No."}
	for _, c := range []struct {
		model  string
		embeds bool
		words  string
	}{
		{"gpt-5.5", true, "No. gpt-5.5 may be no model for embeddings"},
		{"Text-Embedding-3-small", true, ""}, {"@cf/baai/bge-m3", true, ""}, {"voyage-4", true, ""},
		{"gemini-embedding-001", false, "No. gemini-embedding-001 seems to be a model for embeddings"},
		{"gpt-5.5", false, ""},
	} {
		told := OtherKind(refused, c.model, c.embeds)
		if c.words == "" {
			assert.Same(t, refused, told, c.model)
			continue
		}
		assert.True(t, strings.HasPrefix(told.Message, c.words), told.Message)
	}
	down := &ir.Error{Kind: ir.Unavailable}
	assert.Same(t, down, OtherKind(down, "gpt-5.5", true))
}
