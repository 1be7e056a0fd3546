package policy

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// TestOptional holds one property after the other against the rules: is it still required?
func TestOptional(t *testing.T) {
	for property, required := range map[string]bool{
		`{}`:                            true,
		`true`:                          true,
		`{"type":"string"}`:             true,
		`{"type":["string"]}`:           true,
		`{"type":["string","boolean"]}`: true,
		`{"type":"array","items":{"type":"boolean"}}`:                   true,
		`{"type":"object","properties":{"default":{"type":"string"}}}`:  true,
		`{"type":"object","properties":{"a":{"default":1}}}`:            true,
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`:              true,
		`{"allOf":[{"type":"string"},{"type":"null"}]}`:                 true,
		`{"anyOf":[{"type":"string"},{"type":["integer","null"]}]}`:     true,
		`{"nullable":false,"type":"string"}`:                            true,
		`{"description":"The path. Must be given"}`:                     true,
		`{"title":"optional"}`:                                          true,
		`{"default":null,"type":"string"}`:                              false,
		`{"type":"string","default":"x"}`:                               false,
		`{"type":"string","nullable":true}`:                             false,
		`{"type":["null","string"]}`:                                    false,
		`{"type":"null"}`:                                               false,
		`{"anyOf":[{"type":"string"},{"type":"null"}]}`:                 false,
		`{"oneOf":[{"title":"none","type":"null"},{"type":"integer"}]}`: false,
		`{"type":"boolean"}`:                                            false,
		`{"description":"OPTIONAL path"}`:                               false,
		`{"description":"The path (optional)"}`:                         false,
		`{"description":"Defaults to 10."}`:                             false,
		`{"description":"all, if not specified"}`:                       false,
		`{"description":"Set to true to run it later"}`:                 false,
		`{"description":"If provided, only these"}`:                     false,
		`{"description":"It can be omitted"}`:                           false,
		`{"description":"not\u0020required"}`:                           false,
	} {
		const head, tail = `{"type":"object","properties":{"a":`, `,"b":{"type":"string"}}`
		out, shrunk := rewritten(jsonw.Raw(head+property+tail+`,"required":["a","b"]}`), rules{required: true})
		want := `["a","b"]`
		if !required {
			want = `["b"]`
		}
		require.Equal(t, head+property+tail+`,"required":`+want+`}`, string(out))
		require.Equal(t, !required, shrunk, property)
		out, _ = rewritten(jsonw.Raw(`{"required":["a","b"],"properties":{"a":`+property+`}}`), rules{required: true})
		require.Equal(t, `{"required":`+want+`,"properties":{"a":`+property+`}}`, string(out), "the list in front")
	}
}

func TestShrink(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"the first, spaces kept", `{"properties":{"a":{"default":1}}, "required" : [ "a", "b",
 "c" ] }`, `{"properties":{"a":{"default":1}}, "required" : ["b",
 "c" ] }`},
		{"the last", `{"properties":{"b":{"default":1}},"required":[ "a", "b" ]}`, `{"properties":{"b":{"default":1}},"required":["a" ]}`},
		{"all", `{"properties":{"a":{"default":1}},"required":["a"]}`, `{"properties":{"a":{"default":1}},"required":[]}`},
		{"none", `{"properties":{"a":{}},"required":[ "a"]}`, `{"properties":{"a":{}},"required":[ "a"]}`},
		{"a name with escapes", `{"properties":{"\u0061\n":{"default":1}},"required":["a\u000a"]}`, `{"properties":{"\u0061\n":{"default":1}},"required":[]}`},
		{"no list", `{"properties":{"a":{"default":1}}}`, `{"properties":{"a":{"default":1}}}`},
		{"a list that is none", `{"properties":{"a":{"default":1}},"required":null}`, `{"properties":{"a":{"default":1}},"required":null}`},
		{"names that are none", `{"properties":{"a":{"default":1}},"required":[1,"a",{}]}`, `{"properties":{"a":{"default":1}},"required":[1,{}]}`},
		{"a property called required", `{"properties":{"required":{"type":"array","default":["required"]}},"required":["required"]}`, `{"properties":{"required":{"type":"array","default":["required"]}},"required":[]}`},
		{"in every place", `{"items":[{"properties":{"a":{"default":1}},"required":["a"]}],"additionalProperties":{"properties":{"a":{"default":1}},"required":["a"]},"anyOf":[{"properties":{"a":{"default":1}},"required":["a"]}],"oneOf":[{"properties":{"a":{"default":1}},"required":["a"]}],"allOf":[{"properties":{"a":{"default":1}},"required":["a"]}],"$defs":{"x":{"properties":{"a":{"default":1}},"required":["a"]}},"definitions":{"x":{"properties":{"a":{"default":1}},"required":["a"]}}}`,
			`{"items":[{"properties":{"a":{"default":1}},"required":[]}],"additionalProperties":{"properties":{"a":{"default":1}},"required":[]},"anyOf":[{"properties":{"a":{"default":1}},"required":[]}],"oneOf":[{"properties":{"a":{"default":1}},"required":[]}],"allOf":[{"properties":{"a":{"default":1}},"required":[]}],"$defs":{"x":{"properties":{"a":{"default":1}},"required":[]}},"definitions":{"x":{"properties":{"a":{"default":1}},"required":[]}}}`},
		{"not in values", `{"const":{"properties":{"a":{"default":1}},"required":["a"]},"enum":[{"required":["a"]}],"not":{"properties":{"a":{"default":1}},"required":["a"]}}`,
			`{"const":{"properties":{"a":{"default":1}},"required":["a"]},"enum":[{"required":["a"]}],"not":{"properties":{"a":{"default":1}},"required":["a"]}}`},
		{"by the properties beside it", `{"properties":{"a":{"properties":{"b":{"default":1}},"required":["a","b"]}},"required":["a","b"]}`, `{"properties":{"a":{"properties":{"b":{"default":1}},"required":["a"]}},"required":["a","b"]}`},
	} {
		out, _ := rewritten(jsonw.Raw(c.schema), rules{required: true})
		require.Equal(t, c.want, string(out), c.name)
	}
}

func TestFormats(t *testing.T) {
	for schema, want := range map[string]string{
		`{"format":"uri"}`:                                         `{}`,
		`{ "format" : "uri" , "type" : "string" }`:                 `{ "type" : "string" }`,
		`{"type":"string" , "format":"uri" }`:                      `{"type":"string" }`,
		`{"type":"string","format":"uri","title":"x"}`:             `{"type":"string","title":"x"}`,
		`{"format":"uri","format":"iri","type":"string"}`:          `{"type":"string"}`,
		`{"a":1,"format":"uri","format":"iri"}`:                    `{"a":1}`,
		`{"type":["string","null"],"format":"regex"}`:              `{"type":["string","null"]}`,
		`{"type":"integer","format":"int64"}`:                      `{"type":"integer","format":"int64"}`,
		`{"format":"int64","type":["integer","null"]}`:             `{"format":"int64","type":["integer","null"]}`,
		`{"format":7,"type":"string"}`:                             `{"format":7,"type":"string"}`,
		`{"properties":{"format":{"format":"uri"}}}`:               `{"properties":{"format":{}}}`,
		`{"properties":{"a":{"format":"uri"}},"format":"uri"}`:     `{"properties":{"a":{}}}`,
		`{"items":{"format":"uri"},"anyOf":[{"format":"uri"}, 1]}`: `{"items":{},"anyOf":[{}, 1]}`,
		`{"enum":[{"format":"uri"}],"default":{"format":"uri"}}`:   `{"enum":[{"format":"uri"}],"default":{"format":"uri"}}`,
		`[]`: `[]`,
		``:   ``,
	} {
		out, shrunk := rewritten(jsonw.Raw(schema), rules{formats: true})
		require.Equal(t, want, string(out), schema)
		require.False(t, shrunk)
	}
	for _, format := range strings.Fields("date-time time date duration email hostname ipv4 ipv6 uuid") {
		schema := jsonw.Raw(`{"type":"string","format":"` + format + `"}`)
		out, _ := rewritten(schema, rules{formats: true})
		require.Equal(t, schema, out)
	}
}

func TestNothingToDoCostsNothing(t *testing.T) {
	schema := jsonw.Raw(`{"properties":{"a":{"default":1,"format":"uri"}},"required":["a"]}`)
	require.Zero(t, testing.AllocsPerRun(10, func() { rewritten(schema, rules{}) }))
}

// TestDeepSchema has as many levels as a request may have.
func TestDeepSchema(t *testing.T) {
	const level = `{"required":["a"],"properties":{"a":`
	n := jsonr.MaxDepth/2 - 1
	deep := strings.Repeat(level, n) + `{"default":1}` + strings.Repeat("}}", n)
	require.NoError(t, jsonr.Check(deep))
	out, shrunk := rewritten(jsonw.Raw(deep), rules{required: true})
	require.True(t, shrunk)
	last := strings.LastIndex(deep, `["a"]`)
	require.Equal(t, deep[:last]+"[]"+deep[last+len(`["a"]`):], string(out))
}

// TestLikeARecursion holds the walk against the same rules written as a recursion, on schemas that were made up.
func TestLikeARecursion(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	changed := 0
	for range 2000 {
		text, err := json.Marshal(madeUp(random, 0))
		require.NoError(t, err)
		out, _ := rewritten(jsonw.Raw(text), rules{required: true, formats: true})
		var got, want any
		require.NoError(t, json.Unmarshal([]byte(out), &got), "%s\n%s", text, out)
		require.NoError(t, json.Unmarshal(text, &want))
		follow(want)
		require.Equal(t, want, got, string(text))
		if string(out) != string(text) {
			changed++
		}
	}
	require.Greater(t, changed, 500)
}

func madeUp(random *rand.Rand, depth int) any {
	s := map[string]any{}
	may := func(n int) bool { return random.Intn(n) == 0 }
	inner := func() any { return madeUp(random, depth+1) }
	if may(2) {
		s["type"] = []any{"string", "boolean", "object", "null", []any{"string", "null"}, "integer"}[random.Intn(6)]
	}
	if may(4) {
		s["format"] = []string{"uri", "date", "int32"}[random.Intn(3)]
	}
	if may(6) {
		s["default"] = map[string]any{"required": []any{"a"}}
	}
	if may(6) {
		s["description"] = []string{"optional", "needed"}[random.Intn(2)]
	}
	if may(2) {
		s["required"] = []any{"a", "b", "c"}[:random.Intn(4)]
	}
	if depth > 3 {
		return s
	}
	if may(2) {
		p := map[string]any{}
		for _, name := range []string{"a", "b", "required", "properties"}[:random.Intn(5)] {
			p[name] = inner()
		}
		s["properties"] = p
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "items", "additionalProperties", "$defs", "not"} {
		if !may(6) {
			continue
		}
		switch key {
		case "anyOf", "oneOf", "allOf":
			s[key] = []any{inner(), inner()}
		case "$defs":
			s[key] = map[string]any{"a": inner(), "required": inner()}
		default:
			s[key] = inner()
		}
	}
	return s
}

func isOf(v any, name string) bool {
	list, _ := v.([]any)
	return v == name || slices.Contains(list, any(name))
}

func follow(v any) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	if format, ok := s["format"].(string); ok && format != "date" && (s["type"] == nil || isOf(s["type"], "string")) {
		delete(s, "format")
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[key].([]any)
		for _, member := range list {
			follow(member)
		}
	}
	follow(s["items"])
	follow(s["additionalProperties"])
	for _, key := range []string{"properties", "$defs"} {
		named, _ := s[key].(map[string]any)
		for _, member := range named {
			follow(member)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	if names, ok := s["required"].([]any); ok {
		s["required"] = slices.DeleteFunc(slices.Clone(names), func(name any) bool { return isOptional(properties[name.(string)]) })
	}
}

func isOptional(v any) bool {
	p, _ := v.(map[string]any)
	_, has := p["default"]
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := p[key].([]any)
		for _, member := range list {
			if m, _ := member.(map[string]any); m["type"] == "null" {
				return true
			}
		}
	}
	return has || p["type"] == "boolean" || isOf(p["type"], "null") || p["description"] == "optional"
}
