package totals

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/testobject"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// start is a midnight in UTC: 2026-11-21.
const start = 1_795_219_200

// deployment has the object of the sums, and the objects of endpoints by name.
type deployment struct {
	t       *testing.T
	totals  *testobject.Object
	objects map[string]*testobject.Object
	sent    int // texts
}

func deploy(t *testing.T) *deployment {
	return &deployment{t, testobject.New(t), map[string]*testobject.Object{}, 0}
}

func (d *deployment) object(name string) *testobject.Object {
	if d.objects[name] == nil {
		d.objects[name] = testobject.New(d.t)
	}
	return d.objects[name]
}

// request counts a request at an endpoint, as a host does.
func (d *deployment) request(name string, at usage.Clock, model, key string, o usage.Outcome) {
	r := usage.Request{Model: model, Key: key, Clock: at}
	s := r.Close(&o)
	s.SQL("SELECT 1 AS mark")
	usage.SendDue(s, name)
	rows := d.object(name).Run(s)
	rows.Answer()
	rows.Statement()
	if rows.Next() {
		d.sent++
		d.totals.Run(MergeText(string(rows.Value().Bytes)))
	}
}

// shownSum is a row of a list.
type shownSum struct {
	Day, Endpoint, Model, Key, Label                  string
	Deleted                                           bool
	Requests, Errors, Input, Output, Cached, Unpriced int
	USD                                               float64
}

type shown struct {
	Time                          int
	Today                         shownSum
	Days, Endpoints, Models, Keys []shownSum
	Failing                       []struct {
		Endpoint, Upstream, State string
		Until, Failures, Status   int
		FailedAt                  int `json:"failed_at"`
	}
	MoreFailing int `json:"more_failing"`
	Behind      int
	More        bool
}

// overview asks for the overview, and collects what is pending.
func (d *deployment) overview(at usage.Clock, span usage.Span) (s shown) {
	d.t.Helper()
	o := Overview{Clock: at, Span: span}
	pending, search := ReadPending(d.totals.Run(Pending(at)))
	search.Done = true
	o.Search = search
	for _, p := range pending {
		rows, err := d.object(p.Name).Try(usage.Collect(at, p.Name, p.Merged))
		if err != nil {
			require.True(d.t, usage.NoUsage(err), err)
			o.Without = append(o.Without, p.Name)
			continue
		}
		o.Texts = append(o.Texts, usage.ReadCollected(rows).Text)
	}
	r := ReadResult(d.totals.Run(o.Read()))
	named := r.Named()
	for i := range named {
		if named[i].Name == "gone" {
			continue
		}
		e := &endpoint.Endpoint{Keys: []endpoint.Key{{Hash: "hash-of-a-key", Label: "Anna"}}}
		e.Upstreams = []endpoint.Upstream{{Endpoint: e, Name: "up"}}
		named[i].Endpoint = e
	}
	text := r.Append(nil, named)
	require.NoError(d.t, json.Unmarshal(text, &s), string(text))
	return s
}

var week = usage.Span{Days: 7}

// TestSums adds up endpoints, models and keys of several days. The overview is exact although each
// endpoint sends a text at most every five minutes.
func TestSums(t *testing.T) {
	d := deploy(t)
	key := endpoint.KeyID("hash-of-a-key")
	tokens := usage.Tokens{Input: 100, Output: 10, Cached: 40}
	for i := range 3 {
		at := usage.Clock(start - 86400 + i)
		d.request("a", at, "m", key, usage.Outcome{Tokens: tokens, Cost: 5e8})
		d.request("b", at, "n", "other", usage.Outcome{Tokens: tokens, Cost: usage.Unknown, Status: 500})
	}
	d.request("a", start+5, "n", key, usage.Outcome{Tokens: tokens, Cost: 2e9})
	assert.Equal(t, 3, d.sent, "of seven requests")
	s := d.overview(start+6, week)
	assert.Equal(t, shownSum{Day: "2026-11-21", Requests: 1, Input: 100, Output: 10, Cached: 40, USD: 2},
		s.Today)
	assert.Equal(t, []shownSum{{Day: "2026-11-20", Requests: 6, Errors: 3, Input: 600, Output: 60, Cached: 240,
		USD: 1.5, Unpriced: 3}, s.Today}, s.Days)
	assert.Equal(t, []shownSum{{Endpoint: "a", Requests: 4, Input: 400, Output: 40, Cached: 160, USD: 3.5},
		{Endpoint: "b", Requests: 3, Errors: 3, Input: 300, Output: 30, Cached: 120, Unpriced: 3}}, s.Endpoints)
	assert.Equal(t, []shownSum{{Model: "n", Requests: 4, Errors: 3, Input: 400, Output: 40, Cached: 160, USD: 2,
		Unpriced: 3}, {Model: "m", Requests: 3, Input: 300, Output: 30, Cached: 120, USD: 1.5}}, s.Models)
	assert.Equal(t, []shownSum{{Endpoint: "a", Key: key, Label: "Anna", Requests: 4, Input: 400, Output: 40,
		Cached: 160, USD: 3.5}, {Endpoint: "b", Key: "other", Requests: 3, Errors: 3, Input: 300, Output: 30,
		Cached: 120, Unpriced: 3}}, s.Keys)
	assert.Equal(t, 0, s.Behind)
	assert.False(t, s.More)

	s = d.overview(start+7, usage.Span{From: "2026-11-20", To: "2026-11-20"})
	assert.Equal(t, 1, s.Today.Requests)
	assert.Len(t, s.Days, 1)
	assert.Equal(t, 6, s.Days[0].Requests)

	// A request after a collection sends a text at once, so nothing is missing.
	d.request("b", start+8, "n", "other", usage.Outcome{Tokens: tokens, Cost: 1})
	assert.Equal(t, 2, d.overview(start+8, week).Today.Requests)
	assert.Equal(t, 1e-9+2, d.overview(start+8, week).Today.USD)
}

