package translator_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// embedClients has the paths of clients with embeddings.
var embedClients = []struct {
	client *ir.API
	path   string
}{
	{translator.API(translator.Chat), "/v1/embeddings"},
	{translator.API(translator.Gemini), "/v1beta/models/m:embedContent"},
	{translator.API(translator.Gemini), "/v1beta/models/m:batchEmbedContents?x=y"},
}

// FuzzEmbed: whatever a client and an upstream send, bodies and answers are JSON, or there is an error.
func FuzzEmbed(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","input":"a"}`, `{"model":"m","input":["a","\ud83d\ude00"],"dimensions":2,"user":"u"}`,
		`{"model":"m","input":[[1,2],[3]],"encoding_format":"base64"}`, `{"model":"m","input":[1],"encoding_format":7}`,
		`{"content":{"parts":[{"text":"a"},{"text":"\ud83d"}]},"taskType":"CLUSTERING","title":"t"}`,
		`{"requests":[{"model":"models/m","content":{"parts":[{"text":"a"}]},"output_dimensionality":2}]}`,
		`{"requests":[{"model":"o","content":{"parts":[{}]}},7]}`,
		`{"content":{"parts":[{"text":"a"}]},"content":{"parts":[{"text":"b"}]}}`,
	} {
		for _, answer := range []string{
			`{"data":[{"index":0,"embedding":[0.5,-1e-3]}],"usage":{"prompt_tokens":3}}`,
			`{"embeddings":[{"values":[ 1, 2 ]}],"usageMetadata":{"promptTokenCount":2}}`,
			`{"data":[[1,2]],"shape":[1,2]}`, `{"data":[{"embedding":"AAAA"}]}`, `{"embeddings":[{"values":[1e999]}]}`,
			`{"data":[{"embedding":[1e200,1]},{"index":1,"embedding":[2]}]}`,
		} {
			f.Add([]byte(body), []byte(answer))
		}
	}
	f.Fuzz(func(t *testing.T, body, answer []byte) {
		for _, c := range embedClients {
			if renamed, err := translator.PassEmbed(c.client, body, "m", "up/\"stream"); err == nil && json.Valid(body) {
				require.True(t, json.Valid(renamed), "%s", renamed)
			}
			for _, up := range []*ir.API{translator.API(translator.Chat), translator.API(translator.Gemini)} {
				x, err := translator.DecodeEmbed(c.client, c.path, body)
				if err != nil {
					continue
				}
				out, err := x.AppendRequest(nil, up.Embeddings.Upstream, "up/\"stream", &ir.Target{})
				if err == nil {
					require.True(t, json.Valid(out), "%s", out)
				}
				if out, _, err = x.AppendAnswer(nil, answer, up.Embeddings.Upstream); err == nil {
					require.True(t, json.Valid(out), "%s", out)
				}
				require.GreaterOrEqual(t, x.InputTokens(), int64(0))
			}
			tap := translator.NewEmbedTap(c.client.Embeddings.Upstream)
			for i := range answer {
				tap.Push(answer[i : i+1])
			}
			whole := translator.NewEmbedTap(c.client.Embeddings.Upstream)
			whole.Push(answer)
			require.Equal(t, whole.Input(), tap.Input())
		}
	})
}

// embedAnswer returns OpenAI's answer to a client with these members, for Google's vector.
func embedAnswer(t *testing.T, members, values string) (vector []float64) {
	t.Helper()
	x, err := translator.DecodeEmbed(translator.API(translator.Chat), "/v1/embeddings",
		[]byte(`{"model":"m","input":"a"`+members+`}`))
	require.NoError(t, err)
	out, input, err := x.AppendAnswer(nil, []byte(`{"embeddings":[{"values":`+values+`}],"usageMetadata":`+
		`{"promptTokenCount":7}}`), translator.API(translator.Gemini).Embeddings.Upstream)
	require.NoError(t, err)
	assert.Equal(t, int64(7), input)
	var answer struct {
		Data []struct{ Embedding []float64 }
	}
	require.NoError(t, json.Unmarshal(out, &answer))
	return answer.Data[0].Embedding
}

// TestVectors: numbers pass as they are; with a number of dimensions the vector gets the length 1.
func TestVectors(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []float64{0.1, -2e-7, 3}, embedAnswer(t, "", "[\n 0.1,\t-2e-7 , 3]"))
	assert.InDeltaSlice(t, []float64{0.6, -0.8, 0}, embedAnswer(t, `,"dimensions":3`, "[3,-4,0]"), 1e-10)
	assert.Equal(t, []float64{0, 0}, embedAnswer(t, `,"dimensions":2`, "[0,0]"))
	assert.Equal(t, []float64{1}, embedAnswer(t, `,"dimensions":1`, "[1e-30]"))
	assert.Equal(t, []float64{-1}, embedAnswer(t, `,"dimensions":1`, "[-0.00001]"))
	wide := embedAnswer(t, `,"dimensions":3072`, "["+strings.Repeat("0.5,", 3071)+"-1e-9]")
	require.Len(t, wide, 3072)
	assert.InDelta(t, 1/math.Sqrt(3071), wide[0], 1e-10)
	assert.Equal(t, float64(0), wide[3071])
}

