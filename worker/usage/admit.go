package usage

import (
	"strconv"
	"strings"

	"edgelingua/worker/bridge"
)

// Limits are the limits of an endpoint. 0 means no limit.
type Limits struct {
	Requests int64 // per minute
	Streams  int64 // open at the same time
	Tokens   int64 // per day in UTC, input and output together
	Open     int64 // open requests of any kind, including requests whose body is still arriving
	Daily    Cost  // per day in UTC
	Monthly  Cost  // per month in UTC
	// over Daily or Monthly a request goes to the next upstream, and is refused only without a next
	// upstream
	Next bool
}

// OfModels reports whether any limit counts only requests to models.
func (l *Limits) OfModels() bool {
	return l.Requests > 0 || l.Streams > 0 || l.Tokens > 0 || l.Daily > 0 || l.Monthly > 0
}

// Request is a request as seen by the object of its endpoint.
type Request struct {
	ID    string // the client answer's x-request-id, or ""
	Model string // the client's name of the model
	Key   string // id of the client's endpoint key, or ""
	// unique name of the lease, if the request occupies a slot: of open requests, of streams or of
	// both; else ""
	Lease  string
	Stream bool // the client requests a stream and streams are limited
	// the batch has to return the health: the endpoint has several upstreams or keys to choose from
	Cooldowns bool
	Pools     bool // the endpoint has a pool of keys, used in rotation
	Clock     Clock
	Limits    Limits
	KeyLimits Limits // limits of Key, beside Limits: Requests, Tokens, Daily and Monthly

	LogTime int64  // seconds for which the request log retains the request; 0: no log
	LogRows int64  // most requests of the log
	Client  string // the client program
	Session string // hash of the client's id of the session; "": none
	Agent   string // hash of the client's id of the agent in the session; "": the session's own
}

// freed is how many seconds a refused client should wait for the slot of a stream or of an open
// request. The real wait is unknown, because another request has to end first.
const freed = "5"

// countMinute adds the statements that count a request in its minute, if a limit counts minutes and
// the condition where on usage_now is true.
func (r *Request) countMinute(s *bridge.Statements, where string) {
	const again = " ON CONFLICT DO UPDATE SET requests = requests + 1"
	if r.Limits.Requests > 0 {
		s.SQL("INSERT INTO usage_second SELECT now, 1 FROM usage_now WHERE " + where + again)
	}
	if r.KeyLimits.Requests > 0 {
		s.SQL(keySchema)
		s.SQL("INSERT INTO usage_key_second SELECT " + account1 + ", now, 1 FROM usage_now WHERE " +
			where + again)
		s.String(r.Key)
	}
}

// admission begins a batch that decides whether a request is admitted. A request has one or two
// such batches: from Enter, Admit or both.
func (r *Request) admission() *bridge.Statements { return begin(r.Clock) }

// Enter returns the statements that admit or refuse a request of any kind before its body is read.
// An admitted request gets a slot of the open requests. A refused request is counted without a model,
// since the model is still unknown. Admitted reads the rows.
func (r *Request) Enter() *bridge.Statements {
	s := r.admission()
	s.SQL("DELETE FROM usage_open WHERE expires NOT BETWEEN " + now + " + 1 AND " + now + " + 2 * " + lease)
	refuse(s, "concurrent_requests", freed, "(SELECT count(*) FROM usage_open)", r.Limits.Open)
	s.SQL("INSERT INTO usage_open SELECT ?, now + " + lease +
		" FROM usage_now WHERE refused IS NULL").String(r.Lease)
	r.countRefusal(s)
	s.SQL("SELECT refused, wait, 0 FROM usage_now")
	if r.Cooldowns {
		readsCooldowns(s, r.Pools)
	}
	return s
}

