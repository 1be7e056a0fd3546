package translator

import (
	"edgelingua/translator/compact"
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/policy"
)

// AppendCount appends the answer to a client that asks how many tokens the request in body has for the model that it names, with the changes
// that p makes to requests; nil: none. The client's API must have a Counter. The number is an estimate (package count). On an error, which is
// the client's fault, dst comes back as it was.
func AppendCount(dst []byte, client *ir.API, path string, body []byte, p *policy.Policy) ([]byte, *ir.Error) {
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
