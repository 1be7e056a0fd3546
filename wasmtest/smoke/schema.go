package smoke

import "fmt"

// fits demands that arguments fit the tool's schema. Of JSON Schema it supports properties with
// types and enums, which is enough for the tools here.
func fits(t tool, arguments string) node {
	n := parse("the arguments of "+t.name, arguments)
	properties := t.schema["properties"].(object)
	for _, name := range t.schema["required"].([]any) {
		n.get(name.(string))
	}
	for name := range n.object() {
		if properties[name] == nil {
			fail(fmt.Sprintf("arguments that are properties of %s", t.name), n.v)
		}
		property := properties[name].(object)
		switch property["type"] {
		case "string":
			n.get(name).text()
		case "integer":
			n.get(name).count()
		}
		if enum, ok := property["enum"].([]string); ok {
			n.get(name).oneOf(enum...)
		}
	}
	return n
}
