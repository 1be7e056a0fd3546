package google

import "edgelingua/translator/ir"

// MaxName is how long the name of a function may be, in characters (Gemini API, "FunctionDeclaration").
const MaxName = 64

// ToolName returns the name by which the upstream knows a client's tool. Beside what ir.Identifier
// sees to, it begins with a letter or an underscore: Google refuses any other ("Invalid function
// name. Must start with a letter or an underscore."), as of MCP servers that are called 1Password
// (dust-tt/dust#28212). Such a name gets an underscore in front and a hash behind, so that it is no
// other tool's.
func ToolName(name ir.Escaped) ir.Escaped {
	id := ir.Identifier(name, MaxName)
	if c := id[0]; c != '-' && (c < '0' || c > '9') {
		return id
	}
	return "_" + ir.Identifier(name+" ", MaxName-1)
}

// Names are the tools whose names had to be changed for the upstream; the upstream's calls get the
// client's names back.
type Names []struct{ short, name ir.Escaped }

// Renamed returns the tools of r whose names had to be changed.
func Renamed(r *ir.Request) (list Names) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := ToolName(name); short != name {
			list = append(list, struct{ short, name ir.Escaped }{short, name})
		}
	}
	return list
}

// Restore returns the client's name of the tool that the upstream knows as name, which is name
// itself for most.
func (n Names) Restore(name ir.Escaped) ir.Escaped {
	for i := range n {
		if n[i].short == name {
			return n[i].name
		}
	}
	return name
}
