package pair

import (
	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// compact opens the summaries in a request. If the request asks for a summary, the vendor writes
// one. Summaries are readable, as in a worker without SEAL_KEY.
func (q *question) compact(target *ir.Target) error {
	x := translator.ForWorker(q.exchange)
	for c := x.Request.Enveloped(); c != nil; c = x.Request.Enveloped() {
		c.Signature = ""
	}
	if !x.Compacts(target) {
		return nil
	}
	y, refused := x.Summarize()
	if refused != nil {
		return refused
	}
	request, refused := y.AppendRequest(nil, target)
	if refused != nil {
		return refused
	}
	got := q.ask(true, y.Headers(), request)
	if got.status >= 400 {
		return y.UpstreamError(got.status, got.body())
	}
	text, failure := translator.ForWorker(y).ReadSummary(got.body(), got.isStream())
	if failure != nil {
		return failure
	}
	x.SetSummary(y, text, ir.ReadableSummary(jsonw.Escape(text)))
	return nil
}
