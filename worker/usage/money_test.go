package usage

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPrices(t *testing.T) {
	tiered := ReadPrices("-1 2 10 0.2 2.5 10\n200000 4 20 0.4 5 10\n")
	plain := ReadPrices("-1 2 10 -1 -1 -1\n")
	for name, c := range map[string]struct {
		prices Prices
		tokens Tokens
		want   string
	}{
		"input and output":    {tiered, Tokens{Input: 1000, Output: 100}, "0.003"},
		"reasoning is output": {tiered, Tokens{Input: 1000, Output: 100, Reasoning: 90}, "0.003"},
		"cached and written": {tiered, Tokens{Input: 1000, Output: 100, Cached: 500, Written: 100},
			"0.00215"},
		"more cached than there is": {tiered, Tokens{Input: 10, Cached: 20}, "0.000004"},
		"fast":                      {tiered, Tokens{Input: 1000, Output: 100, Rate: 2}, "0.006"},
		"a search in fast mode":     {tiered, Tokens{Input: 1000, Searches: 2, Rate: 2}, "0.024"},
		"a search":                  {tiered, Tokens{Input: 1000, Searches: 2}, "0.022"},
		"at the edge":               {tiered, Tokens{Input: 200_000}, "0.4"},
		"over it":                   {tiered, Tokens{Input: 200_001, Output: 1}, "0.800024"},
		"rounds, none of them over": {tiered, Tokens{Input: 300_000, Longest: 200_000}, "0.6"},
		"rounds, one of them over":  {tiered, Tokens{Input: 300_000, Longest: 200_001}, "1.2"},
		"a price of the input's":    {plain, Tokens{Input: 1000, Cached: 500, Written: 100}, "0.002"},
		"a search without a price":  {plain, Tokens{Input: 1000, Searches: 1}, "unknown"},
		"nothing":                   {tiered, Tokens{}, "0"},
		"nothing, in fast mode":     {nil, Tokens{Rate: 2}, "0"},
		"less than a millionth":     {ReadPrices("-1 0.05 0 0 0 0"), Tokens{Input: 1}, "0.00000005"},
		"no prices":                 {nil, Tokens{Input: 1}, "unknown"},
		"what can't be read": {ReadPrices("free\n-1 1 2 3 4\n-1 1 2 3 4 x\n"), Tokens{Input: 1},
			"unknown"},
	} {
		cost, text := c.prices.Of(&c.tokens), "unknown"
		if cost != Unknown {
			text = string(cost.Append(nil))
		}
		assert.Equal(t, c.want, text, name)
	}
	assert.Equal(t, "12", string(Dollars(12).Append(nil)))
}

// spend counts a request with a cost in dollars.
func (o *object) spend(at Clock, dollars float64) {
	o.close(Request{Model: "m", Clock: at}, Outcome{Cost: Dollars(dollars)})
}

func TestBudgets(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Clock: start + 100, Limits: Limits{Daily: Dollars(1), Monthly: Dollars(2.5)}}
	require.Empty(t, o.admit(r).Limit)
	o.spend(r.Clock, 0.999)
	o.close(Request{Model: "m", Clock: r.Clock}, Outcome{Cost: Unknown})
	require.Empty(t, o.admit(r).Limit, "what is unknown is not counted")
	o.spend(r.Clock, 0.001)
	refusal := o.admit(r)
	assert.Equal(t, Refusal{Limit: "usd_per_day", Wait: 86300}, refusal)
	assert.Equal(t,
		"The budget usd_per_day of this endpoint, 1 US dollars, is spent. It begins anew in 86300 seconds.",
		refusal.Message(&r))
	used := o.read(r.Clock, 1, r.Limits).Limits
	assert.EqualValues(t, 1, used["usd_per_day"].Used)
	assert.EqualValues(t, 2.5, used["usd_per_month"].Limit)
	assert.Equal(t, []int{1, 1}, []int{used["usd_per_day"].Unpriced, used["usd_per_month"].Unpriced})

	r.Clock += 86400
	used = o.read(r.Clock, 1, r.Limits).Limits
	assert.Equal(t, []int{0, 1}, []int{used["usd_per_day"].Unpriced, used["usd_per_month"].Unpriced})
	require.Empty(t, o.admit(r).Limit, "another day")
	o.spend(r.Clock, 0.9)
	r.Clock += 86400
	o.spend(r.Clock, 0.7)
	refusal = o.admit(r)
	assert.Equal(t, "usd_per_month", refusal.Limit)
	assert.EqualValues(t, 7*86400+86400-100, refusal.Wait, "2026-11-23 is followed by seven days of November")
	r.Clock += Clock(refusal.Wait)
	assert.Empty(t, o.admit(r).Limit, "another month")
}

