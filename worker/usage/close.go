package usage

import (
	"strings"
	"unicode/utf8"

	"edgelingua/worker/bridge"
)

// Tokens are the tokens of a request and its answer. Cached is a part of Input, Reasoning of Output.
type Tokens struct {
	Input, Output, Cached, Reasoning int64
}

// Outcome is what came of a request that was admitted.
type Outcome struct {
	Tokens
	Summary *Tokens // of the call for the summary that the answer begins with; nil: there was none
	Status  int     // an HTTP status of 400 or more; 0: the request did not fail
	Type    string  // the name of the failure (ir.ErrorKind)
}

// Close returns the statements that count a request which Admit has let through, by what came of it, and give back its places.
func (r *Request) Close(o *Outcome) *bridge.Statements {
	s := begin(r.Clock)
	failed := o.Status != 0
	count(s, r.Model, "1", failed, &o.Tokens)
	if o.Summary != nil { // a call of its own, which counts as a request where requests are counted
		count(s, r.Model, "1", false, o.Summary)
		if r.Limits.Requests > 0 {
			s.SQL(countMinute + " WHERE 1" + again)
		}
	}
	if failed {
		fail(s, "1", o.Status, o.Type, r.ID)
	}
	s.SQL("DELETE FROM usage_day WHERE day <= " + today + " - ?").Number(MaxDays)
	return r.giveBack(s)
}

// Leave returns the statements that only give back the places of a request: of one that asks no model, or that was refused.
func (r *Request) Leave() *bridge.Statements { return r.giveBack(begin(r.Clock)) }

// giveBack adds the statements that give back the places of a request, if it has any.
func (r *Request) giveBack(s *bridge.Statements) *bridge.Statements {
	if r.Lease != "" {
		s.SQL("DELETE FROM usage_stream WHERE lease = ?").String(r.Lease)
		s.SQL("DELETE FROM usage_open WHERE lease = ?").String(r.Lease)
	}
	return s
}

// count adds the statement that counts a request in its day, where a condition on usage_now holds.
func count(s *bridge.Statements, model, where string, failed bool, t *Tokens) {
	s.SQL("INSERT INTO usage_day SELECT now / 86400, " +
		"CASE WHEN EXISTS (SELECT 1 FROM usage_day WHERE day = now / 86400 AND model = ?1) OR " +
		"(SELECT count(*) FROM usage_day WHERE day = now / 86400 AND model <> 'other') < " + maxModels + " THEN ?1 ELSE 'other' END, " +
		"1, ?2, ?3, ?4, ?5, ?6 FROM usage_now WHERE " + where +
		" ON CONFLICT DO UPDATE SET requests = requests + 1, errors = errors + excluded.errors, input = input + excluded.input, " +
		"output = output + excluded.output, cached = cached + excluded.cached, reasoning = reasoning + excluded.reasoning")
	errors := 0.0
	if failed {
		errors = 1
	}
	s.String(bounded(model)).Number(errors).Number(float64(t.Input)).Number(float64(t.Output)).Number(float64(t.Cached)).Number(float64(t.Reasoning))
}

// fail adds the statements that note a failed request, where a condition on usage_now holds, and delete the oldest that were noted.
func fail(s *bridge.Statements, where string, status int, kind, id string) {
	s.SQL("INSERT INTO usage_error (time, status, type, request_id) SELECT now, ?, ?, ? FROM usage_now WHERE " + where)
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
