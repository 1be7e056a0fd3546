package usage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/bridge"
)

type found struct {
	Log      bool
	Requests []struct {
		Time, Number                                                            int64
		RequestID                                                               string `json:"request_id"`
		Key, Model, Upstream, Client, Session, Agent, Type, Words, Finish, Lost string
		Status, Input, Output, Cached, Summary                                  int
		USD                                                                     *float64
		Attempts                                                                []struct {
			Upstream, Avoided, Reason string
			Status, Ms                int
		}
	}
	Errors []struct {
		Status                int
		Type, Words, Model    string
		Requests, First, Last int
	}
	Refused []refusal
	Cursor  string
}

func (o *object) find(f Find) (r found) {
	o.t.Helper()
	text := f.Append(nil, o.Run(f.Statements()))
	require.NoError(o.t, json.Unmarshal(text, &r), string(text))
	return r
}

// logged is a request of a large log, and its outcome.
func logged(i int) (Request, Outcome) {
	r := Request{Clock: Clock(start + i), LogTime: MaxLogTime, LogRows: MaxLogRows, ID: fmt.Sprint("req_", i),
		Model: fmt.Sprint("model-", i%3), Key: fmt.Sprint("key-", i%2), Client: fmt.Sprint("client-", i%5)}
	if i%4 > 0 {
		r.Session = fmt.Sprint("session-", i%4)
	}
	o := Outcome{Upstream: fmt.Sprint("up-", i%6), Tokens: Tokens{Input: 10, Output: 5, Cached: 2}, Cost: 1e9,
		Total: 2000}
	if i%7 == 0 {
		o.Status, o.Type, o.Words = 500+i%2, "internal", fmt.Sprint("no ", i%3)
	}
	return r, o
}

func TestFind(t *testing.T) {
	for name, rows := range map[string]int64{"small": LogRows, "large": MaxLogRows} {
		t.Run(name, func(t *testing.T) {
			o := newObject(t)
			o.Run(Prepare(true, rows))
			for i := range 84 {
				r, outcome := logged(i)
				r.LogRows = rows
				o.close(r, outcome)
			}
			count := func(want int, f Find) found {
				t.Helper()
				f.Clock, f.LogTime = start+100, MaxLogTime
				if f.Limit == 0 {
					f.Limit = 100
				}
				r := o.find(f)
				assert.Len(t, r.Requests, want)
				for i, x := range r.Requests {
					if i > 0 {
						assert.Less(t, x.Time, r.Requests[i-1].Time)
					}
				}
				return r
			}
			all := count(84, Find{})
			require.Len(t, all.Errors, 6)
			assert.Equal(t, []any{501, "internal", "no 2", 2, "model-2", start + 35, start + 77},
				[]any{all.Errors[0].Status, all.Errors[0].Type, all.Errors[0].Words, all.Errors[0].Requests,
					all.Errors[0].Model, all.Errors[0].First, all.Errors[0].Last})
			count(28, Find{Model: "model-1"})
			count(42, Find{Key: "key-1"})
			count(14, Find{Upstream: "up-3"})
			count(17, Find{Client: "client-0"})
			count(21, Find{Session: "session-2"})
			count(72, Find{Status: "ok"})
			count(12, Find{Status: "error"})
			count(6, Find{Status: "501"})
			count(10, Find{From: start + 20, Until: start + 30})
			count(14, Find{Model: "model-1", Key: "key-1"})
			count(42, Find{Own: "key-1"})
			count(0, Find{Own: "key-1", Key: "key-0"})
			for _, f := range []Find{{Model: "x"}, {Key: "x"}, {Upstream: "x"}, {Client: "x"}, {Session: "x"},
				{Status: "404"}, {Until: start}, {From: start + 1000},
				{Model: "' OR 1 --"}} {
				r := count(0, f)
				assert.Empty(t, r.Errors)
				assert.Empty(t, r.Cursor)
			}
			first := count(60, Find{Limit: 60})
			require.NotEmpty(t, first.Cursor)
			cursor, ok := ReadCursor(first.Cursor)
			require.True(t, ok)
			rest := count(24, Find{Limit: 60, Cursor: cursor})
			assert.Empty(t, rest.Cursor)
			assert.Equal(t, first.Requests[59].Time-1, rest.Requests[0].Time)
			assert.Empty(t, count(84, Find{Limit: 84}).Cursor, "there is no further page")
		})
	}
	for _, wrong := range []string{"x", "1", "1-", "-1", "1-x", "0-1", "1-2-3", "99999999999999999999-1"} {
		_, ok := ReadCursor(wrong)
		assert.False(t, ok, wrong)
	}
}

