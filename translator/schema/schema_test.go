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

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// appended returns the result of Append for a schema, after checking invariants.
func appended(t *testing.T, schema string, rules Rules) (out, lost string) {
	t.Helper()
	if schema != "" {
		require.NoError(t, jsonr.Check(schema))
	}
	dst, fit := Append([]byte("before"), jsonw.Raw(schema), rules)
	require.Empty(t, fit.Misfit)
	out, ok := strings.CutPrefix(string(dst), "before")
	require.True(t, ok)
	require.True(t, json.Valid([]byte(out)), "%s", out)
	again, more := Append(nil, jsonw.Raw(out), rules)
	require.Equal(t, out, string(again), "what is repaired stays so")
	require.Empty(t, more.Lost)
	return out, strings.Join(fit.Lost, " ")
}

// subset are the rules for the option "schema":"strict-subset".
const subset = strict | Forced

// moonshot are the rules for Moonshot.
const moonshot = Rules(OpenAI) | Flavored | LoneRefs | Defined | PlainRoot | Tuples | TupleItems

var all = []Rules{
	0, Arguments, Arguments | PlainRoot, Arguments | subset, Arguments | PlainRoot | subset,
	Arguments | Typed, Typed,
	Arguments | PlainRoot | Tuples, Arguments | PlainRoot | Typed | Tuples | TupleItems,
	Arguments | Typed | Tuples | Defined,
	Arguments | Rules(Gemini), Rules(Gemini), Arguments | Rules(Interactions), Arguments | moonshot, moonshot,
	Arguments | Typed | OpenAIStrict, OpenAIStrict, Arguments | PlainRoot | Tuples | AnthropicStrict,
	AnthropicStrict,
}

