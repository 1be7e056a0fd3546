package responses

import "edgelingua/translator/ir"

const (
	contextPath = "reasoning.context"
	currentTurn = "current_turn" // a value of context
)

// reasoning writes "reasoning": effort, summary and, for OpenAI, context. A model without reasoning
// rejects all three.
func (w *requestWriter) reasoning() {
	summary := w.Request.ReasoningSummary
	e, told := w.Request.EffortFor(w.Target)
	if !told {
		w.Lose(ir.FieldEffort)
	}
	effort, context := ir.Escaped(e), w.Request.ReasoningContext
	if !w.Target.OpenAI || len(w.Target.Efforts) == 0 {
		if context == currentTurn {
			w.Lost.Add(contextPath)
		}
		context = ""
	}
	if len(w.Target.Efforts) == 0 {
		if summary != "" && w.Request.Effort != "none" && (summary != "auto" || w.Target.OpenAI) {
			w.Lose(ir.FieldReasoningSummary)
		}
		return
	}
	separator := `,"reasoning":{`
	if effort != "" {
		w.Next(&separator)
		w.Member(`"effort":`, effort)
	}
	if summary != "" {
		w.Next(&separator)
		w.Member(`"summary":`, summary)
	}
	if context != "" {
		w.Next(&separator)
		w.Member(`"context":`, context)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
}

// thought writes a reasoning item that came from an upstream of this API. The item keeps its
// original id, because OpenAI rejects encrypted_content with a different id (FAULTS 74). Reasoning
// of other vendors is lost (FAULTS 75). An item without a later text or call in its turn is lost
// too, because the API rejects it. An item is written only once, although a client may copy its
// signature: "Duplicate item found with id rs_..." (continuedev/continue#10723,
// OpenRouterTeam/ai-sdk-provider#254).
func (w *requestWriter) thought(c *ir.Content) {
	if c.Origin != Name || c.Signature == "" || w.answers == 0 {
		w.LoseReasoning(c)
		return
	}
	if w.thoughts[c.ItemID] {
		return
	}
	if c.ItemID != "" {
		if w.thoughts == nil {
			w.thoughts = map[ir.Escaped]bool{}
		}
		w.thoughts[c.ItemID] = true
	}
	w.item("reasoning")
	if c.ItemID != "" {
		w.Raw(`,"id":`)
		w.Literal(c.ItemID)
	}
	w.Raw(`,"summary":[`)
	if c.Text != "" {
		w.Raw(`{"type":"summary_text","text":`)
		w.Literal(c.Text)
		w.Raw(`}`)
	}
	w.Raw(`],"encrypted_content":`)
	w.Literal(c.Signature)
	w.Raw(`}`)
}
