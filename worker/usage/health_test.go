package usage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// try counts a request with attempts at upstreams.
func (o *object) try(at Clock, attempts ...Attempt) {
	o.close(Request{Model: "m", Clock: at}, Outcome{Attempts: attempts})
}

func (o *object) resting(at Clock) []UpstreamKey {
	o.t.Helper()
	return ReadCooldowns(o.Run(Look(at, false)), false).Active
}

var (
	broken   = Attempt{UpstreamKey: UpstreamKey{"up", "k"}, Failed: true, Status: 503}
	answered = Attempt{UpstreamKey: UpstreamKey{"up", "k"}, Status: 200}
	rests    = []UpstreamKey{{"up", "k"}}
)

func TestAnUpstreamRests(t *testing.T) {
	o := newObject(t)
	o.try(start, broken)
	o.try(start, broken, Attempt{UpstreamKey: UpstreamKey{"other", "l"}, Status: 200})
	assert.Empty(t, o.resting(start))
	o.try(start, broken)
	assert.Equal(t, rests, o.resting(start))
	assert.Equal(t, rests, o.resting(start+9))
	assert.Empty(t, o.resting(start+10), "one request tries it")
	assert.Equal(t, rests, o.resting(start+10), "the others go on elsewhere")
	assert.Empty(t, o.resting(start+30), "that request has not come back: another one tries it")
	o.try(start+31, broken)
	assert.Equal(t, rests, o.resting(start+50), "it rests twice as long")
	assert.Empty(t, o.resting(start+51))
	o.try(start+52, answered)
	assert.Empty(t, o.resting(start+52))
	o.try(start+53, broken)
	assert.Empty(t, o.resting(start+53), "it has answered, and its failures count anew")
}

// TestAnUntriedUpstream: if a request was to probe an upstream but does not call it, the next
// request probes it.
func TestAnUntriedUpstream(t *testing.T) {
	o := newObject(t)
	for range 3 {
		o.try(start, broken)
	}
	look := func(at Clock) Cooldowns { return ReadCooldowns(o.Run(Look(at, false)), false) }
	assert.Empty(t, look(start+9).Probes)
	for range 3 {
		r := look(start + 10)
		assert.Empty(t, r.Active)
		assert.Len(t, r.Probes, 1)
		o.Run(ReturnProbes(r.Probes))
	}
	late := look(start + 10)
	assert.Equal(t, rests, look(start+10).Active)
	o.try(start+11, broken)
	o.Run(ReturnProbes(late.Probes))
	assert.Equal(t, rests, look(start+12).Active, "it has failed again meanwhile")

	for range 3 {
		o.try(start+100, broken)
	}
	r := Request{Model: "m", Lease: "a", Clock: start + 1000, Cooldowns: true, Limits: Limits{Requests: 1}}
	o.admit(Request{Model: "m", Clock: r.Clock, Limits: r.Limits})
	assert.NotEmpty(t, o.admit(r).Limit)
	assert.Len(t, look(r.Clock).Probes, 1, "a request that is refused tries nothing")
}

// TestWhatFallsToAnother: another key of the same upstream is not a fallback, nor is a further
// round of the same answer.
func TestWhatFallsToAnother(t *testing.T) {
	at := func(names ...string) (o Outcome) {
		for _, name := range names {
			o.Attempts = append(o.Attempts, Attempt{UpstreamKey: UpstreamKey{Upstream: name}})
		}
		return o
	}
	for _, same := range []Outcome{at(), at("a"), at("a", "a"), at("a/1", "a/2")} {
		assert.False(t, same.fell())
	}
	for _, other := range []Outcome{at("a", "b"), at("a/1", "b"), at("a", "a", "ab")} {
		assert.True(t, other.fell())
	}
}

func TestAdmissionLooks(t *testing.T) {
	o := newObject(t)
	r := Request{Model: "m", Lease: "a", Clock: start, Cooldowns: true, Limits: Limits{Requests: 9, Open: 9}}
	assert.Empty(t, o.admit(r).Active)
	for range 3 {
		o.try(start, broken)
	}
	assert.Equal(t, rests, o.admit(r).Active)
	assert.Equal(t, rests, r.Admitted(o.Run(r.Enter())).Active)
	r.Clock += 10
	assert.Empty(t, o.admit(r).Active)
	assert.Equal(t, rests, o.admit(r).Active, "another request tries it")
}

