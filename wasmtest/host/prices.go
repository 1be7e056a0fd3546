package host

import (
	"sync"
	"time"

	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/prices"
)

// Bounds of a priceCache: of its entries, and of the bytes of an entry's URL and model. A client names
// the model.
const (
	maxPriced    = 256
	maxPricedKey = 512
)

// priceCache has the prices of the models of the last requests, for a day. The search in the table
// matches some twenty regular expressions.
type priceCache struct {
	mu    sync.Mutex
	day   int64
	texts map[priced]string
}

type priced struct{ url, model string }

// find is prices.Find.
func (c *priceCache) find(url, model string, now time.Time) string {
	key := priced{url, model}
	c.mu.Lock()
	defer c.mu.Unlock()
	day := now.Unix() / 86400
	text, found := c.texts[key]
	if found && day == c.day {
		return text
	}
	text = prices.Find(url, model, now)
	if len(url)+len(model) > maxPricedKey {
		return text
	}
	if c.day != day || len(c.texts) >= maxPriced {
		c.day, c.texts = day, map[priced]string{}
	}
	c.texts[key] = text
	return text
}

// prices implements the bridge's prices.
func (x *hostRequest) prices(args arguments) js.Value {
	return x.settleLater(0, []byte(x.priced.find(args.string(0), args.string(1), time.Now())), nil)
}
