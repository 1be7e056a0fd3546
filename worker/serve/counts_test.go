package serve_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCountsOnDisk: a store in a folder commits the counts of several requests together. Limits hold
// meanwhile, for requests at the same time too, the usage that the page reads has every request, and
// changes and the deletion of the endpoint have effect at once.
func TestCountsOnDisk(t *testing.T) {
	t.Parallel()
	d := deployOn(t, t.TempDir(), nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = counted("chat")
	rate := d.endpoint(`"limits":{"requests_per_minute":5},"request_log":{"ttl":600},` + oneUpstream("chat"))
	var admitted, refused atomic.Int32
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			switch rate.ask("chat", asking{}).Code {
			case 200:
				admitted.Add(1)
			case 429:
				refused.Add(1)
			}
		})
	}
	work.Wait()
	assert.Equal(t, []int32{5, 15}, []int32{admitted.Load(), refused.Load()})
	assert.Equal(t, int64(5), sum(rate.usage(), "requests"))

	budget := d.endpoint(`"limits":{"tokens_per_day":300},` + oneUpstream("chat"))
	spent := int64(0)
	for n := 0; spent < 300; n++ {
		require.Less(t, n, 300)
		require.Equal(t, 200, budget.ask("chat", asking{}).Code)
		spent = sum(budget.usage(), "input") + sum(budget.usage(), "output")
	}
	assert.Equal(t, 429, budget.ask("chat", asking{}).Code)

	open := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	require.Equal(t, 200, open.ask("chat", asking{}).Code)
	require.Equal(t, 200, d.admin("PATCH", "/endpoints/"+open.name, `{"disabled":true}`).Code)
	assert.Equal(t, 403, open.ask("chat", asking{}).Code)
	require.Equal(t, 200, d.admin("PATCH", "/endpoints/"+open.name, `{"disabled":false}`).Code)
	require.Equal(t, 200, open.ask("chat", asking{}).Code)
	require.Equal(t, 204, d.admin("DELETE", "/endpoints/"+open.name, "").Code)
	assert.Empty(t, open.tables())
	assert.Equal(t, 401, open.ask("chat", asking{}).Code)
	assert.Empty(t, open.tables())
	assert.Empty(t, d.logged.String())
}
