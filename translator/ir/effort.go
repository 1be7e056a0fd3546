package ir

// efforts are the values of reasoning effort from the least to the most.
var efforts = [...]string{"none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}

// NearestEffort returns the value to send to an upstream that accepts some, for the one that a client asks for; same reports
// whether it means what the client said: the highest has two names. In place of any other it is, of those that make the model
// think, the next below, or else the next above; for "none" only "minimal" will do. "" is not to say anything.
func NearestEffort(e Escaped, accepted []string) (nearest string, same bool) {
	rank := 0
	for rank < len(efforts) && efforts[rank] != string(e) {
		rank++
	}
	switch {
	case holds(accepted, string(e)):
		return string(e), true
	case e == "max" && holds(accepted, "xhigh"):
		return "xhigh", true
	case rank == len(efforts):
		return "", false
	case rank == 0:
		if holds(accepted, "minimal") {
			return "minimal", false
		}
		return "", false
	}
	for i := rank - 1; i > 0; i-- {
		if holds(accepted, efforts[i]) {
			return efforts[i], false
		}
	}
	for i := rank + 1; i < len(efforts); i++ {
		if holds(accepted, efforts[i]) {
			return efforts[i], false
		}
	}
	return "", false
}

func holds(list []string, s string) bool {
	for _, known := range list {
		if known == s {
			return true
		}
	}
	return false
}
