package count

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// TestClassOf has the characters on both sides of each border between two classes.
func TestClassOf(t *testing.T) {
	for c, characters := range map[class]string{
		white:    " \t\v\f\u00A0\u3000",
		line:     "\n\r",
		digit:    "09",
		mark:     "\x00/:@[`{\u00BF×÷\u2000\u2FFF\u3001\u303F\uFE00\uFFFD",
		lower:    "az",
		upper:    "AZ",
		accented: "ÀÖØöø\u036F\u1E00\u1EFF",
		letter:   "\u0370\u0DFF\u10A0\u1DFF\u1F00\u1FFF",
		thick:    "\u0E00\u109F",
		kana:     "\u3040\u30FF",
		hangul:   "\uAC00\uD7AF",
		han:      "\u3100\uABFF\uD7B0\uD7FF\uE000\uFAFF\U00020000\U00031FFF",
		emoji:    "\uFB00\uFDFF\U00010000\U0001FFFF\U00032000\U0010FFFF",
	} {
		for _, r := range characters {
			require.Equal(t, c, classOf(r), "%U", r)
		}
	}
	require.Equal(t, emoji, classOf(0xD800), "a pair's first half stands for the pair")
	require.Equal(t, emoji, classOf(0xDFFF))
}

// TestCosts has the estimate of each rule to the hundredth of a token, so no rule can change
// unnoticed. e2e/bench/MEASUREMENTS.md says on what texts the right values were measured.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		sample string
		cost   int64
	}{
		{"a", 100}, {"word", 106}, {"fortunately", 176}, {"unbelievable words", 297}, {" word", 104},
		{" unfortunately", 149},
		{"it's", 102}, {"it'll", 102}, {"it'sit", 216}, {"ITs's", 104}, {"9's", 247}, {"naïve", 146},
		{"naïveté words behind", 434},
		{"Ünïcödé", 192}, {" é", 100}, {"ж", 100}, {"слово", 146}, {" слово", 146}, {"a.word", 220},
		{"a.unbelievable", 363},
		{"(word", 120}, {"#word", 120}, {"_word", 120}, {"/word", 165}, {"\"word", 165}, {"\"unbelievable",
			308}, {"HTTP", 121},
		{" HTTP", 119}, {"HTTPServer", 160}, {"camelCase", 214}, {"aB", 200}, {"a1b2c3d4", 800},
		{"abc123def", 353}, {"1234", 200},
		{"12", 100}, {"123", 100}, {"1 a", 201}, {"a 1", 300}, {"a  b", 301}, {"a   ", 200}, {"  a", 201},
		{"\ta", 102}, {"\tж", 100},
		{"\t\tA", 202}, {"\té", 100}, {" \n a", 201}, {"a\nb", 300}, {"a\n\n  b", 401}, {"\n", 100},
		{"a\n", 200}, {"  ", 100},
		{"a \n", 200}, {"==", 100}, {"=-=-=-", 220}, {"!!!!!!", 100}, {".\n\n", 100}, {"a,b", 247},
		{" ,", 100}, {"  ,", 200},
		{"\t,", 200}, {"'s", 147}, {"漢字", 164}, {" 漢字", 189}, {"漢 字", 189}, {"かな", 152}, {" キ", 101},
		{"한국", 140}, {"ไทย", 150},
		{"😀", 180}, {" 😀", 205}, {"  😀", 305}, {"\t漢", 182}, {"é one two three", 414}, {"x漢y", 282},
	} {
		var x text
		x.escaped(jsonw.Escape(c.sample))
		require.Equal(t, c.cost, x.cost, "%q", c.sample)
	}
	random := rand.New(rand.NewPCG(3, 4))
	alphabet := []rune("aabbcZ09 \t\n.,'(/_#-éßж漢かキ한ไ😀")
	var sum int64
	for range 5000 {
		runes := make([]rune, random.IntN(30))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		var x text
		x.escaped(jsonw.Escape(string(runes)))
		sum = sum*31 + x.cost
	}
	require.Equal(t, int64(3306810949901973192), sum, "any order of all kinds of characters")
}

// TestCounts has the estimate of whole requests to the token.
func TestCounts(t *testing.T) {
	tool := ir.Tool{Name: "get_weather_of_a_city", Description: "Says how it is.",
		Schema: `{"type":"object"}`, Grammar: `{"type":"grammar"}`}
	vendor := ir.Tool{Kind: ir.VendorTool, Name: "code", Raw: `{"type":"code_execution_20250825"}`}
	source := ir.Source{Title: "The title of it", Context: "From long ago", Text: "What it says."}
	for _, c := range []struct {
		request ir.Request
		want    int64
	}{
		{ir.Request{Tools: []ir.Tool{tool}}, 26},
		{ir.Request{Tools: []ir.Tool{vendor}}, 15},
		{ir.Request{Messages: []ir.Message{{Role: ir.User, Content: []ir.Content{{Kind: ir.DocumentContent,
			Source: source}}}}}, 19},
	} {
		require.Equal(t, c.want, Tokens(&c.request))
	}
}
