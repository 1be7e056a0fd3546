package usage

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/testobject"
	"edgelingua/worker/bridge"
)

// object is the database of an endpoint.
type object struct {
	*testobject.Object
	t *testing.T
}

func newObject(t *testing.T) *object { return &object{testobject.New(t), t} }

func (o *object) admit(r Request) Refusal {
	o.t.Helper()
	return r.Admitted(o.Run(r.Admit()))
}

func (o *object) close(r Request, outcome Outcome) { o.Run(r.Close(&outcome)) }

type shown struct {
	Usage bool
	Days  []struct {
		Day, Model, Key, Upstream                          string
		Requests, Errors, Input, Output, Cached, Reasoning int
		Unpriced                                           int
		USD                                                float64
		First                                              map[string]int `json:"first_byte_ms"`
		Total                                              map[string]int `json:"total_ms"`
	}
	Errors []struct {
		Time, Status int
		Type         string
		RequestID    string `json:"request_id"`
	}
	Requests []struct {
		Time                                    int
		RequestID                               string `json:"request_id"`
		Key, Model, Upstream, Lost, Type, Words string
		UpstreamModel                           string `json:"upstream_model"`
		Status, Input, Output, Cached           int
		First                                   int `json:"first_byte_ms"`
		Total                                   int `json:"total_ms"`
		USD                                     *float64
	}
	Lost []struct {
		Day, Field string
		Requests   int
	}
	Refused []refusal
	Limits  map[string]struct {
		Limit, Used float64
		Unpriced    int
	}
}

type refusal struct {
	Day, Key, Limit string
	RequestID       string `json:"request_id"`
	Model           string
	Requests, Last  int
}

// readFor reads today's usage as shown to the owner of a key, or to the operator if own is "".
func (o *object) readFor(c Clock, own string) (s shown) {
	o.t.Helper()
	text := Append(nil, o.Run(Read(c, Span{Days: 1}, own, MaxLogTime)), false, &Limits{})
	require.NoError(o.t, json.Unmarshal(text, &s), string(text))
	return s
}

func (o *object) read(c Clock, days int, l Limits) (s shown) {
	o.t.Helper()
	text := Append(nil, o.Run(Read(c, Span{Days: days}, "", MaxLogTime)), false, &l)
	require.NoError(o.t, json.Unmarshal(text, &s), string(text))
	return s
}

// start is a midnight in UTC.
const start = 1795219200

// TestRequestsPerMinute sends requests at random times. It checks that no period of 60 seconds has
// more requests than the limit, that a client is admitted after the wait from its refusal, and that
// no wait is longer than necessary.
func TestRequestsPerMinute(t *testing.T) {
	for _, most := range []int64{1, 2, 5, 50} {
		random := rand.New(rand.NewSource(most))
		o := newObject(t)
		var passed []int64
		now := int64(start)
		for range 400 {
			now += int64(random.ExpFloat64() * 45 / float64(most))
			r := Request{Model: "m", Clock: Clock(now), Limits: Limits{Requests: most}}
			refusal := o.admit(r)
			if refusal.Limit == "" {
				passed = append(passed, now)
				continue
			}
			assert.Equal(t, "requests_per_minute", refusal.Limit)
			assert.True(t, 0 < refusal.Wait && refusal.Wait <= 61, refusal.Wait)
			if random.Intn(2) == 0 { // no request in the meantime
				r.Clock = Clock(now + refusal.Wait - 1)
				if refusal.Wait > 1 {
					assert.NotEmpty(t, o.admit(r).Limit, "it could have come before")
				}
				now += refusal.Wait
				r.Clock = Clock(now)
				assert.Empty(t, o.admit(r).Limit)
				passed = append(passed, now)
			}
		}
		require.Greater(t, len(passed), 20)
		// times are truncated to whole seconds: a difference of 60 could be less than 60 seconds
		for i := int(most); i < len(passed); i++ {
			assert.Greater(t, passed[i]-passed[i-int(most)], int64(60))
		}
	}
}

func TestTheLimitOfAMinuteChanges(t *testing.T) {
	o := newObject(t)
	r := Request{Clock: start, Limits: Limits{Requests: 5}}
	for range 5 {
		require.Empty(t, o.admit(r).Limit)
		r.Clock++
	}
	r.Limits.Requests = 2
	assert.Equal(t, Refusal{Limit: "requests_per_minute", Wait: 59}, o.admit(r),
		"until the fourth is out of the minute")
	r.Limits.Requests = 6
	assert.Equal(t, Refusal{}, o.admit(r))
}

