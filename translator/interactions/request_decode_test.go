package interactions

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestRequestLosses: members that no upstream gets are reported, and values of a wrong kind refused.
func TestRequestLosses(t *testing.T) {
	t.Parallel()
	format := func(members string) string { return `{"model":"m","input":"q",` + members + `}` }
	steps := func(steps string) string {
		return `{"model":"m","input":[{"type":"text","text":"q"},` + steps + `]}`
	}
	call := `{"type":"function_call","id":"c","name":"f","arguments":{}},`
	for body, want := range map[string]struct {
		lost []string
		err  string
	}{
		format(`"response_format":{"type":"text","zz":2}`):                   {lost: []string{"response_format.zz"}},
		format(`"response_format":[{"type":"text","zz":2}]`):                 {lost: []string{"response_format[0].zz"}},
		format(`"response_format":{"type":"object","zz":2}`):                 {}, // a schema
		format(`"response_format":{"type":"text","schema":null}`):            {},
		format(`"response_format":{"type":"text","mime_type":"text/plain"}`): {},
		format(`"response_format":{"type":"text","mime_type":"application/json","schema":[1]}`): {
			err: "response_format.schema: Invalid value: an object is expected."},
		format(`"response_format":[{"type":"text","mime_type":5}]`): {
			err: "response_format[0].mime_type: Invalid value: a string is expected."},
		format(`"response_mime_type":"application/json","response_format":{"type":"text","mime_type":"text/plain"}`): {
			lost: []string{"response_mime_type"}},
		format(`"generation_config":{"tool_choice":{"allowed_tools":{"mode":null,"tools":null}}}`): {},
		steps(call + `{"type":"function_result","call_id":"c","name":"f","result":"x","signature":"s"}`): {
			lost: []string{"input[2].signature"}},
		steps(`{"type":"user_input","content":"x","id":"1","call_id":"2","name":"3","signature":"4",` +
			`"arguments":{},"is_error":true,"summary":[],"result":"5"}`): {lost: []string{"input[1].id",
			"input[1].call_id", "input[1].name", "input[1].signature", "input[1].arguments",
			"input[1].is_error", "input[1].summary", "input[1].result"}},
		steps(`{"type":"thought","summary":[{"type":"text","text":"s"}],"content":"x"}`): {
			lost: []string{"input[1].content"}},
	} {
		var lost ir.Lost
		_, err := Client{}.DecodeRequest("/v1beta/interactions", body, &lost)
		if want.err != "" {
			require.NotNil(t, err, body)
			assert.Contains(t, err.Error(), want.err, body)
			continue
		}
		require.Nil(t, err, body)
		assert.Equal(t, want.lost, lost.Paths(), body)
	}
}

// TestFormatOfTheEarlierMember: response_mime_type counts for a format without a type of its own.
func TestFormatOfTheEarlierMember(t *testing.T) {
	t.Parallel()
	for _, format := range []string{`{"type":"text"}`, `[{"type":"text"}]`, `[]`, `null`} {
		var lost ir.Lost
		r, err := Client{}.DecodeRequest("/v1beta/interactions", `{"model":"m","input":"q",`+
			`"response_mime_type":"application/json","response_format":`+format+`}`, &lost)
		require.Nil(t, err)
		assert.True(t, r.Format.Object, format)
		assert.Empty(t, lost.Paths())
	}
}

// TestResultsThatAreLists: a list of contents is the result's contents, any other list is text.
func TestResultsThatAreLists(t *testing.T) {
	t.Parallel()
	for result, text := range map[string]string{
		`[{"city":"Rome"}]`:              `[{\"city\":\"Rome\"}]`,
		`["a"]`:                          `[\"a\"]`,
		`[{"type":"text","text":"a"},1]`: `[{\"type\":\"text\",\"text\":\"a\"},1]`,
		`[{"type":"city","text":"a"}]`:   `[{\"type\":\"city\",\"text\":\"a\"}]`,
		`[{"type":"text","text":"a"}]`:   `a`,
		`7`:                              `7`,
	} {
		var lost ir.Lost
		r, err := Client{}.DecodeRequest("/v1beta/interactions", `{"model":"m","input":[`+
			`{"type":"text","text":"q"},{"type":"function_call","id":"c","name":"f","arguments":{}},`+
			`{"type":"function_result","call_id":"c","result":`+result+`}]}`, &lost)
		require.Nil(t, err, result)
		parts := r.Messages[2].Content[0].Parts
		require.Len(t, parts, 1)
		assert.Equal(t, ir.TextContent, parts[0].Kind)
		assert.Equal(t, text, string(parts[0].Text))
		assert.Empty(t, lost.Paths())
	}
}
