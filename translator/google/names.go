package google

import "edgelingua/translator/ir"

// MaxName is how long the name of a function may be, in characters (Gemini API,
// "FunctionDeclaration").
const MaxName = 64

// ToolName returns the upstream's name for a client's tool: an ir.Identifier of at most MaxName
// characters, beginning with a letter or an underscore. Google rejects other names ("Invalid
// function name. Must start with a letter or an underscore."), for example those of an MCP server
// called 1Password (dust-tt/dust#28212). ToolName puts an underscore before such a name, and a hash
// after it to keep the name unique.
func ToolName(name ir.Escaped) ir.Escaped {
	id := ir.Identifier(name, MaxName)
	if c := id[0]; c != '-' && (c < '0' || c > '9') {
		return id
	}
	return "_" + ir.Identifier(name+" ", MaxName-1)
}

// RenamedTools lists the tools that have another name at the upstream. In the upstream's calls, Restore
// replaces the upstream's name with the client's.
type RenamedTools []struct{ short, name ir.Escaped }

// Renamed returns the tools of r that have another name at the upstream. The names are views of r.
func Renamed(r *ir.Request) (list RenamedTools) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := ToolName(name); short != name {
			list = append(list, struct{ short, name ir.Escaped }{short, name})
		}
	}
	return list
}

// Restore returns the client's name of a tool. name is the upstream's name, and for most tools the
// client's too.
func (n RenamedTools) Restore(name ir.Escaped) ir.Escaped {
	for i := range n {
		if n[i].short == name {
			return n[i].name
		}
	}
	return name
}
