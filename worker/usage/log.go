package usage

import (
	"strconv"
	"strings"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Limits on a request in the log.
const (
	maxAttempts   = 16          // upstreams in the list of attempts
	maxLostFields = 4 * maxText // bytes of the names of lost fields
)

// Avoided is an upstream that was not tried, or only after others.
type Avoided struct {
	Upstream string
	Reason   string // cooldown, budget or unpriced
}

// log adds the statements that write a request to the log. The tokens and the cost of a summary and of
// advice are part of the request's.
func (r *Request) log(s *bridge.Statements, o *Outcome) {
	s.SQL("INSERT INTO usage_log SELECT NULL, now, ?, " + account2 + strings.Repeat(", ?", 19) +
		" FROM usage_now")
	s.String(bounded(r.ID)).String(r.Key).String(bounded(r.Model)).String(bounded(o.Used)).String(o.Upstream)
	s.String(bounded(r.Client)).String(r.Session).String(r.Agent)
	s.Number(float64(o.Status)).String(o.Type).String(bounded(o.Words)).String(o.Finish)
	s.Number(float64(o.First)).Number(float64(o.Total))
	t, summary := o.all()
	for _, n := range [...]int64{t.Input, t.Output, t.Cached, summary} {
		s.Number(float64(min(n, mostTokens)))
	}
	s.Number(float64(o.Spent())).String(o.lostFields()).String(o.attemptList())
	s.SQL("DELETE FROM usage_log WHERE number <= (SELECT max(number) FROM usage_log) - ?1")
	s.Number(float64(r.LogRows))
	s.SQL("DELETE FROM usage_log WHERE time <= " + now + " - ?1").Number(float64(r.LogTime))
}

// all returns the tokens of the request with those of its summary and of advice, and the summary's
// alone.
func (o *Outcome) all() (t Tokens, summary int64) {
	t = o.Tokens
	if o.Summary != nil {
		t.Input += o.Summary.Input
		t.Output += o.Summary.Output
		t.Cached += o.Summary.Cached
		summary = o.Summary.Input + o.Summary.Output
	}
	for i := range o.Advice {
		c := &o.Advice[i]
		t.Input, t.Output, t.Cached = t.Input+c.Input, t.Output+c.Output, t.Cached+c.Cached
	}
	return t, summary
}

// lostFields returns the names of lost fields with commas between them, as many whole names as fit.
func (o *Outcome) lostFields() string {
	lost := strings.Join(o.Lost, ",")
	if len(lost) <= maxLostFields {
		return lost
	}
	return lost[:max(strings.LastIndexByte(lost[:maxLostFields], ','), 0)]
}

// attemptList returns the upstreams of a request as a JSON list: those that were avoided, those that
// were tried, and those of the advisor. Of many attempts it has the first ones and the last.
func (o *Outcome) attemptList() string {
	list := []byte{'['}
	member := func(key, text string) {
		list = jsonw.AppendString(append(list, key...), text)
	}
	for _, a := range o.Avoided {
		member(`{"upstream":`, a.Upstream)
		member(`,"avoided":`, a.Reason)
		list = append(list, '}', ',')
	}
	called := func(a *Attempt, advice string) {
		member(`{"upstream":`, a.Upstream)
		list = strconv.AppendInt(append(list, `,"status":`...), int64(a.Status), 10)
		list = strconv.AppendInt(append(list, `,"ms":`...), a.Took, 10)
		if a.Reason != "" {
			member(`,"reason":`, a.Reason)
		}
		if a.Unknown {
			list = append(list, `,"unknown_model":true`...)
		}
		list = append(append(list, advice...), '}', ',')
	}
	for i := range o.Attempts {
		if i < maxAttempts-1 || i == len(o.Attempts)-1 {
			called(&o.Attempts[i], "")
		}
	}
	for i := range o.Advice {
		if i < maxAttempts {
			called(&o.Advice[i].Attempt, `,"advice":true`)
		}
	}
	if n := len(list); n > 1 {
		list = list[:n-1]
	}
	return string(append(list, ']'))
}

// indexes are the indexes of a log of more than LogRows requests, one for each filter. A smaller log
// is read as a whole: each index costs a written row for each request.
const indexes = `CREATE INDEX IF NOT EXISTS usage_log_time ON usage_log (time);
CREATE INDEX IF NOT EXISTS usage_log_status ON usage_log (status <> 0, time) WHERE status <> 0;
CREATE INDEX IF NOT EXISTS usage_log_model ON usage_log (asked, time);
CREATE INDEX IF NOT EXISTS usage_log_key ON usage_log (key, time);
CREATE INDEX IF NOT EXISTS usage_log_upstream ON usage_log (upstream, time);
CREATE INDEX IF NOT EXISTS usage_log_client ON usage_log (client, time);
CREATE INDEX IF NOT EXISTS usage_log_session ON usage_log (session, time) WHERE session <> ''`

const dropIndexes = `DROP INDEX IF EXISTS usage_log_time; DROP INDEX IF EXISTS usage_log_status;
DROP INDEX IF EXISTS usage_log_model; DROP INDEX IF EXISTS usage_log_key;
DROP INDEX IF EXISTS usage_log_upstream; DROP INDEX IF EXISTS usage_log_client;
DROP INDEX IF EXISTS usage_log_session`

// prepareLog adds the statements for a log of at most rows requests; 0: there is no log.
func prepareLog(s *bridge.Statements, rows int64) {
	if rows == 0 {
		s.SQL("DELETE FROM usage_session")
	}
	s.SQL("DELETE FROM usage_log WHERE number <= (SELECT max(number) FROM usage_log) - ?1")
	s.Number(float64(rows))
	if rows > LogRows {
		s.SQL(indexes)
	} else {
		s.SQL(dropIndexes)
	}
}
