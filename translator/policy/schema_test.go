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

// TestOptional checks for each property whether it is still required.
func TestOptional(t *testing.T) {
	for property, required := range map[string]bool{
		`{}`:                            true,
		`true`:                          true,
		`{"type":"string"}`:             true,
		`{"type":["string"]}`:           true,
		`{"type":["string","boolean"]}`: true,
		`{"type":"array","items":{"type":"boolean"}}`:                                           true,
		`{"type":"object","properties":{"default":{"type":"string"}}}`:                          true,
		`{"type":"object","properties":{"a":{"default":1}}}`:                                    true,
		`{"anyOf":[{"type":"string"},{"type":"integer"}]}`:                                      true,
		`{"allOf":[{"type":"string"},{"type":"null"}]}`:                                         true,
		`{"anyOf":[{"const":0},{"enum":["null"]}]}`:                                             true,
		`{"nullable":false,"type":"string"}`:                                                    true,
		`{"description":"The path. Must be given"}`:                                             true,
		`{"title":"optional"}`:                                                                  true,
		`{"description":"Not optional, and NOT\nOPTIONAL. Isn't optional: it is non-optional"}`: true,
		`{"default":null,"type":"string"}`:                                                      false,
		`{"type":"string","default":"x"}`:                                                       false,
		`{"type":"string","nullable":true}`:                                                     false,
		`{"type":["null","string"]}`:                                                            false,
		`{"type":"null"}`:                                                                       false,
		`{"anyOf":[{"type":"string"},{"type":"null"}]}`:                                         false,
		`{"oneOf":[{"title":"none","type":"null"},{"type":"integer"}]}`:                         false,
		`{"anyOf":[{"type":"string"},{"type":["integer","null"]}]}`:                             false,
		`{"oneOf":[{"anyOf":[{"const":"a"},{"const":null}]}]}`:                                  false,
		`{"enum":["a",null]}`:                                                                   false,
		`{"type":"boolean"}`:                                                                    false,
		`{"description":"OPTIONAL path"}`:                                                       false,
		`{"description":"The path (optional)"}`:                                                 false,
		`{"description":"Defaults to 10."}`:                                                     false,
		`{"description":"all, if not specified"}`:                                               false,
		`{"description":"Set to true to run it later"}`:                                         false,
		`{"description":"If provided, only these"}`:                                             false,
		`{"description":"It can be omitted"}`:                                                   false,
		`{"description":"not\u0020required"}`:                                                   false,
		`{"description":"Lines, if\r\n\tnot  specified\tall"}`:                                  false,
		`{"description":"Not optional in one mode, optional in others"}`:                        false,
		`{"type":"integer","description":"The line number to start at. Only provide if the file is too ` +
			`large to read at once"}`: false,
		`{"description":"Set to false to keep them"}`:                              false,
		`{"description":"Filters by this when provided."}`:                         false,
		`{"description":"Optionally, a name"}`:                                     false,
		`{"description":"If set, only the first N lines"}`:                         false,
		`{"description":"Only set if sandbox_permissions is require_escalated"}`:   false,
		`{"description":"Only specify when\nit is asked for"}`:                     false,
		`{"description":"How many (default: 10)"}`:                                 false,
		`{"description":"How many. Default is 10"}`:                                false,
		`{"description":"All of them if omitted"}`:                                 false,
		`{"description":"The directory. Omit this field to use the default one"}`:  false,
		`{"description":"Omit for all"}`:                                           false,
		`{"description":"Leave empty for all"}`:                                    false,
		`{"description":"Requires output_mode content, ignored otherwise"}`:        false,
		`{"description":"Pages. Only applicable to PDF files"}`:                    false,
		`{"description":"Only include search results from these domains"}`:         true,
		`{"description":"Only used to sort"}`:                                      true,
		`{"description":"Must be set to true to delete"}`:                          true,
		`{"description":"An error if omitted. It fails if not provided."}`:         true,
		`{"description":"Returns 1 if settled, 2 when settling"}`:                  true,
		`{"description":"What the user wants to omit"}`:                            true,
		`{"description":"The default branch"}`:                                     true,
		`{"description":"Files are hidden by default; creates folders if needed"}`: true,
		`{"description":"Case is ignored when the pattern has no capitals"}`:       true,
	} {
		const head, tail = `{"type":"object","properties":{"a":`, `,"b":{"type":"string"}}`
		out, shrunk, _ := rewritten(jsonw.Raw(head+property+tail+`,"required":["a","b"]}`),
			rules{required: true})
		want := `["a","b"]`
		if !required {
			want = `["b"]`
		}
		require.Equal(t, head+property+tail+`,"required":`+want+`}`, string(out))
		require.Equal(t, !required, shrunk, property)
		out, _, _ = rewritten(jsonw.Raw(`{"required":["a","b"],"properties":{"a":`+property+`}}`),
			rules{required: true})
		require.Equal(t, `{"required":`+want+`,"properties":{"a":`+property+`}}`, string(out),
			"the list in front")
	}
}

