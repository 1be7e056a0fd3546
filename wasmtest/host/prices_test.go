package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"edgelingua/worker/prices"
)

// TestPriceCache: prices are those of prices.Find on that day, whatever was asked before, and the cache is
// bounded.
func TestPriceCache(t *testing.T) {
	c := &priceCache{}
	const url = "https://api.anthropic.com/v1/messages"
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{now, now.AddDate(0, 0, 1)} {
		for range 2 {
			for _, model := range []string{"claude-opus-5-5", "", "unknown"} {
				assert.Equal(t, prices.Find(url, model, at), c.find(url, model, at), model)
			}
			assert.Len(t, c.texts, 3)
		}
	}
	for i := range 3 * maxPriced {
		c.find(url, fmt.Sprint("model-", i), now)
		assert.LessOrEqual(t, len(c.texts), maxPriced)
	}
	entries := len(c.texts)
	c.find(url, strings.Repeat("m", maxPricedKey), now)
	assert.Len(t, c.texts, entries, "a long name is not stored")
}
