package ir

// RenamedTools lists the tools with changed names for the upstream. In the upstream's calls, Restore
// restores the client's names.
type RenamedTools []renamed

type renamed struct{ short, name Escaped }

// Renamed returns the tools of r whose names Identifier changes for at most max characters.
func (r *Request) Renamed(max int) (list RenamedTools) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := Identifier(name, max); short != name {
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