// BenchmarkEmbedAnswer translates a hundred vectors of 3,072 numbers.
func BenchmarkEmbedAnswer(b *testing.B) {
	inputs := `"a"` + strings.Repeat(`,"a"`, 99)
	vector := `{"values":[` + strings.TrimSuffix(strings.Repeat("-0.012345678,0.0098765432,", 1536), ",") + `]}`
	answer := []byte(`{"embeddings":[` + vector + strings.Repeat(","+vector, 99) + `]}`)
	for name, more := range map[string]string{"float": "", "base64": `,"encoding_format":"base64"`,
		"dimensions": `,"dimensions":3072`} {
		b.Run(name, func(b *testing.B) {
			body := []byte(`{"model":"m","input":[` + inputs + `]` + more + `}`)
			b.SetBytes(int64(len(answer)))
			for range b.N {
				x, err := translator.DecodeEmbed(translator.API(translator.Chat), "/v1/embeddings", body)
				require.NoError(b, err)
				_, _, err = x.AppendAnswer(make([]byte, 0, len(answer)), answer,
					translator.API(translator.Gemini).Embeddings.Upstream)
				require.NoError(b, err)
			}
		})
	}
}

// TestEmbedOneVectorPerRequest: of several members "content" the last counts, as in other JSON readers.
func TestEmbedOneVectorPerRequest(t *testing.T) {
	t.Parallel()
	gemini, chat := translator.API(translator.Gemini), translator.API(translator.Chat)
	const two = `{"content":{"parts":[{"text":"a"}]},"content":{"parts":[{"text":"b"}]}}`
	for body, c := range map[string]struct{ path, sent string }{
		two:                                      {embedClients[1].path, `{"model":"up","input":["b"]}`},
		`{"requests":[` + two + `,` + two + `]}`: {embedClients[2].path, `{"model":"up","input":["b","b"]}`},
	} {
		x, err := translator.DecodeEmbed(gemini, c.path, []byte(body))
		require.NoError(t, err)
		out, err := x.AppendRequest(nil, chat.Embeddings.Upstream, "up", &ir.Target{})
		require.NoError(t, err)
		assert.Equal(t, c.sent, string(out))
	}
	_, err := translator.DecodeEmbed(gemini, embedClients[1].path,
		[]byte(`{"content":{"parts":[{"text":"a"}]},"content":{}}`))
	assert.ErrorContains(t, err, "is not specified")
	one := `{"content":{"parts":[{"text":"a"}]}}`
	for more, fails := range map[string]bool{one: false, one + "," + two: true} {
		_, err = translator.DecodeEmbed(gemini, embedClients[2].path,
			[]byte(`{"requests":[`+strings.Repeat(one+",", ir.MaxEmbedded-1)+more+`]}`))
		if fails {
			assert.ErrorContains(t, err, "at most 2048 requests")
		} else {
			assert.NoError(t, err)
		}
	}
}

// TestEmbedNumbersOf32Bits: a vector that 32 bits can't hold is an error, and no invalid JSON.
func TestEmbedNumbersOf32Bits(t *testing.T) {
	t.Parallel()
	for _, members := range []string{`,"encoding_format":"base64"`, `,"dimensions":2`} {
		for values, fits := range map[string]bool{"[1e39]": false, "[1e200,1]": false, "[-1e308]": false,
			"[3.4e38,-3.4e38]": true, "[1e-200]": true} {
			x, err := translator.DecodeEmbed(translator.API(translator.Chat), "/v1/embeddings",
				[]byte(`{"model":"m","input":"a"`+members+`}`))
			require.NoError(t, err)
			out, _, err := x.AppendAnswer(nil, []byte(`{"embeddings":[{"values":`+values+`}]}`),
				translator.API(translator.Gemini).Embeddings.Upstream)
			require.Equal(t, fits, err == nil, "%s %s: %s", members, values, out)
			if fits {
				require.True(t, json.Valid(out), "%s", out)
			} else {
				require.ErrorContains(t, err, "can't be read")
			}
		}
	}
}

// TestEmbedLongTokenList: a list of tokens is one input, however many tokens it has.
func TestEmbedLongTokenList(t *testing.T) {
	t.Parallel()
	for body, message := range map[string]string{
		"[" + strings.Repeat("1,", 3000) + "1]":     "send strings",
		`[` + strings.Repeat(`"a",`, 2048) + `"a"]`: "at most 2048 elements",
		"[" + strings.Repeat("[1],", 2048) + "[1]]": "at most 2048 elements",
		"[" + strings.Repeat("1,", 3000) + `"a"]`:   "at most 2048 elements",
	} {
		x, err := translator.DecodeEmbed(translator.API(translator.Chat), "/v1/embeddings",
			[]byte(`{"model":"m","input":`+body+`}`))
		if err == nil {
			_, err = x.AppendRequest(nil, translator.API(translator.Gemini).Embeddings.Upstream, "up", &ir.Target{})
		}
		assert.ErrorContains(t, err, message)
	}
}
