package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDefinitions has references that Moonshot accepts only to the root and to members of $defs.
func TestDefinitions(t *testing.T) {
	for _, c := range []struct{ schema, want, lost string }{
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, "", ""},
		{`{"type":"object","properties":{"a":{"$ref":"#"}}}`, "", ""},
		{`{"type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}`, ""},
		{`{"definitions":{"x":{"type":"string"}},"type":"object",` +
			`"properties":{"a":{"$ref":"#/definitions/x","title":"A"}}}`,
			`{"$defs":{"x":{"type":"string"}},"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, "title"},
		{`{"type":"object","properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"string"}},` +
			`"$defs":{}}`,
			`{"type":"object","properties":{"a":{}},"definitions":{"x":{"type":"string"}},"$defs":{}}`, "$ref"},
		{`{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`, "$ref"},
		{`{"type":"object","properties":{"a":{"$ref":"#/definitions/none"}}}`,
			`{"type":"object","properties":{"a":{}}}`, "$ref"},
	} {
		if c.want == "" {
			c.want = c.schema
		}
		out, lost := appended(t, c.schema, Arguments|moonshot)
		require.Equal(t, c.want, out)
		require.Equal(t, c.lost, lost, c.schema)
	}
}
