package passing_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/passing"
)

func TestReplaceModel(t *testing.T) {
	names := strings.NewReplacer("old", `n"ew`, "long-name", "s")
	for _, c := range []struct{ body, want string }{
		{`{"model":"old"}`, `{"model":"n\"ew"}`},
		{`{"model":"long-name","a":1}`, `{"model":"s","a":1}`},
		{"{ \"a\" : 1.0e2 ,\n \"mod\\u0065l\" :\t\"\\u006fld\" , \"model2\":\"old\" }\n",
			"{ \"a\" : 1.0e2 ,\n \"mod\\u0065l\" :\t\"n\\\"ew\" , \"model2\":\"old\" }\n"},
		{`{"model":"old","model":"old"}`, `{"model":"old","model":"n\"ew"}`},
		{`{"x":{"model":"old"},"y":[{"model":"old"}],"model":"old"}`,
			`{"x":{"model":"old"},"y":[{"model":"old"}],"model":"n\"ew"}`},
		{"{\"model\":\"old\",\"a\":\"\xff\xfe\"}", "{\"model\":\"n\\\"ew\",\"a\":\"\xff\xfe\"}"},
		{`{"model":"old","a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}",
			`{"model":"n\"ew","a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}"},
	} {
		require.Equal(t, c.want, string(passing.ReplaceModel([]byte(c.body), names.Replace)))
		roomy := append(make([]byte, 0, len(c.body)+100), c.body...)
		got := passing.ReplaceModel(roomy, names.Replace)
		require.Equal(t, c.want, string(got))
		require.Same(t, &roomy[0], &got[0], "there was room")
	}
	for _, body := range []string{
		"", " ", "{", "[]", `"old"`, "null", `{"model":`, `{"model":"old`, `{"model":"old\"`, `{"model"`,
		`{"model":5}`, `{"model":null}`, `{"model":["old"]}`,
		`{"model":"other"}`, `{"a":{"model":"old"}}`, "\ufeff" + `{"model":"old"}`, `[{"model":"old"}]`,
		`{"model":"old","model":1}`, `{"model"}`, `{:"old"}`, `{"model" "old"}`,
	} {
		require.Equal(t, body, string(passing.ReplaceModel([]byte(body), names.Replace)))
	}
}

// FuzzReplaceModel: no body makes ReplaceModel panic, and ReplaceModel changes at most one part of
// it.
func FuzzReplaceModel(f *testing.F) {
	for _, body := range []string{`{"model":"old","a":[1,{"b":"\\"}]}`, `{"model":"old","model"`, `{"a`,
		"{\"model\":\"old\"\x00,}"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		const mark = "another"
		before := string(body)
		got := string(passing.ReplaceModel(body, func(string) string { return mark }))
		if got == before || strings.Contains(before, mark) {
			return
		}
		prefix, suffix, found := strings.Cut(got, `"`+mark+`"`)
		require.True(t, found)
		require.True(t, strings.HasPrefix(before, prefix))
		require.True(t, strings.HasSuffix(before, suffix))
		require.Less(t, len(prefix)+len(suffix), len(before))
	})
}

func TestHoldsForeign(t *testing.T) {
	for _, c := range []struct {
		protocol, body string
		want           bool
	}{
		{"anthropic", `{"type":"thinking","thinking":"a","signature":"el1:responses:t:rs_1:gAAA"}`, true},
		{"anthropic", `{"type":"redacted_thinking","data": "el1:chat:r::[]"}`, true},
		{"anthropic", `{"type":"thinking","thinking":"a","signature":""}`, true},
		{"anthropic", `{"type":"thinking","thinking":"a","signature": ""}`, true},
		{"anthropic", "{\"type\":\"thinking\",\"signature\"\n\t:\r\n\"\"}", true},
		{"anthropic", `{"text":"signaturesignature","signature":""}`, true},
		{"anthropic", `{"text":"\"signature\"","signature":"ErUB"}`, false},
		{"anthropic", `{"type":"thinking","thinking":"el1:","signature":"ErUB"}`, true},
		{"anthropic", `{"type":"thinking","thinking":"see el1:","signature":"ErUB"}`, false},
		{"anthropic", `{"type":"server_tool_use","id":"srvtoolu_el1_ws_1","name":"web_search"}`, true},
		{"anthropic", `{"type":"server_tool_use","id":"srvtoolu_01A","name":"web_search"}`, false},
		{"anthropic", `{"citations":[{"type":"web_search_result_location","encrypted_index":"",` +
			`"title":""}]}`, true},
		{"anthropic", `{"citations":[{"type":"web_search_result_location","encrypted_index": "",` +
			`"title":""}]}`, true},
		{"anthropic", `{"citations":[{"type":"web_search_result_location","encrypted_index":"RW5j"}]}`,
			false},
		{"chat", `{"reasoning_details":[{"type":"reasoning.text","signature":"el1:anthropic:t::c2ln"}]}`,
			true},
		{"chat", `{"reasoning_details":[{"type":"reasoning.text","signature":""}]}`, false},
		{"responses", `{"type":"reasoning","encrypted_content":"el1:anthropic:t::c2ln"}`, true},
		{"responses", `{"name":"el","text":"elm","encrypted_content":"el2:anthropic"}`, true},
		{"responses", `{"name":"el","text":"elm:","encrypted_content":"el:"}`, false},
		{"responses", `{"input":[{"type":"reasoning","encrypted_content":null}],"store":false}`, true},
		{"responses", `{"store": false, "input":[{"type":"reasoning","encrypted_content": null}]}`, true},
		{"responses", `{"input":[{"type":"reasoning","encrypted_content":null}]}`, false},
		{"responses", `{"input":[{"type":"reasoning","encrypted_content":"gAAA"}],"store":false}`, false},
	} {
		require.Equal(t, c.want, passing.HoldsForeign(translator.API(c.protocol), []byte(c.body)), c.body)
	}
}

func TestModel(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"a","x":1,"model":"b\u0041"}`: "bA",
		`{"model":1}`:                           "",
		`{"model":"a`:                           "",
		`[]`:                                    "",
		``:                                      "",
		`words`:                                 "",
	} {
		require.Equal(t, want, passing.Model(translator.API("chat"), "", []byte(body)), body)
	}
}

func TestStreams(t *testing.T) {
	for body, want := range map[string][2]bool{ // want: a stream, and with usage in Chat
		`{}`:                                  {false, true},
		`{"stream":false}`:                    {false, true},
		`{"stream":null}`:                     {false, true},
		`{"stream":true}`:                     {true, false},
		`{"stream":1}`:                        {true, false},
		`{"stream":"yes"}`:                    {true, false},
		`{"stream":false,"str\u0065am":true}`: {true, false},
		`{"a":{"stream":true}}`:               {false, true},
		`{"stream":true,"stream_options":{"include_usage":true}}`:                       {true, true},
		`{"stream_options":{"include_usage":true,"include_usage":false},"stream":true}`: {true, false},
		`{"stream":true,"stream_options":{"include_usage":1}}`:                          {true, false},
		`{"stream":true,"stream_options":null}`:                                         {true, false},
		`[]`:                                                                            {true, false},
		"\x1f\x8b":                                                                      {true, false},
		``:                                                                              {true, false},
	} {
		for _, protocol := range []string{"anthropic", "chat", "responses"} {
			streams, counted := passing.Streams(translator.API(protocol), "", []byte(body))
			require.Equal(t, want[0], streams, body)
			require.Equal(t, want[1] || protocol != "chat", counted, "%s: %s", protocol, body)
		}
	}
}
