package usage

import (
	"strings"

	"edgelingua/worker/bridge"
)

// An endpoint's object sends its sums to the object of package totals: with the first request after
// sendEvery seconds, and whenever the operator's overview collects them. The row of usage_sent has
// the random id of this usage, the number of the last text, the first day in the text, the first day
// of the next text, and when the last text was sent. A text has the days from then on, at most
// sendDays of them.
const (
	sendEvery = "300"
	sendDays  = "7"
)

// SendDue adds to the statements of a request's end the statement that returns the endpoint's sums
// as a text, the argument of totals.Merge, if the last text is old enough. A text does not include
// later requests, so Collect reads them.
func SendDue(s *bridge.Statements, endpoint string) {
	s.SQL("UPDATE usage_sent SET settled = 0, time = CASE WHEN " + allSent + " THEN " + now + " ELSE 0 END" +
		next + " WHERE time NOT BETWEEN " + now + " - " + sendEvery + " + 1 AND " + now +
		text).String(endpoint)
}

// Collect returns the statements that return the sums of an endpoint like SendDue, at any time. The
// next request's SendDue returns another text. The batch fails if the object has no usage: see
// NoUsage.
func Collect(c Clock, endpoint string) *bridge.Statements {
	s := new(bridge.Statements).SQL("DELETE FROM usage_sum WHERE 0")
	s.Add(begin(c))
	return s.SQL("UPDATE usage_sent SET settled = " + allSent + ", time = 0" + next + text).String(endpoint)
}

// NoUsage reports whether Collect has failed because the object has no usage.
func NoUsage(failed error) bool {
	return strings.HasPrefix(failed.Error(), "statement 0: ") &&
		strings.Contains(failed.Error(), "no such table: usage_sum")
}

// Collected returns the text of Collect. rows are its rows.
func Collected(rows *bridge.Rows) string {
	rows.Answer()
	rows.Next()
	return string(rows.Value().Bytes)
}

// SQL for the first day of a text, for whether the text has all days up to today, for the changes of
// each text, and for the text itself.
const (
	firstSent = "max(usage_sent.day, coalesce((SELECT min(u.day) FROM usage_sum AS u WHERE u.day >= " +
		"usage_sent.day), " + today + "))"
	allSent = "(" + firstSent + " + " + sendDays + " > " + today + ")"
	next    = ", number = number + 1, first = " + firstSent + ", day = min(" + today + ", " + firstSent +
		" + " + sendDays + ")"
	text = " RETURNING json_object('endpoint', ?1, 'id', id, 'number', number, 'settled', settled, 'time', " +
		now + ", 'health', json((SELECT json_group_array(json_array(h.upstream, h.key, h.until, h.streak, " +
		"h.status, h.time)) FROM usage_health AS h WHERE h.streak > 0 OR h.until > " + now + ")), 'days', " +
		"json((SELECT json_group_array(json_array(d.day, json(d.rows))) FROM (SELECT m.day, " +
		"json_group_array(json_array(m.model, m.key, m.requests, m.errors, m.input, m.output, m.cached, " +
		"m.cost, m.unpriced)) AS rows FROM (SELECT day, model, key, sum(requests) AS requests, " +
		"sum(errors) AS errors, total(input) AS input, total(output) AS output, total(cached) AS cached, " +
		"total(cost) AS cost, sum(unpriced) AS unpriced FROM usage_sum WHERE day BETWEEN " +
		"usage_sent.first AND usage_sent.first + " + sendDays + " - 1 GROUP BY day, model, key) AS m " +
		"GROUP BY m.day) AS d)))"
)
