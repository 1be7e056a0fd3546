package gemini

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonw"
)

// checkCalls checks that the arguments of each call are an object, in an answer with a good end.
func checkCalls(t *testing.T, s *irtest.Recorder) {
	// 0: the answer has failed
	if stop := s.Last().Stop; stop == 0 || stop == ir.MaxTokens || stop == ir.Refusal {
		return
	}
	for _, b := range s.Blocks() {
		if b.Start.Block == ir.ToolCallBlock {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(jsonw.Unescape(b.Text())), &object), "%s", b.Text())
		}
	}
}

// put writes parts of arguments: a path, then a value as JSON. A value with ... at its end
// continues in the next part. The value - stands for a missing value.
func put(parts ...string) string {
	var list []string
	for i := 0; i < len(parts); i += 2 {
		value, continues := strings.CutSuffix(parts[i+1], "...")
		member := ""
		switch {
		case value == "-":
		case value == "null":
			member = `,"nullValue":"NULL_VALUE"`
		case value[0] == '"':
			member = `,"stringValue":` + value
		case value == "true" || value == "false":
			member = `,"bool_value":` + value
		default:
			member = `,"numberValue":` + value
		}
		if continues {
			member += `,"willContinue":true`
		}
		path, _ := json.Marshal(parts[i])
		list = append(list, fmt.Sprintf(`{"jsonPath":%s%s}`, path, member))
	}
	return `{"functionCall":{"partialArgs":[` + strings.Join(list, ",") + `],"willContinue":true}}`
}

const (
	beginCall = `{"functionCall":{"name":"f","willContinue":true}}`
	endCall   = `{"functionCall":{}}`
)

func arg(s *irtest.Recorder) string {
	return jsonw.Unescape(s.Text())
}

func TestPartialArguments(t *testing.T) {
	for object, parts := range map[string][]string{
		`{}`:      {},
		`{"a":1}`: {put("$.a", "1")},
		`{"a":"xy\"z"}`: {put("$.a", `"x"...`), put("$.a", `"y\""...`),
			put("$.a", `"z"`)},
		`{"a":"","b":true,"c":null,"d":-0.5}`: {put("$.a", `""`, "$.b", "true", "$.c", "null", "$.d",
			"-0.5")},
		`{"a":"x","b":"y"}`: {put("$.a", `"x"...`, "$.b", `"y"...`)},
		`{"a":"x","b":1}`:   {put("$.a", `"x"...`, "$.a", "-"), put("$.b", "1")},
		`{"r":{"s":[{"a":"x","b":1},{"a":"y"}],"t":[[1,2],[3]]},"u":4}`: {put("$.r.s[0].a", `"x"...`),
			put("$.r.s[0].a", `""`), put("$.r.s[0].b", "1"), put("$.r.s[1].a", `"y"`),
			put("$.r.t[0][0]", "1", "$.r.t[0][1]", "2", "$.r.t[1][0]", "3", "$.u", "4")},
		`{"tables":["a","b"]}`: {put("$.tables[0]", `"a"`), put("$.tables[1]", `"b"`),
			put("$.tables[]", "-")},
		`{"a.b":1,"c'd":2,"e\"f":{"g]":3}}`: {put(`$['a.b']`, "1", `$['c\'d']`, "2", `$["e\"f"]['g]']`, "3")},
		`{"a":{"x":1},"b":{"x":1}}`:         {put("$.a.x", "1", "$.b.x", "1")},
	} {
		chunks := []string{chunk(beginCall)}
		for _, p := range parts {
			chunks = append(chunks, chunk(p))
		}
		for name, end := range map[string][]string{"an empty call": {chunk(endCall), chunk(endCall),
			chunk("", stop)}, "STOP": {chunk("", stop)},
			"another call": {chunk(`{"functionCall":{"name":"g","args":{}}}`, stop)}} {
			want := object
			s, lost := streamed(t, asked(), append(append([]string(nil), chunks...), end...)...)
			require.Empty(t, lost)
			if want == `{"a":"x","b":"y"}` && name != "an empty call" {
				require.Equal(t,
					"failure unavailable The upstream's answer can't be read: a tool call is incomplete.",
					s.LastLine(), name)
				continue
			}
			require.Equal(t, "finish tool_use", s.LastLine(), "%s, %s", want, name)
			if name == "another call" {
				want += "{}"
			}
			require.Equal(t, want, arg(s), name)
			checkCalls(t, s)
		}
	}
}

