package models

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	anthropicList = `{"data":[` +
		`{"type":"model","id":"claude-opus-4-6","display_name":"Claude Opus 4.6","created_at":"2026-02-04T00:00:00Z"},` +
		`{"type":"model","id":"claude-sonnet-4-5","display_name":"Claude \"Sonnet\"","created_at":"2025-09-29T12:30:00Z"}` +
		`],"has_more":false,"first_id":"claude-opus-4-6","last_id":"claude-sonnet-4-5"}`
	openAIList = `{"object":"list","data":[` +
		`{"id":"claude-opus-4-6","object":"model","created":1770163200,"owned_by":"anthropic"},` +
		`{"id":"claude-sonnet-4-5","object":"model","created":1759149000,"owned_by":"anthropic"}]}`
)

func TestLists(t *testing.T) {
	list, ok := DecodeList(anthropicList)
	require.True(t, ok)
	require.Equal(t, anthropicList, string(AppendList(nil, true, list)))
	require.Equal(t, openAIList, string(AppendList(nil, false, list)))

	list, ok = DecodeList(openAIList)
	require.True(t, ok)
	require.Equal(t, openAIList, string(AppendList(nil, false, list)))
	require.Equal(t, []Model{
		{ID: "claude-opus-4-6", Created: 1770163200, Owner: "anthropic"},
		{ID: "claude-sonnet-4-5", Created: 1759149000, Owner: "anthropic"},
	}, list)
	require.JSONEq(t, `{"data":[
		{"type":"model","id":"claude-opus-4-6","display_name":"claude-opus-4-6","created_at":"2026-02-04T00:00:00Z"},
		{"type":"model","id":"claude-sonnet-4-5","display_name":"claude-sonnet-4-5","created_at":"2025-09-29T12:30:00Z"}
		],"has_more":false,"first_id":"claude-opus-4-6","last_id":"claude-sonnet-4-5"}`, string(AppendList(nil, true, list)))

	require.Equal(t, `{"data":[],"has_more":false,"first_id":null,"last_id":null}`, string(AppendList(nil, true, nil)))
	require.Equal(t, `{"object":"list","data":[]}`, string(AppendList(nil, false, nil)))
}

// TestLooseLists has what servers send that say less, or something odd.
func TestLooseLists(t *testing.T) {
	for body, want := range map[string][]Model{
		`{"data":[{"id":"a"},{"id":""},{},{"id":5},7,null,{"id":"b","created":1.5,"created_at":"soon","owned_by":null}]}`: {{ID: "a"}, {ID: "b"}},
		`{"data":[{"id":"x/y","name":"X: Y","created":1}]}`:                                                               {{ID: "x/y", Name: "X: Y", Created: 1}},
		`{"object":"list","data":[]}`:   {},
		`{"object":"list","data":null}`: {},
		`[]`:                            {},
		`[{"id":"a/b","object":"model","created":1,"type":"chat","display_name":"A B"}]`: {{ID: "a/b", Name: "A B", Created: 1}},
	} {
		list, ok := DecodeList(body)
		require.True(t, ok, body)
		require.Equal(t, want, list, body)
		require.True(t, json.Valid(AppendList(nil, true, list)))
		require.True(t, json.Valid(AppendList(nil, false, list)))
	}
	for _, body := range []string{``, `{`, `{}`, `{"data":{}}`, `"data"`, `{"models":[]}`} {
		_, ok := DecodeList(body)
		require.False(t, ok, body)
	}
}

func TestOne(t *testing.T) {
	m, ok := Decode(`{"type":"model","id":"a","display_name":"A","created_at":"1970-01-01T00:00:00Z"}`)
	require.True(t, ok)
	require.Equal(t, `{"id":"a","object":"model","created":0,"owned_by":"anthropic"}`, string(Append(nil, false, &m)))
	for _, body := range []string{``, `{`, `[]`, `{}`, `{"id":""}`, `{"id":null}`} {
		_, ok := Decode(body)
		require.False(t, ok, body)
	}
}

// TestTime compares with package time.
func TestTime(t *testing.T) {
	for at := int64(0); at <= latestTime; at += 12345678 {
		want := time.Unix(at, 0).UTC().Format(time.RFC3339)
		require.Equal(t, want, string(appendTime(nil, at)))
		require.Equal(t, at, seconds(want))
	}
	for _, day := range []string{"2000-02-29", "2024-02-29", "2100-02-28", "2100-03-01", "1999-12-31", "9999-12-31"} {
		want, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		require.Equal(t, want.Unix(), seconds(day+"T00:00:00Z"))
	}
	require.EqualValues(t, 1770163200, seconds("2026-02-04T00:00:00.123456Z"))
	for _, text := range []string{"", "2026-02-04", "2026-02-04T00:00:00", "2026-02-04T00:00:00+02:00", "2026-02-04 00:00:00Z", "0000-01-01T00:00:00Z", "1815-12-10T00:00:00Z"} {
		require.Zero(t, seconds(text), text)
	}
	require.Equal(t, "1970-01-01T00:00:00Z", string(appendTime(nil, -1)))
	require.Equal(t, "9999-12-31T23:59:59Z", string(appendTime(nil, 1<<62)))
}
