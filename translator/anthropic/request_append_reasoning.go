package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// leastBudget is the smallest budget_tokens that the API takes, in tokens.
const leastBudget = 1024

// budget returns how many tokens of thinking an effort amounts to, 0 for one that nobody knows;
// ir.BudgetEffort reads budgets by the same scale. Without an effort, "", it is that of "high",
// which the API calls its default.
func budget(effort ir.Escaped) int64 {
	switch effort {
	case "minimal":
		return leastBudget
	case "low":
		return 4096
	case "medium":
		return 16_384
	case "", "high":
		return 24_576
	case "xhigh", "max", "ultra":
		return 32_768
	}
	return 0
}

// thinking writes "thinking" (Messages API, "Extended thinking" and "Adaptive thinking"), settles
// the effort for output_config, and reports whether the model thinks. A client of another API asks
// for thinking by its effort; in this API the two are apart. The model does not think, and the
// effort is lost, where that would clash with:
//   - a tool that has to be called: the API refuses thinking beside that (FAULTS 81), and the
//     client builds on the call;
//   - the beginning of an answer that the model is to complete;
//   - for thinking with a budget, a history whose last turn calls tools without a thinking block in
//     front, which the API demands there;
//   - a limit that leaves no room for the smallest budget. The limit is never raised, since the
//     client pays for it; a budget that is too large for it is lowered.
func (w *requestWriter) thinking(limit int64) bool {
	r, t := w.Request, w.Target
	if r.Effort == "none" {
		w.disableThinking()
		if t.Thinking == ir.AlwaysThinking && r.FieldPath(ir.FieldEffort) != "" {
			w.Lose(ir.FieldEffort)
		}
		return t.Thinking == ir.AlwaysThinking
	}
	// who wants to see the thinking wants some
	asked := r.Adaptive || r.Budget > 0 || !w.own && (r.Effort != "" || r.Summary != "")
	// the upstream is told what the client has asked for
	told := true
	if r.Effort != "" && len(t.Efforts) > 0 {
		w.effort, told = ir.NearestEffort(r.Effort, t.Efforts)
	} else if r.Effort != "" {
		told = asked && t.Thinking == ir.BudgetThinking
	}
	thinks := false
	switch {
	case !asked || t.Thinking == ir.NoThinking:
	case w.forced || w.prefilled():
		told = t.Thinking == ir.AlwaysThinking
		w.disableThinking()
	case t.Thinking == ir.AdaptiveThinking, t.Thinking == ir.AlwaysThinking:
		thinks = true
		w.Raw(`,"thinking":{"type":"adaptive"`)
		w.display()
	case len(w.calls) > 0 && !w.thought:
		told = false
	default:
		n := r.Budget
		if n == 0 {
			n = min(budget(r.Effort), limit-limit/4)
		} else if n >= limit {
			n, told = limit-limit/4, false
		}
		if n = max(n, leastBudget); n >= limit || budget(r.Effort) == 0 {
			told = false
			break
		}
		thinks = true
		w.Raw(`,"thinking":{"type":"enabled","budget_tokens":`)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
		w.display()
	}
	if r.Summary != "" && !w.own && (r.Summary != "auto" || !thinks) { // how long it is can't be asked for
		w.Lose(ir.FieldSummary)
	}
	if path := r.FieldPath(ir.FieldEffort); !told && path != "" {
		w.Lost.Add(path)
	}
	return thinks
}

// display writes how much of the thinking is shown, and ends "thinking". Newer models show nothing
// unless they are asked.
func (w *requestWriter) display() {
	display := w.Request.Display
	if !w.own && w.Request.Summary != "" && w.Target.Thinking != ir.BudgetThinking {
		display = "summarized"
	}
	w.Member(`,"display":`, display)
	w.Raw(`}`)
}

// disableThinking writes that the model is not to think, for one that would think otherwise and
// takes that.
func (w *requestWriter) disableThinking() {
	if w.Target.Thinking == ir.AdaptiveThinking {
		w.effort = ""
		w.Raw(`,"thinking":{"type":"disabled"}`)
	}
}

// prefilled reports whether the messages end with text of the assistant's, which the model is to
// complete.
func (w *requestWriter) prefilled() bool { return w.role == ir.Assistant && w.textAt > 0 }

// reasoning writes a thinking block byte for byte as it came, since its signature holds for these
// bytes (FAULTS 73). Reasoning of another vendor, and reasoning without a signature, is lost:
// Anthropic refuses both (FAULTS 72).
func (w *requestWriter) reasoning(role ir.Role, c *ir.Content) {
	if role != ir.Assistant || c.Origin != Name || c.Signature == "" {
		w.LoseReasoning(c)
		return
	}
	w.open(role)
	w.thought = w.thought || w.blocks == 1
	if c.Kind == ir.RedactedContent {
		w.Raw(`{"type":"redacted_thinking","data":`)
	} else {
		w.Raw(`{"type":"thinking","thinking":`)
		w.Literal(c.Text)
		w.Raw(`,"signature":`)
	}
	w.Literal(c.Signature)
	w.Raw(`}`)
}