func TestRoot(t *testing.T) {
	const object = `{"type":"object","properties":{"a":{}}}`
	for name, c := range map[string]struct {
		rules        Rules
		schema, want string
		lost         string
	}{
		"as it is": {Arguments,
			`{ "type" : "object", "properties":{"b":{}, "a":{"const":1.0}} }`, "", ""},
		"as it is, plain": {Arguments | PlainRoot,
			`{ "properties":{"b":{"anyOf":[{},{}]}} ,"type":"object"}`, "", ""},
		"none":  {Arguments, ``, `{"type":"object","properties":{}}`, ""},
		"empty": {Arguments, `{}`, `{"type":"object","properties":{}}`, ""},
		"no type": {Arguments, `{"properties":{"a":{}}}`,
			`{"type":"object","properties":{"a":{}}}`, ""},
		"no properties":      {Arguments, `{"type":"object"}`, `{"properties":{},"type":"object"}`, ""},
		"type null":          {Arguments, `{"type":null,"properties":{"a":{}}}`, object, ""},
		"type None":          {Arguments, `{"type":"None","properties":{"a":{}}}`, object, ""},
		"type null, no more": {Arguments, `{"type":null}`, `{"properties":{},"type":"object"}`, ""},
		"properties null": {Arguments, `{"type":"object","properties":null}`,
			`{"type":"object","properties":{}}`, ""},
		"required null": {Arguments, `{"type":"object","required":null,"properties":{"a":{}}}`,
			object, ""},
		"null beside a union": {Arguments,
			`{"type":null,"anyOf":[{"required":["a"]}],"properties":{"a":{}}}`,
			`{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{}}}`, ""},
		"a union is kept": {Arguments, `{"type":"object","properties":{},"anyOf":[{}]}`, "", ""},
		"types are kept":  {Arguments, `{"type":["object","null"],"properties":{}}`, "", ""},
		"types": {Arguments | PlainRoot,
			`{"type":["object","null"],"properties":{"a":{}}}`, object, ""},
		"enum": {Arguments | PlainRoot,
			`{"type":"object","properties":{"a":{}},"enum":[{"a":1}]}`, object, "enum"},
		"not": {Arguments | PlainRoot,
			`{"not":{"required":["b"]},"type":"object","properties":{"a":{}}}`, object, "not"},
		"if stays": {Arguments | PlainRoot,
			`{"type":"object","properties":{},"if":{},"then":{}}`, "", ""},
		"a reference": {Arguments | PlainRoot,
			`{"$schema":"s","$ref":"#/$defs/A","$defs":{"A":{"title":"t","type":"object",` +
				`"properties":{"a":{ }},"required":["a"]}}}`,
			`{"$schema":"s","$defs":{"A":{"title":"t","type":"object","properties":{"a":{ }},` +
				`"required":["a"]}},"title":"t","type":"object","properties":{"a":{ }},"required":["a"]}`,
			""},
		"a reference by draft 7": {Arguments | PlainRoot,
			`{"$ref":"#/definitions/A~1B~0","definitions":{"A/B~":{"properties":{"a":{}}}}}`,
			`{"type":"object","definitions":{"A/B~":{"properties":{"a":{}}}},"properties":{"a":{}}}`, ""},
		"references in a row": {Arguments | PlainRoot,
			`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object",` +
				`"properties":{"b":{}}}}}`,
			`{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object","properties":{"b":{}}}},` +
				`"type":"object","properties":{"b":{}}}`, ""},
		"references in a circle": {Arguments | PlainRoot,
			`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A","properties":{"a":{}}}}}`,
			`{"type":"object","$defs":{"A":{"$ref":"#/$defs/A","properties":{"a":{}}}},` +
				`"properties":{"a":{}}}`, ""},
		"a reference to nothing": {Arguments | PlainRoot, `{"$ref":"#/$defs/A","title":"t"}`,
			`{"type":"object","properties":{},"title":"t"}`, ""},
		"a reference elsewhere": {Arguments | PlainRoot, `{"$ref":"https://a.example/b"}`,
			`{"type":"object","properties":{}}`, ""},
		"a reference to all": {Arguments | PlainRoot, `{"$ref":"#","properties":{"a":{}}}`,
			`{"type":"object","properties":{"a":{}}}`, ""},
		"what is beside it wins": {Arguments | PlainRoot,
			`{"title":"mine","$ref":"#/$defs/A","properties":{"a":{"title":"mine"}},"required":["c"],` +
				`"$defs":{"A":{"title":"its","properties":{"a":{},"b":{}},"required":["b","c"]}}}`,
			`{"type":"object","title":"mine","properties":{"a":{"title":"mine"},"b":{}},"required":["c",` +
				`"b"],"$defs":{"A":{"title":"its","properties":{"a":{},"b":{}},"required":["b","c"]}}}`, ""},
		"a choice of required": {Arguments | PlainRoot,
			`{"type":"object","properties":{"a":{},"b":{}},"required":["c"],"anyOf":[{"required":["a"]},` +
				`{"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["c"]}`,
			"anyOf"},
		"variants": {Arguments | PlainRoot,
			`{"oneOf":[{"type":"object","properties":{"k":{"const":1},"a":{}},"required":["k","a","k"]},` +
				`{"properties":{"k":{"const":2},"b":{}},"required":["b","k"]}]}`,
			`{"type":"object","properties":{"k":{"const":1},"a":{},"b":{}},"required":["k"]}`, "oneOf"},
		"variants by reference": {Arguments | PlainRoot,
			`{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"$defs":{"A":{"properties":{"a":{}},` +
				`"required":["a","c"]},"B":{"properties":{"b":{}},"required":["c"]}}}`,
			`{"type":"object","properties":{"a":{},"b":{}},"$defs":{"A":{"properties":{"a":{}},` +
				`"required":["a","c"]},"B":{"properties":{"b":{}},"required":["c"]}},"required":["c"]}`,
			"anyOf"},
		"variants of other types": {Arguments | PlainRoot,
			`{"anyOf":[{"type":"null"},false,{"properties":{"a":{}},"required":["a"]}]}`,
			`{"type":"object","properties":{"a":{}},"required":["a"]}`, "anyOf"},
		"a variant of anything": {Arguments | PlainRoot,
			`{"anyOf":[true,{"properties":{"a":{}},"required":["a"]}]}`, object, "anyOf"},
		"a union in a union": {Arguments | PlainRoot,
			`{"anyOf":[{"properties":{"a":{}},"required":["a"],"oneOf":[{"properties":{"b":{}},` +
				`"required":["b"]}]}]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}`,
			"anyOf"},
		"two unions": {Arguments | PlainRoot,
			`{"anyOf":[{"required":["a"]},{"required":["a","b"]}],"oneOf":[{"required":["b"]}],` +
				`"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"required":["a","b"]}`,
			"anyOf oneOf"},
		"all of": {Arguments | PlainRoot,
			`{"allOf":[{"properties":{"a":{}},"required":["a"],"title":"t"},{"properties":{"a":{"x":1},` +
				`"b":{}},"required":["b"]}],"description":"d"}`,
			`{"type":"object","description":"d","properties":{"a":{},"b":{}},"required":["a","b"],` +
				`"title":"t"}`, "allOf"},
		"all of, nothing required": {Arguments | PlainRoot,
			`{"allOf":[{"properties":{"a":{}},"required":[]}]}`, `{"type":"object","properties":{"a":{}}}`,
			"allOf"},
		"a key that is escaped": {Arguments | PlainRoot,
			`{"x\u0041":1,"enum":[],"type":"object","properties":{}}`,
			`{"x\u0041":1,"type":"object","properties":{}}`, "enum"},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			if want == "" {
				want = c.schema
			}
			out, lost := appended(t, c.schema, c.rules)
			require.Equal(t, want, out)
			require.Equal(t, c.lost, lost)
		})
	}
}