// TestAClockThatWasSetBack: requests in the future count for up to a minute, and no longer.
func TestAClockThatWasSetBack(t *testing.T) {
	o := newObject(t)
	r := Request{Lease: "a", Clock: start, Limits: Limits{Requests: 1, Streams: 1}}
	require.Empty(t, o.admit(r).Limit)
	r.Lease = "b"
	r.Clock = start - 30
	assert.Equal(t, Refusal{Limit: "requests_per_minute", Wait: 91}, o.admit(r))
	r.Clock = start - 86400
	assert.Equal(t, Refusal{}, o.admit(r))
}

func TestStreams(t *testing.T) {
	o := newObject(t)
	request := func(lease string, at Clock) Request {
		return Request{Lease: lease, Stream: lease != "", Clock: start + at, Limits: Limits{Streams: 2}}
	}
	a, b := request("a", 0), request("b", 10)
	require.Empty(t, o.admit(a).Limit)
	require.Empty(t, o.admit(b).Limit)
	assert.Equal(t, Refusal{Limit: "concurrent_streams", Wait: 5}, o.admit(request("c", 20)))
	assert.Empty(t, o.admit(request("", 20)).Limit, "no stream")
	assert.EqualValues(t, 2, o.read(start+20, 1, a.Limits).Limits["concurrent_streams"].Used)
	o.close(a, Outcome{})
	assert.Empty(t, o.admit(request("c", 20)).Limit, "one has ended")

	b.Clock = start + 40
	o.Run(b.Renew())
	assert.NotEmpty(t, o.admit(request("d", 79)).Limit)
	assert.Empty(t, o.admit(request("d", 80)).Limit, "the lease of c is over, since nobody renews it")
	assert.NotEmpty(t, o.admit(request("e", 99)).Limit, "b was renewed")
	assert.EqualValues(t, 1, o.read(start+100, 1, a.Limits).Limits["concurrent_streams"].Used)
	assert.Empty(t, o.admit(request("e", 100)).Limit)
	o.Run(b.Renew())
	b.Clock = start + 100
	assert.EqualValues(t, 2, o.read(start+100, 1, a.Limits).Limits["concurrent_streams"].Used,
		"what is over is not renewed")
}

func TestOpenRequests(t *testing.T) {
	o := newObject(t)
	request := func(lease string, at Clock) Request {
		return Request{ID: "req_" + lease, Lease: lease, Clock: start + at, Limits: Limits{Open: 2,
			Streams: 1}}
	}
	enter := func(r Request) Refusal {
		t.Helper()
		return r.Admitted(o.Run(r.Enter()))
	}
	used := func(at Clock) int {
		return int(o.read(start+at, 1, Limits{Open: 2}).Limits["concurrent_requests"].Used)
	}
	a, b := request("a", 0), request("b", 10)
	require.Empty(t, enter(a).Limit)
	require.Empty(t, enter(b).Limit)
	refused := enter(request("c", 20))
	assert.Equal(t, Refusal{Limit: "concurrent_requests", Wait: 5}, refused)
	assert.Equal(t, "The limit concurrent_requests of this endpoint, 2, is reached. Try again in 5 seconds.",
		refused.Message(&a))
	assert.Equal(t, 2, used(20))
	kept := o.read(start+20, 1, a.Limits)
	assert.Empty(t, kept.Days, "which model it asks for is not known")
	assert.Empty(t, kept.Errors)
	assert.Equal(t, []refusal{{"2026-11-21", "", "concurrent_requests", "req_c", "", 1, start + 20}},
		kept.Refused)

	a.Model, a.Stream = "m", true
	require.Empty(t, o.admit(a).Limit, "the second batch of a request takes the place of a stream")
	b.Stream = true
	require.Equal(t, "concurrent_streams", o.admit(b).Limit)
	o.Run(b.Leave())
	assert.Equal(t, 1, used(20), "a later limit has refused it, and it gives its place back")
	assert.EqualValues(t, 1, o.read(start+20, 1, a.Limits).Limits["concurrent_streams"].Used)
	a.Clock = start + 50
	o.Run(a.Renew())
	assert.Equal(t, 1, used(109))
	assert.EqualValues(t, 1, o.read(start+109, 1, a.Limits).Limits["concurrent_streams"].Used,
		"both places are renewed")
	a.Clock = start + 60
	o.close(a, Outcome{})
	assert.Zero(t, used(60))
	assert.Zero(t, o.read(start+60, 1, a.Limits).Limits["concurrent_streams"].Used)

	require.Empty(t, enter(request("d", 100)).Limit)
	require.Empty(t, enter(request("e", 100)).Limit)
	require.NotEmpty(t, enter(request("f", 159)).Limit)
	require.Empty(t, enter(request("f", 160)).Limit, "a lease that nobody renews ends")
}

