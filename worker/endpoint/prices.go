package endpoint

import (
	"github.com/tidwall/gjson"

	"edgelingua/worker/usage"
)

// priced is a price for a pattern of models. The pattern matches the upstream's names.
type priced struct {
	pattern string
	price   usage.Price
}

// Prices returns the record's price of a model, by the upstream's name of the model, or nil if the
// record has no price.
func (e *Endpoint) Prices(model string) usage.Prices {
	for _, p := range e.prices {
		if match(p.pattern, model) {
			return usage.Prices{p.price}
		}
	}
	return nil
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
		if key != "ttl" {
			return unknown(path, "ttl")
		}
		return e.readLogTime(path, v)
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
	return nil
}

func noLogTime(path string) *Error {
	return &Error{path,
		"must be a whole number of seconds from 60 to 2592000, for which a request stays in the log."}
}