func TestSubset(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"as it is": {"{ \"type\": \"object\",\n \"properties\" : { " +
			"\"a\":{\"type\":\"string\",\"format\":\"date\",\"pattern\":\"^(?:a|b)+\\\\d$\"} , " +
			"\"b\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"enum\":[1,null]}}}, \"required\": " +
			"[\"b\" , \"a\"],\"additionalProperties\" : false }", ""},
		"definitions": {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],` +
			`"additionalProperties":false,"$defs":{"A":{"anyOf":[{"type":["string","null"]},true]}}}`, ""},
		"closed": {`{"type":"object","properties":{},"additionalProperties":{"type":"string",` +
			`"maxLength":3}}`, `{"type":"object","properties":{},"additionalProperties":false}`},
		"not closed": {`{"type":"object","properties":{} }`,
			`{"type":"object","properties":{} ,"additionalProperties":false}`},
		"bounds": {`{"type":"object","properties":{"a":{"minimum":1,"type":"integer","maximum":2,` +
			`"multipleOf":3,"exclusiveMinimum":0},"b":{"minLength":1,"type":"string","maxLength":2},` +
			`"c":{"minItems":2,"maxItems":3,"uniqueItems":true}},"required":["a","b","c"],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{}},` +
				`"required":["a","b","c"],"additionalProperties":false}`},
		"formats": {`{"type":"object","properties":{"a":{"type":"string","format":"uri"},` +
			`"b":{"format":"int64"},"c":{"format":"uuid"}},"required":["a","b","c"],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{"format":"uuid"}},` +
				`"required":["a","b","c"],"additionalProperties":false}`},
		"patterns": {`{"type":"object","properties":{"a":{"pattern":"(?=x)"},"b":{"pattern":"\\0"},` +
			`"c":{"pattern":"(?<!x)y"},"d":{"pattern":"\\bx"},"e":{"pattern":"\\\\b("}},"required":["a",` +
			`"b","c","d","e"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{"pattern":"\\\\b("}},` +
				`"required":["a","b","c","d","e"],"additionalProperties":false}`},
		"required": {`{"required":["a"],"type":"object","properties":{"a":{},"b":{},"c":{}},` +
			`"additionalProperties":false}`,
			`{"required":["a","b","c"],"type":"object","properties":{"a":{},"b":{},"c":{}},` +
				`"additionalProperties":false}`},
		"required, empty": {`{"type":"object","properties":{"a":{},"b":{}},"required":[ ],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"],` +
				`"additionalProperties":false}`},
		"required, none": {`{"type":"object","properties":{"a":{}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{}},"additionalProperties":false,"required":["a"]}`},
		"required in depth": {`{"type":"object","required":[],"properties":{"a":{"required":["x"],` +
			`"properties":{"x":{},"y":{"properties":{"z":{}}}}},"b":{}}}`,
			`{"type":"object","required":["a","b"],"properties":{"a":{"required":["x","y"],` +
				`"properties":{"x":{},"y":{"properties":{"z":{}},"type":"object","required":["z"],` +
				`"additionalProperties":false}},"type":"object","additionalProperties":false},"b":{}},` +
				`"additionalProperties":false}`},
		"unions": {`{"type":"object","properties":{"a":{"oneOf":[{"type":"string",` +
			`"minLength":1},{"type":"object"}]},"b":{"allOf":[{"$ref":"#/$defs/B"}],"description":"d"},` +
			`"c":{"anyOf":[{}],"oneOf":[{}],"allOf":[{}]}},"required":["a","b","c"],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"object",` +
				`"additionalProperties":false}]},"b":{"anyOf":[{"$ref":"#/$defs/B"}],"description":"d"},` +
				`"c":{"anyOf":[{}]}},"required":["a","b","c"],"additionalProperties":false}`},
		"beside a reference": {`{"type":"object","properties":{"a":{"description":"d",` +
			`"$ref":"#/$defs/A","default":1},"b":{ "$ref":"#/$defs/A" }},"required":["a","b"],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{ "$ref":"#/$defs/A" }},` +
				`"required":["a","b"],"additionalProperties":false}`},
		"not, if and others": {`{"not":{},"type":"object","if":{"type":"object"},"then":{},"else":{},` +
			`"properties":{"a":{"encrypted":true,"default":{"type":"object"},"type":"string"}},` +
			`"patternProperties":{"x":{}},"dependentRequired":{"a":["b"]},"required":["a"],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
				`"additionalProperties":false}`},
		"tuples": {`{"type":"object","properties":{"a":{"type":"array","items":[{},{}],` +
			`"prefixItems":[{}]}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"array"}},"required":["a"],` +
				`"additionalProperties":false}`},
		"names of properties": {`{"type":"object","properties":{"minimum":{},"oneOf":{"type":"string"},` +
			`"$ref":{}},"required":["minimum","oneOf","$ref"],"additionalProperties":false}`, ""},
		"values are no schemas": {`{"type":"object","properties":{"a":{"enum":[{"type":"object",` +
			`"minimum":1}],"const":{"format":"x"}}},"required":["a"],"additionalProperties":false}`, ""},
		"commas in keys": {`{"a,b":1,"type":"object","properties":{"a,b":{"x":1,"type":"string"}},` +
			`"required":["a,b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a,b":{"type":"string"}},"required":["a,b"],` +
				`"additionalProperties":false}`},
		"no root": {``, `{"type":"object","properties":{},"additionalProperties":false}`},
		"odd values": {`{"type":"object","properties":{"a":null,"b":{"properties":[],"anyOf":1,` +
			`"items":true,"required":true}},"required":["a","b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{},"b":{"properties":{},"items":true,"type":"object",` +
				`"additionalProperties":false}},"required":["a","b"],"additionalProperties":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := appended(t, c.schema, Arguments|subset)
			if c.want == "" {
				c.want = c.schema
			}
			require.Equal(t, c.want, out)
		})
	}
	out, lost := appended(t, `{"anyOf":[{"properties":{"a":{"minimum":1}}}]}`, Arguments|PlainRoot|subset)
	require.Equal(t, `{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}`,
		out)
	require.Equal(t, "anyOf minimum required", lost)
}

// TestRepairs has schemas that servers refuse outside of strict modes, at several depths.
func TestRepairs(t *testing.T) {
	const (
		messages = Arguments | PlainRoot | Tuples
		loose    = Arguments | Typed
		openAI   = Arguments | PlainRoot | Typed | Tuples | TupleItems
		lone     = Arguments | Rules(Gemini)
		defined  = Arguments | Typed | Tuples | Defined
		flavored = Arguments | moonshot
	)
	for _, c := range []struct {
		rules        Rules
		schema, want string // of the property a; want "": unchanged
		lost         string
	}{
		{lone, `{ "$ref" : "#/properties/b", "description":"d","default":1 }`, "", ""},
		{lone, `{"title":"t", "$ref":"#/properties/b","description":"d","type":"array","enum":null,` +
			`"required":["y"]}`, `{"$ref":"#/properties/b","description":"d"}`, "title type required"},
		{lone, `{"anyOf":[{"$ref":"#/properties/b","properties":{"$ref":{"type":"string"},"z":true}},` +
			`{"type":"null"}],"type":"object"}`,
			`{"anyOf":[{"$ref":"#/properties/b"},{"type":"null"}],"type":"object"}`, "properties"},
		{lone, `{"$ref":"#/$defs/x","description":"d"}`, `{"description":"d"}`, "$ref"},
		{lone, `{"type":"array","items":{"$ref":"https://a.example/b"}}`, `{"type":"array","items":{}}`,
			"$ref"},
		{lone, `{"type":"object","properties":{"x":{"$ref":"#/properties/a"},"y":{"type":"string"}},` +
			`"required":["y","x"]}`,
			`{"type":"object","properties":{"x":{"$ref":"#/properties/a"},"y":{"type":"string"}}}`,
			"required"},
		{lone, `{"type":"object","properties":{"x":{"type":"object",` +
			`"properties":{"z":{"allOf":[{"$ref":"#/properties/a"}]}},"required":["z"]}},"required":["x"]}`,
			`{"type":"object","properties":{"x":{"type":"object",` +
				`"properties":{"z":{"allOf":[{"$ref":"#/properties/a"}]}}}}}`, "required"},
		{lone, `{"type":"object","properties":{"x":{"$ref":"#/properties/a"},"y":{"type":"array",` +
			`"items":{"$ref":"#/properties/a"}},"z":{"anyOf":[{"$ref":"#/properties/a"},{"type":"null"}]}}` +
			`,"required":["y","z"]}`, "", ""},
		{lone, `{"type":"object","properties":{"x":{"$ref":"#/properties/b"}},"required":["x"]}`, "", ""},
		{lone, `{"type":"array"}`, `{"type":"array","items":{}}`, ""},
		{flavored, `{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"title":"A"}`, "", ""},
		{flavored, `{"description":"d","type":"object","anyOf":[{"type":"object"},{"$ref":"#/properties/b"}]}`,
			`{"description":"d","anyOf":[{"type":"object"},{}]}`, "$ref"},
		{flavored, `{"type":["string","null"],"anyOf":[{"enum":["x"]},{"type":"null"}]}`,
			`{"anyOf":[{"enum":["x"],"type":"string"},{"type":"null"}]}`, ""},
		{flavored, `{"type":"string","anyOf":[{"format":"date"},{"type":"string"}]}`, `{"type":"string"}`,
			"anyOf"},
		{flavored, `{"type":"object","properties":{"x":{"type":"string"}},"anyOf":[{"required":["x"]}]}`,
			`{"type":"object","properties":{"x":{"type":"string"}}}`, "anyOf"},
		{flavored, `{"anyOf":[{"properties":{"x":{"type":"string"}},"required":["x","y"]}]}`,
			`{"anyOf":[{"properties":{"x":{"type":"string"}},"required":["x"],"type":"object"}]}`, "required"},
		{flavored, `{"items":{"type":"object","oneOf":[{"required":["x"]}],"required":["y"]},"type":"array"}`,
			`{"items":{"type":"object","oneOf":[{"required":["x"]}]},"type":"array"}`, "required"},
		{flavored, `{"$ref":"#","description":"d"}`, `{"$ref":"#"}`, "description"},
		{flavored, `{"anyOf":["x",{"type":"string"}]}`, `{"anyOf":[{},{"type":"string"}]}`, "properties"},
		{flavored, `{"enum":["x",null]}`, `{}`, "enum"},
		{loose, `{"type":"array"}`, `{"type":"array","items":{}}`, ""},
		{loose, `{ "type" : ["array", "null"] }`, `{ "type" : ["array", "null"] ,"items":{}}`, ""},
		{loose, `{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"array"},` +
			`{"type":"string"}]}}}`,
			`{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"array","items":{}},` +
				`{"type":"string"}]}}}`, ""},
		{loose, `{"additionalProperties":{"type":"array"},"type":"object"}`,
			`{"additionalProperties":{"type":"array","items":{}},"type":"object"}`, ""},
		{loose, `{"$defs":{"x":{"type":"array"}},"$ref":"#/$defs/x"}`,
			`{"$defs":{"x":{"type":"array","items":{}}},"$ref":"#/$defs/x"}`, ""},
		{messages, `{"type":"array"}`, "", ""},
		{loose, `{"properties":{"x":{"properties":{}}}}`,
			`{"properties":{"x":{"properties":{},"type":"object"}},"type":"object"}`, ""},
		{messages, `{"properties":{"x":{"properties":{}}}}`, "", ""},
		{loose, `{"anyOf":[{"required":["x"]},{"required":["y"]}],"properties":{"x":{},"y":{}}}`, "", ""},
		{loose, `{"$ref":"#/$defs/x","properties":{}}`, "", ""},
		{loose, `{"items":{"type":"string"}}`, `{"items":{"type":"string"},"type":"array"}`, ""},
		{loose, `{"const":"x"}`, `{"const":"x","type":"string"}`, ""},
		{loose, `{"enum":[1,-2]}`, `{"enum":[1,-2],"type":"integer"}`, ""},
		{loose, `{"enum":[1,2.5]}`, `{"enum":[1,2.5],"type":"number"}`, ""},
		{loose, `{"enum":[true,false]}`, `{"enum":[true,false],"type":"boolean"}`, ""},
		{loose, `{"const":null}`, `{"const":null,"type":"null"}`, ""},
		{loose, `{"enum":["a",null]}`, "", ""},
		{loose, `{"enum":[{"a":1}]}`, "", ""},
		{loose, `{"enum":[]}`, "", ""},
		{loose, `true`, `{}`, ""},
		{loose, `false`, `{"not":{}}`, ""},
		{loose, `null`, `{}`, ""},
		{messages, `null`, `{}`, ""},
		{messages, `true`, "", ""},
		{loose, `{"anyOf":[true,{"type":"null"}]}`, `{"anyOf":[{},{"type":"null"}]}`, ""},
		{loose, `{"type":"array","items":true}`, `{"type":"array","items":{}}`, ""},
		{loose, `{"type":"array","items":false}`, `{"type":"array","items":{},"maxItems":0}`, ""},
		{loose, `{"not":{"type":"array"},"if":{"properties":{}}}`, "", ""},
		{loose, `{"then":{"type":"array"},"else":{"type":"array","items":{}}}`,
			`{"then":{"type":"array","items":{}},"else":{"type":"array","items":{}}}`, ""},
		{loose, `{"default":{"type":"array"},"examples":[{"type":"array"}],"x-a":{"type":"array"},` +
			`"type":"object"}`, "", ""},
		{loose, `{"type":"string","description":null,"enum":null, "minLength":null}`, `{"type":"string"}`,
			""},
		{messages, `{"items":null,"type":"string","default":null}`, `{"type":"string","default":null}`, ""},
		{loose, `{"type":null}`, `{}`, ""},
		{loose, `{"type":"string","required":true}`, `{"type":"string"}`, "required"},
		{loose, `{"type":"object","properties":[]}`, `{"type":"object","properties":{}}`, ""},
		{loose, `{"type":"object","properties":["x"]}`, `{"type":"object","properties":{}}`, "properties"},

		// Tuples.
		{messages, `{"type":"array","items":[{"type":"string"},true]}`,
			`{"type":"array","prefixItems":[{"type":"string"},true]}`, ""},
		{messages, `{"additionalItems":false,"type":"array","items":[{}]}`,
			`{"items":false,"type":"array","prefixItems":[{}]}`, ""},
		{messages, `{"type":"array","items":{},"additionalItems":false}`, "", ""},
		{messages, `{"type":"array","prefixItems":[{}],"items":false}`, "", ""},
		{loose, `{"type":"array","items":[{"type":"array"},true]}`,
			`{"type":"array","items":[{"type":"array","items":{}},{}]}`, ""},
		{loose, `{"type":"array","prefixItems":[{}]}`, "", ""},
		{openAI, `{"type":"array","prefixItems":[{}],"maxItems":1}`,
			`{"type":"array","prefixItems":[{}],"maxItems":1,"items":{}}`, ""},
		{openAI, `{"type":"array","items":[{},{}]}`, `{"type":"array","prefixItems":[{},{}],"items":{}}`, ""},
		{openAI, `{"type":"array","prefixItems":[{},{}],"items":false}`,
			`{"type":"array","prefixItems":[{},{}],"items":{},"maxItems":2}`, ""},
		{openAI, `{"additionalItems":false,"type":"array","items":[{},{}]}`,
			`{"items":{},"type":"array","prefixItems":[{},{}],"maxItems":2}`, ""},
		{openAI, `{"additionalItems":false,"type":"array","items":[{}],"maxItems":1}`,
			`{"items":{},"type":"array","prefixItems":[{}],"maxItems":1}`, ""},
		{openAI, `{"type":"array","items":[{}],"additionalItems":{"type":"array"}}`,
			`{"type":"array","prefixItems":[{}],"items":{"type":"array","items":{}}}`, ""},
		{openAI, `{"type":"array","items":[{}],"additionalItems":true}`,
			`{"type":"array","prefixItems":[{}],"items":{}}`, ""},

		// Names that are not properties.
		{openAI, `{"type":"object","properties":{"x":{}},"required":["x","y"]}`, "", ""},
		{defined, `{"type":"object","required":["y","x","y"],"properties":{"x":{}}}`,
			`{"type":"object","required":["x"],"properties":{"x":{}}}`, "required"},
		{defined, `{"type":"object","required":["y"]}`, `{"type":"object"}`, "required"},
		{defined, `{"type":"object","properties":{"\u0078":{}},"required":["x"]}`, "", ""},
		{defined, `{"type":"object","properties":{"x":{}},"anyOf":[{"required":["x"]}],` +
			`"required":["x","y"]}`, "", ""},
		{defined, `{"type":"object","patternProperties":{"^y":{}},"required":["y"]}`, "", ""},
	} {
		const head, tail = `{"type":"object","properties":{"a":`, `,"b":{"type":"string"}}}`
		want := c.want
		if want == "" {
			want = c.schema
		}
		out, lost := appended(t, head+c.schema+tail, c.rules)
		require.Equal(t, head+want+tail, out)
		require.Equal(t, c.lost, lost)
	}
}

// TestStrict has schemas that strict modes accept, with losses, and schemas that strict modes do
// not support.
func TestStrict(t *testing.T) {
	const asItIs = "as it is"
	// asItIs, or the changed schema and the losses, or the misfit
	for _, c := range []struct{ schema, openAI, anthropic string }{
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
			`"additionalProperties":false}`, asItIs, asItIs},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
				`"additionalProperties":false} `,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
				`"additionalProperties":false} `},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, "required",
			asItIs},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"],` +
			`"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
				`"additionalProperties":false} `,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],` +
				`"additionalProperties":false} `},
		{`{"type":"object","properties":{},"additionalProperties":true}`, "additionalProperties",
			"additionalProperties"},
		{of(`{"type":"object"}`), "additionalProperties", "additionalProperties"},
		{of(`{"type":"object","additionalProperties":{"type":"string"}}`), "additionalProperties",
			"additionalProperties"},
		{of(`{"type":"object","additionalProperties":false}`), asItIs, asItIs},
		{of(`{"type":"integer","minimum":1,"maximum":9}`), asItIs,
			of(`{"type":"integer"}`) + " minimum maximum"},
		{of(`{"type":"string","minLength":1,"maxLength":9}`), of(`{"type":"string"}`) +
			" minLength maxLength", of(`{"type":"string"}`) + " minLength maxLength"},
		{of(`{"type":"array","items":{"type":"string"},"minItems":2}`), asItIs,
			of(`{"type":"array","items":{"type":"string"}}`) + " minItems"},
		{of(`{"type":"array","items":{"type":"string"},"minItems":1}`), asItIs, asItIs},
		{of(`{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":3}`),
			of(`{"type":"array","items":{"type":"string"},"maxItems":3}`) + " uniqueItems",
			of(`{"type":"array","items":{"type":"string"}}`) + " uniqueItems maxItems"},
		{of(`{"type":"string","format":"uri"}`), of(`{"type":"string"}`) + " format", asItIs},
		{of(`{"type":"string","format":"int64","default":"x"}`), of(`{"type":"string"}`) + " format default",
			of(`{"type":"string"}`) + " format default"},
		{of(`{"type":"string","pattern":"(?=a)"}`), of(`{"type":"string"}`) + " pattern",
			of(`{"type":"string"}`) + " pattern"},
		{of(`{"type":"string","pattern":"^a$","format":"date"}`), asItIs, asItIs},
		{of(`{"type":"array"}`), "items", "items"},
		{of(`{"type":"array","items":[{"type":"string"}]}`), "items", "items"},
		{of(`{"type":"array","prefixItems":[{"type":"string"}]}`), "prefixItems", "prefixItems"},
		{of(`{"type":"array","items":true}`), "items", "items"},
		{of(`{}`), "type", "type"},
		{of(`true`), "type", "type"},
		{of(`{"description":"d"}`), "type", "type"},
		{of(`{"const":"x"}`), of(`{"const":"x","type":"string"}`) + " ",
			of(`{"const":"x","type":"string"}`) + " "},
		{of(`{"enum":["x",null]}`), "type", "type"},
		{of(`{"type":["string","null"],"enum":["x",null]}`), asItIs, asItIs},
		{of(`{"type":"object","enum":[{"x":1}],"additionalProperties":false}`), asItIs, "enum"},
		{of(`{"oneOf":[{"type":"string"},{"type":"null"}]}`),
			of(`{"anyOf":[{"type":"string"},{"type":"null"}]}`) + " oneOf",
			of(`{"anyOf":[{"type":"string"},{"type":"null"}]}`) + " oneOf"},
		{of(`{"allOf":[{"type":"string"}],"description":"d"}`),
			of(`{"anyOf":[{"type":"string"}],"description":"d"}`) + " ",
			of(`{"anyOf":[{"type":"string"}],"description":"d"}`) + " "},
		{of(`{"allOf":[{"type":"string"},{"type":"string"}]}`), "allOf", "allOf"},
		{of(`{"anyOf":[{"type":"string"}],"oneOf":[{"type":"string"}]}`), "oneOf", "oneOf"},
		{of(`{"type":"string","not":{"const":"x"},"if":{},"then":{}}`),
			of(`{"type":"string"}`) + " not if then", of(`{"type":"string"}`) + " not if then"},
		{of(`{"type":"object","properties":{},"patternProperties":{"x":{}},"additionalProperties":false}`),
			"patternProperties", "patternProperties"},
		{with(`{"$ref":"#/$defs/x"}`, `{"type":"string"}`), asItIs, asItIs},
		{with(`{"$ref":"#/$defs/x","description":"d"}`, `{"type":"string"}`),
			with(`{"anyOf":[{"$ref":"#/$defs/x"}],"description":"d"}`, `{"type":"string"}`) + " ",
			with(`{"$ref":"#/$defs/x"}`, `{"type":"string"}`) + " description"},
		{with(`{"default":1, "$ref" : "#/$defs/x" }`, `{"type":"string"}`), with(`{"$ref" : "#/$defs/x" }`,
			`{"type":"string"}`) + " default", with(`{"$ref" : "#/$defs/x" }`, `{"type":"string"}`) +
			" default"},
		{with(`{"$ref":"#/$defs/x"}`, `{"anyOf":[{"type":"null"},{"$ref":"#/$defs/x"}]}`), asItIs, "$ref"},
		{with(`{"anyOf":[{"$ref":"#"},{"type":"null"}]}`, `{"type":"string"}`), asItIs, "$ref"},
		{with(`{"$ref":"#/$defs/x"}`,
			`{"anyOf":[{"type":"null"},{"$ref":"#/$defs/y"}]},"y":{"type":"array",`+
				`"items":{"$ref":"#/$defs/x"}}`), asItIs, "$ref"},
		{with(`{"$ref":"#/$defs/x"}`, `{"$ref":"#/$defs/y"},"y":{"type":"array","items":{"type":"string"}}`),
			asItIs, asItIs},
		{with(`{"$ref":"https://example.com/x"}`, `{"type":"string"}`), "$ref", "$ref"},
		{with(`{"$ref":"#/$defs/z"}`, `{"type":"string"}`), "$ref", "$ref"},
	} {
		for i, want := range []string{c.openAI, c.anthropic} {
			rules := []Rules{OpenAIStrict | Typed, AnthropicStrict | Tuples}[i] | Arguments | PlainRoot
			out, fit := Append(nil, jsonw.Raw(c.schema), rules)
			got := string(out) + " " + strings.Join(fit.Lost, " ")
			if fit.Misfit != "" {
				require.Empty(t, out)
				got = fit.Misfit
			} else {
				_, lost := appended(t, c.schema, rules)
				require.Equal(t, strings.Join(fit.Lost, " "), lost)
			}
			if want == asItIs {
				want = c.schema + " "
			}
			require.Equal(t, want, got, "%s for %s", c.schema, []string{"OpenAI", "Anthropic"}[i])
		}
	}
	_, fit := Append(nil,
		jsonw.Raw(`{"type":"object","properties":{"a":{"type":["string","null"]},`+
			`"b":{"anyOf":[{"type":"string"}]},"c":{"type":"object","properties":{"d":{"type":"string"}}}}`+
			`,"required":["a"]}`), AnthropicStrict)
	require.Equal(t, 3, fit.Optional)
	require.Equal(t, 2, fit.Unions)
	for root, misfit := range map[string]string{`{"anyOf":[{"type":"string"}]}`: "anyOf",
		`{"$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}`: "$ref", `{"type":"string"}`: "type",
		`{}`: "type"} {
		_, fit = Append(nil, jsonw.Raw(root), OpenAIStrict)
		require.Equal(t, misfit, fit.Misfit, "a format's root at OpenAI")
	}
}

