package passing_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/passing"
)

const (
	aSecret = "sk-0123456789/ab+cd&ef=é😀"
	another = "team-0123456789abcdef"
)

func redact(text string) string {
	return passing.Redact(text, []string{aSecret, another, "ollama", ""})
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"` + aSecret + ` and ` + aSecret + `","b":"` + another +
			`"}`: `{"a":"[key] and [key]","b":"[key]"}`,
		"nothing":                  "nothing",
		"ollama is down":           "ollama is down", // not a key: people enter it if a key is required
		another[:15]:               another[:15],
		"cut off: " + another[:16]: "cut off: [key]",
		`cut off: \u0074` + another[1:18] + `\u00`: "cut off: [key]",
		`cut off: \u0074` + another[1:18] + `\`:    "cut off: [key]",
		"cut off: &#116;" + another[1:18] + "&#9":  "cut off: [key]",
		"not cut off: " + another[:20] + ".":       "not cut off: " + another[:20] + ".",
		strings.ToUpper(another):                   strings.ToUpper(another),
		`\\u0074` + another[1:]:                    "[key]", // JSON in JSON
		`\\\\\\\\u0074` + another[1:]:              "[key]",
		// a fifth layer
		`\\\\\\\\\\\\\\\\u0074` + another[1:]:                     `\\\\\\\\\\\\\\\\u0074` + another[1:],
		`\u0074eam-01234\u0035\u0036789abcdef\u0021`:              `[key]\u0021`,
		`\/\"\\\b\f\n\r\t\u00e9\ud83d\ude00\ud83d\q\u12"\`:        `\/\"\\\b\f\n\r\t\u00e9\ud83d\ude00\ud83d\q\u12"\`,
		"team%2D0123456789abcdef&lt;%zz%4":                        "[key]&lt;%zz%4",
		"team%2D0123456789abcdef&amp;%zz%4":                       "[key]&amp;%zz%4",
		"team&#45;0123456789abcdef&#0;&#x110000;&;&#;&#x;&nbsp;":  "[key]&#0;&#x110000;&;&#;&#x;&nbsp;",
		"team&#45;0123456789abc%64ef and team%2d0123456789abcdef": "[key] and [key]",
		another + another: "[key]",
	} {
		require.Equal(t, want, redact(text), "%q", text)
	}
	require.Equal(t, aSecret, passing.Redact(aSecret, nil))
}

// spell escapes a text for JSON, with a random choice among the escapes of each character.
func spell(random *rand.Rand, text string) string {
	var out strings.Builder
	for _, r := range text {
		form := "\\u%04x"
		if random.Intn(2) == 0 {
			form = "\\u%04X"
		}
		switch {
		case r > 0xffff && random.Intn(2) == 0:
			fmt.Fprintf(&out, form+form, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case r <= 0xffff && (random.Intn(3) == 0 || r == '"' || r < ' '):
			fmt.Fprintf(&out, form, r)
		case r == '\\' || r == '/' && random.Intn(2) == 0:
			out.WriteString(`\` + string(r))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// TestRedactFindsEverySpelling: Redact finds a secret in every spelling, up to its depth, and
// changes nothing else.
func TestRedactFindsEverySpelling(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		before, behind := noise(random), noise(random)
		if random.Intn(4) == 0 {
			behind = "" // the secret is the text's end
		}
		inner := aSecret
		switch random.Intn(4) {
		case 0:
			inner = url.QueryEscape(inner)
		case 1:
			inner = html.EscapeString(inner)
		}
		depth := random.Intn(5)
		for range depth {
			inner, before, behind = spell(random, inner), spell(random, before), spell(random, behind)
		}
		require.Equal(t, before+"[key]"+behind, redact(before+inner+behind), "%q", inner)
		require.Equal(t, before+behind, redact(before+behind))
		if depth == 1 {
			got := redact(`{"a":"` + before + inner + behind + `"}`)
			require.True(t, json.Valid([]byte(got)), got)
		}
	}
}

// noise returns a text without a secret, and without a secret's beginning at the end.
func noise(random *rand.Rand) string {
	parts := []string{"sk-0123456789/", "team-", "a", " ", "é", "😀", "/", `"`, "%", "&", "&amp", ";", "%2",
		"u0065", "\n"}
	var out strings.Builder
	for range random.Intn(12) {
		out.WriteString(parts[random.Intn(len(parts))])
	}
	return out.String() + "."
}

// FuzzRedact: no text makes Redact panic. A changed text has no secret left, and a text with an escaped
// secret is changed.
func FuzzRedact(f *testing.F) {
	for _, text := range []string{`\u0065\/`, `%41&#65;&amp;`, `\\\u00`, "\xff\x00\\", another[:17]} {
		f.Add(text, int64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed int64) {
		require.NotContains(t, redact(text+another+text), another)
		require.Contains(t, redact(`"`+text+`"`+spell(rand.New(rand.NewSource(seed)), another)+" "+text),
			"[key]")
	})
}
