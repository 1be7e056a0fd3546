package ir

// efforts are the values of reasoning effort from the least to the most.
var efforts = [...]string{"none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"}

// NearestEffort returns the reasoning effort to send to an upstream for the client's e: e itself if
// accepted; or "xhigh" for "max", which mean the same (same is true only in these two cases); or
// the next lower accepted value except "none"; or the next higher one. "none" becomes "minimal" or
// nothing. "" means: send no effort.
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

// EffortFor returns the reasoning effort for an upstream of OpenAI's APIs with target t, "" to send
// none. honored reports whether the upstream does what the client asked for. A thinking budget
// without an accepted effort is honored by a model that reasons anyway, if the effort is the
// budget's own. Thinking without an effort is honored by any model: a model that reasons only on
// request gets OpenAI's usual effort.
func (r *Request) EffortFor(t *Target) (effort string, honored bool) {
	if r.Effort == "" {
		if r.Adaptive && t.ThinksOnRequest {
			effort, _ = NearestEffort("medium", t.Efforts)
		}
		return effort, true
	}
	effort, honored = NearestEffort(r.Effort, t.Efforts)
	if effort == "" && t.Thinks && r.Budget > 0 {
		honored = r.Effort == BudgetEffort(r.Budget)
	}
	return effort, honored
}

// BudgetEffort returns the effort that corresponds to a thinking budget in tokens.
func BudgetEffort(tokens int64) Escaped {
	switch {
	case tokens <= 4096:
		return "low"
	case tokens <= 16384:
		return "medium"
	}
	return "high"
}

func holds(list []string, s string) bool {
	for _, known := range list {
		if known == s {
			return true
		}
	}
	return false
}
