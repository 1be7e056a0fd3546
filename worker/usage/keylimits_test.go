package usage

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/bridge"
)

// TestKeyLimits: of the limits of the endpoint and of the key, the first limit reached refuses, of any
// kind. The use of one key does not count for another.
func TestKeyLimits(t *testing.T) {
	o := newObject(t)
	ask := func(key string, l Limits) Refusal {
		return o.admit(Request{Model: "m", Key: key, Clock: start, Limits: Limits{Requests: 4, Tokens: 900},
			KeyLimits: l})
	}
	two := Limits{Requests: 2}
	require.Empty(t, ask("a", two).Limit)
	require.Empty(t, ask("a", two).Limit)
	assert.Equal(t, Refusal{Limit: "requests_per_minute", Key: true, Wait: 61}, ask("a", two))
	require.Empty(t, ask("b", two).Limit, "a refused request of another key does not count")
	require.Empty(t, ask("c", Limits{}).Limit)
	assert.Equal(t, Refusal{Limit: "requests_per_minute", Wait: 61}, ask("d", two), "the endpoint's limit")

	o.close(Request{Model: "m", Key: "c", Clock: start, KeyLimits: two}, Outcome{Summary: &Tokens{}})
	assert.Equal(t, 1, o.number("SELECT requests FROM usage_key_second WHERE key = 'c'"), "a summary counts")

	spend := func(key string, tokens int64, cost Cost) {
		o.close(Request{Model: "m", Key: key, Clock: start}, Outcome{Tokens: Tokens{Input: tokens}, Cost: cost})
	}
	later := func(key string, clock Clock, l Limits) Refusal {
		return o.admit(Request{Model: "m", Key: key, Clock: clock, Limits: Limits{Tokens: 900}, KeyLimits: l})
	}
	spend("a", 500, Dollars(1))
	assert.Equal(t, Refusal{Limit: "tokens_per_day", Key: true, Wait: 86300},
		later("a", start+100, Limits{Tokens: 500}))
	require.Empty(t, later("b", start+100, Limits{Tokens: 500}).Limit)
	assert.Equal(t, Refusal{Limit: "usd_per_month", Key: true, Wait: 10*86400 - 100},
		later("a", start+100, Limits{Daily: Dollars(2), Monthly: Dollars(1)}))
	require.Empty(t, later("a", start+86400, Limits{Tokens: 500, Daily: Dollars(1)}).Limit, "the next day")
	spend("b", 400, 0)
	assert.Equal(t, Refusal{Limit: "tokens_per_day", Wait: 86300},
		later("b", start+100, Limits{Tokens: 5000}), "the endpoint's limit")
}

// TestKeyLimitsAreBounded: rows of a minute are deleted, of any key.
func TestKeyLimitsAreBounded(t *testing.T) {
	o := newObject(t)
	for i := range 500 {
		o.admit(Request{Model: "m", Key: string(rune('a' + i%16)), Clock: Clock(start + i),
			KeyLimits: Limits{Requests: 1000}})
	}
	assert.Equal(t, 61, o.number("SELECT count(*) FROM usage_key_second"))
}

// number returns the result of a SELECT of one number.
func (o *object) number(sql string) int {
	rows := o.Run(new(bridge.Statements).SQL(sql))
	rows.Next()
	return int(rows.Value().Number)
}

// TestRecount: a key that replaces another one goes on with its use of this month and this minute.
func TestRecount(t *testing.T) {
	o := newObject(t)
	l := Limits{Requests: 5, Tokens: 100, Daily: Dollars(10), Monthly: Dollars(20)}
	r := Request{Model: "m", Key: "old", Clock: start, KeyLimits: l}
	o.admit(r)
	o.close(r, Outcome{Tokens: Tokens{Input: 40}, Cost: Dollars(2)})
	o.close(r, Outcome{Cost: Unknown})
	o.Run(Recount(start, "old", "new"))
	read := func(keys ...KeyLimits) (out map[string]map[string]struct{ Limit, Used, Unpriced float64 }) {
		s := Read(start, Span{Days: 1}, "", 0)
		ReadKeys(s, keys)
		rows := o.Run(s)
		Append(nil, rows, false, &Limits{})
		require.NoError(t, json.Unmarshal(append(AppendKeys([]byte{'{'}, rows, keys), '}'), &out))
		return out
	}
	got := read(KeyLimits{"old", l}, KeyLimits{"new", Limits{Tokens: 1, Monthly: Dollars(3)}}, KeyLimits{"new", l})
	assert.Equal(t, map[string]map[string]struct{ Limit, Used, Unpriced float64 }{
		"old": {"requests_per_minute": {5, 0, 0}, "tokens_per_day": {100, 0, 0}, "usd_per_day": {10, 0, 0},
			"usd_per_month": {20, 0, 0}},
		"new": {"requests_per_minute": {5, 1, 0}, "tokens_per_day": {100, 40, 0}, "usd_per_day": {10, 2, 1},
			"usd_per_month": {20, 2, 1}},
	}, got)
}

// TestReplacedKey: all rows of a key move to the new key, also rows that are added later by requests with
// an older copy of the record, or from before the replacement. The overview gets the days again.
func TestReplacedKey(t *testing.T) {
	o := newObject(t)
	l := Limits{Requests: 5, Daily: Dollars(2)}
	ask := func(at Clock, key string) Refusal {
		r := Request{ID: "r", Model: "m", Key: key, Session: "s", Clock: at, KeyLimits: l, LogTime: 9e6, LogRows: 9}
		refusal := o.admit(r)
		if refusal.Limit == "" {
			o.close(r, Outcome{Cost: Dollars(1)})
		}
		return refusal
	}
	require.Empty(t, ask(start-40*86400, "a").Limit)
	require.Empty(t, ask(start, "a").Limit)
	merged := ReadCollected(o.Run(Collect(start, "e", Merged{}))).Merged
	merged = ReadCollected(o.Run(Collect(start, "e", merged))).Merged
	o.Run(Recount(start, "a", "b"))
	o.Run(Recount(start, "b", "c"))
	assert.Contains(t, ReadCollected(o.Run(Collect(start, "e", merged))).Text, `"days":[[20738,[["m","c"`)

	require.Empty(t, ask(start, "a").Limit, "still with the key a")
	assert.Equal(t, "usd_per_day", ask(start, "b").Limit)
	for table, rows := range map[string]int{"usage_sum": 2, "usage_hour": 1, "usage_log": 3, "usage_session": 1,
		"usage_refused": 1, "usage_key_second": 1} {
		assert.Equal(t, rows, o.number("SELECT count(*) FROM "+table), table)
		assert.Equal(t, rows, o.number("SELECT count(*) FROM "+table+" WHERE key = 'c'"), table)
	}
	o.Run(Recount(start+31*86400, "c", "d"))
	assert.Equal(t, 1, o.number("SELECT count(*) FROM usage_replaced"), "the others are forgotten")
}