// Admit returns the statements that admit or refuse a request to a model. An admitted request
// counts in its minute and gets a slot of the streams. A refused request counts in usage_refused only.
// Admitted reads the rows.
//
// Requests are counted by the second. The minute of a request is its own second and the 60 seconds
// before, so no period of 60 seconds, at whole seconds or not, has more requests than the limit.
// After the object's clock was set back, rows may be in the future: up to 60 of those seconds
// count.
func (r *Request) Admit() *bridge.Statements {
	s := r.admission()
	s.SQL("DELETE FROM usage_second WHERE second NOT BETWEEN " + now + " - 60 AND " + now + " + 60")
	s.SQL("DELETE FROM usage_stream WHERE expires NOT BETWEEN " + now + " + 1 AND " + now + " + 2 * " + lease)
	over := r.refuseSpent(s, r.Limits.Next, 0, 0)
	r.refuseKey(s)
	if n := r.Limits.Requests; n > 0 {
		refuse(s, "requests_per_minute", minuteWait("usage_second", "1"),
			"(SELECT sum(requests) FROM usage_second)", n)
	}
	if n := r.Limits.Streams; n > 0 && r.Stream {
		refuse(s, "concurrent_streams", freed, "(SELECT count(*) FROM usage_stream)", n)
	}
	r.countMinute(s, "refused IS NULL")
	if r.Limits.Streams > 0 && r.Stream {
		s.SQL("INSERT INTO usage_stream SELECT ?, now + " + lease +
			" FROM usage_now WHERE refused IS NULL").String(r.Lease)
	}
	r.countRefusal(s)
	s.SQL("SELECT refused, wait, max(0, 0" + over + ") FROM usage_now")
	if r.Cooldowns {
		readsCooldowns(s, r.Pools)
	}
	return s
}

// Further returns the statements that refuse a further call for an admitted request if a limit of
// tokens or a budget is spent, with the tokens and the cost of the request's calls so far. Admitted
// reads the rows of a request without Cooldowns.
func (r *Request) Further(tokens int64, cost Cost) *bridge.Statements {
	s := r.admission()
	r.refuseSpent(s, false, tokens, max(cost, 0))
	return s.SQL("SELECT refused, wait, 0 FROM usage_now")
}

// refuseSpent adds the statements that refuse a request if the endpoint or the key has no tokens or
// money left beside tokens and cost. With next a spent budget of the endpoint does not refuse: over is
// SQL, each part after a comma, for the seconds until the budgets begin anew.
func (r *Request) refuseSpent(s *bridge.Statements, next bool, tokens int64, cost Cost) (over string) {
	if n := r.Limits.Tokens; n > 0 {
		refuse(s, "tokens_per_day", untilTomorrow, "(SELECT "+tokensToday+")", n-tokens)
	}
	for _, b := range r.Limits.Budgets() {
		spent := "(SELECT " + b.Spent + ")"
		switch {
		case b.Most <= 0:
		case next:
			over += ", (" + spent + " >= " + strconv.FormatInt(int64(b.Most), 10) + ") * (" + b.Wait + ")"
		default:
			refuse(s, b.Limit, b.Wait, spent, int64(b.Most-cost))
		}
	}
	l, forKey := &r.KeyLimits, " AND key = "+account2+")"
	if n := l.Tokens; n > 0 {
		refuse(s, "tokens_per_day"+ofKey, untilTomorrow, "(SELECT "+tokensToday+forKey, n-tokens)
		s.String(r.Key)
	}
	for _, b := range l.Budgets() {
		if b.Most > 0 {
			refuse(s, b.Limit+ofKey, b.Wait, "(SELECT "+b.Spent+forKey, int64(b.Most-cost))
			s.String(r.Key)
		}
	}
	return over
}

// SQL for the seconds until tomorrow, for the tokens of today, and for the beginning of the current
// month and of the next.
const (
	untilTomorrow = "86400 - now % 86400"
	tokensToday   = "total(input + output) FROM usage_sum WHERE day = now / 86400"
	monthStart    = "CAST(strftime('%s', now, 'unixepoch', 'start of month') AS INTEGER)"
	monthEnd      = "CAST(strftime('%s', now, 'unixepoch', 'start of month', '+1 month') AS INTEGER)"
)

