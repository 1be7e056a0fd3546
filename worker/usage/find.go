package usage

import (
	"strconv"

	"edgelingua/worker/bridge"
)

// Find is a search of the request log. An empty member filters nothing.
type Find struct {
	Clock   Clock
	Own     string // id of the owner's key, whose requests alone are found; "": the operator
	LogTime int64  // the endpoint's log time in seconds
	// ok, error, or the status of a failure
	Status                                string
	Model, Key, Upstream, Client, Session string
	From, Until                           int64 // Unix seconds; Until is excluded; 0: no bound
	Cursor                                Cursor
	Limit                                 int64
}

// Cursor is the position of the last request of a page: the next page begins after it.
type Cursor struct{ Time, Number int64 }

// loggedColumns are the columns of the request log: those of a cursor, requestColumns, and the rest.
func loggedColumns() []column {
	columns := append([]column{{"time", "time"}, {"number", "number"}}, requestColumns[1:]...)
	return append(columns, column{"client", "client"}, column{"session", "session"},
		column{"agent", "agent"}, column{"finish", "finish"}, column{"summary", "summary"},
		column{"attempts", "attempts"})
}

// errorGroupColumns are the columns of equal errors. SQLite reads columns beside max() from the row
// with the maximum, so they are those of the last error.
var errorGroupColumns = []column{{"status", "status"}, {"type", "type"}, {"words", "words"},
	{"requests", "count(*)"}, {"first", "min(time)"}, {"last", "max(time)"}, {"request_id", "id"},
	{"model", "asked"}, {"upstream", "upstream"}}

const (
	grouped   = "1000" // most errors that are compared
	maxGroups = "20"   // most groups of equal errors
)

// Statements returns the statements that search the log. Append writes the rows. The first page also
// has the groups of equal errors and the refusals.
func (f *Find) Statements() *bridge.Statements {
	s := begin(f.Clock)
	selected(s, loggedColumns(), "usage_log WHERE "+f.where())
	f.arguments(s)
	if f.Cursor.Time != 0 {
		return s
	}
	failed := *f
	if failed.Limit = 0; f.Status == "" || f.Status == "ok" {
		failed.Status = "error"
	}
	selected(s, errorGroupColumns, "(SELECT * FROM usage_log WHERE "+failed.where()+grouped+
		") GROUP BY status, type, words ORDER BY max(time) DESC LIMIT "+maxGroups)
	failed.arguments(s)
	selected(s, refusedColumns, "usage_refused WHERE day > "+today+" - ?2 AND ?1 IN ('', key) "+
		"ORDER BY last DESC, key, reason").String(f.Own).Number(DefaultDays)
	return s
}

// where returns the condition on usage_log, its order and its limit. Each filter has an index in a log
// of more than LogRows requests.
func (f *Find) where() string {
	sql := "time > " + now + " - ?"
	add := func(wanted bool, condition string) {
		if wanted {
			sql += " AND " + condition
		}
	}
	add(f.Own != "", "key = ?")
	// A partial index is used if its condition is a term of the query. The second term is the one that
	// SQLite searches for.
	add(f.Status == "ok", "status = 0")
	add(f.Status != "" && f.Status != "ok", "status <> 0 AND (status <> 0) = 1")
	add(f.number() != 0, "status = ?")
	add(f.Model != "", "asked = ?")
	add(f.Key != "", "key = ?")
	add(f.Upstream != "", "upstream = ?")
	add(f.Client != "", "client = ?")
	add(f.Session != "", "session <> '' AND session = ?")
	add(f.From != 0, "time >= ?")
	add(f.Until != 0, "time < ?")
	add(f.Cursor.Time != 0, "(time, number) < (?, ?)")
	sql += " ORDER BY time DESC, number DESC LIMIT "
	if f.Limit > 0 { // one more than the page has, to know whether there is another page
		sql += strconv.FormatInt(f.Limit+1, 10)
	}
	return sql
}

