package usage

import "edgelingua/worker/bridge"

// refusedColumns are the columns of a key's refusals by a limit. An owner sees the last request of
// their own key only.
var refusedColumns = []column{{"day", "date(day * 86400, 'unixepoch')"}, {"key", masked},
	{"limit", "reason"}, {"requests", "requests"}, {"last", "last"},
	{"request_id", "CASE WHEN ?1 IN ('', key) THEN request_id ELSE '' END"},
	{"model", "CASE WHEN ?1 IN ('', key) THEN model ELSE '' END"}}

// countRefusal adds the statements that count a request if a limit refuses the request. A refusal is
// not an error: neither the errors of a day nor the request log contain it, so a client that repeats
// refused requests can't displace the entries of other requests.
func (r *Request) countRefusal(s *bridge.Statements) {
	s.SQL("INSERT INTO usage_refused SELECT now / 86400, " + account1 + ", refused, 1, now, ?2, ?3 " +
		"FROM usage_now WHERE refused IS NOT NULL ON CONFLICT DO UPDATE SET requests = requests + 1, " +
		"last = excluded.last, request_id = excluded.request_id, model = excluded.model")
	s.String(r.Key).String(bounded(r.ID)).String(bounded(r.Model))
	s.SQL("DELETE FROM usage_refused WHERE day <= " + today + " - ?1 AND " +
		"EXISTS (SELECT 1 FROM usage_now WHERE refused IS NOT NULL)").Number(MaxDays)
}

// Refuse returns the statements that free the slots of an admitted request, and count the request as
// refused by a limit.
func (r *Request) Refuse(limit string) *bridge.Statements {
	s := begin(r.Clock)
	s.SQL("UPDATE usage_now SET refused = ?").String(limit)
	r.countRefusal(s)
	return r.giveBack(s)
}