// TestOrder merges texts that arrive late or twice.
func TestOrder(t *testing.T) {
	d := deploy(t)
	o := d.object("a")
	close := func(at usage.Clock) {
		r := usage.Request{Model: "m", Clock: at}
		o.Run(r.Close(&usage.Outcome{Cost: 1e9}))
	}
	close(start)
	first := usage.ReadCollected(o.Run(usage.Collect(start, "a", usage.Merged{}))).Text
	close(start + 1)
	second := usage.ReadCollected(o.Run(usage.Collect(start+1, "a", usage.Merged{}))).Text
	for _, text := range []string{second, first, second} {
		d.totals.Run(MergeText(text))
	}
	assert.Equal(t, 2, d.overview(start+2, week).Today.Requests)
}

// TestManyDays: after an upgrade an endpoint has up to 90 days to send. A text has seven of them.
func TestManyDays(t *testing.T) {
	d := deploy(t)
	for i := range 30 {
		r := usage.Request{Model: "m", Clock: usage.Clock(start - 29*86400 + i*86400)}
		d.object("a").Run(r.Close(&usage.Outcome{Cost: 1e9}))
	}
	d.request("a", start+9, "m", "", usage.Outcome{Cost: 1e9})
	month := usage.Span{Days: 30}
	asked := 1
	s := d.overview(start+10, month)
	for ; s.More; asked++ {
		require.Less(t, asked, 30)
		s = d.overview(start+10, month)
	}
	assert.Len(t, s.Days, 30)
	assert.Equal(t, 2, s.Today.Requests)
	assert.Equal(t, []shownSum{{Endpoint: "a", Requests: 31, USD: 31}}, s.Endpoints)
	assert.LessOrEqual(t, asked, 17, "two days at once")
	assert.Empty(t, s.Keys, "clients without a key of the endpoint")

	// days are dropped after 90 days
	d.request("a", start+70*86400, "m", "", usage.Outcome{})
	d.overview(start+70*86400, month)
	rows := d.totals.Run(new(bridge.Statements).SQL("SELECT min(day) FROM total_part UNION ALL " +
		"SELECT min(day) FROM total_day"))
	for rows.Next() {
		assert.EqualValues(t, start/86400-19, rows.Value().Number)
	}
}

// TestFailing shows the upstreams that have failed, with the key that they still have.
func TestFailing(t *testing.T) {
	d := deploy(t)
	broken := usage.Attempt{UpstreamKey: usage.UpstreamKey{Upstream: "up", Key: usage.Fingerprint("")},
		Status: 401}
	for i := range 3 {
		d.request("a", start+usage.Clock(i), "m", "", usage.Outcome{Status: 401, Attempts: []usage.Attempt{broken}})
	}
	broken.Key = "before"
	d.request("b", start, "m", "", usage.Outcome{Status: 401, Attempts: []usage.Attempt{broken}})
	d.request("gone", start, "m", "", usage.Outcome{Status: 401, Attempts: []usage.Attempt{broken}})
	s := d.overview(start+4, week)
	require.Len(t, s.Failing, 1)
	f := s.Failing[0]
	assert.Equal(t, "a up resting 3 401", f.Endpoint+" "+f.Upstream+" "+f.State+" "+strconv.Itoa(f.Failures)+" "+
		strconv.Itoa(f.Status))
	assert.Equal(t, start+2+10, f.Until)
	assert.Equal(t, "failing", d.overview(start+20, week).Failing[0].State)
	assert.Empty(t, d.overview(start+2*86400, week).Failing)
}

