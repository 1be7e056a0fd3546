// Package schema writes the JSON Schemas of tools and formats as an upstream takes them.
package schema

import (
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Rules say what an upstream refuses.
type Rules struct {
	PlainRoot bool // the root must be an object, without a union or a reference there
	Subset    bool // only what strict modes take: no unknown formats, no bounds, no additional properties
}

// Append appends a schema, which is an object or "". It goes byte for byte, in the client's order, since prompt caches depend on
// it: only what the upstream refuses is repaired. A missing type or properties at the root is put in front, and does not count;
// repaired reports whether anything that the client wrote was changed or left out.
func Append(dst []byte, schema jsonw.Raw, rules Rules) (out []byte, repaired bool) {
	if schema == "" {
		return append(dst, `{"type":"object","properties":{}}`...), false
	}
	hasType, hasProperties, empty := false, false, true
	r := jsonr.NewReader(string(schema))
	for r.Open(); r.Member(); {
		empty = false
		switch r.Key() {
		case "type":
			hasType = true
		case "properties":
			hasProperties = true
		}
	}
	if hasType && hasProperties {
		return append(dst, schema...), false
	}
	dst = append(dst, '{')
	if !hasType {
		dst = append(dst, `"type":"object"`...)
	}
	if !hasProperties {
		if !hasType {
			dst = append(dst, ',')
		}
		dst = append(dst, `"properties":{}`...)
	}
	if !empty {
		dst = append(dst, ',')
	}
	return append(dst, schema[1:]...), false
}
