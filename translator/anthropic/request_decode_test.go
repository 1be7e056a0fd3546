package anthropic

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// TestRefusals covers wrong fields, with the path and the message for the client; the corpus has
// the whole exchanges.
func TestRefusals(t *testing.T) {
	const user = `"messages":[{"role":"user","content":"x"}]`
	block := func(b string) string { return `"messages":[{"role":"user","content":[` + b + `]}]` }
	for members, want := range map[string]string{
		user + `,"temperature":"1"`:    "temperature: Input should be a valid number. Found '1'.",
		user + `,"top_k":true`:         "top_k: Input should be a valid number. Found true.",
		user + `,"stop_sequences":"x"`: "stop_sequences: Input should be a valid list. Found a string.",
		user + `,"system":7`:           "system: Input should be a valid string or list. Found a number.",
		user + `,"system":[7]`:         "system[0]: Input should be a valid dictionary. Found a number.",
		user + `,"metadata":7`:         "metadata: Input should be a valid dictionary. Found a number.",
		user + `,"metadata":{"user_id":7}`: "metadata.user_id: Input should be a valid string. Found a " +
			"number.",
		user + `,"thinking":7`: "thinking: Input should be a valid dictionary. Found a number.",
		user + `,"thinking":{"type":"enabled","budget_tokens":0}`: "thinking.budget_tokens: Input should " +
			"be greater than or equal to 1. Found 0.",
		user + `,"output_config":7`: "output_config: Input should be a valid dictionary. Found a number.",
		user + `,"output_config":{"effort":7}`: "output_config.effort: Input should be a valid string. " +
			"Found a number.",
		user + `,"output_config":{"format":7}`: "output_config.format: Input should be a valid dictionary. " +
			"Found a number.",
		user + `,"output_format":{"type":"json_object"}`: "output_format.type: Input should be " +
			"'json_schema'. Found 'json_object'.",
		user + `,"output_format":{"type":"json_schema"}`: "output_format.schema: Field required",
		user + `,"output_format":{"type":"json_schema","schema":7}`: "output_format.schema: Input should " +
			"be a valid dictionary. Found a number.",
		user + `,"tools":7`:            "tools: Input should be a valid list. Found a number.",
		user + `,"tools":[7]`:          "tools[0]: Input should be a valid dictionary. Found a number.",
		user + `,"tools":[{"name":7}]`: "tools[0].name: Input should be a valid string. Found a number.",
		user + `,"tools":[{"name":"f","input_schema":[]}]`: "tools[0].input_schema: Input should be a " +
			"valid dictionary. Found an array.",
		user + `,"tool_choice":"auto"`:          "tool_choice: Input should be a valid dictionary. Found a string.",
		user + `,"tool_choice":{"type":"tool"}`: "tool_choice.name: Field required",
		`"messages":7`:                          "messages: Input should be a valid list. Found a number.",
		`"messages":[7]`:                        "messages[0]: Input should be a valid dictionary. Found a number.",
		`"messages":[{"content":"x"}]`:          "messages[0].role: Field required",
		`"messages":[{"role":7,"content":"x"}]`: "messages[0].role: Input should be 'user', 'assistant' or " +
			"'system'. Found 7.",
		block(`7`):               "messages[0].content[0]: Input should be a valid dictionary. Found a number.",
		block(`{"type":"text"}`): "messages[0].content[0].text: Field required",
		block(`{"type":"text","text":7}`): "messages[0].content[0].text: Input should be a valid string. " +
			"Found a number.",
		block(`{"type":"image"}`): "messages[0].content[0].source: Field required",
		block(`{"type":"image","source":{"type":"base64","data":"x"}}`): "messages[0].content[0].source: " +
			"Input should be a valid source",
		block(`{"type":"tool_use","name":"f","input":{}}`): "messages[0].content[0].id: Field required",
		block(`{"type":"tool_result","tool_use_id":"a",` +
			`"content":[{}]}`): "messages[0].content[0].content[0].type: Field required",
		block(`{"type":"tool_result","tool_use_id":"a",` +
			`"content":{}}`): "messages[0].content[0].content: Input should be a valid string or list. " +
			"Found an object.",
		block(`{"type":"tool_reference"}`): "messages[0].content[0].tool_name: Field required",
		block(`{"type":"document","source":{"type":"file",` +
			`"file_id":1}}`): "messages[0].content[0].source.file_id: Input should be a valid string. " +
			"Found a number.",
		block(`{"type":"document",` +
			`"source":{"type":"file"}}`): "messages[0].content[0].source: Input should be a valid source",
		user + `,"max_tokens":"twelve"`: "max_tokens: Input should be a valid integer. Found 'twelve'.",
		`"messages":[{"role":"asistant","content":"x"}]`: "messages[0].role: Input should be 'user', " +
			"'assistant' or 'system'. Found 'asistant'. Did you mean 'assistant'?",
		user + `,"tool_choice":{"type":"autto"}`: "tool_choice.type: Input should be 'auto', 'any', 'tool' " +
			"or 'none'. Found 'autto'. Did you mean 'auto'?",
		user + `,"tool_choice":{}`: "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'",
		block(`{"type":"image","source":{"type":"bsae64","data":"x"}}`): "messages[0].content[0].source.type: " +
			"Input should be 'base64', 'url', 'text', 'content' or 'file'. Found 'bsae64'. Did you mean 'base64'?",
	} {
		var lost ir.Lost
		_, err := Client{}.DecodeRequest("", `{"model":"m","max_tokens":1,`+members+`}`, &lost)
		require.NotNil(t, err, members)
		require.Equal(t, want, err.Error(), members)
		require.Equal(t, 400, err.HTTPStatus())
	}
}

