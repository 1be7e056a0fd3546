package anthropic

import (
	"strconv"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
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
		return wrongKind("thinking", "dictionary", r.Kind())
	}
	q := d.request
	d.off, d.budget = false, effort{}
	q.Budget, q.Adaptive, q.ReasoningSummary, q.Display, q.HideThoughts = 0, false, "", "", true
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
		q.ReasoningSummary = "auto"
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

// unjoin appends the text of b, a thinking block whose signature is the envelope of redacted
// reasoning, as the unsigned reasoning before b (blockWriter.settle).
//
//go:noinline
func (d *requestDecoder) unjoin(list []ir.Content, b *ir.Content) ([]ir.Content, *ir.Error) {
	c := ir.Content{Kind: ir.ReasoningContent, At: b.At, Text: b.Text, Signature: "-"} // as ir.Unsigned
	b.Text = ""
	return append(list, c), d.items.Meet(1)
}

// numbered returns the text of an object with its bytes by number, {"0":101,"1":108}, "" for any
// other value. Strands for TypeScript stores the data of a redacted_thinking block as a Uint8Array,
// and JSON.stringify makes such an object of the array.
func numbered(v ir.Raw) ir.Escaped {
	if jsonr.KindOf(v) != jsonr.Object {
		return ""
	}
	return numberedText(v)
}

//go:noinline
func numberedText(v ir.Raw) ir.Escaped {
	var data []byte
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		b, err := strconv.ParseUint(string(r.Value()), 10, 8)
		if err != nil || key != strconv.Itoa(len(data)) {
			return ""
		}
		data = append(data, byte(b))
	}
	if !utf8.Valid(data) {
		return ""
	}
	return jsonw.Escape(string(data))
}
