package ir

// Names are the names of tools that an upstream could not be given as they are, which its calls must be given back.
type Names []renamed

type renamed struct{ short, name Escaped }

// Renamed returns those of r's tools that an upstream with names of at most max characters knows by another one: see Identifier.
func (r *Request) Renamed(max int) (list Names) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := Identifier(name, max); short != name {
			list = append(list, renamed{short, name})
		}
	}
	return list
}

// Restore returns the client's name of the tool that the upstream calls name.
func (n Names) Restore(name Escaped) Escaped {
	for i := range n {
		if n[i].short == name {
			return n[i].name
		}
	}
	return name
}