func TestShrink(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"the first, spaces kept", `{"properties":{"a":{"default":1}}, "required" : [ "a", "b",
 "c" ] }`, `{"properties":{"a":{"default":1}}, "required" : ["b",
 "c" ] }`},
		{"the last", `{"properties":{"b":{"default":1}},"required":[ "a", "b" ]}`,
			`{"properties":{"b":{"default":1}},"required":["a" ]}`},
		{"all", `{"properties":{"a":{"default":1}},"required":["a"]}`, `{"properties":{"a":{"default":1}}}`},
		{"all, in front", `{ "required" : [ "a" ] , "properties":{"a":{"default":1}}}`,
			`{ "properties":{"a":{"default":1}}}`},
		{"all, in the middle", `{"type":"object", "required":["a"], "properties":{"a":{"default":1}}}`,
			`{"type":"object", "properties":{"a":{"default":1}}}`},
		{"none before", `{"required":[ ],"properties":{"a":{"default":1}}}`,
			`{"required":[ ],"properties":{"a":{"default":1}}}`},
		{"none", `{"properties":{"a":{}},"required":[ "a"]}`, `{"properties":{"a":{}},"required":[ "a"]}`},
		{"a name with escapes", `{"properties":{"\u0061\n":{"default":1}},"required":["a\u000a"]}`,
			`{"properties":{"\u0061\n":{"default":1}}}`},
		{"no list", `{"properties":{"a":{"default":1}}}`, `{"properties":{"a":{"default":1}}}`},
		{"a list that is none", `{"properties":{"a":{"default":1}},"required":null}`,
			`{"properties":{"a":{"default":1}},"required":null}`},
		{"names that are none", `{"properties":{"a":{"default":1}},"required":[1,"a",{}]}`,
			`{"properties":{"a":{"default":1}},"required":[1,{}]}`},
		{"a property called required",
			`{"properties":{"required":{"type":"array","default":["required"]}},"required":["required"]}`,
			`{"properties":{"required":{"type":"array","default":["required"]}}}`},
		{"in every place",
			`{"items":[{"properties":{"a":{"default":1}},"required":["a"]}],` +
				`"additionalProperties":{"properties":{"a":{"default":1}},"required":["a"]},` +
				`"anyOf":[{"properties":{"a":{"default":1}},"required":["a"]}],` +
				`"oneOf":[{"properties":{"a":{"default":1}},"required":["a"]}],` +
				`"allOf":[{"properties":{"a":{"default":1}},"required":["a"]}],` +
				`"$defs":{"x":{"properties":{"a":{"default":1}},"required":["a"]}},` +
				`"definitions":{"x":{"properties":{"a":{"default":1}},"required":["a"]}},` +
				`"patternProperties":{"x":{"properties":{"a":{"default":1}},"required":["a"]}},` +
				`"prefixItems":[{"properties":{"a":{"default":1}},"required":["a"]}],` +
				`"contains":{"properties":{"a":{"default":1}},"required":["a"]},` +
				`"then":{"properties":{"a":{"default":1}},"required":["a"]},` +
				`"else":{"properties":{"a":{"default":1}},"required":["a"]}}`,
			`{"items":[{"properties":{"a":{"default":1}}}],` +
				`"additionalProperties":{"properties":{"a":{"default":1}}},` +
				`"anyOf":[{"properties":{"a":{"default":1}}}],` +
				`"oneOf":[{"properties":{"a":{"default":1}}}],` +
				`"allOf":[{"properties":{"a":{"default":1}}}],` +
				`"$defs":{"x":{"properties":{"a":{"default":1}}}},` +
				`"definitions":{"x":{"properties":{"a":{"default":1}}}},` +
				`"patternProperties":{"x":{"properties":{"a":{"default":1}}}},` +
				`"prefixItems":[{"properties":{"a":{"default":1}}}],` +
				`"contains":{"properties":{"a":{"default":1}}},"then":{"properties":{"a":{"default":1}}},` +
				`"else":{"properties":{"a":{"default":1}}}}`},
		{"not in values",
			`{"const":{"properties":{"a":{"default":1}},"required":["a"]},"enum":[{"required":["a"]}],` +
				`"not":{"properties":{"a":{"default":1}},"required":["a"]},` +
				`"if":{"properties":{"a":{"default":1}},"required":["a"]}}`,
			`{"const":{"properties":{"a":{"default":1}},"required":["a"]},"enum":[{"required":["a"]}],` +
				`"not":{"properties":{"a":{"default":1}},"required":["a"]},` +
				`"if":{"properties":{"a":{"default":1}},"required":["a"]}}`},
		{"by the properties beside it",
			`{"properties":{"a":{"properties":{"b":{"default":1}},"required":["a","b"]}},` +
				`"required":["a","b"]}`,
			`{"properties":{"a":{"properties":{"b":{"default":1}},"required":["a"]}},"required":["a","b"]}`},
	} {
		out, _, _ := rewritten(jsonw.Raw(c.schema), rules{required: true})
		require.Equal(t, c.want, string(out), c.name)
	}
}

