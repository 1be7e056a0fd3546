package endpoint

import (
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/worker/usage"
)

// MaxPool is the most keys in the pool of an upstream.
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

// triedKeys is how many keys of a pool a request tries at most: a broken upstream fails with every
// key.
const triedKeys = 2

// Pooled returns choices with each pool replaced by single keys: the next two keys at most in the
// rotation, beginning at start. Keys with a cooldown come last. inCooldown reports whether a key has a
// cooldown.
func Pooled(choices []Choice, start int, inCooldown func(*Upstream) bool) (pooled []Choice) {
	for _, c := range choices {
		n := len(c.Keys)
		if n == 0 {
			pooled = append(pooled, c)
			continue
		}
		left := triedKeys
		for _, cooling := range [...]bool{false, true} {
			for i := 0; i < n && left > 0; i++ {
				if u := c.withKey((start + i) % n); inCooldown(u) == cooling {
					pooled = append(pooled, Choice{u, c.Model})
					left--
				}
			}
		}
	}
	return pooled
}

// withKey returns a Copy of the upstream with the key at index i of its pool. It retains the pool for
// Secrets.
func (u *Upstream) withKey(i int) *Upstream {
	one := u.Copy()
	one.Key, one.poolNumber = u.Keys[i], i+1
	return one
}

// Copy returns a copy of the upstream with its own secrets: unsealing them does not change u.
func (u *Upstream) Copy() *Upstream {
	one := *u
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

// Health returns the identity of the upstream in the health records of the endpoint's object: its
// name and the fingerprint of its sealed key. It must be called before the key is unsealed. If
// clients bring their own keys, the identity has no key. Each key of a pool has its own health,
// named by the upstream's name, a slash and the number of the key, from 1.
func (u *Upstream) Health() usage.UpstreamKey {
	name := u.Name
	if u.poolNumber > 0 {
		name += "/" + strconv.Itoa(u.poolNumber)
	}
	if u.Endpoint.Forward {
		return usage.UpstreamKey{Upstream: name}
	}
	return usage.UpstreamKey{Upstream: name, Key: usage.Fingerprint(u.Key)}
}

// Health returns the identities of all upstreams, and of each key of a pool.
func (e *Endpoint) Health() (all []usage.UpstreamKey) {
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
