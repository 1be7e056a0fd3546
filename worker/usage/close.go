package usage

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Tokens are the tokens of a request and its answer, and the searches of the web that its upstream
// has run. Cached and Written, read from a prompt cache and written to it, are parts of Input,
// Reasoning is one of Output.
type Tokens struct {
	Input, Output, Cached, Written, Reasoning, Searches int64

	Longest int64 // the longest prompt, where Input adds up those of several calls; 0: it is Input
}

// mostTokens is how many tokens, and searches, of a request count at most. An upstream may say any
// number, and the sums of a day must hold.
const mostTokens = 1e9

// Outcome is what came of a request that was admitted.
type Outcome struct {
	Tokens
	Cost     Cost
	Summary  *Tokens   // of the call for the summary that the answer begins with; nil: there was none
	Sum      Cost      // of the call for the summary
	Upstream string    // the name of the upstream that was asked last, "" for none
	Used     string    // that upstream's name of the model
	First    int64     // milliseconds to the first byte of the answer
	Total    int64     // milliseconds to its end
	Attempts []Attempt // at upstreams, in their order
	Lost     []string  // the fields that got lost
	Status   int       // an HTTP status of 400 or more; 0: the request did not fail
	Type     string    // the name of the failure (ir.ErrorKind)
	Words    string    // what the client was told of the failure, without contents; "": nothing

	Summarizer string // the name of the upstream that has made the summary, where there is one
}

// fell reports whether the request went to a further upstream, which another key of the same one is
// not, nor another round of its answer.
func (o *Outcome) fell() bool {
	for i := range o.Attempts {
		if o.Attempts[i].name() != o.Attempts[0].name() {
			return true
		}
	}
	return false
}

// Close returns the statements that count a request which Admit has let through, by what came of
// it, and give back its places.
func (r *Request) Close(o *Outcome) *bridge.Statements {
	s := begin(r.Clock)
	failed := o.Status != 0
	row := sum{model: r.Model, key: r.Key, upstream: o.Upstream, failed: failed, fell: o.fell(),
		cost: o.Cost, first: o.First, total: o.Total}
	row.add(s, "1", &o.Tokens)
	if o.Summary != nil { // a call of its own, which counts as a request where requests are counted
		row = sum{model: r.Model, key: r.Key, upstream: o.Summarizer, cost: o.Sum}
		row.add(s, "1", o.Summary)
		if r.Limits.Requests > 0 {
			s.SQL(countMinute + " WHERE 1" + again)
		}
	}
	if failed {
		fail(s, "1", o.Status, o.Type, r.ID)
	}
	if len(o.Lost) > 0 {
		countLost(s, o.Lost)
	}
	for i := range o.Attempts {
		o.Attempts[i].note(s)
	}
	if r.LogTime > 0 {
		r.log(s, o)
	} else {
		s.SQL("DELETE FROM usage_request") // those of a log that is not kept any more
	}
	s.SQL("DELETE FROM usage_sum WHERE day <= " + today + " - ?1").Number(MaxDays)
	s.SQL("DELETE FROM usage_lost WHERE day <= " + today + " - ?1").Number(MaxDays)
	return r.giveBack(s)
}

// Leave returns the statements that only give back the places of a request: of one that asks no
// model, or that was refused.
func (r *Request) Leave() *bridge.Statements { return r.giveBack(begin(r.Clock)) }

// giveBack adds the statements that give back the places of a request, if it has any.
func (r *Request) giveBack(s *bridge.Statements) *bridge.Statements {
	if r.Lease != "" {
		s.SQL("DELETE FROM usage_stream WHERE lease = ?").String(r.Lease)
		s.SQL("DELETE FROM usage_open WHERE lease = ?").String(r.Lease)
	}
	return s
}

// sum is what a request, or a call for a summary, adds to a row of usage_sum.
type sum struct {
	model, key, upstream string
	failed, fell         bool
	cost                 Cost
	first, total         int64 // milliseconds; 0: the request has no such time
}

// add adds the statement that counts a request in its day, where a condition on usage_now holds.
func (r *sum) add(s *bridge.Statements, where string, t *Tokens) {
	s.SQL("INSERT INTO usage_sum SELECT now / 86400, " +
		"CASE WHEN EXISTS (SELECT 1 FROM usage_sum WHERE day = now / 86400 AND model = ?1 AND key = ?2 " +
		"AND upstream = ?3) OR " +
		"(SELECT count(*) FROM usage_sum WHERE day = now / 86400 AND model <> 'other') < " + maxRows +
		" THEN ?1 ELSE 'other' END, " +
		"?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, " + once("?14") + ", " + once("?15") +
		", now FROM usage_now WHERE " + where +
		" ON CONFLICT DO UPDATE SET requests = requests + 1, errors = errors + excluded.errors, fell = " +
		"fell + excluded.fell, input = input + excluded.input, " +
		"output = output + excluded.output, cached = cached + excluded.cached, written = written + " +
		"excluded.written, " +
		"reasoning = reasoning + excluded.reasoning, searches = searches + excluded.searches, cost = cost " +
		"+ excluded.cost, " +
		"unpriced = unpriced + excluded.unpriced, first_ms = " + oneMore("first_ms", "?14") +
		", total_ms = " + oneMore("total_ms", "?15") + ", last = excluded.last")
	s.String(bounded(r.model)).String(r.key).String(r.upstream).Number(number(r.failed)).Number(number(r.fell))
	for _, n := range [...]int64{t.Input, t.Output, t.Cached, t.Written, t.Reasoning, t.Searches} {
		s.Number(float64(min(n, mostTokens)))
	}
	s.Number(float64(max(r.cost, 0))).Number(number(r.cost == Unknown))
	bucket(s, r.first)
	bucket(s, r.total)
}