func TestFormats(t *testing.T) {
	for schema, want := range map[string]string{
		`{"format":"uri"}`:                                `{}`,
		`{ "format" : "uri" , "type" : "string" }`:        `{ "type" : "string" }`,
		`{"type":"string" , "format":"uri" }`:             `{"type":"string" }`,
		`{"type":"string","format":"uri","title":"x"}`:    `{"type":"string","title":"x"}`,
		`{"format":"uri","format":"iri","type":"string"}`: `{"type":"string"}`,
		`{"a":1,"format":"uri","format":"iri"}`:           `{"a":1}`,
		`{"type":["string","null"],"format":"regex"}`:     `{"type":["string","null"]}`,
		`{"type":"integer","format":"int64"}`:             `{"type":"integer","format":"int64"}`,
		`{"format":"int64","type":["integer","null"]}`: `{"format":"int64","type":["integer",` +
			`"null"]}`,
		`{"format":7,"type":"string"}`:                             `{"format":7,"type":"string"}`,
		`{"properties":{"format":{"format":"uri"}}}`:               `{"properties":{"format":{}}}`,
		`{"properties":{"a":{"format":"uri"}},"format":"uri"}`:     `{"properties":{"a":{}}}`,
		`{"items":{"format":"uri"},"anyOf":[{"format":"uri"}, 1]}`: `{"items":{},"anyOf":[{}, 1]}`,
		`{"enum":[{"format":"uri"}],"default":{"format":"uri"}}`: `{"enum":[{"format":"uri"}],` +
			`"default":{"format":"uri"}}`,
		`{"propertyNames":{"format":"uri"},"prefixItems":[{"format":"uri"}],` +
			`"patternProperties":{"a":{"format":"uri"}},"then":{"format":"uri"}}`: `{"propertyNames":{},` +
			`"prefixItems":[{}],"patternProperties":{"a":{}},"then":{}}`,
		`{"not":{"format":"uri"},"if":{"format":"uri"}}`: `{"not":{"format":"uri"},"if":{"format":"uri"}}`,
		`{"format":"a","format":"b","type":"integer"}`:   `{"format":"a","format":"b","type":"integer"}`,
		`[]`: `[]`,
		``:   ``,
	} {
		out, shrunk, _ := rewritten(jsonw.Raw(schema), rules{formats: true})
		require.Equal(t, want, string(out), schema)
		require.False(t, shrunk)
	}
	for _, format := range strings.Fields("date-time time date duration email hostname ipv4 ipv6 uuid") {
		schema := jsonw.Raw(`{"type":"string","format":"` + format + `"}`)
		out, _, _ := rewritten(schema, rules{formats: true})
		require.Equal(t, schema, out)
	}
}