// of returns the schema of an object with only one property, whose schema is given.
func of(property string) string {
	return `{"type":"object","properties":{"p":` + property +
		`},"required":["p"],"additionalProperties":false}`
}

// with returns a schema like of's, with a definition of x.
func with(property, x string) string {
	return strings.TrimSuffix(of(property), "}") + `,"$defs":{"x":` + x + `}}`
}

// TestDepth nests schemas as deep as a request may, with each keyword that the walk enters.
func TestDepth(t *testing.T) {
	for _, level := range [][2]string{
		{`{"properties":{"a":`, `}}`}, {`{"items":`, `}`}, {`{"anyOf":[`, `]}`}, {`{"oneOf":[`, `]}`},
		{`{"allOf":[`, `]}`},
		{`{"$defs":{"a":`, `}}`}, {`{"not":`, `}`}, {`{"additionalProperties":`, `}`}, {`{"x":[`, `]}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":`, `}}`},
	} {
		per := strings.Count(level[0], "{") + strings.Count(level[0], "[")
		for depth := 1; depth <= jsonr.MaxDepth; depth++ {
			if (depth-1)%per != 0 || depth > 9 && depth < 119 {
				continue
			}
			n := (depth - 1) / per
			schema := strings.Repeat(level[0], n) + `{}` + strings.Repeat(level[1], n)
			require.NoError(t, jsonr.Check(schema))
			for _, rules := range all {
				appendedOnce(t, schema, rules)
			}
		}
	}
	deep := strings.Repeat(`{"items":`, 127) + `{}` + strings.Repeat(`}`, 127)
	require.NoError(t, jsonr.Check(deep))
	out, _ := Append(nil, jsonw.Raw(deep), Arguments|subset)
	require.Equal(t, `{"type":"object","properties":{},`+deep[1:len(deep)-1]+
		`,"additionalProperties":false}`, string(out))
	require.ErrorIs(t, jsonr.Check(`{"items":`+deep+`}`), jsonr.ErrDepth, "what is deeper never comes here")
}