// TestIndexes: each filter of a large log reads an index, and no filter sorts the log.
func TestIndexes(t *testing.T) {
	o := newObject(t)
	o.Run(Prepare(true, MaxLogRows))
	plan := func(f Find) string {
		f.Clock, f.LogTime, f.Limit = start, MaxLogTime, 50
		s := new(bridge.Statements)
		selected(s, []column{{"", "time"}, {"", "words"}}, "usage_log WHERE "+f.where())
		sql, _, _ := strings.Cut(string(s.Packed()[5:]), "\x00")
		s = new(bridge.Statements)
		s.SQL("EXPLAIN QUERY PLAN " + sql)
		f.arguments(s)
		rows := o.Run(s)
		rows.Answer()
		var lines []string
		for rows.Next() {
			for range 3 {
				rows.Value()
			}
			if line := string(rows.Value().Bytes); strings.Contains(line, "usage_log") ||
				strings.Contains(line, "TEMP") {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "; ")
	}
	for index, f := range map[string]Find{
		"usage_log_time (time>? AND time<?)":                {From: start, Until: start + 1},
		"usage_log_status (<expr>=? AND time>?)":            {Status: "error"},
		"usage_log_model (asked=? AND time>?)":              {Model: "m"},
		"usage_log_key (key=? AND time>?)":                  {Own: "k"},
		"usage_log_upstream (upstream=? AND time>?)":        {Upstream: "u"},
		"usage_log_client (client=? AND time>?)":            {Client: "c"},
		"usage_log_session (session=? AND time>?)":          {Session: "s"},
		"usage_log_time (time>?)":                           {},
		"usage_log_key (key=? AND time>? AND time<?)":       {Key: "k", Until: start},
		"usage_log_status (<expr>=? AND time>? AND time<?)": {Status: "503", Until: start},
	} {
		assert.Equal(t, "SEARCH usage_log USING INDEX "+index, plan(f))
	}
	o.Run(Prepare(false, LogRows))
	assert.Contains(t, plan(Find{Model: "m"}), "SCAN usage_log")
}

// TestSizeOfTheLog: the log keeps the last rows within its time, whatever happened in between.
func TestSizeOfTheLog(t *testing.T) {
	o := newObject(t)
	o.Run(Prepare(true, 150))
	all := func(at Clock) []int64 {
		var times []int64
		for _, r := range o.find(Find{Clock: at, LogTime: 1000, Limit: 200}).Requests {
			times = append(times, r.Time-start)
		}
		return times
	}
	r := Request{Model: "m", LogTime: 1000, LogRows: 150}
	for i := range 200 {
		r.Clock = Clock(start + i)
		o.close(r, Outcome{})
	}
	kept := all(start + 200)
	assert.Equal(t, []int64{150, 199, 50}, []int64{int64(len(kept)), kept[0], kept[149]})
	r.Clock = start + 1100
	o.close(r, Outcome{})
	kept = all(start + 1100)
	assert.Equal(t, []int64{100, 1100, 101}, []int64{int64(len(kept)), kept[0], kept[99]}, "the others are too old")
	o.Run(Prepare(false, LogRows))
	assert.Len(t, all(start+1101), 99, "the setting is smaller")
	r.Clock, r.LogRows = start+1050, LogRows // the clock was set back
	o.close(r, Outcome{})
	assert.Equal(t, int64(1100), all(start + 1101)[0])
	o.Run(Prepare(false, 0))
	assert.Empty(t, all(start+1101))
}

// TestBoundsOfARequest: what clients and upstreams choose is cut.
func TestBoundsOfARequest(t *testing.T) {
	o := newObject(t)
	long := strings.Repeat("é", 10_000)
	outcome := Outcome{Used: long, Words: long, Lost: strings.Split(strings.Repeat("field_name,", 1000), ",")}
	for i := range 100 {
		outcome.Attempts = append(outcome.Attempts, Attempt{UpstreamKey: UpstreamKey{Upstream: fmt.Sprint("up/", i)},
			Status: 200, Took: int64(i)})
	}
	o.close(Request{Model: long, ID: long, Client: long, Clock: start, LogTime: 60, LogRows: 100}, outcome)
	r := o.find(Find{Clock: start, LogTime: 60, Limit: 1}).Requests[0]
	for _, text := range []string{r.Model, r.RequestID, r.Client, r.Words} {
		assert.Equal(t, long[:maxText], text)
	}
	assert.LessOrEqual(t, len(r.Lost), maxLostFields)
	assert.True(t, strings.HasSuffix(r.Lost, ",field_name"), "no name is cut")
	require.Len(t, r.Attempts, maxAttempts)
	assert.Equal(t, "up/14 up/99", r.Attempts[14].Upstream+" "+r.Attempts[15].Upstream)
	outcome.Lost = []string{long}
	o.close(Request{Clock: start, LogTime: 60, LogRows: 100}, outcome)
	assert.Empty(t, o.find(Find{Clock: start, LogTime: 60, Limit: 1}).Requests[0].Lost)
}

type session struct {
	Session, Key                                      string
	Began, Last                                       int64
	Requests, Errors, Input, Output, Cached, Unpriced int
	USD                                               float64
	TotalMs                                           int64 `json:"total_ms"`
}

func (o *object) sessions(at Clock, own string, logTime int64) []session {
	o.t.Helper()
	var r struct{ Sessions []session }
	text := AppendSessions(nil, o.Run(Sessions(at, own, logTime)))
	require.NoError(o.t, json.Unmarshal(text, &r), string(text))
	return r.Sessions
}

func TestSums(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Key: "k", Session: "s", Clock: start + 10, LogTime: 1000, LogRows: 100}
	o.close(r, Outcome{Tokens: Tokens{Input: 100, Output: 10, Cached: 80}, Cost: 2e9, Total: 4000,
		Summary: &Tokens{Input: 7, Output: 3, Cached: 1}, Sum: 1e9})
	r.Clock = start + 70
	o.close(r, Outcome{Cost: Unknown, Total: 500, Status: 500})
	r.Key = "other"
	o.close(r, Outcome{})
	r.Session = ""
	o.close(r, Outcome{})
	first := session{"s", "k", start + 6, start + 70, 2, 1, 107, 13, 81, 1, 3, 4500}
	second := session{"s", "other", start + 70, start + 70, 1, 0, 0, 0, 0, 0, 0, 0}
	assert.Equal(t, []session{second, first}, o.sessions(start+100, "", 1000))
	assert.Equal(t, []session{first}, o.sessions(start+100, "k", 1000))
	assert.Empty(t, o.sessions(start+1070, "", 1000), "they are too old")
	r.LogTime = 0
	o.close(r, Outcome{})
	assert.Empty(t, o.sessions(start+100, "", 1000), "the log is switched off")
	r.LogTime, r.Session = 1000, "s"
	o.close(r, Outcome{})
	o.Run(Prepare(false, 100))
	assert.Len(t, o.sessions(start+100, "", 1000), 1)
	o.Run(Prepare(false, 0))
	assert.Empty(t, o.sessions(start+100, "", 1000), "the setting switches the log off")
}