// arguments adds the arguments of where.
func (f *Find) arguments(s *bridge.Statements) {
	s.Number(float64(f.LogTime))
	if f.Own != "" {
		s.String(f.Own)
	}
	if n := f.number(); n != 0 {
		s.Number(float64(n))
	}
	for _, text := range [...]string{f.Model, f.Key, f.Upstream, f.Client, f.Session} {
		if text != "" {
			s.String(text)
		}
	}
	for _, n := range [...]int64{f.From, f.Until} {
		if n != 0 {
			s.Number(float64(n))
		}
	}
	if f.Cursor.Time != 0 {
		s.Number(float64(f.Cursor.Time)).Number(float64(f.Cursor.Number))
	}
}

// number returns the status of a failure that the search names, or 0.
func (f *Find) number() int64 {
	n, _ := strconv.ParseInt(f.Status, 10, 64)
	return n
}

// Append appends the JSON answer of GET .../requests (worker/admin/openapi.json). rows are the rows
// of Statements; nil: the endpoint has no log.
func (f *Find) Append(dst []byte, rows *bridge.Rows) []byte {
	dst = strconv.AppendBool(append(dst, `{"log":`...), rows != nil)
	if rows == nil {
		return append(dst, `,"requests":[],"errors":[],"refused":[]}`+"\n"...)
	}
	rows.Answer()
	dst = append(dst, `,"requests":[`...)
	cursor, columns := Cursor{}, loggedColumns()
	for n := int64(0); rows.Next(); n++ {
		if n == f.Limit {
			dst = appendCursor(dst, cursor)
			return f.appendRest(dst, rows)
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		first := *rows
		cursor = Cursor{int64(first.Value().Number), int64(first.Value().Number)}
		dst = appendRow(dst, rows, columns)
	}
	return f.appendRest(append(dst, ']'), rows)
}

func appendCursor(dst []byte, c Cursor) []byte {
	dst = strconv.AppendInt(append(dst, `],"cursor":"`...), c.Time, 10)
	dst = strconv.AppendInt(append(dst, '-'), c.Number, 10)
	return append(dst, '"')
}

func (f *Find) appendRest(dst []byte, rows *bridge.Rows) []byte {
	if f.Cursor.Time == 0 {
		rows.Statement()
		dst = appendRows(append(dst, `,"errors":[`...), rows, errorGroupColumns)
		rows.Statement()
		dst = append(appendRows(append(dst, `],"refused":[`...), rows, refusedColumns), ']')
	}
	return append(dst, "}\n"...)
}

// sessionColumns are the columns of the sums of a session.
var sessionColumns = []column{{"session", "session"}, {"key", "key"}, {"client", "client"},
	{"began", "began"}, {"last", "last"}, {"requests", "requests"}, {"errors", "errors"},
	{"input", "input"}, {"output", "output"}, {"cached", "cached"}, {"usd", "cost"},
	{"unpriced", "unpriced"}, {"total_ms", "total_ms"}}

// MaxSessions is how many sessions an answer has: the last used ones.
const MaxSessions = 200

// Sessions returns the statements that read the sums of sessions. own and logTime are as in Find.
func Sessions(c Clock, own string, logTime int64) *bridge.Statements {
	s := begin(c)
	return selected(s, sessionColumns, "usage_session WHERE ?1 IN ('', key) AND last > "+now+
		" - ?2 ORDER BY last DESC, number DESC LIMIT "+strconv.Itoa(MaxSessions)).String(own).
		Number(float64(logTime))
}

// AppendSessions appends the JSON answer of GET .../sessions. rows are the rows of Sessions; nil: the
// endpoint has no log.
func AppendSessions(dst []byte, rows *bridge.Rows) []byte {
	dst = strconv.AppendBool(append(dst, `{"log":`...), rows != nil)
	dst = append(dst, `,"sessions":[`...)
	if rows != nil {
		rows.Answer()
		dst = appendRows(dst, rows, sessionColumns)
	}
	return append(dst, "]}\n"...)
}

// ReadCursor reads the cursor of an answer. "" is the first page.
func ReadCursor(text string) (c Cursor, ok bool) {
	if text == "" {
		return c, true
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '-' {
			var first, second error
			c.Time, first = strconv.ParseInt(text[:i], 10, 64)
			c.Number, second = strconv.ParseInt(text[i+1:], 10, 64)
			return c, first == nil && second == nil && c.Time > 0 && c.Number > 0
		}
	}
	return c, false
}
