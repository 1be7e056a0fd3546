package responses

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

var stem = strings.Repeat("a-_Z", 10) + "xyz"

func TestReadStoring(t *testing.T) {
	reasoning := `{"type":"reasoning","id":"rs_` + stem + `_0","summary":[]`
	for body, want := range map[string]struct {
		ir.Storing
		left string // of the body
		ids  []string
	}{
		`{"input":"q"}`: {ir.Storing{Store: true}, `{"input":"q"}`,
			nil},
		`{"store":true,"input":[]}`: {ir.Storing{Store: true},
			`{"store":null,"input":[]}`, nil},
		`{"store":null,"input":[]}`: {ir.Storing{Store: true},
			`{"store":null,"input":[]}`, nil},
		`{"store":false,"input":[]}`: {ir.Storing{}, `{"store":false,"input":[]}`,
			nil},
		`{"store":false,"store":true}`: {ir.Storing{Store: true},
			`{"store":false,"store":null}`, nil},
		`{"previous_response_id":"resp_` + stem + `","input":"q"}`: {ir.Storing{Store: true, Previous: "resp_" +
			stem}, `{"previous_response_id":null` + strings.Repeat(" ", 46) + `,"input":"q"}`, nil},
		`{"pr\u0065vious_response_id":"\u0072esp_` + stem + `"}`: {ir.Storing{Store: true, Previous: "resp_" +
			stem}, `{"pr\u0065vious_response_id":null` + strings.Repeat(" ", 51) + `}`, nil},
		`{"previous_response_id":null}`: {ir.Storing{Store: true},
			`{"previous_response_id":null}`, nil},
		`{"include":["reasoning.encrypted_content"]}`: {ir.Storing{Store: true, Encrypts: true},
			`{"include":["reasoning.encrypted_content"]}`, nil},
		`{"input":[{"type":"item_reference","id":"a"},{"id":"b"},{"role":"user","id":"c"},` +
			`{"type":"message","id":"d"},7]}`: {ir.Storing{Store: true}, "", []string{"a", "b"}},
		`{"input":[` + reasoning + `},` + reasoning + `,"encrypted_content":"x"},` + reasoning +
			`,"encrypted_content":null},{"type":"reasoning","id":"rs_1"}]}`: {
			ir.Storing{Store: true}, "", []string{"rs_" + stem + "_0", "rs_" + stem + "_0"}},
		`[]`: {ir.Storing{Store: true}, `[]`, nil},
	} {
		b := []byte(body)
		got, err := ReadStoring(b)
		require.Nil(t, err, body)
		var ids []string
		for _, ref := range got.References {
			ids = append(ids, ref.ID)
		}
		require.Equal(t, want.ids, ids, body)
		require.Equal(t, want.Storing, ir.Storing{Store: got.Store, Encrypts: got.Encrypts,
			Previous: got.Previous}, body)
		if want.left != "" {
			require.Equal(t, want.left, string(b))
		}
		require.NoError(t, jsonr.Check(string(b)))
	}
	for body, want := range map[string]string{
		`{"previous_response_id":7}`:                                        "previous_response_id",
		`{"previous_response_id":""}`:                                       "previous_response_id",
		`{"input":[` + strings.Repeat(`{"id":"a"},`, 1000) + `{"id":"a"}]}`: "input",
	} {
		_, err := ReadStoring([]byte(body))
		require.NotNil(t, err, body)
		require.Equal(t, want, ir.AsError(err).Path)
		require.Equal(t, 400, ir.AsError(err).HTTPStatus())
	}
}

func TestOwn(t *testing.T) {
	body := []byte(`{"a":1,"input": [ {"id":"a"} , {"role":"user"},{"id":"b"},{"id":"c"} ] ,"b":2}`)
	s, err := ReadStoring(body)
	require.Nil(t, err)
	require.Equal(t, `[A] , {"role":"user"},{"id":"b"},[C]`, s.Own(func(ref *ir.Reference) ir.Raw {
		return map[string]ir.Raw{"a": "[A]", "c": "[C]"}[ref.ID]
	}))
	before, behind := s.Around(body)
	require.Equal(t, `{"a":1,"input": `, string(before))
	require.Equal(t, ` ,"b":2}`, string(behind))
	s, err = ReadStoring([]byte(`{"input":"a\"b"}`))
	require.Nil(t, err)
	require.Equal(t, `{"type":"message","role":"user","content":[{"type":"input_text","text":"a\"b"}]}`,
		s.Own(nil))
	for _, body := range []string{`{}`, `{"input":7}`, `{"input":null}`, `[]`} {
		s, err = ReadStoring([]byte(body))
		require.Nil(t, err)
		require.False(t, s.HasInput(), body)
	}
}

func TestPlace(t *testing.T) {
	for id, want := range map[string]Stored{
		"msg_" + stem + "_0":   {Response: "resp_" + stem},
		"fco_" + stem + "_i12": {Response: "resp_" + stem, Input: true, Index: 12},
	} {
		got, ok := ParseItemID(id)
		require.True(t, ok, id)
		require.Equal(t, want, got)
	}
	for _, id := range []string{"", "msg_1", "msg_" + stem, "msg_" + stem + "_", "msg_" + stem + "_-1",
		"msg_" + stem + "_x", stem + "_0", "msg_" + stem + "é_0", "msg_" + stem + "a_0"} {
		_, ok := ParseItemID(id)
		require.False(t, ok, id)
	}
}

