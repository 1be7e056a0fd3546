package usage

import (
	"strconv"
	"strings"

	"edgelingua/worker/bridge"
)

// An upstream that fails rests for a while: requests then ask the endpoint's other upstreams first.
// Its rest begins after inARow failures without a good answer between them, or where ofMany
// requests have come within window and half of them have failed. The first rest takes firstRest; an
// upstream that fails again behind its rest rests twice as long as before, up to longest. When a
// rest is over, one request asks the upstream; until that has its answer, at most for trial, the
// other requests still ask the other upstreams first. An answer with the status 429 begins a rest
// at once, which takes as long as the answer's retry-after says.
const (
	inARow    = "3"
	ofMany    = "10"
	window    = "60" // seconds in which failures are counted together
	firstRest = "10" // seconds
	longest   = "300"
	trial     = "20"
	forgotten = "86400" // seconds after which a failure is not shown any more

	busyRest = 10   // seconds of a 429 without retry-after
	maxRest  = 3600 // seconds of one with it
)

// Attempt is a request to an upstream, and what came of it.
type Attempt struct {
	Resting
	Failed bool  // the upstream could not answer; another one may be able to
	Status int   // of the upstream's answer; 0: it gave none
	Wait   int64 // the seconds in the retry-after of a 429; 0: there is none
}

// name returns the name of the upstream, without the number of a key of its pool.
func (a *Attempt) name() string {
	name, _, _ := strings.Cut(a.Upstream, "/")
	return name
}

// busy reports whether the upstream has answered that requests with this key are too many.
func (a *Attempt) busy() bool { return a.Failed && a.Status == 429 }

// note adds the statements that note what came of a request to an upstream. An answer changes rows
// only of an upstream that has failed before.
func (a *Attempt) note(s *bridge.Statements) {
	switch {
	case !a.Failed && (a.Status == 0 || a.Status >= 400):
		// the client has left, or the upstream found fault with the request
		return
	case !a.Failed:
		s.SQL("DELETE FROM usage_health WHERE upstream = ?1 AND (key <> ?2 OR began <= " + now + " - " +
			window + ")").String(a.Upstream).String(a.Key)
		s.SQL("UPDATE usage_health SET streak = 0, opened = 0, until = 0, answered = answered + 1 WHERE " +
			"upstream = ?1").String(a.Upstream)
		return
	case a.busy() && a.Key == "":
		// clients bring their keys, and this client's requests are too many: the others' are not
		return
	}
	// The row of an upstream whose key was changed goes. In one whose window is over, the requests
	// of that window are forgotten; how many failures there were in a row, and how often the
	// upstream has rested, stays.
	s.SQL("DELETE FROM usage_health WHERE upstream = ?1 AND key <> ?2").String(a.Upstream).String(a.Key)
	s.SQL("UPDATE usage_health SET began = " + now +
		", failed = 0, answered = 0 WHERE upstream = ?1 AND began <= " + now + " - " +
		window).String(a.Upstream)
	s.SQL("INSERT INTO usage_health SELECT ?1, ?2, 1, now, 1, 0, 0, 0, ?3, now FROM usage_now WHERE 1 " +
		"ON CONFLICT DO UPDATE SET streak = streak + 1, failed = failed + 1, status = excluded.status, " +
		"time = excluded.time")
	s.String(a.Upstream).String(a.Key).Number(float64(a.Status))
	if a.busy() {
		wait := a.Wait
		if wait <= 0 {
			wait = busyRest
		}
		s.SQL("UPDATE usage_health SET until = max(until, " + now +
			" + ?2) WHERE upstream = ?1").String(a.Upstream).Number(float64(min(wait, maxRest)))
		return
	}
	s.SQL("UPDATE usage_health SET opened = opened + 1, until = " + now + " + min(" + firstRest +
		" << min(opened, 10), " + longest + ") WHERE upstream = ?1 AND " +
		"(streak >= " + inARow + " OR failed + answered >= " + ofMany +
		" AND failed >= answered)").String(a.Upstream)
}

// Look makes the statements that find the upstreams which rest, for a request that no limit has to
// admit. ReadResting reads their rows. pools: the endpoint has keys that take turns.
func Look(c Clock, pools bool) *bridge.Statements { return rest(begin(c), pools) }

// rest adds statements to a batch. The first selects the upstreams that rest. The second has those
// whose rest is over go on resting for other requests, for trial: this request is the one that
// tries them. Keys of a pool, whose names have a slash, are left out: the request whose turn it is
// takes such a key as soon as its rest is over.
func rest(s *bridge.Statements, pools bool) *bridge.Statements {
	s.SQL("SELECT upstream, key, CASE WHEN until > now THEN 0 ELSE now + " + trial +
		" END FROM usage_health, usage_now WHERE until > now OR " + triable)
	s.SQL("UPDATE usage_health SET until = " + now + " + " + trial + " WHERE until <= " + now + " AND " +
		triable + " AND EXISTS (SELECT 1 FROM usage_now WHERE refused IS NULL)")
	if pools {
		s.SQL("INSERT INTO usage_turn VALUES (0, 1) ON CONFLICT DO UPDATE SET turn = turn + 1")
		s.SQL("SELECT turn FROM usage_turn")
	}
	return s
}

// triable is SQL for the upstreams that have rested, and are tried by one request.
const triable = "until > 0 AND upstream NOT LIKE '%/%'"

// Trial is an upstream that a request is to try, and until when the others wait for what comes of that.
type Trial struct {
	Upstream string
	until    float64
}

// Untried makes the statements by which the next request tries upstreams again: this one asks none
// of them.
func Untried(trials []Trial) *bridge.Statements {
	s := new(bridge.Statements)
	for _, t := range trials {
		s.SQL("UPDATE usage_health SET until = 1 WHERE upstream = ?1 " +
			"AND until = ?2").String(t.Upstream).Number(t.until)
	}
	return s
}

// Resting names an upstream whose health is known: by its name, and by the fingerprint of its
// sealed key, "" where clients bring keys of their own.
type Resting struct{ Upstream, Key string }

// Rests is what rests when a request comes.
type Rests struct {
	Resting []Resting
	Trials  []Trial // what has rested, and is tried by this request
	Turn    int     // the number of the request's turn, where keys take turns
}

// ReadResting reads the rows of Look's statements. pools is as Look has it.
func ReadResting(rows *bridge.Rows, pools bool) Rests {
	rows.Answer()
	return readResting(rows, pools)
}

// readResting reads the rows of the statements that rest adds.
func readResting(rows *bridge.Rows, pools bool) (r Rests) {
	for rows.Next() {
		u := Resting{string(rows.Value().Bytes), string(rows.Value().Bytes)}
		if until := rows.Value().Number; until > 0 {
			r.Trials = append(r.Trials, Trial{u.Upstream, until})
		} else {
			r.Resting = append(r.Resting, u)
		}
	}
	if pools {
		rows.Statement()
		rows.Answer()
		rows.Next()
		r.Turn = int(rows.Value().Number)
	}
	return r
}

// Fingerprint returns a text that differs for different sealed keys, "" being no key: a hash of 64
// bits, FNV-1a.
func Fingerprint(sealed string) string {
	hash := uint64(14695981039346656037)
	for i := 0; i < len(sealed); i++ {
		hash = (hash ^ uint64(sealed[i])) * 1099511628211
	}
	// in another base than 10 strconv would make the module 20 KB larger
	return strconv.FormatInt(int64(hash), 10)
}
