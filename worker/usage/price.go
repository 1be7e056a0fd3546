package usage

import (
	"math"
	"strconv"
	"strings"
)

// Price is the price of a model in US dollars: per million tokens, and per thousand searches. A
// negative price is unknown.
type Price struct {
	Over                               int64 // valid for prompts of more tokens than Over
	Input, Output, Read, Write, Search float64
}

// Prices are the prices of a model. The last price whose Over is less than the prompt's tokens is
// valid. If there is none, the price is unknown.
type Prices []Price

// ReadPrices reads the host's prices of a model. Each line of text has the numbers of a Price in
// the order of its fields. Invalid lines are skipped. If the host does not know the model, text is
// "".
func ReadPrices(text string) (p Prices) {
	for line := range strings.Lines(text) {
		var numbers [6]float64
		words := strings.Fields(line)
		if len(words) != len(numbers) {
			continue
		}
		bad := false
		for i, word := range words {
			n, err := strconv.ParseFloat(word, 64)
			numbers[i], bad = n, bad || err != nil
		}
		if !bad {
			p = append(p, Price{int64(numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4],
				numbers[5]})
		}
	}
	return p
}

// nano is how many units of Cost a dollar has.
const nano = 1e9

// Cost is an amount of money in billionths of a US dollar: a token may cost less than a millionth.
type Cost int64

// mostDollars is the highest cost of a request, whatever token counts an upstream reports.
const mostDollars = 1e6

// Unknown is the cost if the price is unknown.
const Unknown Cost = -1

// Dollars returns an amount of US dollars as a Cost.
func Dollars(amount float64) Cost { return Cost(math.Round(amount * nano)) }

// Plus returns the sum of two costs, or Unknown if either is Unknown.
func (c Cost) Plus(d Cost) Cost {
	if c == Unknown || d == Unknown {
		return Unknown
	}
	return c + d
}

// Append appends the cost in US dollars as a JSON number.
func (c Cost) Append(dst []byte) []byte {
	dst = strconv.AppendInt(dst, int64(c)/nano, 10)
	if rest := int64(c) % nano; rest != 0 {
		digits := strconv.FormatInt(nano+rest, 10)
		dst = append(dst, "."+strings.TrimRight(digits[1:], "0")...)
	}
	return dst
}

// Of returns the cost of tokens and searches. Without tokens and searches the cost is 0. If the
// price of any of them is unknown, the cost is Unknown. Tokens read from or written to a cache
// without a known price cost the same as other input.
func (p Prices) Of(t *Tokens) Cost {
	if *t == (Tokens{Rate: t.Rate}) {
		return 0
	}
	at, prompt := -1, t.Input
	if t.Longest > 0 {
		prompt = t.Longest
	}
	for i := range p {
		if prompt > p[i].Over {
			at = i
		}
	}
	if at < 0 {
		return Unknown
	}
	price := p[at]
	if price.Read < 0 {
		price.Read = price.Input
	}
	if price.Write < 0 {
		price.Write = price.Input
	}
	if t.Rate > 0 { // of tokens: a search costs the same in every tier
		price.Input, price.Output = price.Input*t.Rate, price.Output*t.Rate
		price.Read, price.Write = price.Read*t.Rate, price.Write*t.Rate
	}
	plain := max(t.Input-t.Cached-t.Written, 0)
	sum := 0.0
	for _, part := range [...]struct {
		n     int64
		price float64
	}{{plain, price.Input}, {t.Cached, price.Read}, {t.Written, price.Write}, {t.Output, price.Output},
		{t.Searches * 1000, price.Search}} {
		switch {
		case part.n <= 0:
		case part.price < 0:
			return Unknown
		default:
			sum += float64(min(part.n, 1000*mostTokens)) * part.price
		}
	}
	return Dollars(min(sum/1e6, mostDollars))
}
