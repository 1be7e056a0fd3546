package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// leastBudget is the smallest budget_tokens that the API accepts.
const leastBudget = 1024

// budget returns the number of thinking tokens for an effort, 0 for an unknown effort.
// ir.BudgetEffort has the same scale. For no effort, "", budget returns the number for "high", the
// API's default.
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

// thinking writes "thinking" (Messages API, "Extended thinking" and "Adaptive thinking"), sets the
// effort for output_config, and reports whether the model thinks. A client of another API asks for
// thinking by its effort; in this API thinking and effort are separate. In these cases the model
// does not think, and the effort is lost:
//   - The model must call a tool: the API rejects thinking beside such a demand (FAULTS 81), and the
//     client depends on the call.
//   - The model continues the beginning of an answer.
//   - The model thinks with a budget, and the last turn of the history has calls without a thinking
//     block before them, which the API requires there.
//   - The limit leaves no room for the smallest budget. The limit is never raised, since the client
//     pays for it; a budget that is too large for the limit is lowered.
func (w *requestWriter) thinking(limit int64) bool {
	r, t := w.Request, w.Target
	if r.Effort == "none" {
		w.disableThinking()
		if t.Thinking == ir.AlwaysThinking && r.FieldPath(ir.FieldEffort) != "" {
			w.Lose(ir.FieldEffort)
		}
		return t.Thinking == ir.AlwaysThinking
	}
	// a client that asks to see thinking asks for thinking
	asked := r.Adaptive || r.Budget > 0 || !w.own && (r.Effort != "" || r.ReasoningSummary != "")
	// the upstream gets what the client asked for
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
	// The API has no length of summaries.
	if r.ReasoningSummary != "" && !w.own && (r.ReasoningSummary != "auto" || !thinks) {
		w.Lose(ir.FieldReasoningSummary)
	}
	if path := r.FieldPath(ir.FieldEffort); !told && path != "" {
		w.Lost.Add(path)
	}
	return thinks
}

// display writes how much of the thinking is shown, and ends "thinking". Newer models show thinking
// only on request.
func (w *requestWriter) display() {
	display := w.Request.Display
	if !w.own && w.Request.ReasoningSummary != "" && w.Target.Thinking != ir.BudgetThinking {
		display = "summarized"
	}
	w.Member(`,"display":`, display)
	w.Raw(`}`)
}

// disableThinking turns thinking off, if the model thinks by default and accepts "disabled".
func (w *requestWriter) disableThinking() {
	if w.Target.Thinking == ir.AdaptiveThinking {
		w.effort = ""
		w.Raw(`,"thinking":{"type":"disabled"}`)
	}
}

// prefilled reports whether the messages end with text of the assistant, which the model continues.
func (w *requestWriter) prefilled() bool { return w.role == ir.Assistant && w.textAt > 0 }

// reasoning writes a thinking block unchanged, byte for byte, since its signature is valid only for
// these bytes (FAULTS 73). Reasoning of another vendor, and reasoning without a signature, is lost:
// Anthropic rejects both (FAULTS 72).
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