// TestOlderObject begins with the tables of an object from before the limit concurrent_requests
// existed.
func TestOlderObject(t *testing.T) {
	o := newObject(t)
	older, _, _ := strings.Cut(schema, "CREATE TABLE IF NOT EXISTS usage_open")
	o.Run(new(bridge.Statements).SQL(older +
		"CREATE TABLE usage_day (day INTEGER, model TEXT, requests INTEGER, errors INTEGER, input INTEGER, " +
		"output INTEGER, cached INTEGER, reasoning INTEGER, PRIMARY KEY (day, model)) WITHOUT ROWID; " +
		"INSERT INTO usage_day VALUES (20777, 'm', 3, 1, 20, 4, 2, 1)"))
	kept := o.read(start-86400, 1, Limits{}).Days
	require.Len(t, kept, 1, "what it has counted stays")
	assert.Equal(t, 20, kept[0].Input)
	assert.Equal(t, 3, kept[0].Requests)
	r := Request{Model: "m", Lease: "a", Clock: start, Limits: Limits{Open: 1}}
	assert.Zero(t, o.read(start, 1, r.Limits).Limits["concurrent_requests"].Used)
	require.Empty(t, r.Admitted(o.Run(r.Enter())).Limit)
	o.close(r, Outcome{Tokens: Tokens{Input: 1}})
	assert.EqualValues(t, 1, o.read(start, 1, r.Limits).Days[0].Input)
}

func TestTokensPerDay(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Clock: start + 86400 - 10, Limits: Limits{Tokens: 100, Requests: 9}}
	for range 2 {
		require.Empty(t, o.admit(r).Limit)
		o.close(r, Outcome{Tokens: Tokens{Input: 30, Output: 19, Cached: 5, Reasoning: 6}})
	}
	require.Empty(t, o.admit(r).Limit, "98 are less than 100")
	o.close(r, Outcome{Tokens: Tokens{Input: 1, Output: 1}})
	refusal := o.admit(r)
	assert.Equal(t, Refusal{Limit: "tokens_per_day", Wait: 10}, refusal)
	assert.Equal(t, "The limit tokens_per_day of this endpoint, 100, is reached. Try again in 10 seconds.",
		refusal.Message(&r))
	used := o.read(r.Clock, 1, r.Limits).Limits
	assert.EqualValues(t, 100, used["tokens_per_day"].Used)
	assert.EqualValues(t, 3, used["requests_per_minute"].Used, "a refused request takes no place")
	r.Clock += 10
	assert.Empty(t, o.admit(r).Limit, "another day")
}

func TestUsage(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Clock: start + 100, Limits: Limits{Requests: 2}, ID: "req_1"}
	assert.Equal(t, `{"usage":true,"days":[],"errors":[],"requests":[],"lost":[],"refused":[],"limits":{}}`+"\n",
		string(Append(nil, o.Run(Read(r.Clock, Span{Days: 1}, "", 0)), false, &Limits{})))
	require.Empty(t, o.admit(r).Limit)
	o.close(r, Outcome{Tokens: Tokens{Input: 10, Output: 5, Cached: 4, Written: 2, Reasoning: 3,
		Searches: 1}, Upstream: "up", Cost: 12_000_001, First: 75, Total: 1811})
	require.Empty(t, o.admit(r).Limit)
	o.close(r, Outcome{Tokens: Tokens{Input: 1}, Upstream: "up", Cost: Unknown, Total: 81, Status: 502,
		Type: "unavailable"})
	r.ID = "req_2"
	require.NotEmpty(t, o.admit(r).Limit)
	row := func(key, upstream, counts string) string {
		return `{"day":"2026-11-21","model":"m","key":"` + key + `","upstream":"` + upstream + `",` +
			counts + `}`
	}
	assert.Equal(t,
		`{"usage":true,"days":[`+row("", "up",
			`"requests":2,"errors":1,"fell":0,"input":11,"output":5,"cached":4,"written":2,`+
				`"reasoning":3,"searches":1,"usd":0.012000001,"unpriced":1,"first_byte_ms":{"80":1},`+
				`"total_ms":{"2560":1,"112":1},"last_used":1795219300`)+`],`+
			`"errors":[{"time":1795219300,"status":502,"type":"unavailable","request_id":"req_1"}],`+
			`"requests":[],"lost":[],"refused":[{"day":"2026-11-21","key":"","limit":"requests_per_minute",`+
			`"requests":1,"last":1795219300,"request_id":"req_2","model":"m"}],"limits":{"requests_per_minute":{"limit":2,"used":2}}}`+"\n",
		string(Append(nil, o.Run(Read(r.Clock, Span{Days: 1}, "", 0)), false, &r.Limits)))
	assert.Equal(t, `{"usage":false,"days":[],"errors":[],"requests":[],"lost":[],"refused":[],"limits":{}}`+"\n",
		string(Append(nil, nil, false, &Limits{})))
}

