package translator_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/ir"
	"edgelingua/translator/models"
	"edgelingua/translator/openai"
)

const (
	unknownLimits = `,"max_input_tokens":null,"max_tokens":null,"capabilities":null`
	anthropicList = `{"data":[` +
		`{"type":"model","id":"claude-opus-4-6","display_name":"Claude Opus 4.6",` +
		`"created_at":"2026-02-04T00:00:00Z"` + unknownLimits + `},` +
		`{"type":"model","id":"claude-sonnet-4-5","display_name":"Claude \"Sonnet\"",` +
		`"created_at":"2025-09-29T12:30:00Z"` + unknownLimits + `}` +
		`],"has_more":false,"first_id":"claude-opus-4-6","last_id":"claude-sonnet-4-5"}`
	openAIList = `{"object":"list","data":[` +
		`{"id":"claude-opus-4-6","object":"model","created":1770163200,"owned_by":"anthropic"},` +
		`{"id":"claude-sonnet-4-5","object":"model","created":1759149000,"owned_by":"anthropic"}]}`
)

func TestModels(t *testing.T) {
	list, ok := models.DecodeList(anthropic.API.Models, anthropicList)
	require.True(t, ok)
	require.Equal(t, anthropicList, string(anthropic.API.Models.AppendList(nil, list)))
	require.Equal(t, openAIList, string(openai.Models.AppendList(nil, list)))

	list, ok = models.DecodeList(&openai.Models, openAIList)
	require.True(t, ok)
	require.Equal(t, openAIList, string(openai.Models.AppendList(nil, list)))
	require.Equal(t, []ir.Model{
		{ID: "claude-opus-4-6", Created: 1770163200, Owner: "anthropic"},
		{ID: "claude-sonnet-4-5", Created: 1759149000, Owner: "anthropic"},
	}, list)
	require.JSONEq(t, `{"data":[
		{"type":"model","id":"claude-opus-4-6","display_name":"claude-opus-4-6","created_at":"2026-02-04T00:00:00Z"`+unknownLimits+`},
		{"type":"model","id":"claude-sonnet-4-5","display_name":"claude-sonnet-4-5","created_at":"2025-09-29T12:30:00Z"`+unknownLimits+`}
		],"has_more":false,"first_id":"claude-opus-4-6","last_id":"claude-sonnet-4-5"}`,
		string(anthropic.API.Models.AppendList(nil, list)))

	require.Equal(t, `{"data":[],"has_more":false,"first_id":null,"last_id":null}`,
		string(anthropic.API.Models.AppendList(nil, nil)))
	require.Equal(t, `{"object":"list","data":[]}`, string(openai.Models.AppendList(nil, nil)))
}

// TestLooseModels has lists of models without some members, or with odd values.
func TestLooseModels(t *testing.T) {
	for body, want := range map[string][]ir.Model{
		`{"data":[{"id":"a"},{"id":""},{},{"id":5},7,null,{"id":"b","created":1.5,"created_at":"soon",` +
			`"owned_by":null}]}`: {{ID: "a"}, {ID: "b"}},
		`{"data":[{"id":"x/y","name":"X: Y",` +
			`"created":1}]}`: {{ID: "x/y", Name: "X: Y", Created: 1}},
		`{"object":"list","data":[]}`:   {},
		`{"object":"list","data":null}`: {},
		`[]`:                            {},
		`[{"id":"a/b","object":"model","created":1,"type":"chat","display_name":"A B"}]`: {{ID: "a/b",
			Name: "A B", Created: 1}},
	} {
		list, ok := models.DecodeList(&openai.Models, body)
		require.True(t, ok, body)
		require.Equal(t, want, list, body)
		require.True(t, json.Valid(anthropic.API.Models.AppendList(nil, list)))
		require.True(t, json.Valid(openai.Models.AppendList(nil, list)))
	}
	for _, body := range []string{``, `{`, `{}`, `{"data":{}}`, `"data"`, `{"models":[]}`} {
		_, ok := models.DecodeList(&openai.Models, body)
		require.False(t, ok, body)
	}
}

func TestOneModel(t *testing.T) {
	m, ok := models.Decode(anthropic.API.Models,
		`{"type":"model","id":"a","display_name":"A","created_at":"1970-01-01T00:00:00Z"}`)
	require.True(t, ok)
	require.Equal(t, `{"id":"a","object":"model","created":0,"owned_by":"anthropic"}`,
		string(openai.Models.Append(nil, &m)))
	for _, body := range []string{``, `{`, `[]`, `{}`, `{"id":""}`, `{"id":null}`} {
		_, ok := models.Decode(anthropic.API.Models, body)
		require.False(t, ok, body)
	}
}
