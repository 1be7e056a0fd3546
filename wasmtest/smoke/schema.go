package smoke

import (
	"fmt"

	"edgelingua/wasmtest/conform"
)

// fits demands that arguments fit the tool's schema. Of JSON Schema it supports properties with
// types and enums, which is enough for the tools here.
func fits(t conform.Tool, arguments string) node {
	n := parse("the arguments of "+t.Name, arguments)
	schema := t.Schema.(object)
	properties := schema["properties"].(object)
	for _, name := range schema["required"].([]any) {
		n.get(name.(string))
	}
	for name := range n.object() {
		if properties[name] == nil {
			fail(fmt.Sprintf("arguments that are properties of %s", t.Name), n.v)
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
