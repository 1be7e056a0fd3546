package alert

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/testobject"
	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// start is a midnight in UTC, of 2026-11-21.
const start = 1795219200

// object is the database of an endpoint with alerts.
type object struct {
	*testobject.Object
	source Source
}

func newObject(t *testing.T, hooks ...Hook) *object {
	if hooks == nil {
		hooks = []Hook{{Name: "endpoint", Format: "json", Sealed: "v1.x", Context: "c"}}
	}
	return &object{testobject.New(t), Source{"anna", hooks}}
}

// close closes the account of a request, and returns the texts of the alerts to send. They count as sent.
func (o *object) close(at int64, r usage.Request, outcome usage.Outcome, k Key, failed bool) []string {
	r.Clock = usage.Clock(at)
	s := r.Close(&outcome)
	o.source.Close(s, &r, &outcome, &k, failed)
	o.Run(s)
	return o.raised()
}

// column returns the values of a column as texts.
func (o *object) column(sql string) (values []string) {
	rows := o.Run(new(bridge.Statements).SQL(sql))
	for rows.Next() {
		values = append(values, string(rows.Value().Bytes))
	}
	return values
}

// raised returns the texts of the alerts to send. They count as sent.
func (o *object) raised() []string {
	texts := o.column("SELECT text FROM alert WHERE due IS NOT NULL ORDER BY kind, subject")
	o.Run(new(bridge.Statements).SQL("UPDATE alert SET due = NULL, status = 200"))
	return texts
}

// TestBudgets: each part of a budget is told once a day or a month, for the endpoint and for a key.
func TestBudgets(t *testing.T) {
	o := newObject(t)
	r := usage.Request{Model: "m", Key: "k1", Limits: usage.Limits{Daily: usage.Dollars(10),
		Monthly: usage.Dollars(100)},
		KeyLimits: usage.Limits{Daily: usage.Dollars(5)}}
	k := Key{ID: "k1", Label: "laptop"}
	spend := func(at int64, dollars float64) []string {
		return o.close(at, r, usage.Outcome{Cost: usage.Dollars(dollars)}, k, false)
	}
	require.Empty(t, spend(start, 3.9))
	assert.Equal(t, []string{"80 % of the budget usd_per_day of the key laptop (k1) at the endpoint " +
		"anna, 5 US dollars, " +
		"is spent."}, spend(start+1, 0.1))
	require.Empty(t, spend(start+2, 0.1), "once")
	assert.Equal(t, []string{"81 % of the budget usd_per_day of the endpoint anna, 10 US dollars, is spent.",
		"100 % of the budget usd_per_day of the key laptop (k1) at the endpoint anna, 5 US dollars, is " +
			"spent."},
		spend(start+3, 4))
	assert.Equal(t, []string{"100 % of the budget usd_per_day of the endpoint anna, 10 US dollars, is " +
		"spent."},
		spend(start+4, 50))
	assert.Equal(t, []string{"100 % of the budget usd_per_day of the endpoint anna, 10 US dollars, is spent.",
		"100 % of the budget usd_per_day of the key laptop (k1) at the endpoint anna, 5 US dollars, is " +
			"spent.",
		"92 % of the budget usd_per_month of the endpoint anna, 100 US dollars, is spent."},
		spend(start+86400, 34.5), "the next day")
	require.Empty(t, o.close(start+86400, r, usage.Outcome{Cost: usage.Unknown}, k, false))
	r.Limits.Daily = usage.Dollars(30)
	assert.Equal(t, []string{"100 % of the budget usd_per_day of the endpoint anna, 30 US dollars, is spent."},
		spend(start+86400, 0.1), "a raised budget")
	r.Limits.Daily = usage.Dollars(10)
	require.Empty(t, spend(start+86400, 0.1), "as in a location with the old copy of the record")
}

