package google

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// JSONSchema converts Google's form of a schema (Gemini API, "Schema": a part of OpenAPI's) to JSON
// Schema. In Google's form types are in upper case, counts may be strings, and nullable is a member
// instead of a type.
func JSONSchema(v ir.Raw) ir.Raw {
	r := jsonr.NewReader(string(v))
	return ir.Raw(jsonw.View(appendSchema(make([]byte, 0, len(v)+len(v)/8), &r)))
}

// appendSchema appends the next value of r, a schema. jsonr.Check bounds its depth.
func appendSchema(dst []byte, r *jsonr.Reader) []byte {
	if r.Kind() != jsonr.Object {
		return append(dst, r.Value()...)
	}
	// kind is "" if the schema has no type of Google's, or has a list of types as in JSON Schema
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
		switch key := Camel(r.Key()); key {
		case "nullable":
			r.Value()
		case "type":
			// the upstream judges a list of types
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
			if name, ok := strings.CutPrefix(string(Simple(name)), "#/defs/"); ok {
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
// (google/ai/generativelanguage/v1beta/content.proto, "Type"). The last element stands for unknown
// numbers.
var types = [...]ir.Escaped{"", "string", "number", "integer", "boolean", "array", "object", "null", ""}

// typeOf returns JSON Schema's name for the type of a schema, "" for none. nullable says that null
// is valid too.
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

// Camel returns the name of a member in camelCase.
func Camel(key string) string {
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