func TestDaysThatAreKept(t *testing.T) {
	o := newObject(t)
	for day := range 100 {
		o.close(Request{Model: "m", Clock: Clock(start + 86400*day)}, Outcome{})
	}
	const last = start + 86400*99
	assert.Len(t, o.read(last, MaxDays, Limits{}).Days, 90)
	assert.Len(t, o.read(last, 1000, Limits{}).Days, 90, "older ones are gone")
	days := o.read(last, 2, Limits{}).Days
	require.Len(t, days, 2)
	assert.Less(t, days[0].Day, days[1].Day)
}

func TestModelsOfADay(t *testing.T) {
	o := newObject(t)
	for i := range 105 {
		o.close(Request{Model: fmt.Sprint("model-", i), Clock: start}, Outcome{Tokens: Tokens{Input: 1}})
	}
	o.close(Request{Model: "model-3", Clock: start}, Outcome{})
	o.close(Request{Model: "model-3", Clock: start + 86400}, Outcome{})
	requests := map[string]int{}
	for _, d := range o.read(start+86400, 2, Limits{}).Days {
		requests[d.Model] += d.Requests
	}
	assert.Len(t, requests, 101)
	assert.Equal(t, 5, requests["other"])
	assert.Equal(t, 3, requests["model-3"])

	long := strings.Repeat("é", 100)
	o.close(Request{Model: "x" + long, Clock: start + 10*86400}, Outcome{})
	assert.Equal(t, "x"+long[:126], o.read(start+10*86400, 1, Limits{}).Days[0].Model,
		"cut between characters")
}

func TestErrorsThatAreKept(t *testing.T) {
	o := newObject(t)
	for i := range 30 {
		o.close(Request{Clock: Clock(start + i), ID: strings.Repeat("r", 1000)}, Outcome{Status: 500,
			Type: "internal"})
	}
	errors := o.read(start, 1, Limits{}).Errors
	require.Len(t, errors, 20)
	assert.Equal(t, start+29, errors[0].Time)
	assert.Equal(t, start+10, errors[19].Time)
	assert.Len(t, errors[0].RequestID, 128)
}

func TestClear(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Lease: "a", Stream: true, Clock: start, Limits: Limits{Requests: 1, Streams: 1,
		Tokens: 1}}
	for _, reset := range []*bridge.Statements{Clear(), Prepare(true, 0)} {
		require.Empty(t, o.admit(r).Limit)
		o.close(r, Outcome{Tokens: Tokens{Input: 1}, Status: 500, Type: "internal"})
		require.NotEmpty(t, o.admit(r).Limit)
		o.Run(Prepare(false, 0))
		require.NotEmpty(t, o.admit(r).Limit)
		o.Run(reset)
	}
	o.Run(Clear())
	o.Run(Clear())
	assert.Equal(t, []string{}, o.tables())
}

func (o *object) tables() []string {
	names := []string{}
	for rows := o.Run(new(bridge.Statements).SQL("SELECT name FROM sqlite_master WHERE " +
		"type = 'table'")); rows.Next(); {
		names = append(names, string(rows.Value().Bytes))
	}
	return names
}

// TestTheObjectsOwnClock runs with the object's own clock.
func TestTheObjectsOwnClock(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Lease: "a", Stream: true, Limits: Limits{Requests: 1, Streams: 1}}
	require.Empty(t, o.admit(r).Limit)
	o.Run(r.Renew())
	used := o.read(0, 1, r.Limits).Limits
	assert.EqualValues(t, 1, used["requests_per_minute"].Used)
	assert.EqualValues(t, 1, used["concurrent_streams"].Used)
	o.close(r, Outcome{})
	assert.Zero(t, o.read(0, 1, r.Limits).Limits["concurrent_streams"].Used)
}
