package serve_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

const (
	openAIEmbed = "/v1/embeddings"
	googleEmbed = "/v1beta/models/gemini-embedding-001:embedContent"
	googleBatch = "/v1beta/models/gemini-embedding-001:batchEmbedContents"
)

// embeds plays a vendor with embeddings.
func embeds(vendor string) upstream {
	return func(r *sent) *reply {
		status, answer := vendors.Embed(vendor, r.URL.Path, []byte(r.body))
		half := len(answer) / 2
		return &reply{status: status, chunks: []string{answer[:half], answer[half:]}}
	}
}

// vectorOf returns a vector of an answer: numbers, or base64.
func vectorOf(t *testing.T, v gjson.Result) (vector []float32) {
	t.Helper()
	if v.Type == gjson.String {
		bytes, err := base64.StdEncoding.DecodeString(v.Str)
		require.NoError(t, err)
		require.Zero(t, len(bytes)%4)
		for ; len(bytes) > 0; bytes = bytes[4:] {
			vector = append(vector, math.Float32frombits(binary.LittleEndian.Uint32(bytes)))
		}
		return vector
	}
	require.True(t, v.IsArray(), v.Raw)
	for _, n := range v.Array() {
		vector = append(vector, float32(n.Num))
	}
	return vector
}

// requireVector compares a vector with the double's.
func requireVector(t *testing.T, text string, width int, v gjson.Result) {
	t.Helper()
	want, got := vendors.Vector(text, width, false), vectorOf(t, v)
	require.Len(t, got, width)
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-7)
	}
}

