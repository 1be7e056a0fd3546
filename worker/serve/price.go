package serve

import (
	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// priced returns the choices with a price for their model, and notes the upstreams of all others: the
// budget would not count requests to these. The error means that no choice is left. whose is the owner
// of the budget, OfEndpoint or OfKey.
//
//go:noinline
func (p *plan) priced(choices []endpoint.Choice, whose string) ([]endpoint.Choice, error) {
	var left []endpoint.Choice
	for i := range choices {
		c := &choices[i]
		if c.Prices(p.host.Prices) != nil {
			left = append(left, *c)
			continue
		}
		if p.unpriced != "" {
			p.unpriced += ","
		}
		p.unpriced += c.Name
		p.attempts.avoid(choices[i:i+1], "unpriced")
	}
	if left == nil {
		c := &choices[0]
		return nil, &ir.Error{Kind: ir.Permission, Code: "model_without_price",
			Message: "This " + whose + " has a budget in US dollars, and the price of the model " +
				shown(c.Billed()) + " at the upstream " + c.Name + " is unknown. The operator can add the " +
				"model to the endpoint's \"prices\", or set \"unpriced\":\"allow\" in the \"limits\" of " +
				"the " + whose + "."}
	}
	return left, nil
}
