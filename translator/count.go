package translator

import (
	"edgelingua/translator/compact"
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/policy"
	"edgelingua/translator/stages"
)

// AppendCount appends the answer to a client's request for a token count. body is the counted
// request; p is like Exchange.Policy. The client's API must have a Counter. The number is an
// estimate (package count). Deferred tools count only if the request has no search for tools, or if a
// search has found them. The error is the client's fault, and then dst is returned unchanged.
func AppendCount(
	dst []byte, client *ir.API, path string, body []byte, p *policy.Policy,
) ([]byte, error) {
	if err := passing.Check(body); err != nil {
		return dst, err
	}
	r, err := client.Counter.DecodeCount(path, view(body), &ir.Lost{})
	if err != nil {
		return dst, err
	}
	if p != nil && p.Changes() {
		if r, err = p.Apply(r, &ir.Lost{}); err != nil {
			return dst, err
		}
	}
	r = stages.WithoutDeferred(r)
	sent, before := *r, int64(-1)
	if r.Edits != nil {
		before = count.Tokens(r)
	}
	if err := compact.Drop(&sent, false); err != nil {
		return dst, err
	}
	edited := &sent
	if r.Edits != nil {
		edited, _ = compact.Clear(edited)
	}
	return client.Counter.AppendCount(dst, count.Tokens(edited), before), nil
}
