package readme

import (
	"strconv"
	"strings"
)

// form returns the form of a path in a request: messages[3].content[0] becomes
// messages[].content[image]. The type of an element, if there is one, replaces the index. For a
// path into a JSON Schema only the keyword is kept, after two dots: depth and property names are
// the tool's own.
func form(request any, path string) string {
	out, at := "", request
	for _, step := range strings.Split(path, ".") {
		name, indexes, _ := strings.Cut(step, "[")
		if name != "" {
			object, _ := at.(map[string]any)
			out, at = member(out, name), object[name]
		}
		for index := range strings.SplitSeq(strings.TrimSuffix(indexes, "]"), "][") {
			if index == "" {
				break
			}
			list, _ := at.([]any)
			at = nil
			if i, err := strconv.Atoi(index); err == nil && i < len(list) {
				at = list[i]
			}
			out = element(out, at)
		}
	}
	return out
}

// forms calls add with the form of every part of a request that asks for something, once for each
// occurrence.
func forms(prefix string, value any, add func(form string)) {
	visit := func(form string, inner any) {
		if !isNothing(inner) {
			add(form)
			forms(form, inner, add)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			visit(member(prefix, name), inner)
		}
	case []any:
		for _, inner := range v {
			visit(element(prefix, inner), inner)
		}
	}
}

// isNothing reports whether a value asks for nothing.
func isNothing(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func member(of, name string) string {
	if of == "" {
		return name
	}
	if schema := schemaOf(of); schema != "" {
		return schema + ".." + name
	}
	return of + "." + name
}

// schemaOf returns the part of a form up to the JSON Schema, or "" without a JSON Schema.
func schemaOf(form string) string {
	schema, _, inside := strings.Cut(form, "..")
	for _, name := range []string{".input_schema", ".parameters", ".schema"} {
		if inside || strings.HasSuffix(form, name) {
			return schema
		}
	}
	return ""
}

func element(of string, value any) string {
	if schemaOf(of) != "" {
		return of
	}
	object, _ := value.(map[string]any)
	if kind, ok := object["type"].(string); ok {
		return of + "[" + kind + "]"
	}
	return of + "[]"
}
