package usage

import "edgelingua/worker/bridge"

// maxSessions is how many sessions an endpoint stores: the ones that began last. Sessions are
// numbered by their beginning.
const maxSessions = "1000"

// addToSession adds the statements that add a request to the sums of its session. A session belongs
// to a key: a client with another key can't add to the session, even with the same id.
func (r *Request) addToSession(s *bridge.Statements, o *Outcome) {
	if r.Session == "" {
		return
	}
	t, _ := o.all()
	cost := o.Spent()
	s.SQL("INSERT INTO usage_session SELECT NULL, ?, " + account2 + ", ?, max(now - ?, 0), now, 1, " +
		"?, ?, ?, ?, ?, ?, ? FROM usage_now WHERE 1 ON CONFLICT (session, key) DO UPDATE SET " +
		"last = excluded.last, requests = requests + 1, errors = errors + excluded.errors, " +
		"input = input + excluded.input, output = output + excluded.output, " +
		"cached = cached + excluded.cached, cost = cost + excluded.cost, " +
		"unpriced = unpriced + excluded.unpriced, total_ms = total_ms + excluded.total_ms, " +
		"client = excluded.client")
	s.String(r.Session).String(r.Key).String(bounded(r.Client)).Number(float64(o.Total / 1000))
	s.Number(number(o.Status != 0))
	for _, n := range [...]int64{t.Input, t.Output, t.Cached} {
		s.Number(float64(min(n, mostTokens)))
	}
	s.Number(float64(max(cost, 0))).Number(number(cost == Unknown)).Number(float64(o.Total))
	s.SQL("DELETE FROM usage_session WHERE last <= " + now + " - ?1").Number(float64(r.LogTime))
	s.SQL("DELETE FROM usage_session WHERE number <= (SELECT max(number) FROM usage_session) - " +
		maxSessions)
}