// TestMuchToFollow has schemas with which a client could keep an endpoint busy: only a limited part
// is followed.
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
		out, lost := appended(t, defs(n), Arguments|PlainRoot)
		require.Equal(t, "allOf", lost)
		require.Len(t, regexp.MustCompile(`"p\d+":`).FindAllString(out, -1), n+maxRefs)
	}
	deep := func(n int) string {
		return `{"$ref":"#` + strings.Repeat("/a", n) + `","a":` + strings.Repeat(`{"a":`, n-1) +
			`{"properties":{"found":{}}}` + strings.Repeat(`}`, n)
	}
	for n, found := range map[int]bool{maxPartDepth: true, maxPartDepth + 1: false} {
		out, _ := appended(t, deep(n), Arguments|PlainRoot)
		require.Equal(t, found, strings.Count(out, "found") == 2, out)
	}
	for _, union := range []string{"anyOf", "oneOf", "allOf"} {
		unions := func(n int) string {
			return strings.Repeat(`{"`+union+`":[`, n) + `{"properties":{"found":{}}}` + strings.Repeat(`]}`, n)
		}
		for n, found := range map[int]bool{maxPartDepth: true, maxPartDepth + 1: false} {
			out, _ := appended(t, unions(n), Arguments|PlainRoot)
			require.Equal(t, found, strings.Contains(out, "found"), out)
		}
	}

	nested := strings.Repeat(`{"required":["x"],"properties":{"a":{},"x":`, 60) + `{"description":"` +
		strings.Repeat("x", 1<<20) + `"}` + strings.Repeat("}}", 60)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Append(make([]byte, 0, len(nested)*2), jsonw.Raw(nested), Arguments|subset)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "a list behind which much stands")
}

