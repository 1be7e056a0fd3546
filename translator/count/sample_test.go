package count

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// mixed returns a request of about size bytes with the texts of e2e/pairs/count.test.mjs, cut into
// blocks of all lengths, as text, as arguments of calls and as descriptions of tools.
func mixed(t *testing.T, size int, seed uint64) *ir.Request {
	files, err := filepath.Glob("../../e2e/pairs/texts/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var texts []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	random := rand.New(rand.NewPCG(seed, 2))
	r := &ir.Request{Model: "claude-opus-4-6"}
	for n := 0; n < size; {
		text := texts[random.IntN(len(texts))]
		from := random.IntN(len(text))
		text = strings.ToValidUTF8(text[from:min(len(text), from+1+random.IntN(6000))], "")
		n += len(text)
		e := jsonw.Escape(text)
		switch random.IntN(3) {
		case 0:
			r.Messages = append(r.Messages, ir.Message{Content: []ir.Content{{Kind: ir.TextContent,
				Text: e}}})
		case 1:
			r.Messages = append(r.Messages, ir.Message{Content: []ir.Content{{Kind: ir.ToolCallContent,
				Name: "f", Input: ir.Raw(`{"text":"` + e + `"}`)}}})
		default:
			r.Tools = append(r.Tools, ir.Tool{Name: "f", Description: e,
				Schema: `{"type":"object","properties":{"a":{"type":"string"}}}`})
		}
	}
	return r
}

// TestEstimate: for a short request, Estimate equals Tokens; for a long one, it is close to Tokens.
func TestEstimate(t *testing.T) {
	for seed := range uint64(10) {
		short := mixed(t, 1000, seed)
		require.Equal(t, Tokens(short), Estimate(short))
		for _, size := range []int{20_000, 100_000, 1_000_000} {
			r := mixed(t, size, seed)
			require.InEpsilon(t, Tokens(r), Estimate(r), 0.1, "%d bytes", size)
		}
	}
	require.Zero(t, Estimate(&ir.Request{}))
	r := mixed(t, 100_000, 1)
	require.Zero(t, testing.AllocsPerRun(10, func() { Estimate(r) }))
	image := &ir.Request{Messages: []ir.Message{{Content: []ir.Content{{Kind: ir.ImageContent,
		Source: ir.Source{Data: ir.Escaped(strings.Repeat("A", 1<<20))}}}}}}
	require.Equal(t, Tokens(image), Estimate(image))
}

// TestRough: Rough is within half of Tokens for texts, and allocates nothing.
func TestRough(t *testing.T) {
	for seed := range uint64(5) {
		r := mixed(t, 100_000, seed)
		require.InDelta(t, 1, float64(Rough(r))/float64(Tokens(r)), 0.5)
		require.Zero(t, testing.AllocsPerRun(10, func() { Rough(r) }))
	}
	require.Zero(t, Rough(&ir.Request{}))
}