func TestARestHasAnEnd(t *testing.T) {
	o := newObject(t)
	at := Clock(start)
	for range 30 {
		o.try(at, broken)
		at += 301
		o.resting(at) // the probe
	}
	o.try(at, broken)
	assert.Equal(t, rests, o.resting(at+299))
	assert.Empty(t, o.resting(at+300))
}

func TestAShareOfFailures(t *testing.T) {
	o := newObject(t)
	for i := range 5 {
		o.try(start+Clock(i), broken)
		o.try(start+Clock(i), answered)
	}
	assert.Empty(t, o.resting(start+5), "never three in a row, and no failure since ten requests")
	o.try(start+5, broken)
	assert.Equal(t, rests, o.resting(start+5))

	o = newObject(t)
	for i := range 20 { // a failure per minute
		o.try(start+Clock(61*i), broken)
		o.try(start+Clock(61*i), answered)
	}
	assert.Empty(t, o.resting(start+61*19))
}

func TestA429(t *testing.T) {
	o := newObject(t)
	busy := Attempt{UpstreamKey: UpstreamKey{"up", "k"}, Failed: true, Status: 429, Wait: 30}
	o.try(start, busy)
	assert.Equal(t, rests, o.resting(start+29), "it rests at once, as long as it says")
	assert.Empty(t, o.resting(start+30))
	busy.Wait = 0
	o.try(start+100, busy)
	assert.Equal(t, rests, o.resting(start+109))
	assert.Empty(t, o.resting(start+110))
	busy.Wait = 1_000_000
	o.try(start+200, busy)
	assert.Empty(t, o.resting(start+200+maxCooldown), "an upstream can't ask to be left alone forever")

	o = newObject(t)
	busy.Key = ""
	o.try(start, busy)
	assert.Empty(t, o.resting(start), "that was a client's own key")
	o.try(start, Attempt{UpstreamKey: UpstreamKey{"up", "k"}, Failed: false, Status: 401})
	assert.Empty(t, o.resting(start))
}

// TestRefusedKey: an upstream that refuses the endpoint's own key has failed. A client's own key says
// nothing about other clients.
func TestRefusedKey(t *testing.T) {
	o := newObject(t)
	for range 3 {
		o.try(start, Attempt{UpstreamKey: UpstreamKey{"up", ""}, Status: 401})
	}
	assert.Empty(t, o.resting(start))
	for range 3 {
		o.try(start, Attempt{UpstreamKey: UpstreamKey{"up", "k"}, Status: 401})
	}
	assert.Equal(t, rests, o.resting(start))
	for range 3 {
		o.try(start, Attempt{UpstreamKey: UpstreamKey{"other", "k"}, Status: 403})
	}
	assert.Equal(t, rests, o.resting(start))
}

func TestAnotherKey(t *testing.T) {
	o := newObject(t)
	for range 3 {
		o.try(start, broken)
	}
	changed := broken
	changed.Key = "new"
	o.try(start, changed)
	assert.Empty(t, o.resting(start), "failures with another key are none of this one's")
	assert.NotEqual(t, Fingerprint("sealed"), Fingerprint("sealee"))
	assert.NotEmpty(t, Fingerprint(""), "a key that none is")
}

func TestKeysTakeTurns(t *testing.T) {
	o := newObject(t)
	look := func(at Clock) (resting []UpstreamKey, turn int) {
		r := ReadCooldowns(o.Run(Look(at, true)), true)
		assert.Empty(t, r.Probes, "a key is taken by whose turn it is")
		return r.Active, r.Rotation
	}
	for want := 1; want < 4; want++ {
		resting, turn := look(start)
		assert.Empty(t, resting)
		assert.Equal(t, want, turn)
	}
	busy := Attempt{UpstreamKey: UpstreamKey{"up/2", "k2"}, Failed: true, Status: 429, Wait: 30}
	o.try(start, busy, Attempt{UpstreamKey: UpstreamKey{"up/3", "k3"}, Status: 200})
	resting, _ := look(start + 29)
	assert.Equal(t, []UpstreamKey{{"up/2", "k2"}}, resting)
	for range 2 {
		resting, _ = look(start + 30)
		assert.Empty(t, resting, "whose turn it is takes it, and no other waits for that")
	}
	r := Request{Model: "m", Lease: "a", Clock: start, Cooldowns: true, Pools: true, Limits: Limits{Requests: 9,
		Open: 9}}
	admitted := o.admit(r)
	assert.Equal(t, 7, admitted.Rotation)
	assert.Equal(t, 8, r.Admitted(o.Run(r.Enter())).Rotation)
}
