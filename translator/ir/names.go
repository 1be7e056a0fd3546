package ir

// Names are the tools whose names had to be changed for the upstream; the upstream's calls get the
// client's names back.
type Names []renamed

type renamed struct{ short, name Escaped }

// Renamed returns the tools of r whose names are not of the form that Identifier gives for at most
// max characters.
func (r *Request) Renamed(max int) (list Names) {
	for i := range r.Tools {
		name := r.Tools[i].Name
		if short := Identifier(name, max); short != name {
			list = append(list, renamed{short, name})
		}
	}
	return list
}

// Restore returns the client's name of the tool that the upstream knows as name, which is name
// itself for most.
func (n Names) Restore(name Escaped) Escaped {
	for i := range n {
		if n[i].short == name {
			return n[i].name
		}
	}
	return name
}
