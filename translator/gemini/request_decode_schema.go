package gemini

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// jsonSchema returns a schema of Google's (Gemini API, "Schema": a part of OpenAPI's) as JSON
// Schema: its types are in upper case, numbers that count may be strings, and nullable is a type.
func jsonSchema(v ir.Raw) ir.Raw {
	r := jsonr.NewReader(string(v))
	return ir.Raw(jsonw.View(appendSchema(make([]byte, 0, len(v)+len(v)/8), &r)))
}

// appendSchema appends the schema that r stands before. Its depth is bounded by jsonr.Check.
func appendSchema(dst []byte, r *jsonr.Reader) []byte {
	if r.Kind() != jsonr.Object {
		return append(dst, r.Value()...)
	}
	// kind is "" where the schema has none of Google's, or a list of JSON Schema's
	kind, nullable := typeOf(*r)
	separator := `{`
	member := func(key string) {
		dst = append(append(append(dst, separator...), '"'), key...)
		dst = append(dst, `":`...)
		separator = `,`
	}
	if kind != "" {
		if member("type"); nullable && kind != "null" {
			dst = append(append(append(dst, `["`...), kind...), `","null"]`...)
		} else {
			dst = jsonw.AppendEscaped(dst, kind)
		}
	}
	for r.OpenObject(); r.Member(); {
		switch key := camel(r.Key()); key {
		case "nullable":
			r.Value()
		case "type":
			// which is for the upstream to judge
			if v := r.Value(); kind == "" && jsonr.KindOf(v) == jsonr.Array {
				member(key)
				dst = append(dst, v...)
			}
		case "properties":
			member(key)
			dst = appendSchemas(dst, r)
		case "defs": // Vertex AI, "Schema"
			member("$defs")
			dst = appendSchemas(dst, r)
		case "ref":
			v := r.Value()
			name, _ := jsonr.Text(v)
			if name, ok := strings.CutPrefix(string(simple(name)), "#/defs/"); ok {
				key, v = "$ref", ir.Raw(`"#/$defs/`+name+`"`)
			}
			member(key)
			dst = append(dst, v...)
		case "items", "additionalProperties":
			member(key)
			dst = appendSchema(dst, r)
		case "anyOf", "prefixItems":
			member(key)
			if r.Kind() != jsonr.Array {
				dst = append(dst, r.Value()...)
				break
			}
			first := byte('[')
			for r.OpenArray(); r.Element(); first = ',' {
				dst = appendSchema(append(dst, first), r)
			}
			if key == "anyOf" && nullable && kind == "" {
				dst = append(append(dst, first), `{"type":"null"}`...)
			} else if first == '[' {
				dst = append(dst, first)
			}
			dst = append(dst, ']')
		case "enum":
			member(key)
			list := r.Value()
			if nullable && list[0] == '[' && jsonr.Asks(list) {
				dst = append(append(dst, list[:len(list)-1]...), `,null]`...)
			} else {
				dst = append(dst, list...)
			}
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			v := r.Value()
			if n, ok := jsonr.Text(v); ok && jsonr.Count(ir.Raw(n)) >= 0 {
				v = ir.Raw(n)
			}
			member(key)
			dst = append(dst, v...)
		default:
			dst = append(dst, separator...)
			dst = append(jsonw.AppendString(dst, key), ':')
			dst = append(dst, r.Value()...)
			separator = `,`
		}
	}
	if separator == `{` {
		dst = append(dst, '{')
	}
	return append(dst, '}')
}

// types are the names of Google's types, by their numbers
// (google/ai/generativelanguage/v1beta/content.proto, "Type"); the last one is for those that have
// none.
var types = [...]ir.Escaped{"", "string", "number", "integer", "boolean", "array", "object", "null", ""}

// typeOf returns the type of the schema that r stands before, as JSON Schema has it, "" for none,
// and whether null is one too.
func typeOf(r jsonr.Reader) (kind ir.Escaped, nullable bool) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			v := r.Value()
			// the old SDK for Python sends numbers over REST
			if kind, _ = jsonr.Text(v); jsonr.KindOf(v) == jsonr.Number {
				kind = types[max(0, min(jsonr.Count(v), int64(len(types)-1)))]
			}
		case "nullable":
			nullable = r.Value() == "true"
		}
	}
	if kind = ir.Escaped(strings.ToLower(string(kind))); kind == "type_unspecified" {
		kind = ""
	}
	return kind, nullable
}

// camel returns the name of a member in camelCase.
func camel(key string) string {
	i := strings.IndexByte(key, '_')
	if i <= 0 {
		return key
	}
	name, upper := make([]byte, 0, len(key)), false
	for i := range len(key) {
		c := key[i]
		if upper && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if upper = c == '_'; !upper {
			name = append(name, c)
		}
	}
	return string(name)
}

// appendSchemas appends an object of schemas.
func appendSchemas(dst []byte, r *jsonr.Reader) []byte {
	if r.Kind() != jsonr.Object {
		return append(dst, r.Value()...)
	}
	separator := byte('{')
	for r.OpenObject(); r.Member(); separator = ',' {
		dst = append(jsonw.AppendString(append(dst, separator), r.Key()), ':')
		dst = appendSchema(dst, r)
	}
	if separator == '{' {
		dst = append(dst, '{')
	}
	return append(dst, '}')
}
