package ir

// RenamedTools lists the tools with changed names for the upstream. In the upstream's calls, Restore
// restores the client's names.
type RenamedTools []renamed

type renamed struct{ short, name Escaped }

// ToolName returns the upstream's name for a client's tool: an Identifier of at most max characters.
// Moonshot also demands three characters, of which the first is a letter or an underscore
// (platform.kimi.ai/docs/api/tool-use: ^[a-zA-Z_][a-zA-Z0-9-_]{2,63}$). t may be nil.
func (t *Target) ToolName(name Escaped, max int) Escaped {
	id := Identifier(name, max)
	if c := id[0]; t != nil && t.Flavored && (len(id) < 3 || c == '-' || '0' <= c && c <= '9') {
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