// TestParameters renames parameters wherever a schema describes the arguments themselves.
func TestParameters(t *testing.T) {
	swap := []Param{{"a", "b"}, {"b", "a"}}
	for _, c := range []struct {
		params               []Param
		schema, want, double string
	}{
		{[]Param{{"a", "x"}},
			`{"required": [ "a" ,"b"], "properties" : {"b":true , "a" : {"properties":{"a":{}},` +
				`"required":["a"]}}}`,
			`{"required": [ "x" ,"b"], "properties" : {"b":true , "x" : {"properties":{"a":{}},` +
				`"required":["a"]}}}`, ""},
		{[]Param{{"a", "x"}},
			`{"anyOf":[{"required":["a"]},{"required":["b"]}],` +
				`"oneOf":[{"allOf":[{"properties":{"a":{}}}]}],"then":{"required":["a"]},` +
				`"properties":{"a":{}}}`,
			`{"anyOf":[{"required":["x"]},{"required":["b"]}],` +
				`"oneOf":[{"allOf":[{"properties":{"x":{}}}]}],"then":{"required":["x"]},` +
				`"properties":{"x":{}}}`, ""},
		{[]Param{{"a", "x"}},
			`{"items":{"required":["a"]},"additionalProperties":{"properties":{"a":{}}},` +
				`"$defs":{"a":{"properties":{"a":{}}}},"patternProperties":{"a":{"required":["a"]}},` +
				`"prefixItems":[{"required":["a"]}]}`, "", ""},
		{[]Param{{"a", "x"}},
			`{"$defs":{"a":{"properties":{"a":{},"x":{}},"required":["a"]}},` +
				`"properties":{"c":{"anyOf":[{"properties":{"a":{}}}]}}}`, "", ""},
		{swap, `{"properties":{"a":{"default":1},"b":{}},"required":["a","b"]}`,
			`{"properties":{"b":{"default":1},"a":{}},"required":["b","a"]}`, ""},
		{[]Param{{"\n", "\""}}, `{"properties":{"\u000a":{}},"required":["\n"]}`,
			`{"properties":{"\"":{}},"required":["\""]}`, ""},
		{[]Param{{"a", "x"}}, `{"properties":{"x":{},"a":{}}}`, "", "x"},
		{[]Param{{"a", "x"}}, `{"anyOf":[{"properties":{"a":{}}},{"properties":{"x":{}}}]}`, "", "x"},
	} {
		out, shrunk, double := rewritten(jsonw.Raw(c.schema), rules{params: c.params})
		require.Equal(t, c.double, double, c.schema)
		require.False(t, shrunk)
		if c.want == "" {
			c.want = c.schema
		}
		if double == "" {
			require.Equal(t, c.want, string(out))
		}
	}
	out, shrunk, _ := rewritten(`{"properties":{"a":{"default":1,"format":"uri",`+
		`"description":"Not the Task tool"},"b":{}},"required":["a","b"]}`,
		rules{required: true, formats: true, params: swap, drop: []string{"Task"}})
	require.True(t, shrunk)
	require.Equal(t,
		`{"properties":{"b":{"default":1,"description":"Not the [unavailable] tool"},"a":{}},`+
			`"required":["a"]}`, string(out))
}

