package alert

import (
	"strconv"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Change returns the statements for a change of the endpoint's record, at now in Unix seconds. keys are
// the endpoint's keys. An alert about each key with an end is scheduled, at once if the key expires
// soon, and replaces the key's scheduled alert.
func (a *Source) Change(keys []Key, now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	s.SQL("DELETE FROM alert WHERE kind = 'key_expires' AND due > ?1 OR due IS NULL AND time < ?1 - " +
		stored).Number(float64(now))
	// alerts that wait for another URL or secret of before
	s.SQL("DELETE FROM alert WHERE due IS NOT NULL AND sealed <> '' AND sealed NOT IN " +
		"(SELECT json_extract(value, '$.sealed') FROM json_each(?1))").String(a.hooks())
	for i := range keys {
		k := &keys[i]
		if due := max(k.Expires-KeySoon, now); k.soon() && now < k.Expires {
			a.raise(s, "key_expires", "SELECT ?5 AS subject, ?6 AS period, CAST(?8 AS INTEGER) AS time, "+
				"?8 AS due, "+expires+" AS text")
			s.String(k.ID).Number(float64(k.Expires)).String(k.name()).Number(float64(due))
		}
	}
	alarm(s)
	return s
}

// Rename returns the statements that pass the budget alerts of a key to its replacement, like
// usage.Recount the key's use.
func Rename(from, to string) *bridge.Statements {
	return new(bridge.Statements).SQL("UPDATE OR REPLACE alert SET subject = replace(subject, ' ' || ?1 || " +
		"' ', ' ' || ?2 || ' ') WHERE kind = 'budget'").String(from).String(to)
}

// mostListed is how many alerts List returns.
const mostListed = "50"

// List returns the statements that read the last alerts. AppendList writes their rows.
func List() *bridge.Statements {
	return new(bridge.Statements).SQL(schema).SQL("SELECT kind, hook, time, text, due IS NOT NULL, tries, " +
		"status FROM alert WHERE due IS NULL OR tries > 0 OR kind <> 'key_expires' ORDER BY time DESC, " +
		"kind LIMIT " + mostListed)
}

// AppendList appends the JSON answer with the alerts. sent: the webhook accepted the alert; waiting: it
// is still to be sent, or sent again.
func AppendList(dst []byte, rows *bridge.Rows) []byte {
	dst = append(dst, `{"alerts":[`...)
	rows.Answer()
	for n := 0; rows.Next(); n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		text := func() string { return string(rows.Value().Bytes) }
		dst = jsonw.AppendString(append(dst, `{"type":`...), text())
		dst = jsonw.AppendString(append(dst, `,"webhook":`...), text())
		dst = strconv.AppendInt(append(dst, `,"time":`...), int64(rows.Value().Number), 10)
		dst = jsonw.AppendString(append(dst, `,"text":`...), text())
		waiting, tries, status := rows.Value().Number, rows.Value().Number, int64(rows.Value().Number)
		state := "failed"
		switch {
		case waiting > 0:
			state = "waiting"
		case status >= 200 && status < 300:
			state = "sent"
		}
		dst = jsonw.AppendString(append(dst, `,"state":`...), state)
		dst = strconv.AppendInt(append(dst, `,"tries":`...), int64(tries), 10)
		dst = append(strconv.AppendInt(append(dst, `,"status":`...), status, 10), '}')
	}
	return append(dst, "]}\n"...)
}