// TestManySessions: a client that makes up ids does not let the table grow.
func TestManySessions(t *testing.T) {
	o := newObject(t)
	count := func() (n int) {
		rows := o.Run(new(bridge.Statements).SQL("SELECT count(*), min(number) FROM usage_session"))
		rows.Answer()
		rows.Next()
		return int(rows.Value().Number)
	}
	r := Request{Clock: start, LogTime: 1000, LogRows: 100}
	for i := range 1100 {
		r.Session = fmt.Sprint(i)
		o.close(r, Outcome{})
	}
	assert.Equal(t, 1000, count())
	assert.Len(t, o.sessions(start, "", 1000), MaxSessions)
	for i := 101; i < 111; i++ { // the oldest sessions go on
		r.Session, r.Clock = fmt.Sprint(i), start+500
		o.close(r, Outcome{})
	}
	r.Session, r.Clock = "new", start+1000
	o.close(r, Outcome{})
	assert.Equal(t, 11, count(), "the log's time has ended for the others")
}

// TestOlderLog: the log of the version before is in the new one, in its order.
func TestOlderLog(t *testing.T) {
	o := newObject(t)
	o.Run(new(bridge.Statements).SQL("CREATE TABLE usage_request (number INTEGER PRIMARY KEY, time INTEGER, " +
		"id TEXT, key TEXT, asked TEXT, model TEXT, upstream TEXT, status INTEGER, first_ms INTEGER, " +
		"total_ms INTEGER, input INTEGER, output INTEGER, cached INTEGER, cost INTEGER, lost TEXT, type TEXT, " +
		"words TEXT)").SQL(fmt.Sprintf("INSERT INTO usage_request VALUES (7, %d, 'req_1', 'k', 'a', 'b', 'up', 0, "+
		"1, 2, 3, 4, 5, 1000000000, 'top_k', '', ''), (9, %d, 'req_2', 'k', 'a', 'b', 'up', 503, 0, 2, 0, 0, 0, "+
		"-1, '', 'unavailable', 'It is down.')", start, start+1)))
	old := o.find(Find{Clock: start + 2, LogTime: 60, Limit: 10})
	require.Len(t, old.Requests, 2)
	r := old.Requests[1]
	assert.Equal(t, []any{"req_1", "k", "a", "up", 3, 4, 5, "top_k", 1.0, 0},
		[]any{r.RequestID, r.Key, r.Model, r.Upstream, r.Input, r.Output, r.Cached, r.Lost, *r.USD,
			len(r.Attempts)})
	assert.Equal(t, []any{"req_2", 503, "unavailable", "It is down.", (*float64)(nil)},
		[]any{old.Requests[0].RequestID, old.Requests[0].Status, old.Requests[0].Type, old.Requests[0].Words,
			old.Requests[0].USD})
	o.close(Request{Clock: start + 2, LogTime: 60, LogRows: 100, ID: "req_3"}, Outcome{})
	assert.Equal(t, "req_3", o.find(Find{Clock: start + 2, LogTime: 60, Limit: 10}).Requests[0].RequestID)
}