func appendedOnce(t *testing.T, schema string, rules Rules) {
	out, fit := Append(nil, jsonw.Raw(schema), rules)
	require.True(t, fit.Misfit != "" || json.Valid(out), "%s", out)
}

// TestAnySchema makes random schemas, with and without parts to repair. The result is JSON, and
// everything not repaired equals the client's schema byte for byte, except members added at the
// beginning.
func TestAnySchema(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	space := func() string { return []string{"", "", " ", "\n\t"}[random.Intn(4)] }
	keys := strings.Split(`type properties required items anyOf oneOf allOf not if $ref $defs enum const `+
		`format pattern minimum minItems additionalProperties title x\u0041 a,b default`, " ")
	values := []string{`"object"`, `null`, `"None"`, `["object","null"]`, `"#/$defs/a"`, `"date"`, `"uri"`,
		`"(?=a)"`, `1`, `false`, `true`, `[]`, `{}`, `["a","b"]`, `"\"}],{\\"`}
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
	verbatim, misfits := 0, 0
	for range 6_000 {
		schema := object(0)
		require.NoError(t, jsonr.Check(schema))
		for _, rules := range all {
			out, fit := Append(nil, jsonw.Raw(schema), rules)
			if fit.Misfit != "" {
				require.Empty(t, out)
				misfits++
				continue
			}
			require.True(t, json.Valid(out), "%s\nof %s", out, schema)
			if strings.HasSuffix(string(out), schema[1:]) {
				verbatim++
			}
			again, more := Append(nil, jsonw.Raw(out), rules)
			require.Empty(t, more.Misfit)
			require.Equal(t, string(out), string(again), "of %s by %b", schema, rules)
			require.Empty(t, more.Lost)
		}
	}
	require.Greater(t, verbatim, 1000)
	require.Greater(t, misfits, 1000)
}

