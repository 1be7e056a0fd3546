package usage

import (
	"strings"

	"edgelingua/worker/bridge"
)

// An endpoint's object sends its sums to the object of package totals: with the first request after
// sendEvery seconds, and whenever the operator's overview collects them. The row of usage_sent has
// the random id of this usage, the number of the last text, its first day, the first day of the next
// text if the object of package totals has merged the last one, and when the last text was sent. A
// text has at most sendDays days.
const (
	sendEvery = "300"
	sendDays  = "7"
)

// MaxTexts is how many texts all days of an endpoint need, with two more for requests meanwhile.
const MaxTexts = MaxDays/7 + 3

// SendDue adds to the statements of a request's end the statement that returns the endpoint's sums
// as a text, the argument of totals.Merge, if the last text is old enough. A text does not include
// later requests, so Collect reads them. Whether the last text was merged is unknown, so the text
// repeats the last sendDays days. Only Collect goes on beyond older days.
func SendDue(s *bridge.Statements, endpoint string) {
	const base = "CASE WHEN day < " + weekAgo + " THEN first ELSE max(first, min(day, " + weekAgo + ")) END"
	const first = "max(" + base + firstUsage + base + orToday
	s.SQL("UPDATE usage_sent SET settled = 0, time = "+now+nextFirst, first, nextDay, first, lastDay+
		" WHERE time NOT BETWEEN "+now+" - "+sendEvery+" + 1 AND "+now+text).String(endpoint)
}

// Merged names a text that was merged: the id of the usage, and the text's number.
type Merged struct {
	ID     string
	Number float64
}

// Collect returns the statements that return the sums of an endpoint like SendDue, at any time. The
// next request's SendDue returns another text. If the last text is not the merged one, the days of the
// last text are repeated. The batch fails if the object has no usage: see NoUsage.
func Collect(c Clock, endpoint string, merged Merged) *bridge.Statements {
	s := new(bridge.Statements).SQL("DELETE FROM usage_sum WHERE 0")
	s.Add(begin(c))
	const base = "CASE WHEN id = ?2 AND number = ?3 THEN day ELSE first END"
	const first = "max(" + base + firstUsage + base + orToday
	s.SQL("UPDATE usage_sent SET settled = ", first, " + "+sendDays+" > "+today+", time = 0"+nextFirst, first,
		nextDay, first, lastDay+text+", settled, id, number")
	return s.String(endpoint).String(merged.ID).Number(merged.Number)
}

// NoUsage reports whether Collect has failed because the object has no usage.
func NoUsage(failed error) bool {
	return strings.HasPrefix(failed.Error(), "statement 0: ") &&
		strings.Contains(failed.Error(), "no such table: usage_sum")
}

// Collected is a text of Collect.
type Collected struct {
	Text    string
	Settled bool // the text has all days up to today
	Merged       // the text, once it is merged
}

// ReadCollected reads the rows of Collect.
func ReadCollected(rows *bridge.Rows) Collected {
	rows.Answer()
	rows.Next()
	return Collected{string(rows.Value().Bytes), rows.Value().Number != 0,
		Merged{string(rows.Value().Bytes), rows.Value().Number}}
}

// weekAgo is SQL for the first of the last sendDays days.
const weekAgo = "(" + today + " - " + sendDays + " + 1)"

// SQL around a day, which is there twice, for the first day of a text: the first one with usage from that
// day on.
const (
	firstUsage = ", coalesce((SELECT min(u.day) FROM usage_sum AS u WHERE u.day >= "
	orToday    = "), " + today + "))"
)

// SQL around a text's first day, which is there twice, for the changes of usage_sent.
const (
	nextFirst = ", number = number + 1, first = "
	nextDay   = ", day = min(" + today + ", "
	lastDay   = " + " + sendDays + ")"
)

// text is SQL for the text of the endpoint ?1.
const text = " RETURNING json_object('endpoint', ?1, 'id', id, 'number', number, 'settled', settled, " +
	"'time', " +
	now + ", 'health', json((SELECT json_group_array(json_array(h.upstream, h.key, h.until, h.streak, " +
	"h.status, h.time)) FROM usage_health AS h WHERE h.streak > 0 OR h.until > " + now + ")), 'days', " +
	"json((SELECT json_group_array(json_array(d.day, json(d.rows))) FROM (SELECT m.day, " +
	"json_group_array(json_array(m.model, m.key, m.requests, m.errors, m.input, m.output, m.cached, " +
	"m.cost, m.unpriced)) AS rows FROM (SELECT day, model, key, sum(requests) AS requests, " +
	"sum(errors) AS errors, total(input) AS input, total(output) AS output, total(cached) AS cached, " +
	"total(cost) AS cost, sum(unpriced) AS unpriced FROM usage_sum WHERE day BETWEEN " +
	"usage_sent.first AND usage_sent.first + " + sendDays + " - 1 GROUP BY day, model, key) AS m " +
	"GROUP BY m.day) AS d)))"
