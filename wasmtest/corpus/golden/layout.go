package golden

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Layout returns a compact JSON object with one line per member, and with one line per element in
// lists of objects. A list of tools inside an element has one line per tool. A single member stays
// in the line of its object, unless the member is a list of objects. Layout adds only whitespace.
// The result does not share memory with value.
func Layout(value []byte) []byte {
	var b strings.Builder
	names, lists := 0, 0
	o := gjson.ParseBytes(value)
	if o.IsObject() {
		o.ForEach(func(name, member gjson.Result) bool {
			b.WriteString(",\n  " + name.Raw + ": ")
			names++
			if holdsObjects(member) {
				list(&b, member, "  ")
				lists++
			} else {
				b.WriteString(member.Raw)
			}
			return true
		})
	}
	if names <= 1 && lists == 0 {
		return append(value[:len(value):len(value)], '\n')
	}
	return []byte("{" + b.String()[len(","):] + "\n}\n")
}

// list writes a list with one line per element. The elements are indented two spaces more than the
// closing bracket.
func list(b *strings.Builder, elements gjson.Result, indent string) {
	b.WriteString("[")
	separator := "\n"
	elements.ForEach(func(_, value gjson.Result) bool {
		b.WriteString(separator + indent + "  ")
		element(b, value, indent+"  ")
		separator = ",\n"
		return true
	})
	b.WriteString("\n" + indent + "]")
}

// element writes an element of a list in one line, except for the tools in it.
func element(b *strings.Builder, value gjson.Result, indent string) {
	if !value.IsObject() || value.Raw == "{}" {
		b.WriteString(value.Raw)
		return
	}
	separator := "{"
	value.ForEach(func(name, member gjson.Result) bool {
		b.WriteString(separator + name.Raw + ":")
		if (name.Str == "tools" || name.Str == "functionDeclarations") && holdsObjects(member) {
			list(b, member, indent)
		} else {
			b.WriteString(member.Raw)
		}
		separator = ","
		return true
	})
	b.WriteString("}")
}

func holdsObjects(member gjson.Result) bool {
	return member.IsArray() && member.Get("0").IsObject()
}