// TestManyFormats has a schema with which a client could keep an endpoint busy: each format is read
// once.
func TestManyFormats(t *testing.T) {
	const n = 400_000
	out, _, _ := rewritten(jsonw.Raw(`{`+strings.Repeat(`"format":"x",`, n)+`"title":1}`),
		rules{formats: true})
	require.Equal(t, `{"title":1}`, string(out))
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
	out, shrunk, _ := rewritten(jsonw.Raw(deep), rules{required: true})
	require.True(t, shrunk)
	last := strings.LastIndex(deep, `"required":["a"],`)
	require.Equal(t, deep[:last]+deep[last+len(`"required":["a"],`):], string(out))
}

// TestLikeARecursion compares the walk with a recursive implementation of the same rules, on random
// schemas.
func TestLikeARecursion(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	changed := 0
	for range 1000 {
		text, err := json.Marshal(madeUp(random, 0))
		require.NoError(t, err)
		out, _, _ := rewritten(jsonw.Raw(text), rules{required: true, formats: true,
			params: []Param{{"a", "x"}, {"properties", "\""}}})
		var got, want any
		require.NoError(t, json.Unmarshal([]byte(out), &got), "%s\n%s", text, out)
		require.NoError(t, json.Unmarshal(text, &want))
		follow(want, true)
		require.Equal(t, want, got, string(text))
		if string(out) != string(text) {
			changed++
		}
	}
	require.Greater(t, changed, 250)
}

func madeUp(random *rand.Rand, depth int) any {
	s := map[string]any{}
	may := func(n int) bool { return random.Intn(n) == 0 }
	inner := func() any {
		if may(8) {
			return true
		}
		return madeUp(random, depth+1)
	}
	if may(2) {
		s["type"] = []any{"string", "boolean", "object", "null", []any{"string", "null"},
			"integer"}[random.Intn(6)]
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
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems", "items", "additionalProperties",
		"propertyNames", "then", "$defs", "not"} {
		if !may(6) {
			continue
		}
		switch key {
		case "anyOf", "oneOf", "allOf", "prefixItems":
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

// follow applies the rules recursively. top means that the schema describes the arguments
// themselves.
func follow(v any, top bool) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	if format, ok := s["format"].(string); ok && format != "date" && (s["type"] == nil || isOf(s["type"],
		"string")) {
		delete(s, "format")
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := s[key].([]any)
		for _, member := range list {
			follow(member, top && key != "prefixItems")
		}
	}
	for _, key := range []string{"items", "additionalProperties", "propertyNames", "then"} {
		follow(s[key], top && key == "then")
	}
	for _, key := range []string{"properties", "$defs"} {
		named, _ := s[key].(map[string]any)
		for _, member := range named {
			follow(member, false)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	names, isList := s["required"].([]any)
	if left := slices.DeleteFunc(slices.Clone(names),
		func(name any) bool { return isOptional(properties[name.(string)]) }); isList {
		if s["required"] = left; len(left) == 0 && len(names) > 0 {
			delete(s, "required")
		}
		names = left
	}
	if !top {
		return
	}
	for from, to := range map[string]string{"a": "x", "properties": "\""} {
		if i := slices.Index(names, any(from)); i >= 0 {
			names[i] = to
		}
		if p, ok := properties[from]; ok {
			delete(properties, from)
			properties[to] = p
		}
	}
}

func isOptional(v any) bool {
	p, _ := v.(map[string]any)
	_, has := p["default"]
	return has || p["type"] == "boolean" || mayBeNull(p) || p["description"] == "optional"
}

func mayBeNull(v any) bool {
	p, _ := v.(map[string]any)
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := p[key].([]any)
		if slices.ContainsFunc(list, mayBeNull) {
			return true
		}
	}
	return isOf(p["type"], "null")
}
