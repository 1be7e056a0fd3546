package passing_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
)

func TestSingle(t *testing.T) {
	// at is the path of the error; "-": an error without a path
	for _, c := range []struct{ path, body, at string }{
		{"", `{"Model":"a"}`, "Model"},
		{"", `{"model":"a","model":"a"}`, "model"},
		{"", `{"model":"a","mod\u0065l":"b"}`, "model"},
		{"", `{"model":"a","MODEL":"b"}`, "MODEL"},
		{"", `{"model":"a","mo-del":"b"}`, "mo-del"},
		{"", `{"model":"a","m` + strings.Repeat("_", 99) + `odel":"b"}`, "m" + strings.Repeat("_", 63)},
		{"", `{"stream":true,"\u017ftream":false}`, "\u017ftream"},
		{"", `{"\u017Ftream":true}`, "\u017ftream"},
		{"", `{"stream":true,"stream":true}`, "stream"},
		{"", `{"Stream_Options":{}}`, "Stream_Options"},
		{"", `{"streamOptions":{}}`, "streamOptions"},
		{"", `{"stream_options":{"include_usage":true,"include_usage":true}}`,
			"stream_options.include_usage"},
		{"", `{"stream_options":{"includeUsage":true}}`, "stream_options.includeUsage"},
		{"", `{"model":["a"]}`, "model"},
		{"/p?stream=true", `{"model":"a"}`, "stream"},
		{"/p?a=b;Model=c", `{"model":"a"}`, "Model"},
		{"/p?a=b&&model", `{"model":"a"}`, "model"},
		{"/p?%6dodel=b", `{"model":"a"}`, "%6dodel"},
		{"/p?%EF%BD%8Dx=1&%4D%6f%5fdel=b", `{"model":"a"}`, "%4D%6f%5fdel"},
		{"/p?%c5%bftream=1", `{"model":"a"}`, "%c5%bftream"},
		{"/p?mod%el=b", `{"model":"a"}`, "mod%el"},
		{"/p?x%=b", `{"model":"a"}`, "x%"},
		{"/p?x%4", `{"model":"a"}`, "x%4"},
		{"/p?x%+4=b", `{"model":"a"}`, "x%+4"},
		{"", `{"model":"a","background":true}`, "background"},
		{"", `{"Background":"true"}`, "Background"},
		{"", `{"background":false,"background":true}`, "background"},
		{"", `{"extra_body":{"model":"b"}}`, "extra_body.model"},
		{"", `{"ExtraBody":{"google":1,"Stream":true}}`, "ExtraBody.Stream"},
		{"", `{"extra_body":{"stream_options":{}}}`, "extra_body.stream_options"},
		{"", `{"extra_body":{"background":true}}`, "extra_body.background"},
		{"", "\ufeff" + `{"model":"a"}`, "-"},
		{"", `{"model":"a" "model":"b"}`, "-"},
		{"", "{\"model\":\"\xff\"}", "-"},
		{"", ``, "-"},
	} {
		for _, one := range []bool{false, true} {
			_, err := passing.Single(translator.API("chat"), c.path, []byte(c.body), one)
			require.NotNil(t, err, c.body)
			require.Equal(t, ir.InvalidRequest, ir.AsError(err).Kind)
			require.Equal(t, c.at, cmp.Or(ir.AsError(err).Path, "-"), c.body)
		}
	}
	const path = "/v1beta/models/a:generateContent" // the path has the model
	for body, fine := range map[string]bool{`{}`: true, `{"model":"a"}`: true, `{"model":"models/a"}`: true,
		`{"model":"b"}`: false, `{"model":"models/b"}`: false, `{"model":null}`: false,
		`{"model":1}`: false} {
		_, err := passing.Single(translator.API("gemini"), path, []byte(body), false)
		require.Equal(t, fine, err == nil, body)
	}
	_, err := passing.Single(translator.API("gemini"), "/v1beta/models/a,b:generateContent", []byte(`{}`),
		true)
	require.NotNil(t, err)
	for _, c := range []struct{ path, body, at string }{ // rejected only with oneModel
		{"", `{"models":["a"]}`, "models"},
		{"", `{"Models":"a"}`, "Models"},
		{"", `{"fallbac` + "\u212a" + `s":["a"]}`, "fallbac\u212as"},
		{"", `{"context_window_fallbacks":["a"]}`, "context_window_fallbacks"},
		{"", `{"draft_model":"a"}`, "draft_model"},
		{"", `{"Route":"fallback"}`, "Route"},
		{"", `{"provider_options":{"gateway":{}}}`, "provider_options"},
		{"", `{"orq":1}`, "orq"},
		{"", `{"model":"a,b"}`, "model"},
		{"", `{"model":"a\u002cb"}`, "model"},
		{"", `{"tools":[{},{"model":"a"}]}`, "tools[1].model"},
		{"", `{"TOOLS":[{"MODEL":"a"}]}`, "TOOLS[0].MODEL"},
		{"", `{"tools":[1,[{"model":"a"}],{"parameters":{"type":"object","models":["a"]}}]}`,
			"tools[2].parameters"},
		{"", `{"tools":[{"type":"openrouter:subagent"}]}`, "tools[0].type"},
		{"", `{"tools":[{"type":"openrouter:subagent","type":"x"}]}`, "tools[0].type"},
		{"", `{"plugins":[{"id":"fusion"}]}`, "plugins[0].id"},
		{"", `{"deployment_id":"a"}`, "deployment_id"},
		{"", `{"deploymentId":"a"}`, "deploymentId"},
		{"", `{"Engine":"a"}`, "Engine"},
		{"", `{"router_settings_override":{"fallbacks":[{"a":["b"]}]}}`, "router_settings_override"},
		{"", `{"extra_body":{"deployment_id":"b"}}`, "extra_body.deployment_id"},
		{"", `{"extra_body":{"tools":[{}]}}`, "extra_body.tools"},
		{"", `{"extra_body":{"extra_body":{"model":"b"}}}`, "extra_body.extra_body"},
		{"", `{"input":["x",{"type":"additional_tools","tools":[{},{"type":"image_generation",` +
			`"model":"a"}]}]}`, "input[1].tools[1].model"},
		{"", `{"Input":[{"tools":[],"Tools":[{"type":"namespace","tools":[{},{"models":"a"}]}]}]}`,
			"Input[0].Tools[0].tools[1].models"},
		{"", `{"messages":[{"content":"x"},{"content":[{"tool":1},{"tool":{"definition":{"name":"f"}}},` +
			`{"tool":{"definition":{"type":"advisor_1","model":"a"}}}]}]}`,
			"messages[1].content[2].tool.definition.model"},
		{"/p?fallbacks=b", `{}`, "fallbacks"},
		{"/p?x%5Bmodel%5D=b", `{}`, "x%5Bmodel%5D"},
	} {
		_, err := passing.Single(translator.API("chat"), c.path, []byte(c.body), true)
		require.NotNil(t, err, c.body)
		require.Equal(t, c.at, ir.AsError(err).Path, c.body)
		_, err = passing.Single(translator.API("chat"), c.path, []byte(c.body), false)
		require.Nil(t, err, c.body)
	}
	for body, said := range map[string]string{
		`{}`:  `{}`,
		`[1]`: `{}`,
		` {"a":{"Model":1,"model":2}, "mod\u0065l" : "\u0061" ,"stream":true,` +
			`"stream_options": {"include_usage":true,"x":1},"models":[],` +
			`"include_usage":1}`: `{"model":"\u0061","stream":true,` +
			`"stream_options":{"include_usage":true,"x":1}}`,
		`{"tools":[{"name":"model","input_schema":{"model":1},"model":null},{"type":"function",` +
			`"parameters":{"properties":{"model":{}}}}]}`: `{}`,
		`{"tools":{"model":"a"},"plugins":"fusion","fallbacks":null,"streamer":1,"` + strings.Repeat("model",
			20) + `":1}`: `{}`,
		`{"background":false,"extra_body":{"google":{"model":"a"},"models":[]},"input":"model",` +
			`"messages":[{"role":"model","content":"model","model":"a"}]}`: `{}`,
		`{"messages":[{"content":[{"type":"tool_use","input":{"model":"a","tools":[{"model":"a"}]}},` +
			`{"tool":{"name":"f","model":"a"}}]}],"input":[{"type":"x","model":"a",` +
			`"content":[{"tools":1}]}]}`: `{}`,
	} {
		got, err := passing.Single(translator.API("chat"), "/p?beta=true&x=%20model&x%5B%5D=1&%25=&a+b=%zz",
			[]byte(body), true)
		require.Nil(t, err, body)
		require.Equal(t, said, string(got))
	}
}

