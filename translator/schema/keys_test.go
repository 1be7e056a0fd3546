package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonw"
)

// TestRenameKeys: everything in a schema that refers to a renamed property follows.
func TestRenameKeys(t *testing.T) {
	const top = "_top_7ba0af53e0ca650a" // of $top
	long := strings.Repeat("k", 65)
	for _, c := range []struct{ schema, want string }{
		{`{}`, ``},
		{`true`, ``},
		{`{"$ref":"#/$defs/$top","$defs":{"$top":{"$comment":"$top"}}}`, ``},
		{`{"properties":{"a.b-c_D9":{}},"required":["$top"]}`, ``},
		{`{"properties":{"` + long[:64] + `":{}}}`, ``},
		{`{"patternProperties":{"^\\$":{}}}`, ``},
		{`{"enum":[{"properties":{"$top":1}}]}`, ``},
		{`{"properties":{"properties":{"description":"properties"}}}`, ``},
		{`{"properties":{"$top":true}}`, `{"properties":{"TOP":true}}`},
		{`{"properties":{"$top":{}}}`, `{"properties":{"TOP":{"title":"$top"}}}`},
		{`{"properties":{"\u0024top":{ }}}`, `{"properties":{"TOP":{"title":"$top" }}}`},
		{`{"properties":{"$top":{"type":"integer"}}}`,
			`{"properties":{"TOP":{"title":"$top","type":"integer"}}}`},
		{`{"properties":{"$top":{"title":"Top"}}}`, `{"properties":{"TOP":{"title":"Top"}}}`},
		{`{"required":["a","$top"],"properties":{"a":{}, "$top" : 1}}`,
			`{"required":["a","TOP"],"properties":{"a":{}, "TOP" : 1}}`},
		{`{"properties":{"a":{"items":{"anyOf":[{"properties":{"$top":1},"required":["$top"]}]}}}}`,
			`{"properties":{"a":{"items":{"anyOf":[{"properties":{"TOP":1},"required":["TOP"]}]}}}}`},
		{`{"$defs":{"x":{"properties":{"$top":1}}},"properties":{"a":{"$ref":"#/$defs/x/properties/$top"}}}`,
			`{"$defs":{"x":{"properties":{"TOP":1}}},"properties":{"a":{"$ref":"#/$defs/x/properties/TOP"}}}`},
		{`{"properties":{"$top":1,"a":{"$ref":"#/properties/%24top"},"b":{"$ref":"x#/properties/$top"}}}`,
			`{"properties":{"TOP":1,"a":{"$ref":"#/properties/TOP"},"b":{"$ref":"x#/properties/$top"}}}`},
		{`{"properties":{"$top":1},"dependentRequired":{"$top":["a","$top"]},"dependentSchemas":` +
			`{"$top":{"required":["$top"]}},"dependencies":{"$top":["$top"]}}`,
			`{"properties":{"TOP":1},"dependentRequired":{"TOP":["a","TOP"]},"dependentSchemas":` +
				`{"TOP":{"title":"$top","required":["TOP"]}},"dependencies":{"TOP":["TOP"]}}`},
		{`{"properties":{"$top":1},"default":{"$top":"$top","a":[{"$top" :"\":"}]},"examples":[{"$top":1}]}`,
			`{"properties":{"TOP":1},"default":{"TOP":"$top","a":[{"TOP" :"\":"}]},"examples":[{"TOP":1}]}`},
		{`{"properties":{"$top":1},"propertyNames":{"enum":["$top","a"],"pattern":"$top"},"const":{"$top":2}}`,
			`{"properties":{"TOP":1},"propertyNames":{"enum":["TOP","a"],"pattern":"$top"},"const":{"TOP":2}}`},
		{`{"properties":{"$top":1},"discriminator":{"propertyName":"$top"},"description":"$top","enum":["$top"]}`,
			`{"properties":{"TOP":1},"discriminator":{"propertyName":"TOP"},"description":"$top","enum":["$top"]}`},
		{`{"not":{"properties":{"$top":1}},"if":{"required":["$top"]},"then":{"properties":{"b":1}}}`,
			`{"not":{"properties":{"TOP":1}},"if":{"required":["TOP"]},"then":{"properties":{"b":1}}}`},
	} {
		got, keys := RenameKeys(jsonw.Raw(c.schema))
		want := strings.ReplaceAll(c.want, "TOP", top)
		if want == "" {
			require.Nil(t, keys, c.schema)
			want = c.schema
		}
		require.Equal(t, want, string(got))
	}
	for _, key := range []string{"", long, "é", "user name"} {
		_, keys := RenameKeys(jsonw.Raw(`{"properties":{"` + key + `":{}}}`))
		require.Len(t, keys.to, 1, key)
		require.True(t, isPlainKey(keys.to[key]), keys.to[key])
	}
}

// TestRenameKeysWithCollisions: a replacement is never the key of another property.
func TestRenameKeysWithCollisions(t *testing.T) {
	const top = "_top_7ba0af53e0ca650a"
	got, keys := RenameKeys(`{"properties":{"$top":1,"` + top + `":2,"` + top + `_":3}}`)
	require.Equal(t, `{"properties":{"`+top+`__":1,"`+top+`":2,"`+top+`_":3}}`, string(got))
	client, ok := keys.Client(top + "__")
	require.True(t, ok)
	require.Equal(t, "$top", string(client))
	_, ok = keys.Client(top)
	require.False(t, ok)
}

// TestKeysOfArguments: Rename changes keys only, and Client returns them as in a call's arguments.
func TestKeysOfArguments(t *testing.T) {
	_, keys := RenameKeys(`{"properties":{"a \"b\"":{}}}`)
	to := keys.to[`a "b"`]
	require.Equal(t, jsonw.Raw(`{"`+to+`":"a \"b\"","c":{"`+to+`" : ["a \"b\""]}}`),
		keys.Rename(`{"a \"b\"":"a \"b\"","c":{"a \u0022b\"" : ["a \"b\""]}}`))
	client, ok := keys.Client(to)
	require.True(t, ok)
	require.Equal(t, `a \\\"b\\\"`, string(client))
}

// TestUnpointed has escapes in a part of a pointer, and texts that only look like escapes.
func TestUnpointed(t *testing.T) {
	for part, name := range map[string]string{
		"": "", "abc": "abc", "$ad1": "$ad1", "a~1b": "a/b", "a~0b": "a~b", "~2": "~2", "~": "~", "~01": "~1",
		"%24top": "$top", "a%20": "a ", "%": "%", "%2": "%2", "%zz": "%zz", "%c3%A9": "é",
	} {
		require.Equal(t, name, unpointed(part), part)
	}
}
