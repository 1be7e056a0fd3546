package google

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	decode "edgelingua/translator/models"
)

func TestModels(t *testing.T) {
	got, ok := decode.DecodeList(&List,
		`{"models":[{"name":"models/gemini-2.5-pro","version":"2.5","displayName":"Gemini 2.5 \"Pro\"","inputTokenLimit":1048576,"supportedGenerationMethods":["generateContent"]},
		{"name":"gemma-4"},{"name":"models/"},{"displayName":"x"},{},null,5],"nextPageToken":"t"}`)
	require.True(t, ok)
	require.Equal(t, []ir.Model{{ID: "gemini-2.5-pro", Name: `Gemini 2.5 \"Pro\"`, Owner: owner,
		Input: 1048576},
		{ID: "gemma-4", Owner: owner}}, got)
	text := `{"models":[{"name":"models/gemini-2.5-pro","displayName":"Gemini 2.5 \"Pro\"",` +
		`"inputTokenLimit":1048576,"supportedGenerationMethods":["generateContent","countTokens"]},` +
		`{"name":"models/gemma-4","displayName":"gemma-4","supportedGenerationMethods":["generateContent",` +
		`"countTokens"]}]}`
	require.Equal(t, text, string(List.AppendList(nil, got)))
	require.Equal(t, `{"models":[]}`, string(List.AppendList(nil, nil)))
	m, ok := decode.Decode(&List, `{"name":"models/gemini-2.5-pro","displayName":"P"}`)
	require.True(t, ok)
	require.Equal(t, ir.Model{ID: "gemini-2.5-pro", Name: "P", Owner: owner}, m)
}
