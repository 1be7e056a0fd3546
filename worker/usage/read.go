package usage

import (
	"strconv"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Read makes the statements that read the usage of so many days, of which today is the last, and what is used of the limits. Append
// writes their rows.
func Read(c Clock, days int) *bridge.Statements {
	s := begin(c)
	s.SQL("SELECT date(day * 86400, 'unixepoch'), model, requests, errors, input, output, cached, reasoning FROM usage_day WHERE day > " +
		today + " - ? ORDER BY day, model").Number(float64(days))
	s.SQL("SELECT time, status, type, request_id FROM usage_error ORDER BY number DESC")
	return s.SQL("SELECT (SELECT sum(requests) FROM usage_second WHERE second BETWEEN now - 60 AND now + 60), " +
		"(SELECT count(*) FROM usage_stream WHERE expires BETWEEN now + 1 AND now + 2 * " + lease + "), " +
		"(SELECT sum(input + output) FROM usage_day WHERE day = now / 86400), " +
		"(SELECT count(*) FROM usage_open WHERE expires BETWEEN now + 1 AND now + 2 * " + lease + ") FROM usage_now")
}

// Append appends the JSON that GET .../usage answers (worker/admin/openapi.json). rows are those of Read; nil: no usage is kept.
func Append(dst []byte, rows *bridge.Rows, l *Limits) []byte {
	dst = strconv.AppendBool(append(dst, `{"usage":`...), rows != nil)
	dst = append(dst, `,"days":[`...)
	if rows == nil {
		return append(dst, `],"errors":[],"limits":{}}`+"\n"...)
	}
	rows.Answer()
	dst = appendRows(dst, rows, []string{"day", "model", "requests", "errors", "input", "output", "cached", "reasoning"})
	dst = append(dst, `],"errors":[`...)
	rows.Statement()
	dst = appendRows(dst, rows, []string{"time", "status", "type", "request_id"})
	dst = append(dst, `],"limits":{`...)
	rows.Statement()
	rows.Next()
	from := len(dst)
	for _, limit := range [...]struct {
		name string
		most int64
	}{{"requests_per_minute", l.Requests}, {"concurrent_streams", l.Streams}, {"tokens_per_day", l.Tokens}, {"concurrent_requests", l.Open}} {
		used := int64(rows.Value().Number)
		if limit.most == 0 {
			continue
		}
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = append(jsonw.AppendString(dst, limit.name), `:{"limit":`...)
		dst = strconv.AppendInt(dst, limit.most, 10)
		dst = append(strconv.AppendInt(append(dst, `,"used":`...), used, 10), '}')
	}
	return append(dst, "}}\n"...)
}

// appendRows appends each row of a statement as an object: names are those of its columns.
func appendRows(dst []byte, rows *bridge.Rows, names []string) []byte {
	from := len(dst)
	for rows.Next() {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		for i, name := range names {
			dst = append(dst, "{,"[min(i, 1)])
			dst = append(jsonw.AppendString(dst, name), ':')
			if v := rows.Value(); v.Kind == bridge.Number {
				dst = strconv.AppendInt(dst, int64(v.Number), 10)
			} else {
				dst = jsonw.AppendString(dst, string(v.Bytes))
			}
		}
		dst = append(dst, '}')
	}
	return dst
}