// TestEmbeddingsOfOpenAIClients translates for Google.
func TestEmbeddingsOfOpenAIClients(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = embeds(vendors.EmbedGoogle)
	e := d.endpoint(`"usage":true,"prices":{"gemini-*":{"input":1000,"output":0}},` + oneUpstream("gemini",
		`,"models":{"small":"gemini-embedding-001","old":"gemini-embedding-uncounted"}`))
	tokens := vendors.EmbedTokens("one text") + vendors.EmbedTokens("né \"two\"")

	a := e.send("POST", openAIEmbed, `{"model":"small","input":["one text","né \"two\""],"user":"u1"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, "list small", a.get("object").Str+" "+a.get("model").Str)
	assert.Equal(t, []int64{0, 1}, []int64{a.get("data.0.index").Int(), a.get("data.1.index").Int()})
	requireVector(t, "one text", 8, a.get("data.0.embedding"))
	requireVector(t, "né \"two\"", 8, a.get("data.1.embedding"))
	assert.JSONEq(t, fmt.Sprintf(`{"prompt_tokens":%d,"total_tokens":%[1]d}`, tokens), a.get("usage").Raw)
	assert.Equal(t, "user", a.Header().Get("x-edgelingua-lost"))
	asked := d.last()
	assert.Equal(t, "POST /v1beta/models/gemini-embedding-001:batchEmbedContents",
		asked.Method+" "+asked.URL.RequestURI())
	assert.JSONEq(t, `{"requests":[
		{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"one text"}]}},
		{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"né \"two\""}]}}]}`, asked.body)
	assert.Equal(t, float64(tokens)/1000, d.report("cost").Num)
	assert.Equal(t, int64(tokens), d.report("input").Int())
	assert.Equal(t, strconv.FormatFloat(float64(tokens)/1000, 'f', -1, 64), a.Header().Get("x-edgelingua-cost"))
	assert.Equal(t, int64(tokens), sum(e.usage(), "input"))

	// base64, as OpenAI's SDKs ask for
	a = e.send("POST", openAIEmbed, `{"model":"small","input":"one text","encoding_format":"base64"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, vendors.Base64(vendors.Vector("one text", 8, false)), a.get("data.0.embedding").Str)

	// fewer dimensions: Google's vector has not the length 1, OpenAI's has
	for _, format := range []string{"float", "base64"} {
		a = e.send("POST", openAIEmbed, `{"model":"small","input":"one text","dimensions":3,"encoding_format":"`+
			format+`"}`)
		require.Equal(t, 200, a.Code, a.text())
		assert.Equal(t, int64(3), gjson.Get(d.last().body, "requests.0.outputDimensionality").Int())
		requireVector(t, "one text", 3, a.get("data.0.embedding"))
	}

	// no count of tokens: the answer and the usage have an estimate
	before := sum(e.usage(), "input")
	a = e.send("POST", openAIEmbed, `{"model":"old","input":"one text, and one more"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Positive(t, a.get("usage.total_tokens").Int())
	assert.Equal(t, before+a.get("usage.prompt_tokens").Int(), sum(e.usage(), "input"))
}

// TestEmbeddingsOfGeminiClients translates for OpenAI.
func TestEmbeddingsOfGeminiClients(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"chat", "responses"} {
		d := deploy(t, nil)
		d.upstreams["up.test"] = embeds(vendors.EmbedOpenAI)
		e := d.endpoint(oneUpstream(protocol, `,"models":{"gemini-embedding-001":"text-embedding-3-small"}`))
		a := e.send("POST", googleBatch, `{"requests":[
			{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"one"},{"text":"text"}]},
			 "taskType":"RETRIEVAL_DOCUMENT","title":"T","outputDimensionality":5},
			{"model":"models/gemini-embedding-001","content":{"role":"user","parts":[{"text":"two"}]},
			 "output_dimensionality":5}]}`)
		require.Equal(t, 200, a.Code, a.text())
		asked := d.last()
		assert.Equal(t, "POST /v1/embeddings", asked.Method+" "+asked.URL.RequestURI())
		assert.JSONEq(t, `{"model":"text-embedding-3-small","input":["one\ntext","two"],"dimensions":5}`,
			asked.body)
		requireVector(t, "one\ntext", 5, a.get("embeddings.0.values"))
		requireVector(t, "two", 5, a.get("embeddings.1.values"))
		assert.Equal(t, int64(vendors.EmbedTokens("one\ntext")+vendors.EmbedTokens("two")),
			a.get("usageMetadata.promptTokenCount").Int())
		assert.Equal(t, "requests[0].taskType,requests[0].title", a.Header().Get("x-edgelingua-lost"))

		a = e.send("POST", googleEmbed, `{"content":{"parts":[{"text":"one"}]}}`)
		require.Equal(t, 200, a.Code, a.text())
		requireVector(t, "one", 8, a.get("embedding.values"))
		assert.False(t, a.get("embeddings").Exists())
		assert.Empty(t, a.Header().Get("x-edgelingua-lost"))
	}
}

// TestEmbeddingsPass: between equal forms only the model's name changes.
func TestEmbeddingsPass(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"], d.upstreams["google.test"] = embeds(vendors.EmbedOpenAI), embeds(vendors.EmbedGoogle)
	e := d.endpoint(`"usage":true,` + upstreamList(
		upstreamAt("up", "responses", "up.test", `,"models":{"small":"text-embedding-3-small"}`),
		upstreamAt("google", "gemini", "google.test", `,"models":{"g":"gemini-embedding-001"}`)))
	a := e.send("POST", openAIEmbed, `{"input": [[1,2],[3]], "model": "small", "encoding_format":"base64"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, `{"input": [[1,2],[3]], "model": "text-embedding-3-small", "encoding_format":"base64"}`,
		d.last().body)
	assert.Equal(t, a.get("usage.prompt_tokens").Int(), d.report("input").Int())
	assert.Equal(t, a.get("usage.prompt_tokens").Int(), sum(e.usage(), "input"))

	a = e.send("POST", "/v1beta/models/g:batchEmbedContents?key=k&fields=x",
		`{"requests":[{"model":"models/g","content":{"parts":[{"text":"one"}]},"title":"T"}]}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, "/v1beta/models/gemini-embedding-001:batchEmbedContents", d.last().URL.RequestURI())
	assert.Equal(t, `{"requests":[{"model":"models/gemini-embedding-001","content":{"parts":[{"text":"one"}]},`+
		`"title":"T"}]}`, d.last().body)
	requireVector(t, "one", 8, a.get("embeddings.0.values"))
	a = e.send("POST", "/v1beta/models/g:embedContent", `{"content":{"parts":[{"text":"one"}]}}`)
	requireVector(t, "one", 8, a.get("embedding.values"))
	assert.Equal(t, "/v1beta/models/gemini-embedding-001:embedContent", d.last().URL.RequestURI())

	// an error passes
	a = e.send("POST", openAIEmbed, `{"model":"small","input":""}`)
	assert.Equal(t, 400, a.Code)
	assert.Contains(t, a.get("error.message").Str, "'$.input' is invalid")
	assert.Equal(t, "invalid_request", d.report("error").Str)
}

// TestEmbeddingsAtAzure: a deployment has its own path, and the query with the version.
func TestEmbeddingsAtAzure(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{
		"UPSTREAM_URL": "https://x.openai.azure.com/openai/deployments/small?api-version=2024-10-21"})
	d.upstreams["x.openai.azure.com"] = embeds(vendors.EmbedOpenAI)
	a := d.ask("POST", openAIEmbed, `{"model":"text-embedding-3-small","input":"one"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, "/openai/deployments/small/embeddings?api-version=2024-10-21", d.last().URL.RequestURI())
	assert.JSONEq(t, `{"model":"text-embedding-3-small","input":"one"}`, d.last().body)
}

