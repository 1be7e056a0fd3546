package schema

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// appended returns what Append makes of a schema, and holds it to what is always so.
func appended(t *testing.T, schema string, rules Rules) (out string, repaired bool) {
	t.Helper()
	if schema != "" {
		require.NoError(t, jsonr.Check(schema))
	}
	dst, repaired := Append([]byte("before"), jsonw.Raw(schema), rules)
	out, ok := strings.CutPrefix(string(dst), "before")
	require.True(t, ok)
	require.True(t, json.Valid([]byte(out)), "%s", out)
	again, more := Append(nil, jsonw.Raw(out), rules)
	require.Equal(t, out, string(again), "what is repaired stays so")
	require.False(t, more)
	return out, repaired
}

func TestRoot(t *testing.T) {
	const object = `{"type":"object","properties":{"a":{}}}`
	for name, c := range map[string]struct {
		rules          Rules
		schema, want   string
		unlessRepaired bool // nothing that the client wrote is changed
	}{
		"as it is":                {Rules{}, `{ "type" : "object", "properties":{"b":{}, "a":{"const":1.0}} }`, "", true},
		"as it is, plain":         {Rules{PlainRoot: true}, `{ "properties":{"b":{"anyOf":[{},{}]}} ,"type":"object"}`, "", true},
		"none":                    {Rules{}, ``, `{"type":"object","properties":{}}`, true},
		"empty":                   {Rules{}, `{}`, `{"type":"object","properties":{}}`, true},
		"no type":                 {Rules{}, `{"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, true},
		"no properties":           {Rules{}, `{"type":"object"}`, `{"properties":{},"type":"object"}`, true},
		"type null":               {Rules{}, `{"type":null,"properties":{"a":{}}}`, object, false},
		"type None":               {Rules{}, `{"type":"None","properties":{"a":{}}}`, object, false},
		"type null, no more":      {Rules{}, `{"type":null}`, `{"properties":{},"type":"object"}`, false},
		"properties null":         {Rules{}, `{"type":"object","properties":null}`, `{"type":"object","properties":{}}`, false},
		"required null":           {Rules{}, `{"type":"object","required":null,"properties":{"a":{}}}`, object, false},
		"null beside a union":     {Rules{}, `{"type":null,"anyOf":[{"required":["a"]}],"properties":{"a":{}}}`, `{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{}}}`, false},
		"a union is kept":         {Rules{}, `{"type":"object","properties":{},"anyOf":[{}]}`, "", true},
		"types are kept":          {Rules{}, `{"type":["object","null"],"properties":{}}`, "", true},
		"types":                   {Rules{PlainRoot: true}, `{"type":["object","null"],"properties":{"a":{}}}`, object, false},
		"enum":                    {Rules{PlainRoot: true}, `{"type":"object","properties":{"a":{}},"enum":[{"a":1}]}`, object, false},
		"not":                     {Rules{PlainRoot: true}, `{"not":{"required":["b"]},"type":"object","properties":{"a":{}}}`, object, false},
		"if stays":                {Rules{PlainRoot: true}, `{"type":"object","properties":{},"if":{},"then":{}}`, "", true},
		"a reference":             {Rules{PlainRoot: true}, `{"$schema":"s","$ref":"#/$defs/A","$defs":{"A":{"title":"t","type":"object","properties":{"a":{ }},"required":["a"]}}}`, `{"$schema":"s","$defs":{"A":{"title":"t","type":"object","properties":{"a":{ }},"required":["a"]}},"title":"t","type":"object","properties":{"a":{ }},"required":["a"]}`, false},
		"a reference by draft 7":  {Rules{PlainRoot: true}, `{"$ref":"#/definitions/A~1B~0","definitions":{"A/B~":{"properties":{"a":{}}}}}`, `{"type":"object","definitions":{"A/B~":{"properties":{"a":{}}}},"properties":{"a":{}}}`, false},
		"references in a row":     {Rules{PlainRoot: true}, `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object","properties":{"b":{}}}}}`, `{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object","properties":{"b":{}}}},"type":"object","properties":{"b":{}}}`, false},
		"references in a circle":  {Rules{PlainRoot: true}, `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A","properties":{"a":{}}}}}`, `{"type":"object","$defs":{"A":{"$ref":"#/$defs/A","properties":{"a":{}}}},"properties":{"a":{}}}`, false},
		"a reference to nothing":  {Rules{PlainRoot: true}, `{"$ref":"#/$defs/A","title":"t"}`, `{"type":"object","properties":{},"title":"t"}`, false},
		"a reference elsewhere":   {Rules{PlainRoot: true}, `{"$ref":"https://a.example/b"}`, `{"type":"object","properties":{}}`, false},
		"a reference to all":      {Rules{PlainRoot: true}, `{"$ref":"#","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, false},
		"what is beside it wins":  {Rules{PlainRoot: true}, `{"title":"mine","$ref":"#/$defs/A","properties":{"a":{"title":"mine"}},"required":["c"],"$defs":{"A":{"title":"its","properties":{"a":{},"b":{}},"required":["b","c"]}}}`, `{"type":"object","title":"mine","properties":{"a":{"title":"mine"},"b":{}},"required":["c","b"],"$defs":{"A":{"title":"its","properties":{"a":{},"b":{}},"required":["b","c"]}}}`, false},
		"a choice of required":    {Rules{PlainRoot: true}, `{"type":"object","properties":{"a":{},"b":{}},"required":["c"],"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["c"]}`, false},
		"variants":                {Rules{PlainRoot: true}, `{"oneOf":[{"type":"object","properties":{"k":{"const":1},"a":{}},"required":["k","a","k"]},{"properties":{"k":{"const":2},"b":{}},"required":["b","k"]}]}`, `{"type":"object","properties":{"k":{"const":1},"a":{},"b":{}},"required":["k"]}`, false},
		"variants by reference":   {Rules{PlainRoot: true}, `{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"$defs":{"A":{"properties":{"a":{}},"required":["a","c"]},"B":{"properties":{"b":{}},"required":["c"]}}}`, `{"type":"object","properties":{"a":{},"b":{}},"$defs":{"A":{"properties":{"a":{}},"required":["a","c"]},"B":{"properties":{"b":{}},"required":["c"]}},"required":["c"]}`, false},
		"variants of other types": {Rules{PlainRoot: true}, `{"anyOf":[{"type":"null"},false,{"properties":{"a":{}},"required":["a"]}]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`, false},
		"a variant of anything":   {Rules{PlainRoot: true}, `{"anyOf":[true,{"properties":{"a":{}},"required":["a"]}]}`, object, false},
		"a union in a union":      {Rules{PlainRoot: true}, `{"anyOf":[{"properties":{"a":{}},"required":["a"],"oneOf":[{"properties":{"b":{}},"required":["b"]}]}]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}`, false},
		"two unions":              {Rules{PlainRoot: true}, `{"anyOf":[{"required":["a"]},{"required":["a","b"]}],"oneOf":[{"required":["b"]}],"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"required":["a","b"]}`, false},
		"all of":                  {Rules{PlainRoot: true}, `{"allOf":[{"properties":{"a":{}},"required":["a"],"title":"t"},{"properties":{"a":{"x":1},"b":{}},"required":["b"]}],"description":"d"}`, `{"type":"object","description":"d","properties":{"a":{},"b":{}},"required":["a","b"],"title":"t"}`, false},
		"a key that is escaped":   {Rules{PlainRoot: true}, `{"x\u0041":1,"enum":[],"type":"object","properties":{}}`, `{"x\u0041":1,"type":"object","properties":{}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.schema
			}
			out, repaired := appended(t, c.schema, c.rules)
			require.Equal(t, want, out)
			require.Equal(t, !c.unlessRepaired, repaired)
		})
	}
}

func TestSubset(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"as it is":              {"{ \"type\": \"object\",\n \"properties\" : { \"a\":{\"type\":\"string\",\"format\":\"date\",\"pattern\":\"^(?:a|b)+\\\\d$\"} , \"b\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"enum\":[1,null]}}}, \"required\": [\"b\" , \"a\"],\"additionalProperties\" : false }", ""},
		"definitions":           {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"additionalProperties":false,"$defs":{"A":{"anyOf":[{"type":["string","null"]},true]}}}`, ""},
		"closed":                {`{"type":"object","properties":{},"additionalProperties":{"type":"string","maxLength":3}}`, `{"type":"object","properties":{},"additionalProperties":false}`},
		"not closed":            {`{"type":"object","properties":{} }`, `{"type":"object","properties":{},"additionalProperties":false }`},
		"bounds":                {`{"type":"object","properties":{"a":{"minimum":1,"type":"integer","maximum":2,"multipleOf":3,"exclusiveMinimum":0},"b":{"minLength":1,"type":"string","maxLength":2},"c":{"minItems":2,"maxItems":3,"uniqueItems":true}},"required":["a","b","c"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{}},"required":["a","b","c"],"additionalProperties":false}`},
		"formats":               {`{"type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"format":"int64"},"c":{"format":"uuid"}},"required":["a","b","c"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{"format":"uuid"}},"required":["a","b","c"],"additionalProperties":false}`},
		"patterns":              {`{"type":"object","properties":{"a":{"pattern":"(?=x)"},"b":{"pattern":"\\0"},"c":{"pattern":"(?<!x)y"},"d":{"pattern":"\\bx"},"e":{"pattern":"\\\\b("}},"required":["a","b","c","d","e"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{"pattern":"\\\\b("}},"required":["a","b","c","d","e"],"additionalProperties":false}`},
		"required":              {`{"required":["a"],"type":"object","properties":{"a":{},"b":{},"c":{}},"additionalProperties":false}`, `{"required":["a","b","c"],"type":"object","properties":{"a":{},"b":{},"c":{}},"additionalProperties":false}`},
		"required, empty":       {`{"type":"object","properties":{"a":{},"b":{}},"required":[ ],"additionalProperties":false}`, `{"type":"object","properties":{"a":{},"b":{}},"required":[ "a","b"],"additionalProperties":false}`},
		"required, none":        {`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false,"required":["a"]}`},
		"required in depth":     {`{"type":"object","required":[],"properties":{"a":{"required":["x"],"properties":{"x":{},"y":{"properties":{"z":{}}}}},"b":{}}}`, `{"type":"object","required":["a","b"],"properties":{"a":{"required":["x","y"],"properties":{"x":{},"y":{"properties":{"z":{}},"required":["z"],"additionalProperties":false}},"additionalProperties":false},"b":{}},"additionalProperties":false}`},
		"unions":                {`{"type":"object","properties":{"a":{"oneOf":[{"type":"string","minLength":1},{"type":"object"}]},"b":{"allOf":[{"$ref":"#/$defs/B"}],"description":"d"},"c":{"anyOf":[{}],"oneOf":[{}],"allOf":[{}]}},"required":["a","b","c"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","additionalProperties":false}]},"b":{"anyOf":[{"$ref":"#/$defs/B"}],"description":"d"},"c":{"anyOf":[{}]}},"required":["a","b","c"],"additionalProperties":false}`},
		"beside a reference":    {`{"type":"object","properties":{"a":{"description":"d","$ref":"#/$defs/A","default":1},"b":{ "$ref":"#/$defs/A" }},"required":["a","b"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{ "$ref":"#/$defs/A" }},"required":["a","b"],"additionalProperties":false}`},
		"not, if and others":    {`{"not":{},"type":"object","if":{"type":"object"},"then":{},"else":{},"properties":{"a":{"encrypted":true,"default":{"type":"object"},"type":"string"}},"patternProperties":{"x":{}},"dependentRequired":{"a":["b"]},"required":["a"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		"tuples":                {`{"type":"object","properties":{"a":{"type":"array","items":[{},{}],"prefixItems":[{}]}},"required":["a"],"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"array"}},"required":["a"],"additionalProperties":false}`},
		"names of properties":   {`{"type":"object","properties":{"minimum":{},"oneOf":{"type":"string"},"$ref":{}},"required":["minimum","oneOf","$ref"],"additionalProperties":false}`, ""},
		"values are no schemas": {`{"type":"object","properties":{"a":{"enum":[{"type":"object","minimum":1}],"const":{"format":"x"}}},"required":["a"],"additionalProperties":false}`, ""},
		"commas in keys":        {`{"a,b":1,"type":"object","properties":{"a,b":{"x":1,"type":"string"}},"required":["a,b"],"additionalProperties":false}`, `{"type":"object","properties":{"a,b":{"type":"string"}},"required":["a,b"],"additionalProperties":false}`},
		"no root":               {``, `{"type":"object","properties":{},"additionalProperties":false}`},
		"odd values":            {`{"type":"object","properties":{"a":null,"b":{"properties":[],"anyOf":1,"items":true,"required":true}},"required":["a","b"],"additionalProperties":false}`, `{"type":"object","properties":{"a":null,"b":{"properties":[],"items":true,"required":true}},"required":["a","b"],"additionalProperties":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, repaired := appended(t, c.schema, Rules{Subset: true})
			if c.want == "" {
				require.Equal(t, c.schema, out)
				require.False(t, repaired)
				return
			}
			require.Equal(t, c.want, out)
			require.True(t, repaired)
		})
	}
	out, repaired := appended(t, `{"anyOf":[{"properties":{"a":{"minimum":1}}}]}`, Rules{PlainRoot: true, Subset: true})
	require.Equal(t, `{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}`, out)
	require.True(t, repaired)
}

// TestDepth nests as deep as a request may, in every way that is gone into.
func TestDepth(t *testing.T) {
	for _, level := range [][2]string{
		{`{"properties":{"a":`, `}}`}, {`{"items":`, `}`}, {`{"anyOf":[`, `]}`}, {`{"oneOf":[`, `]}`}, {`{"allOf":[`, `]}`},
		{`{"$defs":{"a":`, `}}`}, {`{"not":`, `}`}, {`{"additionalProperties":`, `}`}, {`{"x":[`, `]}`}, {`{"$ref":"#/$defs/a","$defs":{"a":`, `}}`},
	} {
		per := strings.Count(level[0], "{") + strings.Count(level[0], "[")
		for depth := 1; depth <= jsonr.MaxDepth; depth++ {
			if (depth-1)%per != 0 || depth > 9 && depth < 119 {
				continue
			}
			n := (depth - 1) / per
			schema := strings.Repeat(level[0], n) + `{}` + strings.Repeat(level[1], n)
			require.NoError(t, jsonr.Check(schema))
			for _, rules := range []Rules{{}, {PlainRoot: true}, {Subset: true}, {PlainRoot: true, Subset: true}} {
				appendedOnce(t, schema, rules)
			}
		}
	}
	deep := strings.Repeat(`{"items":`, 127) + `{}` + strings.Repeat(`}`, 127)
	require.NoError(t, jsonr.Check(deep))
	out, _ := Append(nil, jsonw.Raw(deep), Rules{Subset: true})
	require.Equal(t, `{"type":"object","properties":{},`+deep[1:len(deep)-1]+`,"additionalProperties":false}`, string(out))
	require.ErrorIs(t, jsonr.Check(`{"items":`+deep+`}`), jsonr.ErrDepth, "what is deeper never comes here")
}

// TestMuchToFollow has schemas that a client can send to keep an endpoint busy: so much of them is followed, and no more.
func TestMuchToFollow(t *testing.T) {
	var refs, properties strings.Builder
	defs := func(n int) string {
		refs.Reset()
		properties.Reset()
		for i := range n {
			fmt.Fprintf(&refs, `,{"$ref":"#/$defs/d%d"}`, i)
			fmt.Fprintf(&properties, `,"d%d":{"properties":{"p%d":{}}}`, i, i)
		}
		return `{"allOf":[` + refs.String()[1:] + `],"$defs":{` + properties.String()[1:] + `}}`
	}
	for _, n := range []int{maxRefs, maxRefs + 1} {
		out, repaired := appended(t, defs(n), Rules{PlainRoot: true})
		require.True(t, repaired)
		require.Len(t, regexp.MustCompile(`"p\d+":`).FindAllString(out, -1), n+maxRefs)
	}
	deep := func(n int) string {
		return `{"$ref":"#` + strings.Repeat("/a", n) + `","a":` + strings.Repeat(`{"a":`, n-1) + `{"properties":{"found":{}}}` + strings.Repeat(`}`, n)
	}
	for n, found := range map[int]bool{maxPartDepth: true, maxPartDepth + 1: false} {
		out, _ := appended(t, deep(n), Rules{PlainRoot: true})
		require.Equal(t, found, strings.Count(out, "found") == 2, out)
	}

	nested := strings.Repeat(`{"required":["x"],"properties":{"a":{},"x":`, 60) + `{"description":"` + strings.Repeat("x", 1<<20) + `"}` + strings.Repeat("}}", 60)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Append(make([]byte, 0, len(nested)*2), jsonw.Raw(nested), Rules{Subset: true})
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "a list behind which much stands")
}

func appendedOnce(t *testing.T, schema string, rules Rules) {
	out, repaired := Append(nil, jsonw.Raw(schema), rules)
	require.True(t, json.Valid(out), "%s", out)
	if !repaired {
		require.True(t, strings.HasSuffix(string(out), schema[1:]), "%s of %s", out, schema)
	}
}

// TestAnySchema makes schemas of what is repaired and what is not: what comes out is JSON, and what is not repaired is the
// client's, byte for byte, but for what is put in front.
func TestAnySchema(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	space := func() string { return []string{"", "", " ", "\n\t"}[random.Intn(4)] }
	keys := strings.Split(`type properties required items anyOf oneOf allOf not if $ref $defs enum const format pattern minimum minItems additionalProperties title x\u0041 a,b default`, " ")
	values := []string{`"object"`, `null`, `"None"`, `["object","null"]`, `"#/$defs/a"`, `"date"`, `"uri"`, `"(?=a)"`, `1`, `false`, `true`, `[]`, `{}`, `["a","b"]`, `"\"}],{\\"`}
	var value func(depth int) string
	object := func(depth int) string {
		var b strings.Builder
		b.WriteByte('{')
		used := map[string]bool{}
		for i := random.Intn(6); i > 0; i-- {
			key := keys[random.Intn(len(keys))]
			if depth%2 == 1 {
				key = string(rune('a' + random.Intn(3)))
			}
			if used[key] {
				continue
			}
			if len(used) > 0 {
				b.WriteString(space() + ",")
			}
			used[key] = true
			b.WriteString(space() + `"` + key + `"` + space() + ":" + space() + value(depth+1))
		}
		b.WriteString(space() + "}")
		return b.String()
	}
	value = func(depth int) string {
		switch n := random.Intn(6); {
		case depth < 7 && n < 3:
			return object(depth)
		case depth < 7 && n == 3:
			return "[" + space() + object(depth+1) + "," + space() + object(depth+1) + "]"
		}
		return values[random.Intn(len(values))]
	}
	verbatim := 0
	for range 20_000 {
		schema := object(0)
		require.NoError(t, jsonr.Check(schema))
		for _, rules := range []Rules{{}, {PlainRoot: true}, {Subset: true}, {PlainRoot: true, Subset: true}} {
			out, repaired := Append(nil, jsonw.Raw(schema), rules)
			require.True(t, json.Valid(out), "%s\nof %s", out, schema)
			if !repaired {
				require.True(t, strings.HasSuffix(string(out), schema[1:]), "%s\nof %s", out, schema)
				verbatim++
			}
			again, more := Append(nil, jsonw.Raw(out), rules)
			require.Equal(t, string(out), string(again), "of %s by %+v", schema, rules)
			require.False(t, more)
		}
	}
	require.Greater(t, verbatim, 1000)
}

func TestVerbatimAllocatesNothing(t *testing.T) {
	const schema = `{"$schema":"s","type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}},"required":["a"]}`
	dst := make([]byte, 0, 1024)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, repaired := Append(dst, schema, Rules{PlainRoot: true}); repaired {
			panic("repaired")
		}
	}))
}

func TestCustomDescription(t *testing.T) {
	for grammar, want := range map[jsonw.Raw]string{
		"": "d",
		`{"type":"grammar","syntax":"lark","definition":"start: \"x\""}`:    `d\n\nThe input must follow this grammar (lark):\nstart: \"x\"`,
		`{"type":"grammar","grammar":{"syntax":"regex","definition":"a+"}}`: `d\n\nThe input must follow this grammar (regex):\na+`,
		`{"type":"text"}`: "d",
	} {
		require.Equal(t, want, string(AppendCustomDescription(nil, "d", grammar)))
	}
	require.True(t, json.Valid([]byte(CustomInput)))
}