// TestPartialArgumentsInOnePart: the last part of a call may have arguments (recorded by vercel/ai,
// google-stream-tool-call-array-arguments).
func TestPartialArgumentsInOnePart(t *testing.T) {
	last := strings.Replace(put("$.a[0].b", "1"), `,"willContinue":true`, "", 1)
	s, _ := streamed(t, asked(), chunk(beginCall), chunk(last), chunk(`{"text":""}`, stop))
	require.Equal(t, []string{"tool call_r_1 f", `+{\"a\":[{\"b\":1}]}`, "end", "finish tool_use"},
		s.Lines()[1:])
	s, _ = streamed(t, asked(), chunk(strings.Replace(last, `{"functionCall":{`,
		`{"functionCall":{"name":"f",`, 1), stop))
	require.Equal(t, []string{"tool call_r_1 f", `+{\"a\":[{\"b\":1}]}`, "end", "finish tool_use"},
		s.Lines()[1:])
}

// TestPartialArgumentsWithIDs: a part with the id of the open call continues the call, a part with
// only the call's name begins another call.
func TestPartialArgumentsWithIDs(t *testing.T) {
	begin := `{"functionCall":{"id":"x","name":"f","willContinue":true}}`
	s, _ := streamed(t, asked(), chunk(begin), chunk(strings.Replace(put("$.a", "1"), `{"functionCall":{`,
		`{"functionCall":{"id":"x","name":"f",`, 1)), chunk(beginCall), chunk(endCall+`,{"text":"b"}`, stop))
	require.Equal(t, []string{"tool x f", `+{\"a\":1`, `+}`, "end", "tool call_r_2 f", "+{}", "end", "text",
		"+b", "end", "finish tool_use"}, s.Lines()[1:])
	_, lost := streamed(t, asked(), chunk(begin), chunk(`{"functionCall":{},"thoughtSignature":"S"}`, stop))
	require.Equal(t, []string{lostSignature}, lost)
}

// TestPartialArgumentsThatFail covers parts that do not make an object.
func TestPartialArgumentsThatFail(t *testing.T) {
	many := []string{}
	for i := range maxArgsSeen + 1 {
		many = append(many, fmt.Sprintf("$.a%d", i), "1")
	}
	for name, parts := range map[string]string{
		"no path":              put("", "1"),
		"the whole":            put("$", "1"),
		"an element of it":     put("$[0]", "1"),
		"twice":                put("$.a", "1", "$.a", "1"),
		"back":                 put("$.a.x", "1", "$.b", "1", "$.a.y", "1"),
		"a value, then within": put("$.a", "1", "$.a.b", "1"),
		"an object as a list":  put("$.a.b", "1", "$.a[0]", "1"),
		"a list as an object":  put("$.a[0]", "1", "$.a.b", "1"),
		"a gap":                put("$.a[1]", "1"),
		"an element twice":     put("$.a[0]", "1", "$.a[0]", "1"),
		"no index":             put("$.a[]", "1"),
		"a wildcard":           put("$.*", "1"),
		"wildcards":            put("$.a[*]", "1"),
		"descendants":          put("$..a", "1"),
		"a negative index":     put("$.a[-1]", "1"),
		"an open name":         put("$['a", "1"),
		"an open bracket":      put("$.a[0", "1"),
		"a name without end":   put("$['a'", "1"),
		"no name":              put("$['", "1"),
		"a bracket":            put("$[", "1"),
		"an empty bracket":     put("$[]", "1"),
		"a point":              put("$.", "1"),
		"no dollar":            put("a.b", "1"),
		"no point":             put("$a]", "1"),
		"behind a name":        put("$['a']b", "1"),
		"a number in a text":   put("$.a", `"x"...`, "$.a", "1"),
		"too deep":             put("$"+strings.Repeat("[0]", 1)+strings.Repeat(".a", maxArgsDepth+1), "1"),
		"deep":                 put("$"+strings.Repeat(".a", maxArgsDepth+1), "1"),
		"too many":             put(many...),
		"a value of its own": `{"functionCall":{"partialArgs":[{"jsonPath":"$.a",` +
			`"structValue":{"b":1}}],"willContinue":true}}`,
	} {
		s, _ := streamed(t, asked(), chunk(beginCall), chunk(parts), chunk(endCall, stop))
		require.Equal(t,
			"failure unavailable The upstream's answer can't be read: the partial arguments of a "+
				"tool call do not form an object.", s.LastLine(), name)
	}
	s, _ := streamed(t, asked(), chunk(beginCall), chunk(put("$"+strings.Repeat(".a", maxArgsDepth), "1")),
		chunk(put(many[2*2:]...)), chunk(endCall, stop))
	require.Contains(t, s.LastLine(), "finish tool_use")
}

// TestPartialArgumentsAtALimit checks that cut arguments stay as they are.
func TestPartialArgumentsAtALimit(t *testing.T) {
	s, _ := streamed(t, asked(), chunk(beginCall), chunk(put("$.a", `"x"...`),
		`,"finishReason":"MAX_TOKENS"`))
	require.Equal(t, []string{"tool call_r_1 f", `+{\"a\":\"x`, "end", "finish max_tokens"}, s.Lines()[1:])
}
