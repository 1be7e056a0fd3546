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
}

// Request is a request to a model.
type Request struct {
	ID     string // as the client's answer has it, in x-request-id; "" where it has none yet
	Model  string // the client's name of the model
	Lease  string // a name that no other request has, of a request for a stream that a limit counts; else ""
	Clock  Clock
	Limits Limits
}

// freed is how many seconds a client is told to wait for the place of a stream. When another stream ends is not known.
const freed = "5"

// Admit makes the statements that decide whether a request may go on. Where it may, they take its place in the minute and among the
// streams; where a limit is reached, they count it as an error. Admitted reads their rows.
//
// Requests are counted by the second. The minute of a request is its own second and the 60 before it, so that no 60 seconds, whole or
// not, hold more requests than the limit. Seconds to come are there after the object's clock was set back: up to 60 of them count.
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

// refuse adds the statement that refuses the request by a limit where used, which is SQL, has reached most, unless another limit refuses
// it already. wait is SQL for the seconds until a request may be admitted; it may hold most as ?1.
func refuse(s *bridge.Statements, limit, wait, used string, most int64) {
	s.SQL("UPDATE usage_now SET refused = '" + limit + "', wait = " + wait + " WHERE refused IS NULL AND " + used + " >= ?1").Number(float64(most))
}

// Refusal says which limit refuses a request.
type Refusal struct {
	Limit string // the name of the limit; "": the request is admitted
	Wait  int64  // seconds until such a request may be admitted
}

// Admitted reads the rows of Admit's statements.
func Admitted(rows *bridge.Rows) (r Refusal) {
	answers(rows)
	rows.Next()
	r.Limit = string(rows.Value().Bytes)
	r.Wait = int64(rows.Value().Number)
	return r
}

// Message returns the refusal in words for the client. l are the limits of the request.
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

// Renew makes the statement that renews the lease of a stream, unless it has ended.
func (r *Request) Renew() *bridge.Statements {
	s := new(bridge.Statements).SQL("UPDATE usage_stream SET expires = " + clock + " + " + lease + " WHERE lease = ?")
	r.Clock.argument(s)
	return s.String(r.Lease)
}
