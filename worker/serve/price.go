package serve

import (
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// pricesOf returns the prices of a choice's model: the endpoint's own, or the host's. nil: the price
// is unknown.
func pricesOf(host bridge.Host, c *endpoint.Choice) usage.Prices {
	prices := c.Endpoint.Prices(c.Model)
	// Clients make model names up, and patterns are matched against each name, hence the limit.
	if prices == nil && len(c.Model) <= maxModel {
		prices = usage.ReadPrices(host.Prices(c.PricesURL(), c.Model))
	}
	return prices
}

// priced returns the choices whose model has a price: the budget would not count any other request.
// It returns an error if no choice is left.
//
//go:noinline
func (h *plan) priced(choices []endpoint.Choice) ([]endpoint.Choice, error) {
	var left []endpoint.Choice
	for i := range choices {
		if pricesOf(h.host, &choices[i]) != nil {
			left = append(left, choices[i])
		}
	}
	if left == nil {
		c := &choices[0]
		return nil, &ir.Error{Kind: ir.Permission, Code: "model_without_price",
			Message: "This endpoint has a budget in US dollars, and the price of the model " + shown(c.Model) +
				" at the upstream " + c.Name + " is unknown. The operator can add the model to the " +
				"endpoint's \"prices\", or set \"unpriced\":\"allow\" in its \"limits\"."}
	}
	return left, nil
}
