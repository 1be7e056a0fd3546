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
		s.SQL("DELETE FROM usage_log; DELETE FROM usage_session")
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
	r.addTo(s, "usage_sum", "day", "now / 86400", t)
	r.addTo(s, "usage_hour", "hour", "now / 3600", t)
}

// addTo adds the statement that counts a request in a table. period is the table's column for the
// time, and current its value, in SQL.
func (r *sum) addTo(s *bridge.Statements, table, period, current string, t *Tokens) {
	key, here := account("?2"), " FROM "+table+" WHERE "+period+" = "+current
	s.SQL("INSERT INTO " + table + " SELECT " + current +
		", CASE WHEN EXISTS (SELECT 1" + here + " AND model = ?1 AND key = " + key + " AND upstream = " +
		"?3) OR (SELECT count(*)" + here + " AND model <> 'other') < " + maxRows +
		" THEN ?1 ELSE 'other' END, " +
		key + ", ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, " + once("?14") + ", " + once("?15") +
		", now FROM usage_now WHERE 1" +
		" ON CONFLICT DO UPDATE SET requests = requests + 1, errors = errors + excluded.errors, fell = " +
		"fell + excluded.fell, input = input + excluded.input, " +
		"output = output + excluded.output, cached = cached + excluded.cached, " +
		"written = written + excluded.written, reasoning = reasoning + excluded.reasoning, " +
		"searches = searches + excluded.searches, cost = cost + excluded.cost, " +
		"unpriced = unpriced + excluded.unpriced, first_ms = " + oneMore("first_ms", "?14") +
		", total_ms = " + oneMore("total_ms", "?15") + ", last = excluded.last")
	s.String(bounded(r.model)).String(r.key).String(r.upstream)
	s.Number(number(r.failed)).Number(number(r.fell))
	for _, n := range [...]int64{t.Input, t.Output, t.Cached, t.Written, t.Reasoning, t.Searches} {
		s.Number(float64(min(n, mostTokens)))
	}
	s.Number(float64(max(r.cost, 0))).Number(number(r.cost == Unknown))
	bucket(s, r.first)
	bucket(s, r.total)
}

// once is SQL for a histogram of a single time. bucket is the SQL argument with the name of the
// bucket; NULL makes an empty histogram.
func once(bucket string) string {
	return "CASE WHEN " + bucket + " IS NULL THEN '{}' ELSE json_object(" + bucket + ", 1) END"
}

// oneMore is SQL that adds a time to a histogram of usage_sum. bucket is the SQL argument with the
// name of the bucket; NULL adds nothing.
func oneMore(column, bucket string) string {
	path := `'$."' || ` + bucket + ` || '"'`
	return "CASE WHEN " + bucket + " IS NULL THEN " + column + " ELSE json_set(" + column + ", " + path +
		", coalesce(json_extract(" + column + ", " + path + "), 0) + 1) END"
}

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
