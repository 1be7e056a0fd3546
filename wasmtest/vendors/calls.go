package vendors

import (
	"maps"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// offers has the tools that a request offers to the model: kinds by name. A tool in a namespace has
// the name NAMESPACE/NAME.
type offers map[string]string

// flat returns the name of the called tool in a request without namespaces: NAMESPACE__NAME or, if
// NAMESPACE__NAME is ambiguous, NAMESPACE_NAME_HASH. The result is "" if the tool is not offered.
func (o offers) flat(call Call) string {
	plain := call.Namespace + "__" + call.Name
	if strings.HasSuffix(call.Namespace, "__") {
		plain = call.Namespace + call.Name
	}
	if o[plain] != "" {
		return plain
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if strings.HasPrefix(name, call.Namespace+"_"+call.Name+"_") {
			return name
		}
	}
	return ""
}

// form returns a call in the form in which the request offers the tool. A call of a tool that is
// not offered is rejected: either the turn is wrong, or the translator lost the tool.
func (o offers) form(call Call) Call {
	if call.Kind == "" {
		call.Kind = "function"
	}
	wanted, own := call.Kind, call.Name
	if call.Namespace != "" {
		own = call.Namespace + "/" + call.Name
	}
	call.Kind = o[own]
	if call.Kind == "" && call.Namespace != "" {
		call.Name = o.flat(call)
		call.Namespace = ""
		call.Kind = o[call.Name]
	}
	switch {
	case call.Kind == "":
		names := slices.Sorted(maps.Keys(o))
		shape.Refuse("", "%s is called and not offered: %s", own, strings.Join(names, ","))
	case call.Kind == wanted:
	case call.Kind != "function":
		shape.Refuse("", "%s is offered as %s, not as %s", own, call.Kind, wanted)
	case wanted == "custom":
		call.Input = fields("input", call.Input)
	case wanted == "shell":
		call.Input = fields("command", call.Input)
	}
	return call
}
