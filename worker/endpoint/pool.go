package endpoint

import (
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/worker/usage"
)

// MaxPool is how many keys an upstream may have that it takes in turn.
const MaxPool = 16

// readKey reads a key of an upstream's pool.
func (u *Upstream) readKey(path string, v gjson.Result) *Error {
	var key string
	if err := readText(&key, path, v); err != nil {
		return err
	}
	if key == "" {
		return &Error{path, "must be a key."}
	}
	u.Keys = append(u.Keys, key)
	return nil
}

// triedKeys is how many keys of a pool a request tries: an upstream that is broken fails with each
// of them.
const triedKeys = 2

// Pooled returns choices with upstreams that have one key in place of each that has a pool: those
// of its keys, two at most, that come next in turn, the ones that rest behind the others.
func Pooled(choices []Choice, turn int, rests func(*Upstream) bool) (pooled []Choice) {
	for _, c := range choices {
		n := len(c.Keys)
		if n == 0 {
			pooled = append(pooled, c)
			continue
		}
		left := triedKeys
		for _, resting := range [...]bool{false, true} {
			for i := 0; i < n && left > 0; i++ {
				if u := c.withKey((turn + i) % n); rests(u) == resting {
					pooled = append(pooled, Choice{u, c.Model})
					left--
				}
			}
		}
	}
	return pooled
}

// withKey returns the upstream with the key at index i of its pool. The secrets of the two are
// opened apart.
func (u *Upstream) withKey(i int) *Upstream {
	one := *u
	one.Key, one.Keys, one.turn = u.Keys[i], nil, i+1
	if u.Gateway != nil {
		gateway := *u.Gateway
		one.Gateway = &gateway
	}
	return &one
}

// Pools reports whether an upstream of the endpoint has a pool of keys.
func (e *Endpoint) Pools() bool {
	for i := range e.Upstreams {
		if len(e.Upstreams[i].Keys) > 0 {
			return true
		}
	}
	return false
}

// Health returns the upstream as the endpoint's object tells the health of one upstream from that
// of another: by its name and its sealed key. It is called before the key is unsealed. Where
// clients bring keys of their own, these are no part of it. A key of a pool has a health of its
// own, under the upstream's name, a slash and the number of the key, from 1.
func (u *Upstream) Health() usage.Resting {
	name := u.Name
	if u.turn > 0 {
		name += "/" + strconv.Itoa(u.turn)
	}
	if u.Endpoint.Forward {
		return usage.Resting{Upstream: name}
	}
	return usage.Resting{Upstream: name, Key: usage.Fingerprint(u.Key)}
}

// Health returns that of all upstreams, and of each key of a pool.
func (e *Endpoint) Health() (all []usage.Resting) {
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		if len(u.Keys) == 0 {
			all = append(all, u.Health())
		}
		for k := range u.Keys {
			all = append(all, u.withKey(k).Health())
		}
	}
	return all
}