// TestSingleBut: only the exact member is left to a caller that runs responses in the background.
func TestSingleBut(t *testing.T) {
	for body, path := range map[string]string{`{"model":"a","background":true}`: "",
		`{"background":false,"background":"x"}`: "", `{"Background":true}`: "Background",
		`{"background":true,"BACKGROUND":true}`:                "BACKGROUND",
		`{"background":true,"extra_body":{"background":true}}`: "extra_body.background"} {
		_, err := passing.SingleBut(translator.API("responses"), "/v1/responses", []byte(body), true,
			passing.Own{Background: true})
		if path == "" {
			require.NoError(t, err, body)
			continue
		}
		require.Equal(t, path, ir.AsError(err).Path, body)
	}
}

// FuzzSingle: Go's encoding/json, which ignores the letter case of members, and the translator read
// the same from an accepted body and from the members returned by Single.
func FuzzSingle(f *testing.F) {
	for _, body := range []string{
		`{"model":"a","Model":"b"}`, `{"model":"a","stream":true,"stream_options":{"include_usage":true}}`,
		`{"\u017ftream":true}`, `{"model":"a","x":{"model":"b"}}`, `{"Model":"a"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, err := passing.Single(translator.API("chat"), "", body, true)
		if err != nil {
			return
		}
		var read struct {
			Model         any
			Stream        any
			StreamOptions any `json:"stream_options"`
			Models        any
		}
		if json.Unmarshal(body, &read) != nil {
			return // no object
		}
		model, _ := read.Model.(string)
		for _, name := range []string{"anthropic", "chat", "responses"} {
			client := translator.API(name)
			require.Equal(t, model, passing.Model(client, "", body))
			require.Equal(t, model, passing.Model(client, "", members))
			streams, counted := passing.Streams(client, "", body)
			again, too := passing.Streams(client, "", members)
			require.Equal(t, [2]bool{streams, counted}, [2]bool{again, too})
			if flag, ok := read.Stream.(bool); ok || read.Stream == nil {
				require.Equal(t, flag, streams)
			}
		}
	})
}

// BenchmarkSingle compares a limited endpoint, which calls Single, with any other endpoint. Both
// read the model, and "stream" twice, of a body of 100 KB.
func BenchmarkSingle(b *testing.B) {
	body := []byte(`{"model":"a","messages":[` +
		strings.Repeat(`{"role":"user","content":"some text with a \"quote\" and\nlines of a usual `+
			`length, as they stand in a prompt"},`, 900) + `{}],"stream":true}`)
	chat := translator.API("chat")
	b.Run("single", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			members, _ := passing.Single(translator.API("chat"), "", body, true)
			passing.Model(chat, "", members)
			passing.Streams(chat, "", members)
			passing.Streams(chat, "", members)
		}
	})
	b.Run("any", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			passing.Model(chat, "", body)
			passing.Streams(chat, "", body)
			passing.Streams(chat, "", body)
		}
	})
}
