package vendors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEmbed has what each double accepts and refuses.
func TestEmbed(t *testing.T) {
	t.Parallel()
	const batch = "/v1beta/models/gemini-embedding-001:batchEmbedContents"
	one := `{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"a"}]}}`
	option := func(member string) string { return strings.TrimSuffix(one, "}") + "," + member + "}" }
	for _, c := range []struct {
		vendor, path, body, words string
		status                    int
	}{
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-small","input":[[1,2],[3]],"user":"u"}`,
			`"object":"list"`, 200},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-small","input":"a","encoding_format":"base64"}`,
			`"embedding":"`, 200},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-small","input":[""]}`, "'$.input' is invalid", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-small","input":"a","task":1}`,
			"Unrecognized request argument supplied: task", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-ada-002","input":"a","dimensions":3}`,
			"does not support specifying dimensions", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-small","input":"a","dimensions":-1}`,
			"integer below minimum value", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-small","input":"a","dimensions":1537}`,
			"integer above maximum value", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-large","input":"a","dimensions":3072}`,
			`"embedding":[`, 200},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-large","input":["a","` +
			strings.Repeat("a ", 8192) + `"]}`, "maximum context length is 8192 tokens, however you requested 8193", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"text-embedding-3-large","input":["` +
			strings.Repeat(strings.Repeat("a ", 8000)+`","`, 40) + `a"]}`, "max 300000 tokens per request", 400},
		{EmbedOpenAI, "/v1/embeddings", `{"model":"gpt-5","input":"a"}`, "not allowed to generate embeddings", 403},
		{EmbedOpenAI, "/v1/embeddings", `{"input":"a"}`, "you must provide a model parameter", 400},
		{EmbedOpenAI, "/embed", `{"model":"text-embedding-3-small","input":"a"}`, "Invalid URL (POST /embed)", 404},
		{EmbedOpenAI, "/v1/embeddings", `{`, "could not parse the JSON", 400},
		{EmbedGoogle, batch, `{"requests":[` + one + `]}`, "usageMetadata", 200},
		{EmbedGoogle, strings.Replace(batch, "001", "uncounted", 1), strings.ReplaceAll(`{"requests":[`+one+`]}`,
			"001", "uncounted"), `"embeddings"`, 200},
		{EmbedGoogle, batch, `{"requests":[` + strings.Repeat(one+",", 100) + one + `]}`, "at most 100 requests", 400},
		{EmbedGoogle, batch, `{"requests":[{"content":{"parts":[{"text":"a"}]}}]}`, "requests[0].model", 400},
		{EmbedGoogle, batch, `{"requests":[{"model":"models/gemini-embedding-001","content":{}}]}`, "is empty", 400},
		{EmbedGoogle, batch, `{"requests":[{"input":1}]}`, `Unknown name \"input\"`, 400},
		{EmbedGoogle, "/v1beta/models/gemini-2.5-flash:embedContent", `{}`, "not supported for embedContent", 404},
		{EmbedGoogle, batch, `{`, "Invalid JSON payload", 400},
		{EmbedGoogle, batch, `{"requests":[` + option(`"taskType":"CODE_RETRIEVAL_QUERY"`) + `]}`, "values", 200},
		{EmbedGoogle, batch, `{"requests":[` + one + `,` + option(`"taskType":"SEARCH"`) + `]}`,
			"Invalid value at 'requests[1].task_type'", 400},
		{EmbedGoogle, batch, `{"requests":[` + option(`"outputDimensionality":3072`) + `]}`, "values", 200},
		{EmbedGoogle, batch, `{"requests":[` + option(`"outputDimensionality":3073`) + `]}`, "invalid argument", 400},
		{EmbedGoogle, batch, `{"requests":[` + option(`"outputDimensionality":-1`) + `]}`, "invalid argument", 400},
		{EmbedCloudflare, "", `{"model":"@cf/baai/bge-m3","text":["a"]}`, `"shape":[1,8]`, 200},
		{EmbedCloudflare, "", `{"model":"@cf/baai/bge-m3","input":"a"}`, "AiError", 400},
	} {
		status, answer := Embed(c.vendor, c.path, []byte(c.body))
		assert.Equal(t, c.status, status, answer)
		assert.Contains(t, answer, c.words)
	}
	_, single := Embed(EmbedGoogle, "/v1beta/models/gemini-embedding-001:embedContent", []byte(one))
	assert.Contains(t, single, `"embedding"`)
	assert.Panics(t, func() { Embed("", "", nil) })
}
