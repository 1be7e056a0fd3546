package usage

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Tokens counts the tokens of a request and its answer, and the web searches run by its upstream.
// Cached (read from a prompt cache) and Written (written to a prompt cache) are parts of Input.
// Reasoning is part of Output.
type Tokens struct {
	Input, Output, Cached, Written, Reasoning, Searches int64

	Rate    float64 // the price of a token as a multiple of the standard price; 0: the standard price
	Longest int64   // the longest prompt, if Input is the sum of several calls; 0: Input is a single prompt
}

// mostTokens is the most tokens, or searches, counted for a request. An upstream may report any
// number, and the sums of a day must not overflow.
const mostTokens = 1e9

// Outcome is the outcome of an admitted request.
type Outcome struct {
	Tokens
	Cost     Cost
	Summary  *Tokens   // tokens of the call for the summary at the start of the answer; nil: no summary
	Sum      Cost      // cost of the call for the summary
	Upstream string    // name of the last upstream that was called, or ""
	Used     string    // the upstream's name of the model
	First    int64     // milliseconds to the first byte of the answer
	Total    int64     // milliseconds to the end of the answer
	Attempts []Attempt // at upstreams, in chronological order
	Lost     []string  // names of lost fields
	Finish   string    // why the answer ended (ir.StopReason), or ""
	Status   int       // an HTTP status of 400 or more; 0: the request did not fail
	Type     string    // the name of the failure (ir.ErrorKind)
	Words    string    // the client's error message without contents, or ""

	Summarizer string    // name of the upstream that made the summary, if any
	Advice     []Call    // calls of an advisor
	Avoided    []Avoided // upstreams that were not tried, or only after others
}

// Call is a separate upstream request for an answer. It counts under its own model.
type Call struct {
	Tokens
	Cost     Cost
	Model    string // as the endpoint's option names it
	Attempt  Attempt
	Billable bool // the upstream may bill the call
}

// Spent returns the cost of all calls of the request.
func (o *Outcome) Spent() Cost {
	cost := o.Cost.Plus(o.Sum)
	for i := range o.Advice {
		cost = cost.Plus(o.Advice[i].Cost)
	}
	return cost
}

// fell reports whether the request fell back to a further upstream. Another key of the same
// upstream is not a fallback, nor is another round of the same answer.
func (o *Outcome) fell() bool {
	for i := range o.Attempts {
		if o.Attempts[i].name() != o.Attempts[0].name() {
			return true
		}
	}
	return false
}

// Close returns the statements that count an admitted request with its outcome, and free its slots.
func (r *Request) Close(o *Outcome) *bridge.Statements {
	s := begin(r.Clock)
	failed := o.Status != 0
	row := sum{model: r.Model, key: r.Key, upstream: o.Upstream, failed: failed, fell: o.fell(),
		cost: o.Cost, first: o.First, total: o.Total}
	row.add(s, &o.Tokens)
	if o.Summary != nil { // a separate upstream request; it counts towards requests per minute
		row = sum{model: r.Model, key: r.Key, upstream: o.Summarizer, cost: o.Sum}
		row.add(s, o.Summary)
		r.countMinute(s, "1")
	}
	for i := range o.Advice {
		c := &o.Advice[i]
		c.Attempt.note(s)
		if c.Billable {
			row = sum{model: c.Model, key: r.Key, upstream: c.Attempt.name(), cost: c.Cost}
			row.add(s, &c.Tokens)
			r.countMinute(s, "1")
		}
	}
	if failed {
		fail(s, o.Status, o.Type, r.ID)
	}
	if len(o.Lost) > 0 {
		countLost(s, o.Lost)
	}
	for i := range o.Attempts {
		o.Attempts[i].note(s)
	}
	if r.LogTime > 0 {
		r.log(s, o)
		r.addToSession(s, o)
	} else { // rows of a log that has been switched off
		// "WHERE true", since a DELETE without WHERE writes the pages of an empty table
		s.SQL("DELETE FROM usage_log WHERE true; DELETE FROM usage_session WHERE true")
	}
	s.SQL("DELETE FROM usage_hour WHERE hour <= " + now + " / 3600 - " + maxHours)
	s.SQL("DELETE FROM usage_sum WHERE day <= " + today + " - ?1").Number(MaxDays)
	s.SQL("DELETE FROM usage_lost WHERE day <= " + today + " - ?1").Number(MaxDays)
	return r.giveBack(s)
}

// Leave returns the statements that free the slots of a request and count nothing. It is for
// refused requests, and for requests without a model.
func (r *Request) Leave() *bridge.Statements { return r.giveBack(begin(r.Clock)) }

// giveBack adds the statements that free the slots of a request, if any.
func (r *Request) giveBack(s *bridge.Statements) *bridge.Statements {
	if r.Lease != "" {
		s.SQL("DELETE FROM usage_stream WHERE lease = ?").String(r.Lease)
		s.SQL("DELETE FROM usage_open WHERE lease = ?").String(r.Lease)
	}
	return s
}

// sum is the addition of a request, or of a call for a summary, to a row of usage_sum.
type sum struct {
	model, key, upstream string
	failed, fell         bool
	cost                 Cost
	first, total         int64 // milliseconds; 0: unknown
}

