package usage

import (
	"strconv"
	"strings"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// column is a column in the rows of an answer: the name in JSON, and the SQL.
type column struct{ name, sql string }

// The columns of the lists of an answer.
var (
	dayColumns = []column{{"day", "date(day * 86400, 'unixepoch')"}, {"model", "model"}, {"key", masked},
		{"upstream", "upstream"},
		{"requests", "requests"}, {"errors", "errors"}, {"fell", "fell"}, {"input", "input"},
		{"output", "output"}, {"cached", "cached"},
		{"written", "written"}, {"reasoning", "reasoning"}, {"searches", "searches"}, {"usd", "cost"},
		{"unpriced", "unpriced"},
		{"first_byte_ms", "first_ms"}, {"total_ms", "total_ms"}, {"last_used", "last"}}
	errorColumns = []column{{"time", "time"}, {"status", "status"}, {"type", "type"}, {"request_id",
		"request_id"}}
	requestColumns = []column{{"time", "time"}, {"request_id", "id"}, {"key", "key"}, {"model", "asked"},
		{"upstream_model", "model"}, {"upstream", "upstream"},
		{"status", "status"}, {"first_byte_ms", "first_ms"}, {"total_ms", "total_ms"}, {"input", "input"},
		{"output", "output"}, {"cached", "cached"},
		{"usd", "cost"}, {"lost", "lost"}, {"type", "type"}, {"words", "words"}}
	lostColumns = []column{{"day", "date(day * 86400, 'unixepoch')"}, {"field", "field"}, {"requests",
		"requests"}}
)

// hourColumns are dayColumns for usage_hour.
func hourColumns() []column { return append([]column{{"time", "hour * 3600"}}, dayColumns[1:]...) }

// masked is SQL for the id of a key as visible to the caller ?1. The operator, for whom ?1 is "",
// sees all ids. An owner sees the id of their own key, ?1, and "" instead of all other ids.
const masked = "CASE WHEN ?1 IN ('', key) THEN key ELSE '' END"

// Read returns the statements that read the usage of a span, and the current use of the limits. own
// is the id of the caller's key, "" for the operator. logTime is the endpoint's log time in seconds.
// Append writes the rows.
func Read(c Clock, span Span, own string, logTime int64) *bridge.Statements {
	s := begin(c)
	first, last := span.SQL(today)
	from := " WHERE day BETWEEN " + first + " AND " + last + " "
	selected(s, dayColumns, "usage_sum"+from+"ORDER BY day, model, key, upstream").String(own)
	if span.Hours {
		selected(s, hourColumns(), "usage_hour WHERE hour BETWEEN 24 * "+first+" AND 24 * "+last+" + 23 "+
			"ORDER BY hour, model, key, upstream").String(own)
	}
	selected(s, errorColumns, "usage_error ORDER BY number DESC")
	selected(s, requestColumns, "usage_log WHERE ?1 IN ('', key) AND time > "+now+
		" - ?2 ORDER BY number DESC LIMIT 100").String(own).Number(float64(logTime))
	selected(s, lostColumns, "usage_lost"+from+"ORDER BY day, field")
	selected(s, refusedColumns, "usage_refused"+from+"ORDER BY last DESC, key, reason").String(own)
	return s.SQL("SELECT (SELECT sum(requests) FROM usage_second WHERE second BETWEEN now - 60 AND now + " +
		"60), (SELECT count(*) FROM usage_stream WHERE expires BETWEEN now + 1 AND now + 2 * " + lease +
		"), (SELECT total(input + output) FROM usage_sum WHERE day = now / 86400), " +
		"(SELECT count(*) FROM usage_open WHERE expires BETWEEN now + 1 AND now + 2 * " + lease + "), " +
		budget("now / 86400", "") + ", " + budget(monthStart+" / 86400", "") + " FROM usage_now")
}

// budget is SQL for the known cost since a day, and for the number of requests of unknown cost since
// then. and is "" or a further condition on the rows.
func budget(day, and string) string {
	return "(SELECT total(cost) FROM usage_sum WHERE day >= " + day + and + "), (SELECT total(unpriced) " +
		"FROM usage_sum WHERE day >= " + day + and + ")"
}

// selected adds a SELECT of columns.
func selected(s *bridge.Statements, columns []column, from string) *bridge.Statements {
	sql := "SELECT "
	for i, c := range columns {
		if i > 0 {
			sql += ", "
		}
		sql += c.sql
	}
	return s.SQL(sql + " FROM " + from)
}

// Append appends the JSON answer of GET .../usage (worker/admin/openapi.json). rows are the rows of
// Read; nil: the endpoint records no usage. hours is Span.Hours.
func Append(dst []byte, rows *bridge.Rows, hours bool, l *Limits) []byte {
	dst = strconv.AppendBool(append(dst, `{"usage":`...), rows != nil)
	if rows == nil {
		return append(dst, `,"days":[],"errors":[],"requests":[],"lost":[],"refused":[],"limits":{}}`+"\n"...)
	}
	rows.Answer()
	for i, list := range [...]struct {
		name    string
		columns []column
	}{{"days", dayColumns}, {"hours", hourColumns()}, {"errors", errorColumns}, {"requests", requestColumns},
		{"lost", lostColumns}, {"refused", refusedColumns}} {
		if i == 1 && !hours {
			continue
		}
		if i > 0 {
			rows.Statement()
		}
		dst = append(appendRows(append(dst, `,"`+list.name+`":[`...), rows, list.columns), ']')
	}
	dst = append(dst, `,"limits":{`...)
	rows.Statement()
	rows.Next()
	from := len(dst)
	for i, limit := range [...]struct {
		name string
		most int64
	}{{"requests_per_minute", l.Requests}, {"concurrent_streams", l.Streams}, {"tokens_per_day", l.Tokens},
		{"concurrent_requests", l.Open},
		{"usd_per_day", int64(l.Daily)}, {"usd_per_month", int64(l.Monthly)}} {
		money := i >= 4
		used, unpriced := int64(rows.Value().Number), int64(0)
		if money {
			unpriced = int64(rows.Value().Number)
		}
		if limit.most == 0 {
			continue
		}
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = append(jsonw.AppendString(dst, limit.name), ':')
		dst = appendUse(dst, limit.most, used, unpriced, money)
	}
	return append(dst, "}}\n"...)
}

// appendUse appends a limit with its use; of a budget also the number of requests of unknown cost.
func appendUse(dst []byte, most, used, unpriced int64, money bool) []byte {
	dst = appendAmount(append(dst, `{"limit":`...), most, money)
	dst = appendAmount(append(dst, `,"used":`...), used, money)
	if money {
		dst = strconv.AppendInt(append(dst, `,"unpriced":`...), unpriced, 10)
	}
	return append(dst, '}')
}

// appendAmount appends a number, or a Cost.
func appendAmount(dst []byte, n int64, money bool) []byte {
	if money {
		return Cost(n).Append(dst)
	}
	return strconv.AppendInt(dst, n, 10)
}

// appendRows appends each row of a statement as an object. An unknown cost is null.
func appendRows(dst []byte, rows *bridge.Rows, columns []column) []byte {
	from := len(dst)
	for rows.Next() {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = appendRow(dst, rows, columns)
	}
	return dst
}

// appendRow appends the next row as an object.
func appendRow(dst []byte, rows *bridge.Rows, columns []column) []byte {
	for i, c := range columns {
		dst = append(dst, "{,"[min(i, 1)])
		dst = append(jsonw.AppendString(dst, c.name), ':')
		v := rows.Value()
		switch {
		case v.Kind != bridge.Number && (c.name == "attempts" || strings.HasSuffix(c.name, "_ms")):
			dst = append(dst, v.Bytes...) // a list of attempts, or a histogram
		case v.Kind != bridge.Number:
			dst = jsonw.AppendString(dst, string(v.Bytes))
		case c.name == "usd" && v.Number < 0:
			dst = append(dst, "null"...)
		case c.name == "usd":
			dst = Cost(v.Number).Append(dst)
		default:
			dst = strconv.AppendInt(dst, int64(v.Number), 10)
		}
	}
	return append(dst, '}')
}