// TestFailingBehindOthers: upstreams with an earlier key hide no other upstreams, and are not counted.
func TestFailingBehindOthers(t *testing.T) {
	d := deploy(t)
	broken := usage.Attempt{UpstreamKey: usage.UpstreamKey{Upstream: "up", Key: "before"}, Failed: true,
		Status: 503}
	for n := range 12 {
		d.request("x"+strconv.Itoa(n), start+50, "m", "", usage.Outcome{Status: 503,
			Attempts: []usage.Attempt{broken}})
	}
	broken.Key = usage.Fingerprint("")
	d.request("a", start+40, "m", "", usage.Outcome{Status: 503, Attempts: []usage.Attempt{broken}})
	s := d.overview(start+51, week)
	require.Len(t, s.Failing, 1)
	assert.Equal(t, "a 0", s.Failing[0].Endpoint+" "+strconv.Itoa(s.MoreFailing))
	for n := range 12 {
		d.request("y"+strconv.Itoa(n), start+60, "m", "", usage.Outcome{Status: 503,
			Attempts: []usage.Attempt{broken}})
	}
	s = d.overview(start+61, week)
	assert.Len(t, s.Failing, 10)
	assert.GreaterOrEqual(t, s.MoreFailing, 3)
}

// TestLostTexts: days whose text was not merged are sent again.
func TestLostTexts(t *testing.T) {
	d := deploy(t)
	count := func(at usage.Clock) {
		r := usage.Request{Model: "m", Clock: at}
		d.object("a").Run(r.Close(&usage.Outcome{Cost: 1e9}))
	}
	for i := range 30 {
		count(usage.Clock(start - 29*86400 + i*86400))
	}
	d.request("a", start+9, "m", "", usage.Outcome{Cost: 1e9})
	month, asked := usage.Span{Days: 30}, 0
	settle := func(at usage.Clock) (s shown) {
		for s = d.overview(at, month); s.More; s = d.overview(at, month) {
			require.Less(t, asked, 60)
			asked++
		}
		return s
	}
	for range 2 { // overviews that end before the merge, with a request afterwards
		d.object("a").Run(usage.Collect(start+9, "a", usage.Merged{}))
		d.request("a", start+9, "m", "", usage.Outcome{Cost: 1e9})
	}
	assert.Equal(t, 33, settle(start + 10).Endpoints[0].Requests)

	for range 8 {
		count(start + 86400 - 1)
	}
	r := usage.Request{Model: "m", Clock: start + 86400 + 400}
	s := r.Close(&usage.Outcome{Cost: 1e9})
	usage.SendDue(s, "a")
	d.object("a").Run(s) // the first text of the day is not merged
	d.request("a", start+86400+900, "m", "", usage.Outcome{Cost: 1e9})
	assert.Equal(t, 43-1, settle(start + 86400 + 1000).Endpoints[0].Requests, "without the oldest day")
}

// TestBounds: models, and keys, of a day beyond the 200 with the highest cost are one row.
func TestBounds(t *testing.T) {
	d := deploy(t)
	for e := range 3 {
		for m := range 100 {
			name := "e" + strconv.Itoa(e)
			r := usage.Request{Model: name + "-" + strconv.Itoa(m), Key: strconv.Itoa(m), Clock: start - 5}
			d.object(name).Run(r.Close(&usage.Outcome{Cost: usage.Cost(1 + m)}))
		}
		name := "e" + strconv.Itoa(e)
		d.totals.Run(MergeText(usage.ReadCollected(d.object(name).Run(usage.Collect(start-5, name,
			usage.Merged{}))).Text))
	}
	s := d.overview(start, week)
	assert.Equal(t, 300, s.Days[0].Requests)
	assert.Len(t, s.Models, 10)
	assert.Equal(t, shownSum{Model: "other", Requests: 100, USD: s.Models[0].USD}, s.Models[0])
	assert.Equal(t, shownSum{Requests: 100, USD: s.Models[0].USD}, s.Keys[0])
}

// TestMaxDays: the constant in SQL is the one in Go.
func TestMaxDays(t *testing.T) { assert.Equal(t, strconv.Itoa(usage.MaxDays), days) }