// TestBadEmbeddings: errors are in the client's form, with the path.
func TestBadEmbeddings(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["google.test"], d.upstreams["up.test"] = embeds(vendors.EmbedGoogle), embeds(vendors.EmbedOpenAI)
	d.upstreams["ant.test"] = saying("anthropic", "no")
	e := d.endpoint(upstreamList(upstreamAt("google", "gemini", "google.test"),
		upstreamAt("up", "chat", "up.test"), upstreamAt("ant", "anthropic", "ant.test")))
	many := strings.Repeat(`"x",`, 100) + `"x"`
	for _, c := range []struct {
		path, body, field, words string
		status                   int
	}{
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":[1,2,3]}`, "input", "send strings", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":[[1],[2]]}`, "input[0]", "send strings", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":[` + many + `]}`, "input", "at most 100", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":["a",1]}`, "input[1]", "a string", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":[1,"a"]}`, "input[1]", "a string", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":{}}`, "input", "a string or an array", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001"}`, "input", "Missing required parameter", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":[]}`, "input", "Missing required", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":"a","dimensions":0}`, "dimensions", ">= 1", 400},
		{openAIEmbed, `{"model":"google/gemini-embedding-001","input":"a","encoding_format":"int8"}`,
			"encoding_format", "float, base64", 400},
		{openAIEmbed, `[1]`, "", "expected an object", 400},
		{openAIEmbed, `{"model":"google/gemini-2.5-flash","input":"a"}`, "", "may be no model for embeddings", 404},
		{openAIEmbed, `{"model":"ant/claude-x","input":"a"}`, "model", "Anthropic Messages, which has no embeddings",
			400},
		{"/v1beta/models/up/text-embedding-3-small:batchEmbedContents",
			`{"requests":[{"content":{"parts":[{"inlineData":{"data":"eA=="}}]}}]}`, "requests[0].content.parts[0]",
			"is no text", 400},
		{"/v1beta/models/up/text-embedding-3-small:batchEmbedContents",
			`{"requests":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]},` +
				`"outputDimensionality":3}]}`, "requests[1].outputDimensionality", "the same in all", 400},
		{"/v1beta/models/up/text-embedding-3-small:batchEmbedContents",
			`{"requests":[{"model":"models/other","content":{"parts":[{"text":"a"}]}}]}`, "requests[0].model",
			"is not the model", 400},
		{"/v1beta/models/google/gemini-embedding-001:batchEmbedContents",
			`{"requests":[{"model":"models/other","content":{"parts":[{"text":"a"}]}}]}`, "requests[0].model",
			"is not the model", 400},
		{"/v1beta/models/up/text-embedding-3-small:embedContent", `{"content":{"parts":[]}}`, "content",
			"is not specified", 400},
		{"/v1beta/models/up/text-embedding-3-small:embedContent", `{"content":{"parts":[{"text":"a"}]},` +
			`"outputDimensionality":"x"}`, "outputDimensionality", "a positive integer", 400},
		{"/v1beta/models/up/gpt-5:embedContent", `{"content":{"parts":[{"text":"a"}]}}`, "",
			"You are not allowed to generate embeddings from this model gpt-5 may be no model for embeddings", 403},
	} {
		a := e.send("POST", c.path, c.body)
		require.Equal(t, c.status, a.Code, c.body+a.text())
		message := a.get("error.message").Str
		assert.Contains(t, message, c.words, c.body)
		if c.path == openAIEmbed && c.field != "" {
			assert.Equal(t, c.field, a.get("error.param").Str, c.body)
		} else {
			assert.Contains(t, message, c.field, c.body)
		}
		assert.Equal(t, c.path != openAIEmbed, a.get("error.status").Exists(), "the form of %s", c.path)
	}
	a := e.send("POST", "/v1/messages", `{"model":"google/gemini-embedding-001","max_tokens":9,"messages":`+
		`[{"role":"user","content":"a"}]}`)
	assert.Equal(t, 404, a.Code)
	assert.Contains(t, a.get("error.message").Str, "gemini-embedding-001 seems to be a model for embeddings: send "+
		"its texts to /v1/embeddings")
	a = e.send("GET", openAIEmbed, "")
	assert.Equal(t, "405 POST", fmt.Sprint(a.Code, " ", a.Header().Get("allow")))
}

