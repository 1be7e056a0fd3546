package serve_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// described holds the answers of the Admin API and of the owner API to their description,
// worker/admin/openapi.json.
type described struct {
	t   *testing.T
	doc gjson.Result
}

// describe reads the description.
func describe(t *testing.T) *described {
	t.Helper()
	text, err := os.ReadFile("../admin/openapi.json")
	require.NoError(t, err)
	return &described{t, gjson.ParseBytes(text)}
}

// check requires that the operation of a request describes the answer.
func (d *described) check(method, target string, a *answer) {
	d.t.Helper()
	name := method + " " + target
	responses := d.operation(method, target).Get("responses")
	response := d.resolved(responses.Get(strconv.Itoa(a.Code)))
	require.True(d.t, response.Exists(), "%s: %d is not described: %s", name, a.Code, a.text())
	response.Get("headers").ForEach(func(header, _ gjson.Result) bool {
		assert.NotEmpty(d.t, a.Header().Get(header.Str), "%s: %s", name, header.Str)
		return true
	})
	content := response.Get("content")
	if !content.Exists() {
		assert.Empty(d.t, a.text(), name)
		return
	}
	require.True(d.t, gjson.Valid(a.text()), "%s: %s", name, a.text())
	d.fits(content.Get(`application/json.schema`), gjson.Parse(a.text()), name)
}

// operation returns the operation of a request.
func (d *described) operation(method, target string) (operation gjson.Result) {
	path, _, _ := strings.Cut(target, "?")
	parts := strings.Split(path, "/")
	d.doc.Get("paths").ForEach(func(pattern, methods gjson.Result) bool {
		fits := slices.EqualFunc(strings.Split(pattern.Str, "/"), parts,
			func(p, part string) bool { return p == part || strings.HasPrefix(p, "{") })
		if found := methods.Get(strings.ToLower(method)); fits && found.Exists() {
			operation = found
			return false
		}
		return true
	})
	require.True(d.t, operation.Exists(), "%s %s is not described", method, target)
	return operation
}

// resolved follows a reference.
func (d *described) resolved(node gjson.Result) gjson.Result {
	if ref := node.Get(`\$ref`); ref.Exists() {
		return d.doc.Get(strings.ReplaceAll(strings.TrimPrefix(ref.Str, "#/"), "/", "."))
	}
	return node
}

// isOf reports whether a value is of a type of JSON Schema.
func isOf(kind string, v gjson.Result) bool {
	switch kind {
	case "object":
		return v.IsObject()
	case "array":
		return v.IsArray()
	case "string":
		return v.Type == gjson.String
	case "integer":
		return v.Type == gjson.Number && v.Num == float64(int64(v.Num))
	case "number":
		return v.Type == gjson.Number
	case "boolean":
		return v.IsBool()
	}
	return kind == "null" && v.Type == gjson.Null
}

// fits requires that a value fits a schema. It knows the keywords that the description's schemas
// of answers use.
func (d *described) fits(schema, v gjson.Result, path string) {
	d.t.Helper()
	schema = d.resolved(schema)
	if some := schema.Get("anyOf"); some.Exists() {
		assert.True(d.t, slices.ContainsFunc(some.Array(),
			func(one gjson.Result) bool { return isOf(one.Get("type").Str, v) }), "%s: %s", path, v.Raw)
		return
	}
	if words := schema.Get("enum"); words.Exists() {
		assert.True(d.t, slices.ContainsFunc(words.Array(),
			func(word gjson.Result) bool { return word.Value() == v.Value() }), "%s: %s", path, v.Raw)
	}
	if kind := schema.Get("type").Str; kind != "" {
		require.True(d.t, isOf(kind, v), "%s is no %s: %s", path, kind, v.Raw)
	}
	if pattern := schema.Get("pattern").Str; pattern != "" {
		assert.Regexp(d.t, regexp.MustCompile(pattern), v.Str, path)
	}
	for _, name := range schema.Get("required").Array() {
		assert.True(d.t, v.Get(gjson.Escape(name.Str)).Exists(), "%s.%s is missing", path, name.Str)
	}
	if items := schema.Get("items"); items.Exists() {
		for _, element := range v.Array() {
			d.fits(items, element, path+"[]")
		}
	}
	if schema.Get("type").Str != "object" {
		return
	}
	v.ForEach(func(name, value gjson.Result) bool {
		of := schema.Get("properties." + gjson.Escape(name.Str))
		if !of.Exists() {
			if of = schema.Get("additionalProperties"); !of.Exists() || of.Type == gjson.True {
				return true
			}
		}
		assert.NotEqual(d.t, gjson.False, of.Type, "%s.%s is not described", path, name.Str)
		if of.IsObject() {
			d.fits(of, value, path+"."+name.Str)
		}
		return true
	})
}