// minuteWait is SQL for the seconds until a minute has room for another request. rows is a condition on
// the rows of table that count, and ?1 the limit.
func minuteWait(table, rows string) string {
	return "61 - now + (SELECT min(second) FROM " + table + " AS oldest WHERE " + rows +
		" AND (SELECT coalesce(sum(requests), 0) FROM " + table + " WHERE " + rows +
		" AND second > oldest.second) < ?1)"
}

// Budget is a limit in US dollars. Wait, From and Spent are SQL: the seconds until the budget begins
// anew, its first day, and the rest of a SELECT of the spent part, with a condition at its end.
type Budget struct {
	Most                     Cost // 0: no limit
	Limit, Wait, From, Spent string
}

// Budgets returns the budgets of a day and of a month.
func (l *Limits) Budgets() [2]Budget {
	const total = "total(cost) FROM usage_sum WHERE day >= "
	const today, month = "now / 86400", monthStart + " / 86400"
	return [...]Budget{
		{l.Daily, "usd_per_day", untilTomorrow, today, total + today},
		{l.Monthly, "usd_per_month", monthEnd + " - now", month, total + month},
	}
}

// refuse adds a statement that refuses the request if used has reached most, unless another limit
// has already refused the request. used and wait are SQL. wait is the seconds until a request may
// be admitted; wait may contain most as ?1.
func refuse(s *bridge.Statements, limit, wait, used string, most int64) {
	s.SQL("UPDATE usage_now SET refused = '" + limit + "', wait = " + wait + " WHERE refused IS NULL AND " +
		used + " >= ?1").Number(float64(most))
}

// Refusal names the limit that refuses a request, if any.
type Refusal struct {
	Limit string // the name of the limit; "": the request is admitted
	Key   bool   // the limit is the key's, not the endpoint's
	Wait  int64  // seconds until a similar request may be admitted
	// seconds until the end of a spent budget, if the request is admitted all the same and goes to
	// the next upstream (Limits.Next)
	Over int64

	Cooldowns // if Request.Cooldowns
}

// Admitted returns the decision of the statements from Enter or Admit. rows are their result.
func (q *Request) Admitted(rows *bridge.Rows) (r Refusal) {
	rows.Answer()
	rows.Next()
	r.Limit, r.Key = strings.CutSuffix(string(rows.Value().Bytes), ofKey)
	r.Wait = int64(rows.Value().Number)
	r.Over = int64(rows.Value().Number)
	if q.Cooldowns {
		rows.Statement()
		r.Cooldowns = readCooldowns(rows, q.Pools)
	}
	return r
}

// Message returns the refusal in words for the client of a request.
func (r Refusal) Message(q *Request) string {
	l, whose := &q.Limits, " of this endpoint, "
	if r.Key {
		l, whose = &q.KeyLimits, ofKey+", "
	}
	most := l.Requests
	switch r.Limit {
	case "usd_per_day", "usd_per_month":
		budget := l.Daily
		if r.Limit == "usd_per_month" {
			budget = l.Monthly
		}
		return "The budget " + r.Limit + whose + string(budget.Append(nil)) +
			" US dollars, is spent. It begins anew in " +
			strconv.FormatInt(r.Wait, 10) + " seconds."
	case "tokens_per_day":
		most = l.Tokens
	case "concurrent_streams":
		most = l.Streams
	case "concurrent_requests":
		most = l.Open
	}
	return "The limit " + r.Limit + whose + strconv.FormatInt(most, 10) +
		", is reached. Try again in " +
		strconv.FormatInt(r.Wait, 10) + " seconds."
}

// Renew returns the statements that renew the lease of a request, unless the request has ended.
// Both tables are updated: if the body is still arriving, it is unknown whether the request is a
// stream.
func (r *Request) Renew() *bridge.Statements {
	s := new(bridge.Statements)
	for _, table := range [...]string{"usage_open", "usage_stream"} {
		s.SQL("UPDATE " + table + " SET expires = " + clock + " + " + lease + " WHERE lease = ?")
		r.Clock.Argument(s)
		s.String(r.Lease)
	}
	return s
}
