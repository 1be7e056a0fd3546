package usage

import (
	"strconv"

	"edgelingua/worker/bridge"
)

// Limits are the limits of an endpoint; 0: there is none.
type Limits struct {
	Requests int64 // in each minute
	Streams  int64 // open at the same time
	Tokens   int64 // in each day in UTC, input and output together
	Open     int64 // requests of every kind that are open at the same time, whose body may be still to come
	Daily    Cost  // in each day in UTC
	Monthly  Cost  // in each month in UTC
	// over Daily or Monthly a request goes to the next upstream, and is refused only where there is
	// none
	Next bool
}

// OfModels reports whether there is a limit that counts only requests to models.
func (l *Limits) OfModels() bool {
	return l.Requests > 0 || l.Streams > 0 || l.Tokens > 0 || l.Daily > 0 || l.Monthly > 0
}

// Request is a request as the object of its endpoint has it.
type Request struct {
	ID    string // as the client's answer has it, in x-request-id; "" where it has none yet
	Model string // the client's name of the model
	Key   string // the id of the client's key; "": it has none of the endpoint's
	// a name that no other request has, of a request that takes a place: one of the open ones, a
	// stream's or both; else ""
	Lease  string
	Stream bool // it asks for a stream that a limit counts
	// the batch has to say what rests: the endpoint has several upstreams or keys, so that another
	// may be asked
	Rests  bool
	Pools  bool // the endpoint has keys that take turns
	Clock  Clock
	Limits Limits

	LogTime int64 // for how many seconds the endpoint's log keeps the request; 0: it keeps none
}

// freed is how many seconds a client is told to wait for the place of a stream or of an open
// request. When another one ends is not known.
const freed = "5"

// countMinute, a condition and again are the statement that counts a request in its second.
const (
	countMinute = "INSERT INTO usage_second SELECT now, 1 FROM usage_now"
	again       = " ON CONFLICT DO UPDATE SET requests = requests + 1"
)

// admission begins the batch that decides whether a request may go on. A request has one or two of
// them: Enter's, Admit's or both.
func (r *Request) admission() *bridge.Statements { return begin(r.Clock) }

// Enter makes the statements that decide whether a request of any kind may go on, before its body
// is read. Where it may, they take its place among the open ones; else they note an error: which
// model it asks for is not known yet. Admitted reads their rows.
func (r *Request) Enter() *bridge.Statements {
	s := r.admission()
	s.SQL("DELETE FROM usage_open WHERE expires NOT BETWEEN " + now + " + 1 AND " + now + " + 2 * " + lease)
	refuse(s, "concurrent_requests", freed, "(SELECT count(*) FROM usage_open)", r.Limits.Open)
	s.SQL("INSERT INTO usage_open SELECT ?, now + " + lease +
		" FROM usage_now WHERE refused IS NULL").String(r.Lease)
	fail(s, "refused IS NOT NULL", 429, "rate_limit", r.ID)
	r.logRefusal(s)
	s.SQL("SELECT refused, wait, 0 FROM usage_now")
	if r.Rests {
		rest(s, r.Pools)
	}
	return s
}