func TestABudgetThatSendsOn(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Clock: start, Cooldowns: true, Limits: Limits{Monthly: Dollars(1), Next: true}}
	assert.Equal(t, Refusal{}, o.admit(r))
	o.spend(r.Clock, 1.5)
	assert.Equal(t, Refusal{Over: 10 * 86400}, o.admit(r), "ten days of November are left")
	r.Limits.Tokens = 1
	o.close(r, Outcome{Tokens: Tokens{Input: 1}})
	assert.Equal(t, "tokens_per_day", o.admit(r).Limit, "another limit refuses as ever")
}

func TestHistograms(t *testing.T) {
	o := newObject(t)
	for _, ms := range []int64{0, 1, 10, 11, 14, 15, 20, 1_300_000, 5_000_000} {
		o.close(Request{Model: "m", Clock: start}, Outcome{First: ms, Total: 3})
	}
	day := o.read(start, 1, Limits{}).Days[0]
	assert.Equal(t, map[string]int{"10": 2, "14": 2, "20": 2, "1310720": 2}, day.First)
	assert.Equal(t, map[string]int{"10": 9}, day.Total)
}

func TestKeysOfUsage(t *testing.T) {
	o := newObject(t)
	for _, key := range []string{"anna", "bert", "anna"} {
		o.close(Request{Model: "m", Key: key, Clock: start, LogTime: 60, LogRows: 100, ID: "req_" + key},
			Outcome{Tokens: Tokens{Input: 1}, Upstream: "up"})
	}
	seen := func(own string) (keys, logged []string) {
		s := o.readFor(start, own)
		for _, d := range s.Days {
			keys = append(keys, d.Key)
		}
		for _, r := range s.Requests {
			logged = append(logged, r.Key)
		}
		return keys, logged
	}
	keys, logged := seen("")
	assert.Equal(t, []string{"anna", "bert"}, keys)
	assert.Equal(t, []string{"anna", "bert", "anna"}, logged)
	keys, logged = seen("bert")
	assert.Equal(t, []string{"", "bert"}, keys, "who owns the other key is not told")
	assert.Equal(t, []string{"bert"}, logged)
}

func TestLogOfRequests(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "asked", Key: "k", ID: "req_1", Clock: start, LogTime: 100, LogRows: 100}
	o.close(r, Outcome{Tokens: Tokens{Input: 5, Output: 6, Cached: 2}, Cost: 1500, Upstream: "up",
		Used: "used", First: 7, Total: 8, Lost: []string{"top_k", "a.b"}})
	o.close(r, Outcome{Cost: Unknown, Status: 500, Type: "internal", Words: "no"})
	kept := o.read(start, 1, Limits{}).Requests
	require.Len(t, kept, 2)
	assert.Nil(t, kept[0].USD)
	assert.Equal(t, "no", kept[0].Words)
	assert.Equal(t, "top_k,a.b", kept[1].Lost)
	assert.Equal(t, "used", kept[1].UpstreamModel)
	assert.InDelta(t, 0.0000015, *kept[1].USD, 1e-12)
	for i := range 150 {
		r.Clock = start + Clock(i)
		o.close(r, Outcome{})
	}
	assert.Len(t, o.read(start, 1, Limits{}).Requests, 100)
	r.Clock = start + 249
	o.close(r, Outcome{})
	assert.Len(t, o.read(start, 1, Limits{}).Requests, 1, "those of more than 100 seconds ago are gone")
	shown := func(at Clock, logTime int64) string {
		return string(Append(nil, o.Run(Read(at, Span{Days: 1}, "", logTime)), false, &Limits{}))
	}
	assert.Contains(t, shown(start+300, 100), `"requests":[{`)
	assert.Contains(t, shown(start+349, 100), `"requests":[]`, "it is over, and nobody has come since")
	assert.Contains(t, shown(start+300, 0), `"requests":[]`, "the log is not kept any more")
	r.LogTime, r.Clock = 0, start+300
	o.close(r, Outcome{})
	assert.Contains(t, shown(start+300, 100), `"requests":[]`, "it is gone")
}