// TestUpstreams: an upstream that goes down is told once, and that it answers again once, however long
// the outage lasts; and no more than once in an hour, if it goes up and down all the time.
func TestUpstreams(t *testing.T) {
	o := newObject(t)
	try := func(at int64, status int) []string {
		return o.close(at, usage.Request{Model: "m"}, usage.Outcome{Attempts: []usage.Attempt{{
			UpstreamKey: usage.UpstreamKey{Upstream: "up", Key: "1"}, Failed: status == 0 || status >= 500,
			Status: status}}}, Key{}, false)
	}
	require.Empty(t, try(start, 503))
	require.Empty(t, try(start, 200))
	require.Empty(t, try(start, 503))
	require.Empty(t, try(start+1, 503))
	assert.Equal(t, []string{"The upstream up of the endpoint anna is down: 3 failures in a row, the " +
		"last without an answer."},
		try(start+2, 0))
	require.Empty(t, try(start+30, 503))
	require.Empty(t, try(start+8000, 503), "the same outage")
	require.Empty(t, try(start+8001, 400), "a refusal of the request says nothing")
	assert.Equal(t, []string{"The upstream up of the endpoint anna answers again."}, try(start+8002, 200))
	require.Empty(t, try(start+8003, 200))
	down := func(at int64) (texts []string) {
		for range 3 {
			texts = append(texts, try(at, 503)...)
		}
		return texts
	}
	assert.Len(t, down(start+9000), 1)
	assert.Len(t, try(start+9001, 200), 1)
	for at := int64(start + 9100); at < start+12_000; at += 100 {
		require.Empty(t, down(at), "less than an hour later")
		require.Empty(t, try(at+1, 200), "what was not said to be down")
	}
	assert.Len(t, down(start+12_700), 1)
}

// TestErrorRate: half of ten requests within five minutes, told once an hour.
func TestErrorRate(t *testing.T) {
	o := newObject(t)
	end := func(at int64, failed bool) []string {
		return o.close(at, usage.Request{Model: "m"}, usage.Outcome{}, Key{}, failed)
	}
	for i := range int64(9) {
		require.Empty(t, end(start+i, true))
	}
	assert.Equal(t, []string{"10 of 10 requests to the endpoint anna failed within 5 minutes."},
		end(start+10, true))
	require.Empty(t, end(start+11, true))
	require.Empty(t, end(start+3600, true), "the failures of an hour before do not count")
	for range 9 {
		require.Empty(t, end(start+7200, false))
	}
	for range 8 {
		require.Empty(t, end(start+7200, true), "less than half")
	}
	assert.Equal(t, []string{"9 of 18 requests to the endpoint anna failed within 5 minutes."},
		end(start+7201, true))
	rows := o.column("SELECT CAST(minute AS TEXT) FROM alert_rate")
	assert.Len(t, rows, 1)
	for range 20 {
		require.Empty(t, end(start+10800, true), "a new hour of the clock, but not an hour later")
	}
	assert.Len(t, end(start+10801, true), 1)
}

// TestKeys: a key that expires is told once, seven days before, also if nobody uses it.
func TestKeys(t *testing.T) {
	o := newObject(t)
	k := Key{ID: "k1", Created: start, Expires: start + 30*86400}
	short := Key{ID: "k2", Created: start, Expires: start + 900}
	o.Run(o.source.Change([]Key{k, short, {ID: "k3", Created: start}}, start))
	due := func() []string {
		return o.column("SELECT subject || ' ' || due || ' ' || text FROM alert WHERE due IS NOT NULL")
	}
	want := []string{"k1 1797206400 the key k1 of the endpoint anna expires at 2026-12-21 00:00 UTC."}
	assert.Equal(t, want, due())
	o.Run(o.source.Change([]Key{k}, start+5))
	assert.Equal(t, want, due(), "no second one")
	o.Run(o.source.Change(nil, start+6))
	require.Empty(t, due(), "a revoked key")
	require.Empty(t, o.close(start+10, usage.Request{}, usage.Outcome{}, k, false))
	assert.Len(t, o.close(start+23*86400, usage.Request{}, usage.Outcome{}, k, false), 1,
		"a key in use, whose alert was never scheduled")
	require.Empty(t, o.close(start+24*86400, usage.Request{}, usage.Outcome{}, k, false))
	o.Run(o.source.Change([]Key{k}, start+25*86400))
	require.Empty(t, due(), "told already")
	require.Empty(t, o.close(start, usage.Request{}, usage.Outcome{}, short, false))
}

