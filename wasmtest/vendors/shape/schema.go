package shape

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// JSON Schema keywords that the strict mode of a vendor rejects, for Permitted. A space precedes
// and follows each keyword.
const (
	NotOpenAI = " allOf oneOf not if then else default uniqueItems minLength maxLength patternProperties" +
		" prefixItems dependentRequired "
	NotAnthropic = " oneOf not if then else minimum maximum exclusiveMinimum exclusiveMaximum multipleOf" +
		" minLength maxLength maxItems uniqueItems minItems>1 "
)

// Closed applies the strict mode's rules for objects to a schema and all its subschemas: each
// object must set additionalProperties to false and, if all is true, require every property.
func Closed(schema any, path string, all bool) {
	if list, ok := schema.(List); ok {
		for i, element := range list {
			Closed(element, fmt.Sprintf("%s[%d]", path, i), all)
		}
	}
	object, ok := schema.(Object)
	if !ok {
		return
	}
	if object["type"] == "object" {
		if object["additionalProperties"] != false {
			Refuse(path, "'additionalProperties' is required to be supplied and to be false")
		}
		required, _ := object["required"].(List)
		properties, _ := object["properties"].(Object)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if all && !slices.Contains(required, any(name)) {
				Refuse(path, "'required' must include every key in properties: %s is missing", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "enum" && name != "const" {
			Closed(object[name], path+"."+name, all)
		}
	}
}

// Schemas calls see for a schema and its subschemas, except subschemas that only test a value, such
// as if and not.
func Schemas(schema any, path string, see func(node Object, path string)) {
	node, ok := schema.(Object)
	if !ok {
		return
	}
	see(node, path)
	for _, name := range []string{"properties", "$defs", "definitions"} {
		inner, _ := node[name].(Object)
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			Schemas(inner[key], path+"."+name+"."+key, see)
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := node[name].(List)
		for i, inner := range list {
			Schemas(inner, fmt.Sprintf("%s.%s[%d]", path, name, i), see)
		}
	}
	for _, name := range []string{"items", "additionalProperties", "then", "else"} {
		Schemas(node[name], path+"."+name, see)
	}
}

// Arrays applies OpenAI's rules for arrays: each array in a schema must have items, and items must
// not be a list of schemas.
func Arrays(schema any, path string) {
	Schemas(schema, path, func(node Object, at string) {
		types, _ := node["type"].(List)
		items := node["items"]
		isArray := node["type"] == "array" || slices.Contains(types, any("array"))
		if isArray && (items == nil || items == false) {
			Refuse(at, "array schema missing items")
		}
		if _, tuple := items.(List); tuple {
			Refuse(at, "is not of type 'object', 'boolean'")
		}
	})
}

// Draft rejects, as Anthropic does, a schema that is invalid in draft 2020-12. The check only
// looks for the tuples of older drafts: a list of schemas in items.
func Draft(schema any, path string) {
	Schemas(schema, path, func(node Object, _ string) {
		if _, tuple := node["items"].(List); tuple {
			Refuse(path, "JSON schema is invalid. It must match JSON Schema draft 2020-12")
		}
	})
}

// Permitted rejects a schema with a keyword from not, the list NotOpenAI or NotAnthropic.
func Permitted(schema any, path, not string) {
	Schemas(schema, path, func(node Object, at string) {
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if strings.Contains(not, " "+key+" ") {
				Refuse(at, "'%s' is not permitted", key)
			}
		}
		if n, ok := node["minItems"].(Number); ok && n != "0" && n != "1" &&
			strings.Contains(not, " minItems>1 ") {
			Refuse(at, "'minItems' values other than 0 or 1 are not supported")
		}
	})
}

// ObjectAtRoot rejects the schema of a tool's parameters unless the root has the type object.
func ObjectAtRoot(schema any, path string) {
	AnyObject(schema, path)
	if schema.(Object)["type"] != "object" {
		Refuse(path+".type", "must be 'object'")
	}
}

// PlainRoot rejects the schema of a tool's parameters unless the root has the type object and no
// oneOf, anyOf or allOf.
func PlainRoot(schema any, path string) {
	ObjectAtRoot(schema, path)
	for _, name := range []string{"oneOf", "anyOf", "allOf"} {
		if _, ok := schema.(Object)[name]; ok {
			Refuse(path, "does not support %s at the top level", name)
		}
	}
}
