package count

import (
	"bytes"
	stdbase64 "encoding/base64"
	goimage "image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

func words(role ir.Role, text string) ir.Message {
	return ir.Message{Role: role, Content: []ir.Content{{Kind: ir.TextContent, Text: jsonw.Escape(text)}}}
}

// TestDocumentedExamples has the examples of Anthropic's page on token counting: 14 tokens, and 403
// with a tool, including the 346 of Claude 4's prompt for tools ("Tool use").
func TestDocumentedExamples(t *testing.T) {
	scientist := &ir.Request{Model: "claude-opus-4-6", Messages: []ir.Message{
		words(ir.System, "You are a scientist"), words(ir.User, "Hello, Claude"),
	}}
	require.InDelta(t, 14, Tokens(scientist), 3)
	weather := &ir.Request{Model: "claude-opus-4-6", Messages: []ir.Message{words(ir.User,
		"What's the weather like in San Francisco?")},
		Tools: []ir.Tool{{Name: "get_weather", Description: "Get the current weather in a given location",
			Schema: `{"type": "object", "properties": {"location": {"type": "string", "description": "The ` +
				`city and state, e.g. San Francisco, CA"}}, "required": ["location"]}`}}}
	require.InDelta(t, 403-346, Tokens(weather), 25)
}

// TestEverythingCounts adds parts to a request one by one.
func TestEverythingCounts(t *testing.T) {
	long := strings.Repeat("some words ", 50) // 100 tokens
	r := &ir.Request{}
	before := Tokens(r)
	require.Zero(t, before)
	grows := func(name string, by int64) {
		t.Helper()
		after := Tokens(r)
		require.InDelta(t, by, after-before, 12, name)
		before = after
	}
	add := func(name string, by int64, content ir.Content) {
		t.Helper()
		r.Messages[0].Content = append(r.Messages[0].Content, content)
		grows(name, by)
	}
	e, raw := ir.Escaped(long), ir.Raw(`{"a":"`+long+`"}`)
	r.Messages = []ir.Message{{Role: ir.User}}
	grows("message", 4)
	add("text", 100, ir.Content{Kind: ir.TextContent, Text: e})
	add("refusal", 100, ir.Content{Kind: ir.RefusalContent, Text: e})
	add("thinking", 100, ir.Content{Kind: ir.ReasoningContent, Text: e,
		Signature: ir.Escaped(strings.Repeat("A", 4000))})
	add("hidden thinking", 750, ir.Content{Kind: ir.RedactedContent,
		Signature: ir.Escaped(strings.Repeat("A", 4000))})
	add("call", 115, ir.Content{Kind: ir.ToolCallContent, Name: "get_weather", Input: raw})
	add("custom call", 110, ir.Content{Kind: ir.CustomCallContent, Name: "apply_patch", Text: e})
	add("result", 110, ir.Content{Kind: ir.ToolResultContent, Parts: []ir.Content{{Kind: ir.TextContent,
		Text: e}}})
	add("image", 1600, ir.Content{Kind: ir.ImageContent, Source: ir.Source{URL: "https://example.com/a.png"}})
	add("image in a result", 1610, ir.Content{Kind: ir.ToolResultContent,
		Parts: []ir.Content{{Kind: ir.ImageContent}}})
	add("text document", 205, ir.Content{Kind: ir.DocumentContent, Source: ir.Source{Title: e, Text: e}})
	add("document in parts", 110, ir.Content{Kind: ir.DocumentContent,
		Parts: []ir.Content{{Kind: ir.TextContent, Text: e}}})
	add("document at an URL", 2000, ir.Content{Kind: ir.DocumentContent,
		Source: ir.Source{URL: "https://example.com/a.pdf"}})
	add("document of 100 KB", 4000, ir.Content{Kind: ir.DocumentContent,
		Source: ir.Source{Data: ir.Escaped(strings.Repeat("A", 100<<10/3*4))}})
	add("opaque", 110, ir.Content{Kind: ir.OpaqueContent, Raw: raw})
	r.Tools = append(r.Tools, ir.Tool{Name: "get_weather", Description: e, Schema: raw})
	grows("tool", 220)
	r.Tools = append(r.Tools, ir.Tool{Kind: ir.CustomTool, Name: "apply_patch", Grammar: raw})
	grows("custom tool", 120)
	r.Tools = append(r.Tools, ir.Tool{Kind: ir.VendorTool, Name: "code_execution", Raw: raw})
	grows("vendor's tool", 115)
	r.Format.Schema = raw
	grows("format", 105)
}

func TestModels(t *testing.T) {
	for model, want := range map[string]int64{
		"": 100, "gpt-5.5": 100, "qwen3": 100,
		"claude-3-5-haiku-20241022": 120, "claude-2.1": 120, "claude-sonnet-4": 120,
		"claude-sonnet-4-20250514": 120, "claude-opus-4-1": 120,
		"claude-haiku-4-5-20251001": 120, "anthropic/claude-opus-4.6": 120,
		"us.anthropic.claude-opus-4-5-20251101-v1:0": 120,
		"claude-opus-4-7": 156, "anthropic/claude-opus-4.8": 156, "claude-sonnet-5": 156,
		"claude-opus-5-5": 156, "claude-mythos-preview": 156,
	} {
		require.Equal(t, want, tokenizerOf(model).factor, model)
	}
	messages := []ir.Message{words(ir.User, strings.Repeat("some words ", 500))}
	base := Tokens(&ir.Request{Messages: messages}) - perMessage
	require.InDelta(t, float64(base)*1.2, Tokens(&ir.Request{Model: "claude-3-5-haiku",
		Messages: messages})-perMessage, 1)
}

// TestPieces compares the estimate with o200k_base where the result is exact.
func TestPieces(t *testing.T) {
	for sample, want := range map[string]int64{
		"":                     0,
		"   ":                  1,
		"\n\n\n":               1,
		" \n \n":               1,
		"12345678":             3,
		"1 2":                  3,
		"1  2":                 4,
		"a\n\nb":               3,
		"a {\n\tb\n}":          5, // the line break goes with the bracket, the tab with b
		"a.b":                  2,
		"don't":                1,
		"camelCase HTTPServer": 3,
		"==========":           1,
		"a, b; c":              5,
		"你好。":                  3,
	} {
		var x text
		x.escaped(jsonw.Escape(sample))
		require.InDelta(t, float64(want), float64(x.cost)/100, 0.5, "%q", sample)
	}
}

// TestEscapes: a text costs the same with any escapes.
func TestEscapes(t *testing.T) {
	sample := "A \"text\"\twith\n\nescapes \\ and / ünïcödé, 漢字, 😀 and <tags>.\r\n    return x"
	ascii := []byte{}
	for _, unit := range sample {
		switch {
		case unit >= 0x10000:
			ascii = append(ascii, `\ud83d\ude00`...)
		case unit < ' ' || unit >= 0x7F:
			ascii = append(ascii, `\u`...)
			for shift := 12; shift >= 0; shift -= 4 {
				ascii = append(ascii, "0123456789abcdef"[unit>>shift&15])
			}
		default:
			ascii = append(ascii, jsonw.Escape(string(unit))...)
		}
	}
	var some, all text
	some.escaped(jsonw.Escape(sample))
	all.escaped(jsonw.Escaped(ascii))
	require.Equal(t, some.cost, all.cost)
	require.InDelta(t, 30, float64(some.cost)/100, 5)
}

// TestSpaceInJSON: only space in strings counts.
func TestSpaceInJSON(t *testing.T) {
	var a, b text
	a.json(`{"a b":[1,true,"c\" \\"],"d":{}}`)
	b.json("{\n\t\"a b\" : [ 1, true,\r\n\"c\\\" \\\\\"] , \"d\":{ } }\n")
	require.Equal(t, a.cost, b.cost)
	require.InDelta(t, 17, float64(a.cost)/100, 3)
}

// TestAnything: for any text, the estimate does not panic, grows with the text, and is at most a
// few tokens a byte.
func TestAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("aZ09 \t\n\r.,'\"\\/_-é漢かキ한ไ😀Жا\u0301\uFFFD\x00")
	for range 2000 {
		runes := make([]rune, random.IntN(60))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		s := string(runes)
		var a, longer text
		a.escaped(jsonw.Escape(s))
		longer.escaped(jsonw.Escape(s + "\n\n" + s))
		require.GreaterOrEqual(t, a.cost, int64(0))
		require.LessOrEqual(t, a.cost, int64(300*len(s)), "%q", s)
		require.GreaterOrEqual(t, longer.cost, a.cost, "%q", s)
	}
	for range 2000 {
		b := make([]byte, random.IntN(60))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		var x text
		x.escaped(jsonw.Escaped(b))
		x.json(jsonw.Raw(b))
		for _, data := range []string{string(b), stdbase64.StdEncoding.EncodeToString(b)} {
			w, h := size(ir.Escaped(data))
			require.GreaterOrEqual(t, min(w, h), int64(0))
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	long := strings.Repeat(`func add(a, b int) int {\n\treturn a + b // \u00fc 漢字\n}\n`, 500)
	r := &ir.Request{Model: "claude-sonnet-4-5", Messages: []ir.Message{{Role: ir.User, Content: []ir.Content{
		{Kind: ir.TextContent, Text: ir.Escaped(long)},
		{Kind: ir.ImageContent, Source: ir.Source{Data: "iVBORw0KGgo"}},
	}}}}
	require.Zero(t, testing.AllocsPerRun(20, func() { Tokens(r) }))
}

func TestImages(t *testing.T) {
	encoded := func(w, h int, encode func(*bytes.Buffer, goimage.Image) error) []byte {
		var b bytes.Buffer
		require.NoError(t, encode(&b, goimage.NewPaletted(goimage.Rect(0, 0, w, h),
			color.Palette{color.Black, color.White})))
		return b.Bytes()
	}
	asJPEG := encoded(640, 480, func(b *bytes.Buffer, m goimage.Image) error {
		return jpeg.Encode(b, m,
			nil)
	})
	withEXIF := append(append(append([]byte{}, asJPEG[:2]...), 0xFF, 0xE1, 0x03, 0xEA), make([]byte, 1000)...)
	withEXIF = append(withEXIF, asJPEG[2:]...)
	riff := func(chunk string, rest ...byte) []byte {
		return append([]byte("RIFF\x00\x00\x00\x00WEBP"+chunk+"\x00\x00\x00\x00"), append(rest, 0, 0, 0,
			0)...)
	}
	for name, c := range map[string]struct {
		data []byte
		w, h int64
	}{
		"png": {encoded(1000, 750, func(b *bytes.Buffer,
			m goimage.Image) error {
			return png.Encode(b, m)
		}), 1000, 750},
		"gif": {encoded(300, 7, func(b *bytes.Buffer, m goimage.Image) error {
			return gif.Encode(b,
				m, nil)
		}), 300, 7},
		"jpeg": {asJPEG, 640, 480},
		"exif": {withEXIF, 640, 480},
		// the upper two bits are a scale
		"webp":          {riff("VP8 ", 0, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x41), 640, 480},
		"webp lossless": {riff("VP8L", 0x2F, 0x7F, 0xC2, 0x77, 0x00), 640, 480},
		"webp extended": {riff("VP8X", 0, 0, 0, 0, 0x7F, 0x02, 0x00, 0xDF, 0x01, 0x00), 640, 480},
		"cut off":       {asJPEG[:100], 0, 0},
		"svg":           {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), 0, 0},
		"empty":         {nil, 0, 0},
	} {
		w, h := size(ir.Escaped(stdbase64.StdEncoding.EncodeToString(c.data)))
		require.Equal(t, [2]int64{c.w, c.h}, [2]int64{w, h}, name)
	}
	older, newer := tokenizerOf("gpt-5.5"), tokenizerOf("claude-opus-5-5")
	data := func(w, h int) ir.Escaped {
		return ir.Escaped(stdbase64.StdEncoding.EncodeToString(encoded(w, h, func(b *bytes.Buffer,
			m goimage.Image) error {
			return gif.Encode(b, m, nil)
		})))
	}
	require.EqualValues(t, 1001, older.image(data(1000, 750)))
	require.EqualValues(t, 1600, older.image(data(4000, 3000)))
	require.EqualValues(t, 1568*156/750+1, older.image(data(4000, 400)))
	require.EqualValues(t, 4784, newer.image(data(4000, 3000)))
	require.EqualValues(t, 1600, older.image(""))
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("func add(a, b int) int {\n\treturn a + b\n}\n\nThe sum of two numbers, as "+
		"everybody knows, is \"commutative\".\n", 1000)
	e := jsonw.Escape(s)
	b.SetBytes(int64(len(e)))
	b.ReportAllocs()
	for b.Loop() {
		var x text
		x.escaped(e)
	}
}

// TestOutput adds events of all kinds, and checks that none allocates.
func TestOutput(t *testing.T) {
	events := []ir.Event{
		{Kind: ir.Start, Text: "some words"},
		{Kind: ir.BlockStart, Block: ir.ToolCallBlock, Name: "get_weather"},
		{Kind: ir.Delta, Delta: ir.TextDelta, Text: `some \"words\" \u00e9 \ud83d\ude00`},
		{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: ir.Escaped(strings.Repeat("A", 160))},
		{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "https://example.com"}},
		{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: `{"some":"words"}`},
		{Kind: ir.BlockStop},
	}
	var o Output
	before := int64(0)
	for i, grows := range []bool{false, true, true, true, false, true, false} {
		o.Event(&events[i])
		require.Equal(t, grows, o.Tokens("m") > before, i)
		before = o.Tokens("m")
	}
	require.InDelta(t, 7+8+30+5, before, 8)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range events {
			o.Event(&events[i])
		}
	}))
}