// Admit makes the statements that decide whether a request to a model may go on. Where it may, they
// take its place in the minute and among the streams; where a limit is reached, they count it as an
// error. Admitted reads their rows.
//
// Requests are counted by the second. The minute of a request is its own second and the 60 before
// it, so that no 60 seconds, whole or not, hold more requests than the limit. Seconds to come are
// there after the object's clock was set back: up to 60 of them count.
func (r *Request) Admit() *bridge.Statements {
	s := r.admission()
	s.SQL("DELETE FROM usage_second WHERE second NOT BETWEEN " + now + " - 60 AND " + now + " + 60")
	s.SQL("DELETE FROM usage_stream WHERE expires NOT BETWEEN " + now + " + 1 AND " + now + " + 2 * " + lease)
	if n := r.Limits.Tokens; n > 0 {
		refuse(s, "tokens_per_day", "86400 - now % 86400",
			"(SELECT total(input + output) FROM usage_sum WHERE day = now / 86400)", n)
	}
	over := ""
	for _, b := range [...]struct {
		most             Cost
		limit, wait, day string
	}{
		{r.Limits.Daily, "usd_per_day", "86400 - now % 86400", "now / 86400"},
		{r.Limits.Monthly, "usd_per_month", monthEnd + " - now", monthStart + " / 86400"},
	} {
		spent := "(SELECT total(cost) FROM usage_sum WHERE day >= " + b.day + ")"
		switch {
		case b.most <= 0:
		case r.Limits.Next:
			over += " OR " + spent + " >= " + strconv.FormatInt(int64(b.most), 10)
		default:
			refuse(s, b.limit, b.wait, spent, int64(b.most))
		}
	}
	if n := r.Limits.Requests; n > 0 {
		refuse(s, "requests_per_minute", "61 - now + (SELECT min(second) FROM usage_second AS oldest "+
			"WHERE (SELECT coalesce(sum(requests), 0) FROM usage_second WHERE second > oldest.second) < ?1)",
			"(SELECT sum(requests) FROM usage_second)", n)
	}
	if n := r.Limits.Streams; n > 0 && r.Stream {
		refuse(s, "concurrent_streams", freed, "(SELECT count(*) FROM usage_stream)", n)
	}
	if r.Limits.Requests > 0 {
		s.SQL(countMinute + " WHERE refused IS NULL" + again)
	}
	if r.Limits.Streams > 0 && r.Stream {
		s.SQL("INSERT INTO usage_stream SELECT ?, now + " + lease +
			" FROM usage_now WHERE refused IS NULL").String(r.Lease)
	}
	(&sum{model: r.Model, key: r.Key, failed: true}).add(s, "refused IS NOT NULL", &Tokens{})
	fail(s, "refused IS NOT NULL", 429, "rate_limit", r.ID)
	r.logRefusal(s)
	s.SQL("SELECT refused, wait, 0" + over + " FROM usage_now")
	if r.Rests {
		rest(s, r.Pools)
	}
	return s
}

// SQL for the beginning of the month and of the next one.
const (
	monthStart = "CAST(strftime('%s', now, 'unixepoch', 'start of month') AS INTEGER)"
	monthEnd   = "CAST(strftime('%s', now, 'unixepoch', 'start of month', '+1 month') AS INTEGER)"
)

// refuse adds the statement that refuses the request by a limit where used, which is SQL, has
// reached most, unless another limit refuses it already. wait is SQL for the seconds until a
// request may be admitted; it may hold most as ?1.
func refuse(s *bridge.Statements, limit, wait, used string, most int64) {
	s.SQL("UPDATE usage_now SET refused = '" + limit + "', wait = " + wait + " WHERE refused IS NULL AND " +
		used + " >= ?1").Number(float64(most))
}

// Refusal says which limit refuses a request.
type Refusal struct {
	Limit string // the name of the limit; "": the request is admitted
	Wait  int64  // seconds until such a request may be admitted
	// the request is admitted, and over a budget that sends it to the next upstream (Limits.Next)
	Over bool

	Rests // where the request Rests
}

// Admitted returns what the statements of Enter or of Admit have decided. rows are what came of them.
func (q *Request) Admitted(rows *bridge.Rows) (r Refusal) {
	rows.Answer()
	rows.Next()
	r.Limit = string(rows.Value().Bytes)
	r.Wait = int64(rows.Value().Number)
	r.Over = rows.Value().Number != 0
	if q.Rests {
		rows.Statement()
		r.Rests = readResting(rows, q.Pools)
	}
	return r
}

// Message returns the refusal in words for the client. l are the limits of the request.
func (r Refusal) Message(l *Limits) string {
	most := l.Requests
	switch r.Limit {
	case "usd_per_day", "usd_per_month":
		budget := l.Daily
		if r.Limit == "usd_per_month" {
			budget = l.Monthly
		}
		return "The budget " + r.Limit + " of this endpoint, " + string(budget.Append(nil)) +
			" US dollars, is spent. It begins anew in " +
			strconv.FormatInt(r.Wait, 10) + " seconds."
	case "tokens_per_day":
		most = l.Tokens
	case "concurrent_streams":
		most = l.Streams
	case "concurrent_requests":
		most = l.Open
	}
	return "The limit " + r.Limit + " of this endpoint, " + strconv.FormatInt(most, 10) +
		", is reached. Try again in " +
		strconv.FormatInt(r.Wait, 10) + " seconds."
}

// Renew makes the statements that renew the lease of a request, unless it has ended. Whether the
// request will be a stream is not known yet where its body is still to come.
func (r *Request) Renew() *bridge.Statements {
	s := new(bridge.Statements)
	for _, table := range [...]string{"usage_open", "usage_stream"} {
		s.SQL("UPDATE " + table + " SET expires = " + clock + " + " + lease + " WHERE lease = ?")
		r.Clock.argument(s)
		s.String(r.Lease)
	}
	return s
}
