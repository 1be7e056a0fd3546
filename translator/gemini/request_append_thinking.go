package gemini

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
)

// The numbers of tokens that thinkingBudget takes: from leastBudget on for all models, 0 for those that can do without, up to mostBudget, or
// mostOfPro for those that can't (ai.google.dev/gemini-api/docs/thinking, "Set budget": 2.5 Pro 128 to 32,768, 2.5 Flash 0 to 24,576, 2.5
// Flash-Lite 512 to 24,576).
const (
	leastBudget = 512
	mostBudget  = 24_576
	mostOfPro   = 32_768
)

// budget returns how many tokens of thinking an effort amounts to, by the scale of Google's own translation from Chat Completions
// (ai.google.dev/gemini-api/docs/openai, "Thinking"), but for "minimal", which is as much as "low" there.
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

// thinking writes thinkingConfig. Models think unasked, but show it only where includeThoughts is set: a client that asks for any thinking wants to
// see it. Both a budget and a level are refused.
func (w *requestWriter) thinking() {
	r, t := w.Request, w.Target
	asked := r.Adaptive || r.Budget > 0 || r.Effort != "" || r.Summary != ""
	separator := `"thinkingConfig":{`
	none := r.Effort == "none"
	if t.Thinking != ir.NoThinking && !none && (asked && !r.HideThoughts || t.ShowThoughts) {
		w.part(&separator, `"includeThoughts":true`)
	}
	told := r.Effort == "" && r.Budget == 0 || none && t.Thinking == ir.NoThinking
	effort, same := ir.NearestEffort(r.Effort, t.Efforts)
	if none && effort == "" && len(t.Efforts) > 0 {
		effort = t.Efforts[0]
	}
	switch {
	case told || effort == "":
	case t.Thinking == ir.BudgetThinking:
		n := r.Budget
		if n == 0 {
			n, told = budget(effort), same
		} else {
			most := int64(mostOfPro)
			if _, off := ir.NearestEffort("none", t.Efforts); off {
				most = mostBudget
			}
			n = min(max(n, leastBudget), most)
			told = n == r.Budget
		}
		w.part(&separator, `"thinkingBudget":`)
		w.Dst = strconv.AppendInt(w.Dst, n, 10)
	case t.Thinking != ir.NoThinking:
		told = same
		w.part(&separator, `"thinkingLevel":"`)
		w.Raw(strings.ToUpper(effort))
		w.Raw(`"`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	if path := r.FieldPath(ir.FieldEffort); !told && path != "" {
		w.Lost.Add(path)
	}
	if r.Summary != "" && (r.Summary != "auto" || t.Thinking == ir.NoThinking || none) { // how long it is can't be asked for
		w.Lose(ir.FieldSummary)
	}
}

// part begins a member of thinkingConfig, the first one with that in front.
func (w *requestWriter) part(separator *string, key string) {
	if *separator != `,` {
		w.Next(&w.config.Lead)
	}
	w.Next(separator)
	w.Raw(key)
}
