package gemini

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
)

// The bounds of thinkingBudget (ai.google.dev/gemini-api/docs/thinking, "Set budget": 2.5 Pro 128
// to 32,768, 2.5 Flash 0 to 24,576, 2.5 Flash-Lite 512 to 24,576). leastBudget is valid for all
// models. Models that can turn thinking off also accept 0, and at most mostBudget. The other models
// accept at most mostOfPro.
const (
	leastBudget = 512
	mostBudget  = 24_576
	mostOfPro   = 32_768
)

// budget returns the number of thinking tokens for an effort. The scale is that of Google's own
// translation from Chat Completions (ai.google.dev/gemini-api/docs/openai, "Thinking"), except for
// "minimal": Google's scale has the same number for "minimal" and "low".
func budget(effort string) int64 {
	switch effort {
	case "none":
		return 0
	case "minimal":
		return leastBudget
	case "low":
		return 1024
	case "medium":
		return 8192
	}
	return mostBudget
}

// thinking writes thinkingConfig. Google rejects a budget beside a level.
func (w *requestWriter) thinking() {
	r, t := w.Request, w.Target
	separator := `"thinkingConfig":{`
	none := r.Effort == "none"
	if w.ShowsThoughts() {
		w.part(&separator, `"includeThoughts":true`)
	}
	sent := r.Effort == "" && r.Budget == 0 || none && t.Thinking == ir.NoThinking
	effort, same := w.Effort()
	switch {
	case sent || effort == "":
	case t.Thinking == ir.BudgetThinking:
		n := r.Budget
		if n == 0 {
			n, sent = budget(effort), same
		} else {
			most := int64(mostOfPro)
			if _, off := ir.NearestEffort("none", t.Efforts); off {
				most = mostBudget
			}
			n = min(max(n, leastBudget), most)
			sent = n == r.Budget
		}
		w.part(&separator, `"thinkingBudget":`)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	case t.Thinking != ir.NoThinking:
		sent = same
		w.part(&separator, `"thinkingLevel":"`)
		w.Raw(strings.ToUpper(effort))
		w.Raw(`"`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	if !sent {
		w.LoseEffort()
	}
	if r.ReasoningSummary != "" && (r.ReasoningSummary != "auto" || t.Thinking == ir.NoThinking || none) {
		w.Lose(ir.FieldReasoningSummary) // the API has no length of summaries
	}
}

// part begins a member of thinkingConfig. The separator is the start of the object before the first.
func (w *requestWriter) part(separator *string, key string) {
	if *separator == `,` {
		w.Raw(`,`)
	} else {
		w.Set(*separator)
		*separator = `,`
	}
	w.Raw(key)
}
