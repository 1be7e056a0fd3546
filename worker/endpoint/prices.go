package endpoint

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/worker/usage"
)

// priced is a price for a pattern of models. The pattern matches the upstream's names.
type priced struct {
	pattern string
	price   usage.Price
}

// Table returns the host's prices of a model at a URL: see bridge.Host.Prices.
type Table func(url, model string) string

// MaxModel limits a model's name in reports, errors and lookups of prices, in bytes. Clients make
// such names up, and the host's table matches patterns against each.
const MaxModel = 128

// dearestSearch is what a budget counts for a thousand searches of an upstream without a known price
// per search: the list price of Grounding with Google Search for Gemini 2.5, the highest that is
// known (ai.google.dev/gemini-api/docs/pricing).
const dearestSearch = 35

// Prices returns the prices of the choice's model: the record's own, or the host's. nil: the price
// is unknown.
func (c *Choice) Prices(table Table) usage.Prices { return c.prices(table, c.Billed()) }

// Billed returns the name of the model that the upstream bills. The URL of a deployment at Azure
// names the deployment, and Azure ignores the model in the body
// (learn.microsoft.com/azure/ai-foundry/openai/reference).
func (c *Choice) Billed() string {
	if _, rest, ok := strings.Cut(c.URL, "/deployments/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	return c.Model
}

// prices returns the prices of the model with the upstream's name model; nil: unknown.
func (u *Upstream) prices(table Table, model string) (prices usage.Prices) {
	for _, p := range u.Endpoint.prices {
		if match(p.pattern, model) {
			prices = usage.Prices{p.price}
			break
		}
	}
	if prices == nil && model != "" && len(model) <= MaxModel {
		prices = usage.ReadPrices(table(u.PricesURL(), model))
	}
	if u.Endpoint.NeedsPrice() != "" {
		for i := range prices {
			if prices[i].Search < 0 {
				prices[i].Search = dearestSearch
			}
		}
	}
	return prices
}

// mostUnpriced is the most names that Unpriced returns.
const mostUnpriced = 20

// Unpriced returns the models that a budget of the endpoint or of a key refuses because their price
// is unknown, as far as the record names its models: NAME/MODEL, with NAME an upstream, or NAME/* for
// an upstream without patterns and without any known price.
func (e *Endpoint) Unpriced(table Table) (names []string) {
	if e == nil || !e.needsPrice() &&
		!slices.ContainsFunc(e.Keys, func(k Key) bool { return k.needsPrice() }) {
		return nil
	}
	add := func(u *Upstream, model string) {
		c := Choice{u, model}
		if name := u.Name + "/" + c.Billed(); len(names) < mostUnpriced && c.Prices(table) == nil &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		for _, r := range u.Models {
			if r.model != "" {
				add(u, r.model)
			}
		}
		for _, model := range e.Allowed {
			name, ok := u.Models.lookup(model)
			if (ok || len(u.Models) == 0) && !strings.Contains(model, "*") {
				add(u, name)
			}
		}
		if len(u.Models) == 0 && len(e.Allowed) == 0 && len(e.prices) == 0 && table(u.PricesURL(), "") == "" {
			names = append(names, u.Name+"/*")
		}
	}
	return names
}

// readPrices reads the member "prices" of a record: an object of patterns. The first matching
// pattern counts.
func (e *Endpoint) readPrices(path string, v gjson.Result) *Error {
	n := 0
	var err *Error
	v.ForEach(func(key, v gjson.Result) bool {
		if n++; n > maxPatterns {
			err = &Error{path, "must be an object of at most 256."}
			return false
		}
		p := priced{key.Str, usage.Price{Over: -1, Input: -1, Output: -1, Read: -1, Write: -1, Search: -1}}
		err = readObject(path+"."+key.Str, v, func(path string, v gjson.Result) *Error {
			if err := eachMember(path, v, p.read); err != nil {
				return err
			}
			if p.price.Input < 0 || p.price.Output < 0 {
				return &Error{path, "must have input and output."}
			}
			return nil
		})
		e.prices = append(e.prices, p)
		return err == nil
	})
	return err
}

func (p *priced) read(path, key string, v gjson.Result) *Error {
	var to *float64
	switch key {
	case "input":
		to = &p.price.Input
	case "output":
		to = &p.price.Output
	case "cache_read":
		to = &p.price.Read
	case "cache_write":
		to = &p.price.Write
	case "search":
		to = &p.price.Search
	default:
		return unknown(path, "input, output, cache_read, cache_write and search")
	}
	return readDollars(to, path, v)
}

// readDollars reads an amount of US dollars.
func readDollars(to *float64, path string, v gjson.Result) *Error {
	if v.Type != gjson.Number || !(v.Num >= 0 && v.Num <= 1e6) {
		return &Error{path, "must be an amount of US dollars from 0 to 1000000."}
	}
	*to = v.Num
	return nil
}

// readBudget reads a limit in US dollars.
func readBudget(to *usage.Cost, path string, v gjson.Result) *Error {
	dollars := 0.0
	err := readDollars(&dollars, path, v)
	if *to = usage.Dollars(dollars); err == nil && *to == 0 {
		err = &Error{path, "must be more than 0."}
	}
	return err
}

// readLog reads the member "request_log" of a record.
func (e *Endpoint) readLog(path string, v gjson.Result) *Error {
	err := eachMember(path, v, func(path, key string, v gjson.Result) *Error {
		switch key {
		case "ttl":
			return e.readLogTime(path, v)
		case "rows":
			err := readWhole(&e.LogRows, path, v)
			if err != nil || e.LogRows < usage.LogRows || e.LogRows > usage.MaxLogRows {
				return &Error{path,
					"must be a whole number from 100 to 100000: the most requests of the log."}
			}
			return nil
		}
		return unknown(path, "ttl and rows")
	})
	if err == nil && e.LogTime == 0 {
		err = noLogTime(path + ".ttl")
	}
	return err
}

func (e *Endpoint) readLogTime(path string, v gjson.Result) *Error {
	err := readWhole(&e.LogTime, path, v)
	if err != nil || e.LogTime < 60 || e.LogTime > usage.MaxLogTime {
		return noLogTime(path)
	}
	e.LogRows = max(e.LogRows, usage.LogRows)
	return nil
}

func noLogTime(path string) *Error {
	return &Error{path,
		"must be a whole number of seconds from 60 to 2592000, for which a request stays in the log."}
}
