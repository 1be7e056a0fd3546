package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// flat is what a chunk or a body of Cloudflare's older models has in place of choices
// (developers.cloudflare.com/workers-ai/models, "Output"): {"response": "...", "tool_calls":
// [{"name": "...", "arguments": {...}}], "usage": {...}}, in a stream with "response" alone, and
// [DONE] as its end. Newer ones of them have finish_reason, too.
type flat struct {
	text   ir.Raw // in JSON mode the object itself
	calls  jsonr.Reader
	reason ir.Raw
}

// flatDefault is how many tokens these models write at most where the request says nothing.
const flatDefault = 256

func (d *decoder) flatAnswer(h *header, f *flat, whole bool) {
	if jsonr.KindOf(f.text) == jsonr.Missing && f.calls.Kind() == jsonr.Missing {
		return
	}
	d.flat = true
	d.start(h)
	switch jsonr.KindOf(f.text) {
	case jsonr.Missing, jsonr.Null:
	case jsonr.String:
		if text, _ := jsonr.Text(f.text); text != "" {
			d.content(text)
		}
	default:
		d.content(jsonw.Escape(string(f.text)))
	}
	d.calls(&f.calls, "", whole)
	if why, _ := jsonr.Text(f.reason); why != "" && !d.out.Ended() {
		d.finished(why, "")
	}
}

// flatEnd takes the end of a flat answer, which seldom says why it ends: one that has as many
// tokens as it may have was cut.
func (d *decoder) flatEnd() {
	if !d.flat || d.stop != 0 {
		return
	}
	limit := d.request.MaxTokens
	if limit == 0 {
		limit = flatDefault
	}
	d.stop = ir.EndTurn
	if d.usage.Output >= limit {
		d.stop = ir.MaxTokens
	}
}