// once is SQL for a histogram that counts one time, in the bucket that an argument names; NULL: it
// counts none.
func once(bucket string) string {
	return "CASE WHEN " + bucket + " IS NULL THEN '{}' ELSE json_object(" + bucket + ", 1) END"
}

// oneMore is SQL for a histogram of usage_sum with one more time in the bucket that an argument names.
func oneMore(column, bucket string) string {
	path := `'$."' || ` + bucket + ` || '"'`
	return "CASE WHEN " + bucket + " IS NULL THEN " + column + " ELSE json_set(" + column + ", " + path +
		", coalesce(json_extract(" + column + ", " + path + "), 0) + 1) END"
}

// bucket adds the name of the bucket of a histogram into which a time in milliseconds falls, NULL
// for 0. It is the bucket's upper bound; each is √2 times the one before, from 10 ms to 22 minutes,
// and the last one takes all that took longer.
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

// countLost adds the statement that counts the fields that a request has lost.
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

// log adds the statements that put a request into the log.
func (r *Request) log(s *bridge.Statements, o *Outcome) {
	s.SQL("INSERT INTO usage_request (time, id, key, asked, model, upstream, status, first_ms, total_ms, " +
		"input, output, cached, cost, lost, type, words) " +
		"SELECT now, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM usage_now")
	s.String(bounded(r.ID)).String(r.Key).String(bounded(r.Model)).String(bounded(o.Used)).String(o.Upstream).Number(float64(o.Status))
	s.Number(float64(o.First)).Number(float64(o.Total)).Number(float64(o.Input)).Number(float64(o.Output)).Number(float64(o.Cached)).Number(float64(o.Cost))
	lost := strings.Join(o.Lost, ",")
	s.String(lost[:min(len(lost), 4*maxText)]).String(o.Type).String(bounded(o.Words))
	r.trim(s)
}

// overLimit is SQL for whether a row of usage_request is a request that a limit has refused.
const overLimit = "status = 429 AND words GLOB 'over *' AND model = ''"

// logRefusal adds the statements that put a request into the log which a limit refuses. Of those
// that the same limit refuses for the same key the log takes one in a minute, and of all that are
// refused maxRefused: a client that goes on asking leaves room for the others.
func (r *Request) logRefusal(s *bridge.Statements) {
	if r.LogTime == 0 {
		return
	}
	s.SQL("INSERT INTO usage_request (time, id, key, asked, model, upstream, status, first_ms, total_ms, " +
		"input, output, cached, cost, lost, type, words) " +
		"SELECT now, ?1, ?2, ?3, '', '', 429, 0, 0, 0, 0, 0, 0, '', 'rate_limit', 'over ' || refused FROM " +
		"usage_now WHERE refused IS NOT NULL AND NOT EXISTS " +
		"(SELECT 1 FROM usage_request WHERE time > now - 60 AND key = ?2 AND words = 'over ' || " +
		"refused AND " + overLimit + ")")
	s.String(bounded(r.ID)).String(r.Key).String(bounded(r.Model))
	s.SQL("DELETE FROM usage_request WHERE " + overLimit +
		" AND number <= (SELECT number FROM usage_request WHERE " + overLimit +
		" ORDER BY number DESC LIMIT 1 OFFSET " + maxRefused + ")")
	r.trim(s)
}

// trim adds the statement that takes out of the log what is too old for it or too much. It counts
// rows, since refused ones that are gone have left gaps in the numbers.
func (r *Request) trim(s *bridge.Statements) {
	s.SQL("DELETE FROM usage_request WHERE number <= (SELECT number FROM usage_request ORDER BY number " +
		"DESC LIMIT 1 OFFSET " + maxLogged + ") OR time <= " + now + " - ?1")
	s.Number(float64(r.LogTime))
}

// fail adds the statements that note a failed request, where a condition on usage_now holds, and
// delete the oldest that were noted.
func fail(s *bridge.Statements, where string, status int, kind, id string) {
	s.SQL("INSERT INTO usage_error (time, status, type, request_id) SELECT now, ?, ?, ? FROM " +
		"usage_now WHERE " + where)
	s.Number(float64(status)).String(kind).String(bounded(id))
	s.SQL("DELETE FROM usage_error WHERE number <= (SELECT max(number) FROM usage_error) - " + maxErrors)
}

// bounded cuts a text of the client's to maxText bytes, between two characters.
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
