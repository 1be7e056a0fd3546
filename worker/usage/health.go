package usage

import (
	"strconv"
	"strings"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// The circuit breaker: after failures an upstream has a cooldown. During the cooldown, requests try
// the endpoint's other upstreams first. A cooldown begins after inARow failures without a good
// answer in between, or if half of at least ofMany requests within window have failed. The first
// cooldown lasts firstCooldown seconds. If the upstream fails again afterwards, each cooldown is
// twice as long as the previous, up to longest. After a cooldown a single request probes the
// upstream. Until the probe is answered, for at most probeTime seconds, all later requests still
// try the other upstreams first. An answer with status 429 begins a cooldown at once, with the
// duration in its retry-after. An answer with status 401 to the endpoint's own key is a failure, too.
const (
	inARow        = "3"
	ofMany        = "10"
	window        = "60" // seconds; failures within a window are counted together
	firstCooldown = "10" // seconds
	longest       = "300"
	probeTime     = "20"
	forgotten     = "86400" // seconds until a failure is no longer shown

	busyCooldown = 10   // seconds of a 429 without retry-after
	maxCooldown  = 3600 // most seconds of a 429 with retry-after
)

// Attempt is a request to an upstream, with its outcome.
type Attempt struct {
	UpstreamKey
	Failed bool  // the upstream could not answer; a fallback may be able to
	Status int   // the upstream's status; 0: no answer
	Wait   int64 // the seconds in the retry-after of a 429, rounded up; 0: there is none

	Began int64 // when it was sent, in milliseconds of the Unix epoch
	Took  int64 // milliseconds to the head of the answer, or to the failure
	// the vendor's host is known, but no table has the model
	Unknown bool
	Reason  string // why there was no answer, or why it broke off, if Status does not say; "": it did not
}

// name returns the name of the upstream, without the number of a pool key.
func (a *Attempt) name() string {
	name, _, _ := strings.Cut(a.Upstream, "/")
	return name
}

// busy reports whether the upstream has answered 429 (too many requests with this key).
func (a *Attempt) busy() bool { return a.Failed && a.Status == 429 }

// Unhealthy reports whether the attempt counts as a failure of the upstream: the upstream could not
// answer, or refuses the endpoint's own key.
func (a *Attempt) Unhealthy() bool { return a.Failed || a.Status == 401 && a.Key != "" }

// note adds the statements that record the outcome of a request to an upstream. A good answer
// changes the upstream's row, which exists only after a failure.
func (a *Attempt) note(s *bridge.Statements) {
	failed := a.Unhealthy()
	switch {
	case !failed && (a.Status == 0 || a.Status >= 400):
		// the client has left, or the upstream refused the request as invalid
		return
	case !failed:
		s.SQL("DELETE FROM usage_health WHERE upstream = ?1 AND (key <> ?2 OR began <= " + now + " - " +
			window + ")").String(a.Upstream).String(a.Key)
		s.SQL("UPDATE usage_health SET streak = 0, opened = 0, until = 0, answered = answered + 1 WHERE " +
			"upstream = ?1").String(a.Upstream)
		return
	case a.busy() && a.Key == "":
		// the key is the client's own, so the 429 says nothing about other clients
		return
	}
	// If the upstream's key was changed, its row is deleted. If the window of the row has ended,
	// the row's requests are reset to 0, but the failures in a row and the number of cooldowns
	// stay.
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
			wait = busyCooldown
		}
		s.SQL("UPDATE usage_health SET until = max(until, " + now +
			" + ?2) WHERE upstream = ?1").String(a.Upstream).Number(float64(min(wait, maxCooldown)))
		return
	}
	s.SQL("UPDATE usage_health SET opened = opened + 1, until = " + now + " + min(" + firstCooldown +
		" << min(opened, 10), " + longest + ") WHERE upstream = ?1 AND " +
		"(streak >= " + inARow + " OR failed + answered >= " + ofMany +
		" AND failed >= answered)").String(a.Upstream)
}

// Look returns the statements that select the upstreams with a cooldown, for a request without
// limits to check. ReadCooldowns reads the rows. pools: the endpoint has a pool of keys.
func Look(c Clock, pools bool) *bridge.Statements { return readsCooldowns(begin(c), pools) }

