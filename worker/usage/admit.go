package usage

import (
	"strconv"

	"edgelingua/worker/bridge"
)

// Limits are what an endpoint may take; 0: any number.
type Limits struct {
	Requests int64 // in each minute
	Streams  int64 // at a time
	Tokens   int64 // of a day, input and output together
}

// Request is a request to a model.
type Request struct {
	ID     string // what the client can tell it by, or ""
	Model  string // the client's name of it
	Lease  string // of a request for a stream, a name of its own; else ""
	Clock  Clock
	Limits Limits
}

// freed is what a stream that is refused is told to wait, in seconds: nobody knows when another one ends.
const freed = "5"

// Admit decides whether a request may go on, and takes its place in the minute and among the streams where it may. Where a limit
// is reached the request counts as an error. Admitted reads the rows.
//
// A request of this second is counted with those of the 60 seconds before: with up to 61 seconds in all, so that none can hold
// more than
// 60. Times to come are there where the clock was set back, and are believed for a minute.
func (r *Request) Admit() *bridge.Statements {
	s := begin(r.Clock)
	s.SQL("DELETE FROM usage_second WHERE second NOT BETWEEN " + now + " - 60 AND " + now + " + 60")
	s.SQL("DELETE FROM usage_stream WHERE expires NOT BETWEEN " + now + " + 1 AND " + now + " + 2 * " + lease)
	if n := r.Limits.Tokens; n > 0 {
		refuse(s, "tokens_per_day", "86400 - now % 86400", "(SELECT sum(input + output) FROM usage_day WHERE day = now / 86400)", n)
	}
	if n := r.Limits.Requests; n > 0 {
		refuse(s, "requests_per_minute", "61 - now + (SELECT min(second) FROM usage_second AS oldest "+
			"WHERE (SELECT coalesce(sum(requests), 0) FROM usage_second WHERE second > oldest.second) < ?1)", "(SELECT sum(requests) FROM usage_second)", n)
	}
	if n := r.Limits.Streams; n > 0 && r.Lease != "" {
		refuse(s, "concurrent_streams", freed, "(SELECT count(*) FROM usage_stream)", n)
	}
	if r.Limits.Requests > 0 {
		s.SQL("INSERT INTO usage_second SELECT now, 1 FROM usage_now WHERE refused IS NULL ON CONFLICT DO UPDATE SET requests = requests + 1")
	}
	if r.Limits.Streams > 0 && r.Lease != "" {
		s.SQL("INSERT INTO usage_stream SELECT ?, now + " + lease + " FROM usage_now WHERE refused IS NULL").String(r.Lease)
	}
	count(s, r.Model, "refused IS NOT NULL", true, &Tokens{})
	fail(s, "refused IS NOT NULL", 429, "rate_limit", r.ID)
	return s.SQL("SELECT refused, wait FROM usage_now")
}

// refuse refuses the request where used has reached most, ?1, unless it is refused already. wait is how many seconds that lasts.
func refuse(s *bridge.Statements, limit, wait, used string, most int64) {
	s.SQL("UPDATE usage_now SET refused = '" + limit + "', wait = " + wait + " WHERE refused IS NULL AND " + used + " >= ?1").Number(float64(most))
}

// Refusal is why a request may not go on.
type Refusal struct {
	Limit string // its name; "": the request is admitted
	Wait  int64  // seconds until it may be admitted
}

// Admitted reads the rows of Admit.
func Admitted(rows *bridge.Rows) (r Refusal) {
	answers(rows)
	rows.Next()
	r.Limit = string(rows.Value().Bytes)
	r.Wait = int64(rows.Value().Number)
	return r
}

// Message says why in words for the client.
func (r Refusal) Message(l *Limits) string {
	most := l.Requests
	switch r.Limit {
	case "tokens_per_day":
		most = l.Tokens
	case "concurrent_streams":
		most = l.Streams
	}
	return "The limit " + r.Limit + " of this endpoint, " + strconv.FormatInt(most, 10) + ", is reached. Try again in " +
		strconv.FormatInt(r.Wait, 10) + " seconds."
}

// Renew keeps the place of a stream, if it still has one.
func (r *Request) Renew() *bridge.Statements {
	s := new(bridge.Statements).SQL("UPDATE usage_stream SET expires = " + clock + " + " + lease + " WHERE lease = ?")
	r.Clock.argument(s)
	return s.String(r.Lease)
}
