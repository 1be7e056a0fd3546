package anthropic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestRefusals lists wrong fields with the path and words that a client reads; the corpus has the whole exchanges.
func TestRefusals(t *testing.T) {
	const user = `"messages":[{"role":"user","content":"x"}]`
	block := func(b string) string { return `"messages":[{"role":"user","content":[` + b + `]}]` }
	for members, want := range map[string]string{
		user + `,"temperature":"1"`:                                       "temperature: Input should be a valid number",
		user + `,"top_k":true`:                                            "top_k: Input should be a valid number",
		user + `,"stop_sequences":"x"`:                                    "stop_sequences: Input should be a valid list",
		user + `,"system":7`:                                              "system: Input should be a valid string or list",
		user + `,"system":[7]`:                                            "system[0]: Input should be a valid dictionary",
		user + `,"metadata":7`:                                            "metadata: Input should be a valid dictionary",
		user + `,"metadata":{"user_id":7}`:                                "metadata.user_id: Input should be a valid string",
		user + `,"thinking":7`:                                            "thinking: Input should be a valid dictionary",
		user + `,"thinking":{"type":"enabled","budget_tokens":0}`:         "thinking.budget_tokens: Input should be greater than or equal to 1",
		user + `,"output_config":7`:                                       "output_config: Input should be a valid dictionary",
		user + `,"output_config":{"effort":7}`:                            "output_config.effort: Input should be a valid string",
		user + `,"output_config":{"format":7}`:                            "output_config.format: Input should be a valid dictionary",
		user + `,"output_format":{"type":"json_object"}`:                  "output_format.type: Input should be 'json_schema'",
		user + `,"output_format":{"type":"json_schema"}`:                  "output_format.schema: Field required",
		user + `,"output_format":{"type":"json_schema","schema":7}`:       "output_format.schema: Input should be a valid dictionary",
		user + `,"tools":7`:                                               "tools: Input should be a valid list",
		user + `,"tools":[7]`:                                             "tools[0]: Input should be a valid dictionary",
		user + `,"tools":[{"name":7}]`:                                    "tools[0].name: Input should be a valid string",
		user + `,"tools":[{"name":"f","input_schema":[]}]`:                "tools[0].input_schema: Input should be a valid dictionary",
		user + `,"tool_choice":"auto"`:                                    "tool_choice: Input should be a valid dictionary",
		user + `,"tool_choice":{"type":"tool"}`:                           "tool_choice.name: Field required",
		`"messages":7`:                                                    "messages: Input should be a valid list",
		`"messages":[7]`:                                                  "messages[0]: Input should be a valid dictionary",
		`"messages":[{"content":"x"}]`:                                    "messages[0].role: Field required",
		`"messages":[{"role":7,"content":"x"}]`:                           "messages[0].role: Input should be 'user', 'assistant' or 'system'",
		block(`7`):                                                        "messages[0].content[0]: Input should be a valid dictionary",
		block(`{"type":"text"}`):                                          "messages[0].content[0].text: Field required",
		block(`{"type":"text","text":7}`):                                 "messages[0].content[0].text: Input should be a valid string",
		block(`{"type":"image"}`):                                         "messages[0].content[0].source: Field required",
		block(`{"type":"image","source":{"type":"base64","data":"x"}}`):   "messages[0].content[0].source: Input should be a valid source",
		block(`{"type":"tool_use","id":"a","name":"f","input":"{}"}`):     "messages[0].content[0].input: Input should be a valid dictionary",
		block(`{"type":"tool_use","name":"f","input":{}}`):                "messages[0].content[0].id: Field required",
		block(`{"type":"tool_result","tool_use_id":"a","content":[{}]}`):  "messages[0].content[0].content[0].type: Field required",
		block(`{"type":"tool_result","tool_use_id":"a","content":{}}`):    "messages[0].content[0].content: Input should be a valid string or list",
		block(`{"type":"tool_reference"}`):                                "messages[0].content[0].tool_name: Field required",
		block(`{"type":"document","source":{"type":"file","file_id":1}}`): "messages[0].content[0].source.type: Input should be 'base64' or 'url': files are not stored here",
	} {
		var lost ir.Lost
		_, err := Client{}.DecodeRequest(`{"model":"m","max_tokens":1,`+members+`}`, &lost)
		require.NotNil(t, err, members)
		require.Equal(t, want, err.Error(), members)
		require.Equal(t, 400, err.HTTPStatus())
	}
}

// TestNullIsAbsent: some clients send every field.
func TestNullIsAbsent(t *testing.T) {
	var lost ir.Lost
	r, err := Client{}.DecodeRequest(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"system":null,"tools":null,
		"tool_choice":null,"thinking":null,"metadata":{"user_id":null},"stream":null,"temperature":null,"thread":null,"container":null}`, &lost)
	require.Nil(t, err)
	require.Empty(t, lost.Paths())
	require.Len(t, r.Messages, 1)
	require.Empty(t, r.Tools)
}
