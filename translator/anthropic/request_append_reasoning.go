package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// leastBudget is the smallest budget_tokens that the API takes.
const leastBudget = 1024

// budgets are what an effort amounts to where the upstream wants a number of tokens; requests are read by the same scale.
// Without an effort, of a client that leaves it to the model, it is what the API calls its default: high.
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

// thinking writes "thinking" (Messages API, "Extended thinking" and "Adaptive thinking"), settles the effort for output_config,
// and reports whether the model thinks. An effort of a client of another API asks for thinking; here the two are apart.
// Thinking gives way, and the effort is reported:
//   - to a tool that has to be called: the API refuses both together, and the call is what the client builds on;
//   - to the beginning of an answer that the model is to complete;
//   - with a budget, to a history whose last turn called tools without a thinking block before them, which the API demands then;
//   - to a limit below what a budget must have. The limit is what the client pays for and is never raised; a budget that is too
//     large for it is lowered.
func (w *requestWriter) thinking(limit int64) bool {
	r, t := w.Request, w.Target
	if r.Effort == "none" {
		w.disableThinking()
		if t.Thinking == ir.AlwaysThinking && r.FieldPath(ir.FieldEffort) != "" {
			w.Lose(ir.FieldEffort)
		}
		return t.Thinking == ir.AlwaysThinking
	}
	asked := r.Adaptive || r.Budget > 0 || !w.own && (r.Effort != "" || r.Summary != "" && t.Thinking == ir.AlwaysThinking)
	told := true // what was asked
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
		if r.Summary != "" { // newer models show nothing of it unless they are asked
			w.Raw(`,"display":"summarized"`)
		}
		w.Raw(`}`)
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
		w.Raw(`}`)
	}
	if r.Summary != "" && r.Summary != "auto" && !w.own { // how long it is can't be asked for
		w.Lose(ir.FieldSummary)
	}
	if path := r.FieldPath(ir.FieldEffort); !told && path != "" {
		w.Lost.Add(path)
	}
	return thinks
}

// disableThinking says that the model is not to think, where it would else and can be told.
func (w *requestWriter) disableThinking() {
	if w.Target.Thinking == ir.AdaptiveThinking {
		w.effort = ""
		w.Raw(`,"thinking":{"type":"disabled"}`)
	}
}

// prefilled reports whether the messages end with the beginning of the answer.
func (w *requestWriter) prefilled() bool { return w.role == ir.Assistant && w.text > 0 }

// reasoning writes a thinking block as it came: its signature holds for these very bytes. Another vendor's is nothing to this one,
// nor is one without a signature.
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
