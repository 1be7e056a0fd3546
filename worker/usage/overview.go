package usage

import (
	"strconv"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// overviewDays is how many days an overview shows.
const overviewDays = "7"

// Overview returns the statements that read the overview of an endpoint: its last days, and the
// health of its upstreams. AppendOverview writes the rows.
func Overview(c Clock) *bridge.Statements {
	s := begin(c)
	s.SQL("SELECT now, (SELECT max(last) FROM usage_sum) FROM usage_now")
	s.SQL("SELECT date(day * 86400, 'unixepoch'), sum(requests), sum(errors), total(cost), sum(unpriced) " +
		"FROM usage_sum WHERE day > " +
		today + " - " + overviewDays + " GROUP BY day ORDER BY day")
	return s.SQL("SELECT upstream, key, until, streak, status, time FROM usage_health WHERE time > " + now +
		" - " + forgotten)
}

var overviewColumns = []column{{name: "day"}, {name: "requests"}, {name: "errors"}, {name: "usd"},
	{name: "unpriced"}}

// AppendOverview appends the part of GET /admin/api/health that comes from an endpoint's object
// (worker/admin/openapi.json). upstreams are the upstreams in the endpoint's record. rows are the
// rows of Overview; nil: the endpoint records no usage, so the states are unknown.
func AppendOverview(dst []byte, rows *bridge.Rows, upstreams []UpstreamKey) []byte {
	at, last := int64(0), int64(0)
	dst = append(dst, `"days":[`...)
	if rows != nil {
		rows.Answer()
		rows.Next()
		at, last = int64(rows.Value().Number), int64(rows.Value().Number)
		rows.Statement()
		dst = appendRows(dst, rows, overviewColumns)
	}
	dst = append(dst, `],"last_used":`...)
	if last == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, last, 10)
	}
	type health struct {
		UpstreamKey
		until, streak, status, time int64
	}
	var failing []health
	if rows != nil {
		for rows.Statement(); rows.Next(); {
			text := func() string { return string(rows.Value().Bytes) }
			number := func() int64 { return int64(rows.Value().Number) }
			failing = append(failing,
				health{UpstreamKey{text(), text()}, number(), number(), number(), number()})
		}
	}
	dst = append(dst, `,"upstreams":[`...)
	for i, u := range upstreams {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendString(append(dst, `{"name":`...), u.Upstream)
		state := "unknown"
		if rows != nil {
			state = "ok"
		}
		for _, h := range failing {
			if h.UpstreamKey != u {
				continue
			}
			state = ""
			dst = AppendFailing(dst, at, h.until, h.streak, h.status, h.time)
		}
		if state != "" {
			dst = jsonw.AppendString(append(dst, `,"state":`...), state)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// AppendFailing appends the members of an upstream that has failed lately, each after a comma. now is
// the object's time. The other numbers are the columns of usage_health.
func AppendFailing(dst []byte, now, until, streak, status, time int64) []byte {
	state := "ok"
	switch {
	case until > now:
		state = "resting"
		dst = strconv.AppendInt(append(dst, `,"until":`...), until, 10)
	case streak > 0:
		state = "failing"
	}
	dst = strconv.AppendInt(append(dst, `,"failures":`...), streak, 10)
	dst = strconv.AppendInt(append(dst, `,"failed_at":`...), time, 10)
	dst = strconv.AppendInt(append(dst, `,"status":`...), status, 10)
	return jsonw.AppendString(append(dst, `,"state":`...), state)
}
