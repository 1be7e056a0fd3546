package alert

import (
	"strconv"

	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// Thresholds of alerts.
const (
	budgetPart = 80     // percent of a budget; the second alert comes at 100
	rateWindow = "5"    // minutes
	rateOfMany = "10"   // requests within the window, of which half have failed
	quiet      = "3600" // seconds between two alerts about the errors, or about the same upstream
	// KeySoon is how long before its end a key expires soon, in seconds.
	KeySoon = 7 * 86400
)

// Key is the client's key in alerts.
type Key struct {
	ID, Label        string
	Created, Expires int64 // Unix seconds; Expires 0: never
}

// name returns the key in words.
func (k *Key) name() string {
	if k.Label == "" {
		return "the key " + k.ID
	}
	return "the key " + k.Label + " (" + k.ID + ")"
}

// soon reports whether a key may expire soon: keys made for a shorter time, as for Try it, never do.
func (k *Key) soon() bool { return k.Expires-k.Created > KeySoon }

// Close adds to the batch that closes the account of a request the statements that raise its alerts. r
// and o are the request and its outcome. failed: the request failed, and not by the client's fault.
func (a *Source) Close(s *bridge.Statements, r *usage.Request, o *usage.Outcome, k *Key, failed bool) {
	s.SQL(schema)
	for i := range o.Attempts {
		a.upstream(s, &o.Attempts[i])
	}
	for i := range o.Advice {
		a.upstream(s, &o.Advice[i].Attempt)
	}
	if o.Cost > 0 || o.Sum > 0 || len(o.Advice) > 0 {
		a.budgets(s, &r.Limits, "", nil)
		a.budgets(s, &r.KeyLimits, r.Key, k)
	}
	a.rate(s, failed)
	if k.soon() {
		a.raise(s, "key_expires", "SELECT ?5 AS subject, ?6 AS period, now AS time, now AS due, "+expires+
			" AS text FROM usage_now WHERE now >= ?6 - ?8 AND now < ?6")
		s.String(k.ID).Number(float64(k.Expires)).String(k.name()).Number(KeySoon)
	}
	alarm(s)
}

// expires is SQL for the text about a key, named ?7, that expires at ?6.
const expires = "?7 || ' of ' || ?4 || ' expires at ' || strftime('%Y-%m-%d %H:%M', ?6, 'unixepoch') || " +
	"' UTC.'"

// theUpstream is SQL for an upstream in words. The only upstream of the deployment's own endpoint has no
// name.
const theUpstream = "'The upstream ' || CASE upstream WHEN '' THEN '' ELSE upstream || ' ' END || 'of ' || ?4"

// upstream raises alerts about an upstream that goes down, as its cooldown says (usage_health), or answers
// again. Of an upstream that goes up and down all the time there is one alert of each kind in an hour.
func (a *Source) upstream(s *bridge.Statements, t *usage.Attempt) {
	switch {
	case t.Unhealthy():
		s.SQL("INSERT INTO alert_down SELECT ?1, now FROM usage_now WHERE EXISTS (SELECT 1 FROM " +
			"usage_health WHERE upstream = ?1 AND opened > 0) AND NOT EXISTS (SELECT 1 FROM alert WHERE " +
			"kind = 'upstream_down' AND subject = ?1 AND period > now - " + quiet + ") " +
			"ON CONFLICT DO NOTHING")
		s.String(t.Upstream)
		a.raise(s, "upstream_down", "SELECT upstream AS subject, since AS period, now AS time, now AS due, "+
			theUpstream+" || ' is down: ' || streak || "+
			"' failures in a row, the last ' || CASE status WHEN 0 THEN 'without an answer.' "+
			"ELSE 'with status ' || status || '.' END AS text FROM alert_down JOIN usage_health USING "+
			"(upstream), usage_now WHERE upstream = ?5")
		s.String(t.Upstream)
	case t.Status > 0 && t.Status < 400:
		a.raise(s, "upstream_up", "SELECT upstream AS subject, since AS period, now AS time, now AS due, "+
			theUpstream+" || ' answers again.' AS text FROM alert_down, usage_now WHERE upstream = ?5")
		s.String(t.Upstream)
		s.SQL("DELETE FROM alert_down WHERE upstream = ?1").String(t.Upstream)
	}
}

// budgets raises alerts about partly spent budgets of a key, or of the endpoint if k is nil. The subject
// includes the budget's amount: after a change of the amount new alerts are raised.
func (a *Source) budgets(s *bridge.Statements, l *usage.Limits, account string, k *Key) {
	for _, b := range l.Budgets() {
		if b.Most <= 0 {
			continue
		}
		dollars := string(b.Most.Append(nil))
		where, subject, of := "", b.Limit+" "+dollars, "of '"
		if k != nil {
			where, subject, of = " AND key = ?7", b.Limit+" "+account+" "+dollars, "of ' || ?8 || ' at '"
		}
		most := strconv.FormatInt(int64(b.Most), 10)
		a.raise(s, "budget", "SELECT ?5 || CASE WHEN spent >= "+most+" THEN ' 100' ELSE ' "+
			strconv.Itoa(budgetPart)+"' END AS subject, day AS period, now AS time, now AS due, "+
			"min(spent * 100 / "+most+", 100) || ' % of the budget "+b.Limit+" "+of+" || ?4 || ', ' || "+
			"?6 || ' US dollars, is spent.' AS text FROM (SELECT CAST((SELECT "+b.Spent+where+
			") AS INTEGER) AS spent, "+b.From+" AS day, now FROM usage_now) WHERE spent * 100 >= "+most+" * "+
			strconv.Itoa(budgetPart))
		s.String(subject).String(dollars)
		if k != nil {
			s.String(account).String(k.name())
		}
	}
}

// rate counts the request, and raises an alert if many of the last requests have failed.
func (a *Source) rate(s *bridge.Statements, failed bool) {
	n := 0.0
	if failed {
		n = 1
	}
	s.SQL("DELETE FROM alert_rate WHERE minute NOT BETWEEN (SELECT now / 60 - " + rateWindow +
		" + 1 FROM usage_now) AND (SELECT now / 60 FROM usage_now)")
	s.SQL("INSERT INTO alert_rate SELECT now / 60, 1, ?1 FROM usage_now WHERE 1 ON CONFLICT DO UPDATE SET " +
		"requests = requests + 1, failed = failed + excluded.failed").Number(n)
	if !failed {
		return
	}
	a.raise(s, "error_rate", "SELECT '' AS subject, now AS period, now AS time, now AS due, "+
		"CAST(failed AS INTEGER) || ' of ' || CAST(requests AS INTEGER) || ' requests to ' || ?4 || "+
		"' failed within "+rateWindow+" minutes.' AS text FROM (SELECT sum(requests) AS requests, "+
		"sum(failed) AS failed FROM alert_rate), usage_now WHERE requests >= "+rateOfMany+" AND failed * "+
		"2 >= requests AND NOT EXISTS (SELECT 1 FROM alert WHERE kind = 'error_rate' AND time > now - "+
		quiet+")")
}
