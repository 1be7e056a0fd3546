package ir

// efforts are the values of reasoning effort from the least to the most.
var efforts = [...]string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// NearestEffort returns the value to send to an upstream that accepts the given ones, in place of the wanted one. The highest
// has two names. Of any other value that is not accepted it returns, of those that make the model think, the next below, or
// else the next above; for "none" only "minimal" will do. "" is not to say anything. exact reports whether it is what was
// wanted.
func NearestEffort(accepted []string, want string) (effort string, exact bool) {
	if takesEffort(accepted, want) {
		return want, true
	}
	if want == "max" && takesEffort(accepted, "xhigh") {
		return "xhigh", true
	}
	rank := 0
	for rank < len(efforts) && efforts[rank] != want {
		rank++
	}
	switch {
	case rank == len(efforts):
		return "", false
	case rank == 0:
		if takesEffort(accepted, "minimal") {
			return "minimal", false
		}
		return "", false
	}
	for i := rank - 1; i > 0; i-- {
		if takesEffort(accepted, efforts[i]) {
			return efforts[i], false
		}
	}
	for i := rank + 1; i < len(efforts); i++ {
		if takesEffort(accepted, efforts[i]) {
			return efforts[i], false
		}
	}
	return "", false
}

func takesEffort(accepted []string, e string) bool {
	for _, known := range accepted {
		if known == e {
			return true
		}
	}
	return false
}