func TestVerbatimAllocatesNothing(t *testing.T) {
	const schema = `{"$schema":"s","type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}},` +
		`"required":["a"]}`
	dst := make([]byte, 0, 1024)
	var room Room
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, fit := room.append(dst, schema, Arguments|PlainRoot|Typed|Tuples|TupleItems); fit.Lost != nil {
			panic("repaired")
		}
	}))
}

func TestCustomDescription(t *testing.T) {
	for grammar, want := range map[jsonw.Raw]string{
		"": "d",
		`{"type":"grammar","syntax":"lark","definition":"start: \"x\""}`: `d\n\nThe input must follow ` +
			`this grammar (lark):\nstart: \"x\"`,
		`{"type":"grammar","grammar":{"syntax":"regex","definition":"a+"}}`: `d\n\nThe input must follow ` +
			`this grammar (regex):\na+`,
		`{"type":"text"}`: "d",
	} {
		require.Equal(t, want, string(AppendCustomDescription(nil, "d", grammar)))
	}
	require.True(t, json.Valid([]byte(CustomInput)))
}

// TestNoEmptyList: the Interactions API accepts no empty list of required names, at any depth.
// Removing the list is no loss.
func TestNoEmptyList(t *testing.T) {
	got, fit := Append(nil,
		`{"required":[],"type":"object","properties":{"a":{"type":"object","properties":{},"required":[ ]}`+
			`,"b":{"anyOf":[{"type":"object","properties":{"c":{}},"required":[]},{"required":["c"],`+
			`"type":"object","properties":{"c":{}}}]},"required":{"type":"array","items":{},"default":[]}}}`,
		Rules(Interactions))
	require.Equal(t,
		`{"type":"object","properties":{"a":{"type":"object","properties":{}},`+
			`"b":{"anyOf":[{"type":"object","properties":{"c":{}}},{"required":["c"],"type":"object",`+
			`"properties":{"c":{}}}]},"required":{"type":"array","items":{},"default":[]}}}`, string(got))
	require.Empty(t, fit.Lost)
}

// TestIsRecursive: a schema that refers to itself, and one whose references can't be followed.
func TestIsRecursive(t *testing.T) {
	for text, want := range map[ir.Raw]bool{
		``: false, `{"type":"object"}`: false,
		`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`: false,
		`{"properties":{"a":{"$ref":"#"}}}`:                                         true,
		`{"properties":{"a":{"$ref" : "#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},` +
			`"b":{"items":{"$ref":"#/$defs/a"}}}}`: true,
		`{"properties":{"a":{"$ref":"https://d.test"}}}`: true, `{"properties":{"a":{"$ref":7}}}`: true,
		`{"properties":{"a":{"$ref":"#/$defs/none"}}}`: true,
	} {
		require.Equal(t, want, IsRecursive(text), text)
	}
}