// add adds the statements that count a request in its day and in its hour.
func (r *sum) add(s *bridge.Statements, t *Tokens) {
	r.addTo(s, "usage_sum", "day", today, t)
	r.addTo(s, "usage_hour", "hour", hour, t)
}

// addTo adds the statement that counts a request in a table. period is the table's column for the
// time, and current its value, in SQL. INSERT ... SELECT would make a temporary table, since it reads
// the table that it changes.
func (r *sum) addTo(s *bridge.Statements, table, period, current string, t *Tokens) {
	s.SQL("INSERT INTO ", table, " VALUES (", current, ", CASE WHEN EXISTS (SELECT 1 FROM ", table, " WHERE ",
		period, " = ", current, " AND model = ?1 AND key = "+account2+" AND upstream = ?3) OR "+
			"(SELECT count(*) FROM ", table, " WHERE ", period, " = ", current, " AND model <> 'other') < "+
			maxRows+" THEN ?1 ELSE 'other' END, "+account2+addition)
	s.String(bounded(r.model)).String(r.key).String(r.upstream)
	s.Number(number(r.failed)).Number(number(r.fell))
	for _, n := range [...]int64{t.Input, t.Output, t.Cached, t.Written, t.Reasoning, t.Searches} {
		s.Number(float64(min(n, mostTokens)))
	}
	s.Number(float64(max(r.cost, 0))).Number(number(r.cost == Unknown))
	bucket(s, r.first)
	bucket(s, r.total)
}

// addition is SQL for the columns of a sum from upstream on. ?14 and ?15 are the names of buckets; NULL
// adds nothing to a histogram.
const addition = ", ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, " +
	"CASE WHEN ?14 IS NULL THEN '{}' ELSE json_object(?14, 1) END, " +
	"CASE WHEN ?15 IS NULL THEN '{}' ELSE json_object(?15, 1) END, " + now + ") ON CONFLICT DO UPDATE SET " +
	"requests = requests + 1, errors = errors + excluded.errors, fell = fell + excluded.fell, " +
	"input = input + excluded.input, output = output + excluded.output, " +
	"cached = cached + excluded.cached, written = written + excluded.written, " +
	"reasoning = reasoning + excluded.reasoning, searches = searches + excluded.searches, " +
	"cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced, " +
	"first_ms = CASE WHEN ?14 IS NULL THEN first_ms ELSE json_set(first_ms, " + bucket14 +
	", coalesce(json_extract(first_ms, " + bucket14 + "), 0) + 1) END, " +
	"total_ms = CASE WHEN ?15 IS NULL THEN total_ms ELSE json_set(total_ms, " + bucket15 +
	", coalesce(json_extract(total_ms, " + bucket15 + "), 0) + 1) END, last = excluded.last"

// SQL for the JSON paths of the buckets ?14 and ?15 in a histogram.
const (
	bucket14 = `'$."' || ?14 || '"'`
	bucket15 = `'$."' || ?15 || '"'`
)

// bucket adds the argument with the bucket of a time in milliseconds; NULL for 0. A bucket is named
// by its upper bound in milliseconds. The bounds grow by a factor of √2, from 10 ms to 22 minutes;
// the last bucket also has all longer times.
func bucket(s *bridge.Statements, ms int64) {
	if ms <= 0 {
		s.Null()
		return
	}
	low, high := int64(10), int64(14)
	for ms > low && low < 1_300_000 {
		low, high = high, 2*low
	}
	s.String(strconv.FormatInt(low, 10))
}

func number(flag bool) float64 {
	if flag {
		return 1
	}
	return 0
}

// countLost adds the statement that counts the lost fields of a request.
func countLost(s *bridge.Statements, fields []string) {
	list := []byte{'['}
	for i, field := range fields {
		if i > 0 {
			list = append(list, ',')
		}
		list = jsonw.AppendString(list, bounded(field))
	}
	s.SQL("INSERT INTO usage_lost SELECT day, CASE WHEN EXISTS (SELECT 1 FROM usage_lost WHERE day = " +
		"today.day AND field = value) OR " +
		"(SELECT count(*) FROM usage_lost WHERE day = today.day) < " + maxLost +
		" THEN value ELSE 'other' END, 1 " +
		"FROM json_each(?1), (SELECT now / 86400 AS day FROM usage_now) AS today WHERE 1 ON CONFLICT DO " +
		"UPDATE SET requests = requests + 1")
	s.String(string(append(list, ']')))
}

// fail adds the statements that record a failed request and delete the oldest recorded failures.
func fail(s *bridge.Statements, status int, kind, id string) {
	s.SQL("INSERT INTO usage_error (time, status, type, request_id) SELECT now, ?, ?, ? FROM usage_now")
	s.Number(float64(status)).String(kind).String(bounded(id))
	s.SQL("DELETE FROM usage_error WHERE number <= (SELECT max(number) FROM usage_error) - " + maxErrors)
}

// bounded truncates a client's text to at most maxText bytes, at a character boundary.
func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Clone(text[:end])
}