func TestShown(t *testing.T) {
	const items = `{"type":"reasoning","summary":[],"encrypted_content":"el1:anthropic:t::a",` +
		`"status":"completed"},{"type":"compaction","encrypted_content":"b"}`
	require.Equal(t,
		`{"type":"reasoning","summary":[],"status":"completed"},{"type":"compaction",`+
			`"encrypted_content":"b"}`, string(AppendShown(nil, items)))
	input := `{"role":"user","content":"q"},{"id":"x","role":"assistant","type":"message","content":"a"},` +
		`{"type":"function_call_output","call_id":"c","output":"o"},{"type":"reasoning",` +
		`"encrypted_content":"e"}`
	require.Equal(t,
		`{"id":"msg_`+stem+
			`_i4","type":"message","role":"user","content":[{"type":"input_text","text":"q"}]},`+
			`{"id":"msg_`+stem+
			`_i5","type":"message","role":"assistant","content":[{"type":"output_text","annotations":[],`+
			`"text":"a"}]},`+
			`{"id":"fco_`+stem+`_i6","type":"function_call_output","call_id":"c","output":"o"},`+
			`{"id":"rs_`+stem+`_i7","type":"reasoning"}`, string(AppendInput(nil, input, "resp_"+stem, 4,
			true)))
	require.Equal(t, "msg_1", IDOf(`{"a":{"id":"b"},"id":"msg_1"}`))
	require.Equal(t, ir.Raw("3"), Item("1, 2,3", 2))
	require.Equal(t, ir.Raw(""), Item("1,2", 2))
	require.Equal(t, ir.Raw(""), Item("", 0))
}

func TestSubmission(t *testing.T) {
	parameters := string(AppendParameters(nil,
		[]byte(`{"model":"m", "input":[{}],"store":true,"stream":true,"tool_choice":"auto",`+
			`"previous_response_id":null,"tools":[{}]}`)))
	require.Equal(t, `"model":"m","tool_choice":"auto","tools":[{}]`, parameters)
	for choice, want := range map[string]string{
		`"required"`: ``, `{"type":"function","name":"f"}`: ``, `"none"`: `"tool_choice":"none"`,
		`{"type":"allowed_tools","mode":"auto"}`: `"tool_choice":{"type":"allowed_tools","mode":"auto"}`,
	} {
		require.Equal(t, want, string(AppendParameters(nil, []byte(`{"tool_choice":`+choice+`}`))))
	}
	calls := FunctionCalls(`{"type":"message"},{"type":"function_call","call_id":"a","name":"f",` +
		`"arguments":"{}"},{"type":"function_call","call_id":"b","name":"g","arguments":"{\"x\":1}"}`)
	require.Len(t, calls, 2)
	require.Nil(t, FunctionCalls(`{"type":"function_call","call_id":"a"},{"type":"custom_tool_call",`+
		`"call_id":"b"}`))
	require.Equal(t,
		`{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[{"id":"a","type":"function",`+
			`"function":{"name":"f","arguments":"{}"}},`+
			`{"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1}"}}]}}`,
		string(appendAction(nil, calls)))
	out, err := AppendSubmission(nil,
		[]byte(`{"stream":true,"tool_outputs":[{"tool_call_id":"b","output":"1"},{"output":[{}],`+
			`"tool_call_id":"a"}]}`), "resp_1", parameters, calls)
	require.Nil(t, err)
	require.Equal(t,
		`{"model":"m","tool_choice":"auto","tools":[{}],"previous_response_id":"resp_1",`+
			`"input":[{"type":"function_call_output","call_id":"b","output":"1"},`+
			`{"type":"function_call_output","call_id":"a","output":[{}]}],"stream":true}`, string(out))
}

// FuzzReadStoring reads any JSON: the changed body is still JSON of the same length.
func FuzzReadStoring(f *testing.F) {
	f.Add(`{"store":true,"input":[{"type":"item_reference","id":"a"}],"previous_response_id":"\u0061",` +
		`"include":[]}`)
	f.Add(`{"input":"q","input":[ ]}`)
	f.Fuzz(func(t *testing.T, body string) {
		if jsonr.Check(body) != nil {
			return
		}
		b := []byte(body)
		s, err := ReadStoring(b)
		require.Len(t, b, len(body))
		require.NoError(t, jsonr.Check(string(b)))
		if err == nil && s.HasInput() {
			own := s.Own(func(*ir.Reference) ir.Raw { return "{}" })
			before, behind := s.Around(b)
			require.NoError(t, jsonr.Check(string(before)+"["+own+"]"+string(behind)))
			AppendInput(nil, own, "resp_"+stem, 0, true)
			require.NoError(t, jsonr.Check("["+string(AppendShown(nil, own))+"]"))
			FunctionCalls(own)
		}
	})
}

func TestStoredInputHidesTokens(t *testing.T) {
	const item = `{"type":"additional_tools","tools":[{"type":"mcp","server_label":"a",` +
		`"\u0061uthorization":"hidden-token","headers":{"x":"hidden-token"}}]}`
	require.NotContains(t, string(AppendInput(nil, item, "resp_1", 0, false)), "hidden-token")
}