// TestNullIsAbsent: a null member counts as absent, and is not reported as lost.
func TestNullIsAbsent(t *testing.T) {
	var lost ir.Lost
	r, err := Client{}.DecodeRequest("",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"system":null,"tools":null,
		"tool_choice":null,"thinking":null,"metadata":{"user_id":null},"stream":null,"temperature":null,"thread":null,"container":null}`, &lost)
	require.Nil(t, err)
	require.Empty(t, lost.Paths())
	require.Len(t, r.Messages, 1)
	require.Empty(t, r.Tools)
}

// TestLimits checks the bounds on the memory of a request with many small elements. Each bound is
// tested with the last number that passes.
func TestLimits(t *testing.T) {
	const limit = "The request has too many messages, content blocks, tools and stop sequences: " +
		"the limit is 20000 in total. Shorten the conversation."
	list := func(element string, n int) string {
		return "[" + strings.Repeat(element+",", n-1) + element +
			"]"
	}
	const one = `"messages":[{"role":"user","content":"x"}]`
	const block, result = `{"type":"text","text":"x"}`, `[{"role":"user","content":[{"type":"tool_result",` +
		`"tool_use_id":"t","content":`
	for name, c := range map[string]struct {
		most    int
		members func(n int) string
	}{
		"messages": {10_000, func(n int) string {
			return `"messages":` +
				list(`{"role":"user","content":"x"}`, n)
		}},
		"blocks": {19_999, func(n int) string {
			return `"messages":[{"role":"user","content":` +
				list(block, n) + `}]`
		}},
		"system": {19_998, func(n int) string { return one + `,"system":` + list(block, n) }},
		"parts":  {19_998, func(n int) string { return `"messages":` + result + list(block, n) + `}]}]` }},
		"document": {19_998, func(n int) string {
			return `"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content",` +
				`"content":` + list(block, n) + `}}]}]`
		}},
		"tools": {19_998, func(n int) string {
			return one + `,"tools":` +
				list(`{"name":"f","input_schema":{}}`, n)
		}},
		"stop sequences": {19_998, func(n int) string { return one + `,"stop_sequences":` + list(`""`, n) }},
	} {
		var lost ir.Lost
		_, err := Client{}.DecodeRequest("", `{"model":"m","max_tokens":1,`+c.members(c.most)+`}`, &lost)
		require.Nil(t, err, name)
		_, err = Client{}.DecodeRequest("", `{"model":"m","max_tokens":1,`+c.members(c.most+1)+`}`, &lost)
		require.NotNil(t, err, name)
		require.Equal(t, limit, err.Error(), name)
		require.Equal(t, ir.InvalidRequest, err.Kind)
	}
}

// TestListsAreAllocatedOnce: memory is never freed in an instance.
func TestListsAreAllocatedOnce(t *testing.T) {
	blocks := `[` + strings.Repeat(`{"type":"text","text":"x"},`, 999) + `{"type":"text","text":"x"}]`
	messages := strings.Repeat(`{"role":"user","content":[{"type":"text","text":"x"}]},`, 500)
	tools := strings.Repeat(`{"name":"f","input_schema":{}},`, 500)
	body := `{"model":"m","max_tokens":1,"messages":[` + messages + `{"role":"user","content":` + blocks +
		`}],"tools":[` + tools + `{"name":"g","input_schema":{}}],"system":` + blocks + `}`
	var lost ir.Lost
	r, err := Client{}.DecodeRequest("", body, &lost)
	require.Nil(t, err)
	require.Len(t, r.Messages, 502)
	require.Len(t, r.Messages[501].Content, 1000)
	require.Equal(t, 1000, cap(r.Messages[501].Content))
	require.Equal(t, 502, cap(r.Messages))
	require.Equal(t, 501, cap(r.Tools))
	body = strings.Replace(body, tools, "", 1)
	allocations := testing.AllocsPerRun(3, func() { _, _ = Client{}.DecodeRequest("", body, &lost) })
	require.LessOrEqual(t, allocations, 510.0, "one for each list, and a few")
}

// BenchmarkManyDeferredTools checks that the time for a request is not quadratic in its size. The
// metric is how many times as long eight times the tools take: about 8, or 64 if the time is
// quadratic.
func BenchmarkManyDeferredTools(b *testing.B) {
	decode := func(n int) time.Duration {
		body := manyDeferred(n)
		begun := time.Now()
		for range b.N {
			_, _ = Client{}.DecodeRequest("", body, &ir.Lost{})
		}
		return time.Since(begun)
	}
	few, many := decode(1_000), decode(8_000)
	b.ReportMetric(float64(many)/float64(few), "x/eighth")
}

func TestManyDeferredTools(t *testing.T) {
	r, err := Client{}.DecodeRequest("", manyDeferred(9_000), &ir.Lost{})
	require.Nil(t, err)
	require.Len(t, r.Tools, 9_000)
}

func manyDeferred(n int) string {
	var tools, references strings.Builder
	for i := range n {
		tools.WriteString(`,{"name":"f` + strconv.Itoa(i) +
			`","defer_loading":true,"input_schema":{"type":"object"}}`)
		references.WriteString(`,{"type":"tool_reference","tool_name":"f` + strconv.Itoa(i) + `"}`)
	}
	return `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[` + references.String()[1:] +
		`]}],"tools":[{"name":"f","defer_loading":true,"input_schema":{"type":"object"}}` + tools.String() +
		`]}`
}