// TestFormats has the body of each format, with a label that is markup in one of them.
func TestFormats(t *testing.T) {
	var hooks []Hook
	for _, format := range []string{"json", "slack", "discord", "ntfy"} {
		hooks = append(hooks, Hook{Name: format, Format: format})
	}
	o := newObject(t, hooks...)
	k := Key{ID: "k1", Label: "<!channel> @everyone \"&\n"}
	o.close(start, usage.Request{Key: "k1", KeyLimits: usage.Limits{Daily: 1}}, usage.Outcome{Cost: 1}, k,
		false)
	got := map[string]string{}
	rows := o.Run(new(bridge.Statements).SQL("SELECT hook, body FROM alert"))
	for rows.Next() {
		got[string(rows.Value().Bytes)] = string(rows.Value().Bytes)
	}
	require.Len(t, got, 4)
	text := "100 % of the budget usd_per_day of the key <!channel> @everyone \"&\n (k1) at the endpoint " +
		"anna, 0.000000001 US dollars, is spent."
	assert.Equal(t, text, gjson.Get(got["json"], "text").Str)
	assert.Equal(t, "budget anna usd_per_day k1 0.000000001 100 1795219200", gjson.Get(got["json"], "type").Str+" "+
		gjson.Get(got["json"], "endpoint").Str+" "+gjson.Get(got["json"], "subject").Str+" "+
		gjson.Get(got["json"], "time").Raw)
	assert.Contains(t, gjson.Get(got["slack"], "text").Str, `the key &lt;!channel&gt; @everyone "&amp;`)
	assert.Equal(t, text, gjson.Get(got["discord"], "content").Str)
	assert.JSONEq(t, `{"parse":[]}`, gjson.Get(got["discord"], "allowed_mentions").Raw)
	assert.Equal(t, text, gjson.Get(got["ntfy"], "message").Str)
}

// TestList has the alerts that were sent, that wait and that failed, and no alert that is only scheduled.
func TestList(t *testing.T) {
	o := newObject(t)
	o.Run(o.source.Change([]Key{{ID: "k1", Created: 1, Expires: start + 30*86400}}, start))
	o.Run(o.source.Test(start))
	list := func() gjson.Result {
		return gjson.ParseBytes(AppendList(nil, o.Run(List()))).Get("alerts")
	}
	assert.JSONEq(t, `[{"type":"test","webhook":"endpoint","time":1795219200,"text":"This is a test `+
		`of the alerts of the endpoint anna.","state":"waiting","tries":0,"status":0}]`, list().Raw)
	for status, state := range map[string]string{"200": "sent", "204": "sent", "302": "failed",
		"0": "failed"} {
		o.Run(new(bridge.Statements).SQL("UPDATE alert SET due = NULL, tries = 1, status = " + status +
			" WHERE kind = 'test'"))
		assert.Equal(t, state, list().Get("0.state").Str)
	}
	o.Run(o.source.Test(start))
	assert.Equal(t, "waiting", list().Get("0.state").Str, "a second test within the same second")
	other := Source{"anna", []Hook{{Name: "endpoint", Sealed: "v1.other"}}}
	o.Run(other.Change(nil, start))
	assert.Equal(t, int64(0), list().Get("#").Int(), "a webhook of before gets nothing")
	o.Run(Clear())
	o.Run(Clear())
}