// readsCooldowns adds the statements that select the upstreams with a cooldown. The first statement
// selects cooldowns, current and expired. The second extends each expired cooldown by probeTime
// seconds, so only this request probes the upstream. Keys of a pool have a slash in their name and
// need no probe: after its cooldown a key simply returns to the rotation.
func readsCooldowns(s *bridge.Statements, pools bool) *bridge.Statements {
	s.SQL("SELECT upstream, key, CASE WHEN until > now THEN 0 ELSE now + " + probeTime +
		" END FROM usage_health, usage_now WHERE until > now OR " + needsProbe)
	s.SQL("UPDATE usage_health SET until = " + now + " + " + probeTime + " WHERE until <= " + now + " AND " +
		needsProbe + " AND EXISTS (SELECT 1 FROM usage_now WHERE refused IS NULL)")
	if pools {
		s.SQL("INSERT INTO usage_turn VALUES (0, 1) ON CONFLICT DO UPDATE SET turn = turn + 1")
		s.SQL("SELECT turn FROM usage_turn")
	}
	return s
}

// needsProbe is SQL for the upstreams that need a probe after their cooldown.
const needsProbe = "until > 0 AND upstream NOT LIKE '%/%'"

// Probe is an upstream to probe. All later requests avoid the upstream until the time until.
type Probe struct {
	Upstream string
	until    float64
}

// ReturnProbes returns the statements that pass probes on to the next request, because this request
// has called none of the upstreams.
func ReturnProbes(probes []Probe) *bridge.Statements {
	s := new(bridge.Statements)
	for _, t := range probes {
		s.SQL("UPDATE usage_health SET until = 1 WHERE upstream = ?1 " +
			"AND until = ?2").String(t.Upstream).Number(t.until)
	}
	return s
}

// KeepHealth adds the statement that deletes the health of all other upstreams, and of earlier keys.
func KeepHealth(s *bridge.Statements, upstreams []UpstreamKey) {
	list := []byte{'['}
	for i, u := range upstreams {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(jsonw.AppendString(append(list, '['), u.Upstream), ',')
		list = append(jsonw.AppendString(list, u.Key), ']')
	}
	s.SQL("DELETE FROM usage_health WHERE json_array(upstream, key) NOT IN (SELECT value FROM " +
		"json_each(?))").String(string(append(list, ']')))
}

// UpstreamKey names an upstream: Upstream is its name, and Key is the fingerprint of its sealed
// key. Key is "" if clients bring their own keys.
type UpstreamKey struct{ Upstream, Key string }

// Cooldowns is the health of an endpoint's upstreams at the start of a request.
type Cooldowns struct {
	Active   []UpstreamKey
	Probes   []Probe // expired cooldowns that this request probes
	Rotation int     // number of the request in the rotation of pool keys
}

// ReadCooldowns reads the rows of Look's statements. pools must have the same value as for Look.
func ReadCooldowns(rows *bridge.Rows, pools bool) Cooldowns {
	rows.Answer()
	return readCooldowns(rows, pools)
}

// readCooldowns reads the rows of the statements added by readsCooldowns.
func readCooldowns(rows *bridge.Rows, pools bool) (r Cooldowns) {
	for rows.Next() {
		u := UpstreamKey{string(rows.Value().Bytes), string(rows.Value().Bytes)}
		if until := rows.Value().Number; until > 0 {
			r.Probes = append(r.Probes, Probe{u.Upstream, until})
		} else {
			r.Active = append(r.Active, u)
		}
	}
	if pools {
		rows.Statement()
		rows.Answer()
		rows.Next()
		r.Rotation = int(rows.Value().Number)
	}
	return r
}

// Fingerprint returns a text that differs between sealed keys: a 64-bit FNV-1a hash in decimal.
// sealed is "" for no key.
func Fingerprint(sealed string) string {
	hash := uint64(14695981039346656037)
	for i := 0; i < len(sealed); i++ {
		hash = (hash ^ uint64(sealed[i])) * 1099511628211
	}
	// with a base other than 10, strconv would make the module 20 KB larger
	return strconv.FormatInt(int64(hash), 10)
}
