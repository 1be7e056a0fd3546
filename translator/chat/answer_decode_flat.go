package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// flat has the members that Cloudflare's older models send instead of choices, in a chunk or a body
// (developers.cloudflare.com/workers-ai/models, "Output"): {"response": "...", "tool_calls":
// [{"name": "...", "arguments": {...}}], "usage": {...}}. A stream has only "response", and [DONE]
// as its end. Newer models of this kind have finish_reason, too.
type flat struct {
	text   ir.Raw // in JSON mode the object itself
	calls  jsonr.Reader
	reason ir.Raw
}

// flatDefault is the output limit of these models, in tokens, if the request has none.
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

// flatEnd reads the end of a flat answer, which rarely says why it ended. An answer with the
// maximum number of tokens was cut.
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
