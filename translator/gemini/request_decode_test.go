package gemini

import (
	encoding "encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

const conversePath = "/v1beta/models/m:generateContent"

// decodeParts returns the message for parts of the model.
func decodeParts(t *testing.T, parts string) []ir.Content {
	r, err := Client{}.DecodeRequest(conversePath,
		`{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[`+parts+`]}]}`,
		&ir.Lost{})
	require.Nil(t, err)
	require.Len(t, r.Messages, 2)
	return r.Messages[1].Content
}

func sealedPart(envelopes ...string) string {
	return `{"text":"","thoughtSignature":"` +
		encoding.StdEncoding.EncodeToString([]byte(strings.Join(envelopes, "\n"))) + `"}`
}

func TestModelInPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/v1beta/models/m:generateContent":                                                                "m",
		"/v1/models/models/m:streamGenerateContent?alt=sse":                                               "m",
		"/v1beta1/projects/p/locations/global/publishers/google/models/gemini-3:generateContent":          "gemini-3",
		"/v1/projects/p/locations/global/publishers/google/models/gemini-3:streamGenerateContent?alt=sse": "gemini-3",
		"/v1beta1/publishers/google/models/gemini-3:countTokens":                                          "gemini-3",
		"/v1beta/models/a%2Fb": "a%2Fb",
		"/v1beta/models":       "",
	} {
		require.Equal(t, want, Client{}.Model(path, ""), path)
	}
}

// TestThoughtsAlone: thoughts without a level or a budget let the model decide how much to reason; with
// a level they do not.
func TestThoughtsAlone(t *testing.T) {
	for config, want := range map[string][2]bool{ // adaptive, hidden
		`{"includeThoughts":true}`:                        {true, false},
		`{"includeThoughts":true,"thinkingLevel":"LOW"}`:  {false, false},
		`{"includeThoughts":false}`:                       {false, true},
		`{"includeThoughts":false,"thinkingLevel":"LOW"}`: {false, true},
	} {
		r, err := Client{}.DecodeRequest(conversePath, `{"contents":[{"parts":[{"text":"a"}]}],`+
			`"generationConfig":{"thinkingConfig":`+config+`}}`, &ir.Lost{})
		require.Nil(t, err)
		require.Equal(t, want, [2]bool{r.Adaptive, r.HideThoughts}, config)
	}
}

// TestEnvelopesAreStrings sends envelopes that are not valid inside a JSON string: an envelope must
// not end the string around it.
func TestEnvelopesAreStrings(t *testing.T) {
	for _, part := range []string{sealedPart("el1:anthropic:t::A\\", `"el1:anthropic:t::B`),
		sealedPart(`el1:anthropic:t::A"`), sealedPart("el1:anthropic:t::A\x01")} {
		for _, c := range decodeParts(t, part+`,{"text":"b"}`) {
			require.Empty(t, c.Origin, part)
		}
	}
	thought := strings.Replace(sealedPart("el1:anthropic:t::A", "el1:anthropic:t::B"), `{`,
		`{"thought":true,`, 1)
	require.Equal(t, ir.Escaped("A"), decodeParts(t, thought)[0].Signature, "a thought has one")
}

// TestManyEnvelopes checks that the memory for a request with envelopes is linear in its size, not
// quadratic.
func TestManyEnvelopes(t *testing.T) {
	var many, calls strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, `,%s`, sealedPart(fmt.Sprintf("el1:anthropic:t::%d", i)))
		fmt.Fprintf(&calls, `,{"text":"x"},{"functionCall":{"name":"f","args":{}},"thoughtSignature":"%s"}`,
			encoding.StdEncoding.EncodeToString(fmt.Appendf(nil, "el1:anthropic:h::t%d:%d", i, i)))
	}
	for name, parts := range map[string]string{
		"parts":  many.String()[1:],
		"calls":  calls.String()[1:],
		"empty":  sealedPart("el1:" + strings.Repeat("\n", 500_000)),
		"hidden": sealedPart(strings.Repeat("el1:anthropic:h::text of a thought:sig\n", 5000)),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			decodeParts(t, parts)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
		})
	}
	_, err := Client{}.DecodeRequest(conversePath, `{"contents":[{"role":"model","parts":[`+
		sealedPart("el1:a"+strings.Repeat("\nel1:a", ir.MaxItems))+`]}]}`, &ir.Lost{})
	require.NotNil(t, err)
}

// TestEnvelopesOfACall: thoughts in the envelopes of a call replace the step's unsigned thoughts with the
// same text, and nothing else of the step.
func TestEnvelopesOfACall(t *testing.T) {
	envelope := encoding.StdEncoding.EncodeToString([]byte("el1:anthropic:h::I look at it:SIG"))
	call := `,{"functionCall":{"name":"f","args":{}},"thoughtSignature":"` + envelope + `"}`
	kinds := func(parts string) (text string) {
		for _, c := range decodeParts(t, parts+call) {
			text += fmt.Sprint(c.Kind, " ", c.Text, c.Name, c.Signature, ";")
		}
		return text
	}
	alone := kinds(`{"text":"look"}`)
	require.Contains(t, alone, " look;")
	require.Contains(t, alone, "SIG;")
	require.Equal(t, alone, kinds(`{"text":"look at","thought":true},{"text":"look"}`))
	other := kinds(`{"text":"something else","thought":true},{"text":"look"}`)
	require.Contains(t, other, "something else")
	require.Contains(t, other, " look;")
	require.Equal(t, strings.Count(alone, ";")+1, strings.Count(other, ";"))
}
