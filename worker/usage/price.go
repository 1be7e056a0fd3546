package usage

import (
	"math"
	"strconv"
	"strings"
)

// Price is what a model costs, in US dollars: for a million tokens, and for a thousand searches. A
// negative price is unknown.
type Price struct {
	Over                               int64 // it holds for prompts of more tokens than this
	Input, Output, Read, Write, Search float64
}

// Prices are the prices of a model; the last one whose Over the prompt exceeds holds. Without any
// the model's price is unknown.
type Prices []Price

// ReadPrices reads the prices that the host knows of a model: a line for each, with the numbers of
// a Price in their order. "" is for a model that the host does not know. A line that can't be read
// is left out.
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

// mostDollars is what a request costs at most, whatever an upstream says of its tokens.
const mostDollars = 1e6

// Unknown is the cost of what has no known price.
const Unknown Cost = -1

// Dollars returns an amount of US dollars as a Cost.
func Dollars(amount float64) Cost { return Cost(math.Round(amount * nano)) }

// Plus returns the sum of two costs, Unknown where one of them is.
func (c Cost) Plus(d Cost) Cost {
	if c == Unknown || d == Unknown {
		return Unknown
	}
	return c + d
}

// Append appends the cost in US dollars, as JSON has numbers.
func (c Cost) Append(dst []byte) []byte {
	dst = strconv.AppendInt(dst, int64(c)/nano, 10)
	if rest := int64(c) % nano; rest != 0 {
		digits := strconv.FormatInt(nano+rest, 10)
		dst = append(dst, "."+strings.TrimRight(digits[1:], "0")...)
	}
	return dst
}

// Of returns what tokens and searches cost: 0 where there are none, and Unknown where there are
// some whose price is unknown. Tokens that were read from a cache or written to it cost as much as
// other input where they have no price of their own.
func (p Prices) Of(t *Tokens) Cost {
	if *t == (Tokens{}) {
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