// TestManyLostMembers checks that losses beyond the bound are only counted, without building their
// paths.
func TestManyLostMembers(t *testing.T) {
	body := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x"` +
		strings.Repeat(`,"k":1`, 100_000) + `}]}],"` + strings.Repeat("x", 5000) + `":1}`
	var lost ir.Lost
	_, err := Client{}.DecodeRequest("", body, &lost)
	require.Nil(t, err)
	require.Equal(t, []string{"messages[0].content[0].k", strings.Repeat("x", 64)}, lost.Paths())

	many := strings.Builder{}
	for i := range 600 {
		many.WriteString(`,"k` + strconv.Itoa(i) + `":1`)
	}
	body = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"` + many.String() + `}]` +
		many.String() + `}`
	_, err = Client{}.DecodeRequest("", body, &lost)
	require.Nil(t, err)
	require.Len(t, lost.Paths(), 512)
	require.Contains(t, lost.Header(), ",+")
}

func TestSession(t *testing.T) {
	for user, want := range map[ir.Escaped]ir.Escaped{
		`{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"7c9e-1\"}`: "7c9e-1",
		`user_d_account__session_7c9e-1`:                                        "7c9e-1",
		`user_d_account_a_session_`:                                             "",
		`{\"session_id\":7}`:                                                    "",
		`{\"session_id\":\"7c9e`:                                                "",
		`{\"device_id\":\"d\"}`:                                                 "",
		`[\"session_id\"]`:                                                      "",
		`\"session_id\"`:                                                        "",
		`{\"session_id\":\"7c9e-1\",\"device_id\":\"d\"}`:                       "7c9e-1",
		`7`:               "",
		`max@example.com`: "",
		``:                "",
	} {
		require.Equal(t, want, session(user), user)
	}
}

// TestPaths covers a block or a tool at each possible position.
func TestPaths(t *testing.T) {
	r, err := Client{}.DecodeRequest("",
		`{"model":"m","max_tokens":1,"system":[{"type":"text","text":" "},{"type":"text","text":"a"}],"messages":[{"role":"user","content":"a"},
		{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"c","name":"f"}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]},
		{"role":"system","content":[{"type":"text","text":"a"},{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"g","input_schema":{}}}}]}],
		"tools":[{"name":"e","input_schema":{}},{"name":"f","input_schema":{}}]}`, &ir.Lost{})
	require.Nil(t, err)
	paths := irtest.Positions(r)
	require.Equal(t, []string{"system[1]", "messages[0].content", "messages[1].content[0]",
		"messages[1].content[1]",
		"messages[2].content[0]", "messages[2].content[0].content[0]", "messages[2].content[0].content[1]",
		"messages[3].content[0]",
		"tools[0]", "tools[1]", "messages[3].content[1].tool.definition"}, paths)

	r, err = Client{}.DecodeRequest("",
		`{"model":"m","max_tokens":1,"system":"a","messages":[{"role":"user","content":"a"}]}`, &ir.Lost{})
	require.Nil(t, err)
	require.Equal(t, "system", r.Messages[0].Content[0].At.String())
}
