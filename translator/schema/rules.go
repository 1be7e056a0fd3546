package schema

import "strings"

// Rules say how to change a schema so that an upstream accepts it. Each rule is a bit.
type Rules uint16

const (
	// the schema of a tool: its root is an object, with type and properties
	Arguments Rules = 1 << iota
	PlainRoot       // with Arguments: no union, reference, enum or not at the root
	// the schemas of a tuple's elements are called prefixItems, as since draft 2020-12
	Tuples
	// schemas are objects, not booleans, and have a type; arrays have a schema for their elements
	Typed
	TupleItems // with Typed: an array has a schema for its elements even with prefixItems
	Defined    // required has only names from properties
	// with Defined: required is not an empty list, which the Interactions API refuses
	// (earendil-works/pi#2172)
	NoEmptyList
	// a $ref has no neighbours except description, default and keywords with an initial $; its
	// target exists and does not need itself
	LoneRefs
	// with LoneRefs: Moonshot's subset, see flavor.go
	Flavored
	OpenAIStrict    // only keywords of OpenAI's strict mode
	AnthropicStrict // only keywords of Anthropic's structured outputs
	// with a strict rule: unsupported keywords are removed, and do not make the schema non-strict
	Forced

	strict = OpenAIStrict | AnthropicStrict
)

// The strict modes support:
//
//   - OpenAI, developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas", and
//     its error messages: the root is an object without a union; all properties are required
//     ("'required' is required to be supplied and to be an array including every key in
//     properties"); additionalProperties is false; as bounds, those of numbers, minItems, maxItems
//     and pattern; a list of formats; no allOf, not, if, dependent..., no oneOf, default and
//     uniqueItems ("'uniqueItems' is not permitted"); no untyped schema ("schema must have a 'type'
//     key"); a $ref without neighbours ("$ref cannot have keywords {'description'}"). Recursion is
//     supported.
//   - Anthropic, platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema
//     limitations" and "Schema complexity limits", and the function transformJSONSchema of its SDK:
//     additionalProperties is false, properties may be optional; no bounds of numbers, strings and
//     arrays except minItems 0 and 1; no oneOf; enum of simple values; a list of formats; $ref
//     within the schema, without neighbours, and not circular ("Circular reference detected in
//     schema definitions").
//
// A keyword that only narrows values, as minimum, is removed. Unsupported structure, as an optional
// property at OpenAI, makes the schema non-strict.
const (
	// unchanged are the keywords that both modes accept unchanged, each between commas.
	unchanged = ",type,properties,required,items,const,enum,$defs,definitions,$schema,$id,$anchor,$comment," +
		"title,description,"

	// bounds are the keywords that only OpenAI accepts unchanged.
	bounds = ",minimum,maximum,exclusiveMinimum,exclusiveMaximum,multipleOf,minItems,maxItems,"

	// formats are the string formats that both modes accept; Anthropic also accepts uri.
	formats = ",date-time,time,date,duration,email,hostname,ipv4,ipv6,uuid,"

	// nullable are the keywords for which null means absent. JSON Schema allows null for none;
	// languages without an absent value write null (hank9999/kiro.rs#71), and OpenAI and Anthropic
	// refuse it.
	nullable = ",type,properties,required,items,prefixItems,additionalItems,additionalProperties," +
		"anyOf,oneOf,allOf,not,if,then,else,enum,format,pattern,title,description," +
		"minimum,maximum,exclusiveMinimum,exclusiveMaximum,multipleOf,minLength,maxLength," +
		"minItems,maxItems,uniqueItems,minProperties,maxProperties,$ref,$defs,definitions,$schema,$id,"
)

// isAmong reports whether key is in list. Each element of list is between commas.
func isAmong(key, list string) bool {
	if key == "" || strings.IndexByte(key, ',') >= 0 {
		return false
	}
	for i := 0; ; i++ {
		n := strings.Index(list[i:], key)
		if n < 0 {
			return false
		}
		if i += n; list[i-1] == ',' && list[i+len(key)] == ',' {
			return true
		}
	}
}

// isPlainPattern reports whether a regular expression has only features supported by strict modes:
// no lookaround, references to groups, word boundaries or \0 (FAULTS 67).
func isPlainPattern(p string) bool {
	for i := 0; i+1 < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
			if c := p[i]; '0' <= c && c <= '9' || c == 'b' || c == 'B' || c == 'k' {
				return false
			}
		case '(':
			if p[i+1] == '?' && !strings.HasPrefix(p[i:], "(?:") {
				return false
			}
		}
	}
	return true
}
