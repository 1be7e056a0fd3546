package schema

import "strings"

// Rules say what is done to a schema so that an upstream takes it. Each is a bit.
type Rules uint16

const (
	// the schema is that of a tool: its root is an object, with type and properties
	Arguments Rules = 1 << iota
	PlainRoot       // of Arguments: no union, reference, enum or not stands at the root
	// the schemas of a tuple's elements are called prefixItems, as since draft 2020-12
	Tuples
	// schemas are objects, not booleans, and say their type; arrays say what they hold
	Typed
	TupleItems // beside Typed: an array says what it holds also beside prefixItems
	Defined    // required names only what stands in properties
	// beside Defined: required is no empty list, which the Interactions API refuses
	// (earendil-works/pi#2172)
	NoEmptyList
	// beside a $ref stands nothing but description, default and what begins with $; it leads to a
	// schema, and to none that needs itself
	LoneRefs
	OpenAIStrict    // only what OpenAI's strict mode takes
	AnthropicStrict // only what Anthropic's structured outputs take
	// beside the strict ones: what they can't be told is cut, and no reason to do without strict
	Forced

	strict = OpenAIStrict | AnthropicStrict
)

// What the strict modes take:
//
//   - OpenAI, developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas", and
//     its refusals: the root is an object without a union; all properties are required ("'required'
//     is required to be supplied and to be an array including every key in properties");
//     additionalProperties is false; of bounds those of numbers, minItems, maxItems and pattern; a
//     list of formats; no allOf, not, if, dependent..., no oneOf, default and uniqueItems
//     ("'uniqueItems' is not permitted"); no untyped schema ("schema must have a 'type' key"); a
//     $ref stands alone ("$ref cannot have keywords {'description'}"). Recursion is taken.
//   - Anthropic, platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema
//     limitations" and "Schema complexity limits", and the function transformJSONSchema of its SDK:
//     additionalProperties is false, properties may be optional; no bounds of numbers, strings and
//     arrays but minItems 0 and 1; no oneOf; enum of simple values; a list of formats; $ref within
//     the schema, alone, and not in a circle ("Circular reference detected in schema definitions").
//
// A keyword that only narrows values, as minimum, is cut. Structure that can't be told, as an
// optional property at OpenAI, makes the schema one that is not strict.
const (
	// kept are the keywords that both take as they are. Each stands between commas.
	kept = ",type,properties,required,items,const,enum,$defs,definitions,$schema,$id,$anchor,$comment,title,description,"

	// bounds are the keywords that OpenAI alone takes as they are.
	bounds = ",minimum,maximum,exclusiveMinimum,exclusiveMaximum,multipleOf,minItems,maxItems,"

	// formats are the formats of strings that both take; Anthropic also takes uri.
	formats = ",date-time,time,date,duration,email,hostname,ipv4,ipv6,uuid,"

	// nullable are the keywords that are as good as absent where they are null. JSON Schema knows
	// null for none of them; languages that have no absent value write it (hank9999/kiro.rs#71),
	// and OpenAI and Anthropic refuse it.
	nullable = ",type,properties,required,items,prefixItems,additionalItems,additionalProperties,anyOf,oneOf,allOf,not,if,then,else," +
		"enum,format,pattern,title,description,minimum,maximum,exclusiveMinimum,exclusiveMaximum,multipleOf,minLength,maxLength," +
		"minItems,maxItems,uniqueItems,minProperties,maxProperties,$ref,$defs,definitions,$schema,$id,"
)

// isAmong reports whether a key is one of a list, in which each stands between commas.
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

// isPlainPattern reports whether a regular expression has nothing that strict modes can't follow:
// lookaround, references to groups, word boundaries, \0 (FAULTS 67).
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
