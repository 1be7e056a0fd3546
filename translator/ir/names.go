package ir

// RenamedTools lists the tools with changed names for the upstream. In the upstream's calls, Restore
// restores the client's names.
type RenamedTools []renamed

type renamed struct{ short, name Escaped }

// ToolName returns the upstream's name for a client's tool: an Identifier of at most max characters.
// Moonshot also demands a letter at the beginning. t may be nil.
func (t *Target) ToolName(name Escaped, max int) Escaped {
	id := Identifier(name, max)
	if c := id[0] | 0x20; t != nil && t.Flavored && (c < 'a' || c > 'z') {
		return "t_" + Identifier(name+" ", max-len("t_"))
	}
	return id
}

// Renamed returns the tools of r with another ToolName at the upstream t.
func (r *Request) Renamed(t *Target, max int) (list RenamedTools) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := t.ToolName(name, max); short != name {
			list = append(list, renamed{short, name})
		}
	}
	return list
}

// Restore returns the client's name of the tool that the upstream calls name. Most names are
// unchanged.
func (n RenamedTools) Restore(name Escaped) Escaped {
	for i := range n {
		if n[i].short == name {
			return n[i].name
		}
	}
	return name
}
