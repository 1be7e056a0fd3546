package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// effort is a reasoning effort, "" for none, and its path in the body.
type effort struct {
	value ir.Escaped
	path  string
}

// thinking reads "thinking": disabled, enabled with a budget (converted to an effort), or adaptive.
// A client that asks for thinking sees the thinking, unless "display" is "omitted".
func (d *requestDecoder) thinking(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Object {
		return invalid("thinking", "Input should be a valid dictionary")
	}
	q := d.request
	d.off, d.budget = false, effort{}
	q.Budget, q.Adaptive, q.Summary, q.Display, q.HideThoughts = 0, false, "", "", true
	var kind ir.Escaped
	var budget int64
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch r.Key() {
		case "type":
			kind, err = text(r, "thinking.type")
		case "budget_tokens":
			if r.Kind() != jsonr.Null {
				budget, err = positive(r, "thinking.budget_tokens")
			}
		case "display":
			q.Display, _ = jsonr.Text(r.Value())
		default:
			d.lost.AddMember("thinking", r)
		}
		if err != nil {
			return err
		}
	}
	switch kind {
	case "disabled":
		d.off = true
		return nil
	case "enabled":
		q.Budget, d.budget.value = budget, ir.BudgetEffort(budget)
	case "adaptive", "between_tools":
		q.Adaptive = true
	default:
		d.lost.Add("thinking.type")
		return nil
	}
	q.HideThoughts = q.Display == "omitted"
	// Claude Code sends "updates", or nothing, even if it shows no thinking
	if q.Display == "summarized" {
		q.Summary = "auto"
	}
	return nil
}

// settleEffort chooses the effort of the request. Disabled thinking means "none". Otherwise the
// first of these efforts counts: the last one in a message, the request's own, the thinking
// budget's. An effort beside disabled thinking is lost: only this API has efforts for answers
// without thinking.
func (d *requestDecoder) settleEffort() {
	chosen := effort{d.budget.value, "thinking"}
	switch {
	case d.latest.value != "":
		chosen = d.latest
	case d.general.value != "":
		chosen = d.general
	}
	if d.off {
		if chosen.value != "" {
			d.lost.Add(chosen.path)
		}
		chosen = effort{"none", "thinking"}
	}
	d.request.Effort, d.request.EffortPath = chosen.value, chosen.path
}

// openSignature sets the origin of a reasoning block's signature. It opens the envelope of another
// vendor's signature; any other signature is Anthropic's own.
func openSignature(b *ir.Content) {
	if b.Signature == "" {
		return
	}
	if !b.Open() {
		b.Origin = Name
	}
}