const embedOne = `{"model":"small","input":"one text"}`

// TestLimitsOfEmbeddings: keys, models, limits and budgets are those of every request to a model.
func TestLimitsOfEmbeddings(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"], d.upstreams["api.openai.com"] = embeds(vendors.EmbedGoogle), embeds(vendors.EmbedOpenAI)
	aliased := oneUpstream("gemini", `,"models":{"small":"gemini-embedding-001","other":"gemini-embedding-001"}`)

	e := d.endpoint(`"limits":{"requests_per_minute":1,"models":["small"]},` + aliased)
	a := e.send("POST", openAIEmbed, `{"model":"other","input":"a"}`)
	assert.Equal(t, 403, a.Code, a.text())
	assert.Contains(t, a.get("error.message").Str, "does not allow the model other")
	assert.Equal(t, 200, e.send("POST", openAIEmbed, embedOne).Code)
	assert.Equal(t, 429, e.send("POST", openAIEmbed, embedOne).Code)
	assert.Equal(t, 401, d.ask("POST", "/u/"+e.name+openAIEmbed, embedOne, bearer("el_wrong")).Code)
	a = e.send("POST", openAIEmbed, `{"model":"small","Model":"other","input":"a"}`)
	assert.Equal(t, 400, a.Code)

	// a budget: the price of the endpoint's record, then none, then the table's
	e = d.endpoint(`"limits":{"usd_per_day":0.001},"prices":{"gemini-*":{"input":1000,"output":0}},` + aliased)
	assert.Equal(t, 200, e.send("POST", openAIEmbed, embedOne).Code)
	assert.Equal(t, 429, e.send("POST", openAIEmbed, embedOne).Code)
	e = d.endpoint(`"limits":{"usd_per_day":9},` + aliased)
	a = e.send("POST", openAIEmbed, embedOne)
	assert.Equal(t, "403 model_without_price", fmt.Sprint(a.Code, " ", a.get("error.code").Str))
	e = d.endpoint(`"limits":{"usd_per_day":9},` + upstreamList(upstreamAt("openai", "chat", "api.openai.com")))
	a = e.send("POST", openAIEmbed, `{"model":"text-embedding-3-small","input":"one text"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.InDelta(t, a.get("usage.prompt_tokens").Num*0.02/1e6, d.report("cost").Num, 1e-9)
}

// TestFallbackOfEmbeddings: an upstream without embeddings is not tried, and a failing one is followed
// by the next.
func TestFallbackOfEmbeddings(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["down.test"] = says(503, `{"error":{"message":"Not now."}}`)
	d.upstreams["up.test"] = embeds(vendors.EmbedOpenAI)
	alias := `,"models":{"*":"text-embedding-3-small"}`
	e := d.endpoint(`"request_log":{"ttl":60},` + upstreamList(upstreamAt("ant", "anthropic", "ant.test"),
		upstreamAt("down", "gemini", "down.test"), upstreamAt("up", "chat", "up.test", alias)))
	a := e.send("POST", openAIEmbed, `{"model":"small","input":"one","user":"u"}`)
	require.Equal(t, 200, a.Code, a.text())
	assert.Empty(t, a.Header().Get("x-edgelingua-lost"), "of the first upstream")
	assert.Equal(t, "up", d.report("to").Str)
	var hosts []string
	for _, r := range d.requests() {
		hosts = append(hosts, r.URL.Host)
	}
	assert.Equal(t, []string{"down.test", "up.test"}, hosts)
	assert.Equal(t, "text-embedding-3-small", e.usage().Get("requests.0.upstream_model").Str)
}

// TestUnreadableEmbeddings: an answer that is not one vector for each input is an error.
func TestUnreadableEmbeddings(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	gemini := d.endpoint(`"usage":true,` + oneUpstream("gemini"))
	openAI := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	for _, answer := range []string{
		``, `{`, `[]`, `{}`, `{"embeddings":[]}`, `{"embeddings":[{"values":[1]},{"values":[2]}]}`,
		`{"embeddings":[{"values":[]}]}`, `{"embeddings":[{"values":"AAAA"}]}`, `{"embeddings":[{"values":[[1]]}]}`,
		`{"embeddings":[{"values":[null]}]}`, `{"embeddings":[{"values":["1"]}]}`, `{"embeddings":[{}]}`,
		`{"embeddings":7}`, `data: {"embeddings":[{"values":[1]}]}`,
	} {
		d.upstreams["up.test"] = says(200, answer)
		for _, format := range []string{"float", "base64"} {
			a := gemini.send("POST", openAIEmbed, `{"model":"m","input":["a"],"encoding_format":"`+format+`"}`)
			assert.Equal(t, 502, a.Code, answer)
			assert.Contains(t, a.get("error.message").Str, "can't be read", answer)
		}
	}
	for _, answer := range []string{
		`{"data":[{"index":0,"embedding":[1]}]}`, `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[2]}]}`,
		`{"data":[{"index":2,"embedding":[1]},{"index":0,"embedding":[2]}]}`,
		`{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[2]}]}`,
		`{"data":[{"embedding":[1]},{"embedding":[2]},{"embedding":[3]}]}`, `{"data":[{"index":0},{"index":1}]}`,
	} {
		d.upstreams["up.test"] = says(200, answer)
		a := openAI.send("POST", "/v1beta/models/m:batchEmbedContents", `{"requests":[
			{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`)
		assert.Equal(t, 502, a.Code, answer)
		assert.Contains(t, a.get("error.message").Str, "can't be read", answer)
	}
	// the order of an answer is that of its indexes
	d.upstreams["up.test"] = says(200, `{"data":[{"index":1,"embedding":[2e0, -3]},{"index":0,"embedding":[ 1 ]}]}`)
	a := openAI.send("POST", "/v1beta/models/m:batchEmbedContents", `{"requests":[
		{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`)
	assert.Equal(t, `[{"values":[1]},{"values":[2e0,-3]}]`, a.get("embeddings").Raw)
	assert.Positive(t, a.get("usageMetadata.promptTokenCount").Int(), "an estimate")
}

// TestPassingEmbeddingsWithoutUsage: usage is read wherever the answer is cut, and is estimated if there
// is none, or if the answer breaks off.
func TestPassingEmbeddingsWithoutUsage(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	e := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	ask := func() int64 {
		before := sum(e.usage(), "input")
		e.send("POST", openAIEmbed, `{"model":"m","input":["one text","and two"]}`)
		return sum(e.usage(), "input") - before
	}
	whole := `{"data":[{"x":"}],\"usage\":{"}], "usage" : {"a":[{"b":"}"}],"prompt_tokens":321}, "usages":1}`
	for cut := range len(whole) {
		d.upstreams["up.test"] = func(*sent) *reply {
			return &reply{status: 200, chunks: []string{whole[:cut+1], whole[cut+1:] + " "}}
		}
		require.Equal(t, int64(321), ask(), "%d", cut)
	}
	for _, answer := range []string{`{"data":[]}`, `{"usage":{"prompt_tokens":"9"}}`, `[{"usage":{"prompt_tokens":9}}]`,
		`{"usage":[9]}`, `]]]]{{{{`, `"`} {
		d.upstreams["up.test"] = says(200, answer)
		n := ask()
		assert.Less(t, n, int64(9), answer)
		assert.Positive(t, n, answer)
	}
	d.upstreams["up.test"] = func(*sent) *reply {
		return &reply{status: 200, chunks: []string{`{"data":[`}, err: errors.New("cut")}
	}
	assert.Positive(t, ask())
	assert.Equal(t, int64(1), e.usage().Get("days.0.errors").Int())
}
