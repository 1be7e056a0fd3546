package totals

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// MostPending is the number of endpoints whose sums an overview collects at most. MostNames is the
// number of endpoints that its lists name at most. Together with the batches of Object, the search in
// KV and the look-up of the session, the calls are below the 50 of Workers' free plan.
const (
	MostPending = 15
	MostNames   = 3 * mostListed
	mostListed  = 10
)

// Bounds, in SQL.
const (
	listed      = "10"  // mostListed
	mostFailing = "30"  // MostNames
	mostDaily   = "200" // models, and keys, of a day; those with less cost are "other"
	rolled      = "2"   // days whose rows of total_day are made anew for an overview
)

const (
	now      = "(SELECT now FROM total_now)"
	thisDay  = "(SELECT now / 86400 FROM total_now)"
	staleDay = "(SELECT day FROM total_stale WHERE day < " + thisDay + " ORDER BY day DESC LIMIT " + rolled +
		")"
)

// begin begins a batch of Object.
func begin(c usage.Clock) *bridge.Statements {
	s := new(bridge.Statements)
	s.SQL(schema + "INSERT OR REPLACE INTO total_now VALUES (0, CAST(coalesce(?, unixepoch()) AS INTEGER))")
	c.Argument(s)
	return s
}

// Pending returns the statements that select the endpoints whose later requests may be missing: at
// most MostPending, those with the oldest texts first. ReadPending reads the rows.
func Pending(c usage.Clock) *bridge.Statements {
	s := begin(c)
	s.SQL("SELECT cursor, done FROM total_search UNION ALL SELECT '', 0 LIMIT 1")
	return s.SQL("SELECT endpoint, id, number FROM total_endpoint WHERE settled = 0 ORDER BY time, " +
		"endpoint LIMIT ?").Number(MostPending)
}

// Search is the state of the search for endpoints whose usage was recorded by earlier versions. Such
// an endpoint sends nothing until its next request. The search goes through the list of all endpoints
// once.
type Search struct {
	Cursor string // of the next page of the list; "" for the first
	Done   bool
}

// Waiting is an endpoint whose later requests may be missing, with the last text that was merged.
type Waiting struct {
	Name string
	usage.Merged
}

// ReadPending reads the rows of Pending.
func ReadPending(rows *bridge.Rows) (pending []Waiting, search Search) {
	rows.Answer()
	rows.Next()
	search = Search{string(rows.Value().Bytes), rows.Value().Number != 0}
	for rows.Statement(); rows.Next(); {
		pending = append(pending, Waiting{string(rows.Value().Bytes),
			usage.Merged{ID: string(rows.Value().Bytes), Number: rows.Value().Number}})
	}
	return pending, search
}

// Overview has what a request for the overview found before it reads the sums.
type Overview struct {
	Clock   usage.Clock
	Span    usage.Span
	Texts   []string // of usage.Collect
	Without []string // endpoints without usage
	Broken  []string // endpoints with failing objects
	Search  Search
}

// sums are the columns of sums. Their SQL is total, since sum fails if an integer overflows.
const sums = "total(requests), total(errors), total(input), total(output), total(cached), total(cost), " +
	"total(unpriced)"

// rowsOf is SQL for the sums of a day's parts, by kind and name. where selects the parts.
func rowsOf(where string) string {
	const member = "total(json_extract(value, "
	return "SELECT day, kind, CASE kind WHEN 0 THEN endpoint WHEN 1 THEN json_extract(value, '$[0]') ELSE " +
		"endpoint || ' ' || json_extract(value, '$[1]') END AS name, " + member + "'$[2]')) AS requests, " +
		member + "'$[3]')) AS errors, " + member + "'$[4]')) AS input, " + member + "'$[5]')) AS output, " +
		member + "'$[6]')) AS cached, " + member + "'$[7]')) AS cost, " + member + "'$[8]')) AS unpriced " +
		"FROM total_part, json_each(rows), (SELECT 0 AS kind UNION ALL SELECT 1 UNION ALL SELECT 2) WHERE " +
		where + " AND (kind < 2 OR json_extract(value, '$[1]') <> '') GROUP BY 1, 2, 3"
}

// Read returns the statements that read the overview. Append writes the rows.
func (o *Overview) Read() *bridge.Statements {
	s := begin(o.Clock)
	for _, text := range o.Texts {
		s.Add(MergeText(text))
	}
	for _, name := range o.Without {
		s.SQL("UPDATE total_endpoint SET settled = 1, health = '[]' WHERE endpoint = ?").String(name)
	}
	for _, name := range o.Broken { // the next overview begins with other endpoints
		s.SQL("INSERT INTO total_endpoint SELECT ?, '', 0, 0, now, '[]' FROM total_now WHERE 1 ON CONFLICT " +
			"DO UPDATE SET settled = 0, time = excluded.time").String(name)
	}
	s.SQL("INSERT OR REPLACE INTO total_search SELECT 0, ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM " +
		"total_search WHERE cursor = ?1 AND done = ?2)").String(o.Search.Cursor).Number(number(o.Search.Done))
	s.SQL("DELETE FROM total_day WHERE day IN " + staleDay + " OR day <= " + thisDay + " - " + days)
	s.SQL("INSERT INTO total_day SELECT day, kind, CASE WHEN kind = 0 OR place <= " + mostDaily +
		" THEN name ELSE 'other' END, " + sums + " FROM (SELECT *, row_number() OVER (PARTITION BY day, " +
		"kind ORDER BY cost DESC, requests DESC, name) AS place FROM (" + rowsOf("day IN "+staleDay) +
		")) WHERE 1 GROUP BY 1, 2, 3")
	s.SQL("DELETE FROM total_stale WHERE day IN " + staleDay)
	first, last := o.Span.SQL(thisDay)
	s.SQL("WITH all_days AS MATERIALIZED (SELECT * FROM total_day WHERE day BETWEEN " + first + " AND " +
		last + " AND day < " + thisDay + " UNION ALL " + rowsOf("day = "+thisDay) + "), spanned AS (SELECT " +
		"* FROM all_days WHERE day BETWEEN " + first + " AND " + last + ") " +
		"SELECT -2 AS kind, 0 AS place, '', " + sums + " FROM all_days WHERE kind = 0 AND day = " + thisDay +
		" UNION ALL SELECT -1, day, date(day * 86400, 'unixepoch'), " + sums + " FROM spanned WHERE kind = " +
		"0 GROUP BY day UNION ALL SELECT * FROM (SELECT kind, row_number() OVER (PARTITION BY kind ORDER " +
		"BY total(cost) DESC, total(requests) DESC, name) AS place, name, " + sums + " FROM spanned GROUP " +
		"BY kind, name) WHERE place <= " + listed + " ORDER BY 1, 2")
	const failing = " FROM total_endpoint, json_each(health) WHERE json_extract(value, '$[5]') > " + now +
		" - 86400"
	s.SQL("SELECT endpoint, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, " +
		"'$[2]'), json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]')" +
		failing + " ORDER BY json_extract(value, '$[2]') > " + now + " DESC, 7 DESC, 1, 2 LIMIT " +
		mostFailing)
	return s.SQL("SELECT now, date(now, 'unixepoch'), (SELECT count(*)" + failing + "), (SELECT count(*) " +
		"FROM total_endpoint WHERE settled = 0), (SELECT count(*) FROM total_stale WHERE day < " + thisDay +
		") + (SELECT 1 - done FROM total_search) FROM total_now")
}

func number(flag bool) float64 {
	if flag {
		return 1
	}
	return 0
}
