package gemini

import "edgelingua/translator/ir"

// toolName returns the name by which the upstream knows a client's tool. Beside what ir.Identifier sees to, it begins with a letter or an
// underscore: Google refuses any other ("Invalid function name. Must start with a letter or an underscore."), as of MCP servers that are called
// 1Password (dust-tt/dust#28212). Such a name gets an underscore in front and a hash behind, so that it is no other tool's.
func toolName(name ir.Escaped) ir.Escaped {
	id := ir.Identifier(name, maxName)
	if c := id[0]; c != '-' && (c < '0' || c > '9') {
		return id
	}
	return "_" + ir.Identifier(name+" ", maxName-1)
}

// names are the tools whose names had to be changed for the upstream; the upstream's calls get the client's names back.
type names []struct{ short, name ir.Escaped }

func renamed(r *ir.Request) (list names) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := toolName(name); short != name {
			list = append(list, struct{ short, name ir.Escaped }{short, name})
		}
	}
	return list
}

// restore returns the client's name of the tool that the upstream knows as name, which is name itself for most.
func (n names) restore(name ir.Escaped) ir.Escaped {
	for i := range n {
		if n[i].short == name {
			return n[i].name
		}
	}
	return name
}