// TestRefusals: refused requests are counted by key and limit, with the last of them, for 90 days.
func TestRefusals(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "asked", Key: "k", ID: "req_1", Clock: start, LogTime: 1000, LogRows: 100,
		Limits: Limits{Requests: 1, Open: 1}}
	admit := func(more func(r *Request)) {
		of := r
		more(&of)
		of.Admitted(o.Run(of.Admit()))
	}
	for range 30 {
		admit(func(*Request) {})
	}
	admit(func(r *Request) { r.Key, r.ID = "another", strings.Repeat("x", 1000) })
	for i := range 3 {
		entered := r
		entered.Lease, entered.Model, entered.ID = string(rune('a'+i)), "", "req_2"
		entered.Clock = start + 2
		entered.Admitted(o.Run(entered.Enter()))
	}
	const day = "2026-11-21"
	want := []refusal{{day, "k", "concurrent_requests", "req_2", "", 2, start + 2},
		{day, "another", "requests_per_minute", strings.Repeat("x", maxText), "asked", 1, start},
		{day, "k", "requests_per_minute", "req_1", "asked", 29, start}}
	kept := o.read(start, 1, Limits{})
	assert.Equal(t, want, kept.Refused)
	assert.Empty(t, kept.Errors)
	assert.Empty(t, kept.Days)
	assert.Empty(t, kept.Requests)
	for i := range want {
		if want[i].Key != "k" {
			want[i].Key, want[i].RequestID, want[i].Model = "", "", ""
		}
	}
	assert.Equal(t, want, o.readFor(start, "k").Refused, "an owner learns nothing of other keys' requests")
	assert.Len(t, o.read(start+86400, 2, Limits{}).Refused, 3)
	assert.Empty(t, o.read(start+86400, 1, Limits{}).Refused)
	admit(func(r *Request) { r.Clock += 90 * 86400 })
	admit(func(r *Request) { r.Clock += 90 * 86400 })
	assert.Len(t, o.read(start+90*86400, 1000, Limits{}).Refused, 1, "older ones are gone")
}

// TestHammering: a client with several keys that repeats refused requests for hours displaces no
// other request from the log.
func TestHammering(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Key: "useful", Clock: start, LogTime: MaxLogTime, LogRows: 100}
	for range 100 {
		o.close(r, Outcome{Used: "used", Tokens: Tokens{Input: 1}})
	}
	// an upstream's own refusal
	o.close(r, Outcome{Status: 429, Type: "rate_limit", Words: "over quota", Used: "used"})
	for minute := range 200 {
		hammer := r
		hammer.Key, hammer.Clock, hammer.Limits = fmt.Sprint("k",
			minute%3), start+Clock(60*minute), Limits{Tokens: 1}
		require.Equal(t, "tokens_per_day", o.admit(hammer).Limit)
	}
	by, refused := map[string]int{}, 0
	kept := o.read(start+200*60, 1, Limits{})
	for _, logged := range kept.Requests {
		by[logged.Words]++
	}
	for _, r := range kept.Refused {
		refused += r.Requests
	}
	assert.Equal(t, map[string]int{"": 99, "over quota": 1}, by)
	assert.Equal(t, 200, refused)
	assert.Len(t, kept.Refused, 3)
}

func TestLostFields(t *testing.T) {
	o := newObject(t)
	for range 2 {
		o.close(Request{Model: "m", Clock: start}, Outcome{Lost: []string{"top_k", `tools[].strict"'`}})
	}
	o.close(Request{Model: "m", Clock: start}, Outcome{Lost: []string{"top_k"}})
	lost := o.read(start, 1, Limits{}).Lost
	require.Len(t, lost, 2)
	assert.Equal(t, `tools[].strict"'`, lost[0].Field)
	assert.Equal(t, 2, lost[0].Requests)
	assert.Equal(t, 3, lost[1].Requests)
	for i := range 200 {
		o.close(Request{Model: "m", Clock: start},
			Outcome{Lost: []string{string(rune('A'+i%26)) + string(rune('A'+i/26))}})
	}
	assert.Len(t, o.read(start, 1, Limits{}).Lost, 101)
}

// TestHugeNumbers: if an upstream reports huge token counts, the sums do not overflow, and limits
// still work for the next request.
func TestHugeNumbers(t *testing.T) {
	o := newObject(t)
	huge := Tokens{Input: math.MaxInt64, Output: math.MaxInt64, Cached: math.MaxInt64,
		Written: math.MaxInt64, Reasoning: math.MaxInt64, Searches: math.MaxInt64}
	cost := Prices{{Over: -1, Input: 1e6, Output: 1e6, Read: 1e6, Write: 1e6, Search: 1e6}}.Of(&huge)
	assert.Equal(t, Dollars(mostDollars), cost)
	for _, model := range []string{"a", "b"} {
		s := begin(start)
		(&sum{model: model, cost: cost}).add(s, &huge)
		o.Run(s)
	}
	kept := o.read(start, 1, Limits{}).Days
	assert.EqualValues(t, mostTokens, kept[0].Input)
	// the sums of many huge requests
	o.Run(begin(start).SQL("UPDATE usage_sum SET cost = 9000000000000000000, input = " +
		"9000000000000000000, output = 0"))
	r := Request{Model: "a", Clock: start, Limits: Limits{Tokens: 10, Daily: 1, Monthly: 1}}
	assert.Equal(t, "tokens_per_day", r.Admitted(o.Run(r.Admit())).Limit)
	r.Limits = Limits{Monthly: 1}
	assert.Equal(t, "usd_per_month", r.Admitted(o.Run(r.Admit())).Limit)
	o.Run(Overview(start))
	o.Run(Read(start, Span{Days: 1}, "", 0))
}
