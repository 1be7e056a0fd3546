package demo

import "strings"

// maxDepth bounds the nesting of a value, since a schema may contain itself.
const maxDepth = 12

// sampler makes values that fit a JSON Schema.
type sampler struct {
	words string // the user's words
	root  any    // the whole schema, in which references are resolved
}

// sample returns a value for a schema. The same schema and words always give the same value.
func (s *sampler) sample(schema any, depth int) any {
	o, ok := schema.(object)
	if !ok || depth > maxDepth {
		return s.string()
	}
	for _, key := range []string{"const", "default"} {
		if v, found := o[key]; found {
			return v
		}
	}
	for _, key := range []string{"enum", "examples"} {
		if list, _ := o[key].([]any); len(list) > 0 {
			return list[0]
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, _ := o[key].([]any); len(list) > 0 {
			return s.sample(notNull(list), depth+1)
		}
	}
	if ref, ok := o["$ref"].(string); ok {
		return s.sample(s.resolve(ref), depth+1)
	}
	switch typeOf(o) {
	case "object":
		return s.object(o, depth)
	case "array":
		if o["items"] == nil {
			return []any{}
		}
		return []any{s.sample(o["items"], depth+1)}
	case "integer", "number":
		if least, ok := o["minimum"].(float64); ok {
			return least
		}
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	}
	return s.string()
}

// object returns an object with the required properties, or with all properties if the schema has
// no "required".
func (s *sampler) object(schema object, depth int) object {
	properties, _ := schema["properties"].(object)
	filled := object{}
	required, said := schema["required"].([]any)
	if !said {
		for name, property := range properties {
			filled[name] = s.sample(property, depth+1)
		}
		return filled
	}
	for _, name := range required {
		if name, ok := name.(string); ok {
			filled[name] = s.sample(properties[name], depth+1)
		}
	}
	return filled
}

// string returns a place named in the user's words, or else the words.
func (s *sampler) string() string {
	if p := place(s.words); p != "" {
		return p
	}
	if said := shorten(s.words, 60); said != "" {
		return said
	}
	return "example"
}

// resolve returns the target of a reference such as #/$defs/name, or nil.
func (s *sampler) resolve(ref string) any {
	at := s.root
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		o, _ := at.(object)
		at = o[step]
	}
	return at
}

// typeOf returns the type of a schema. If the schema has no "type", typeOf guesses the type from
// the other members.
func typeOf(schema object) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
	}
	if _, ok := schema["properties"]; ok {
		return "object"
	}
	return "string"
}

// notNull returns the first schema that allows more than null.
func notNull(schemas []any) any {
	for _, schema := range schemas {
		if o, ok := schema.(object); !ok || o["type"] != "null" {
			return schema
		}
	}
	return schemas[0]
}
