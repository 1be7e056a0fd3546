//go:build js && wasm

package main

import (
	"net/http"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// personal is whose endpoint a request's path names, and with which key.
type personal struct{ endpoint.Address }

// personalOf takes the personal endpoint off a request's path, which then is what it is without.
func personalOf(r *http.Request) (p personal, ok bool) {
	p.Address, r.URL.Path, ok = endpoint.Split(r.URL.Path)
	return p, ok
}

// recordKey is where KV holds the record of an endpoint.
func recordKey(name string) string { return recordPrefix + name }

// admit returns the endpoint of a client that presented key, and in which form. Whether there is such an endpoint, who has no key
// of it does not learn.
func (p personal) admit(key string, bearer bool) (*endpoint.Endpoint, *ir.Error) {
	if p.Key != "" {
		key = p.Key
	}
	if key == "" {
		return nil, endpoint.NoKey()
	}
	e, err := stored(p.Name)
	if err != nil {
		return nil, err
	}
	if e != nil && e.Forward && p.Key == "" {
		if _, own := endpoint.NameOf(key); own { // which is no upstream's business
			return nil, &ir.Error{Kind: ir.Authentication, Message: "This endpoint takes the upstream's key, not one that begins with el_."}
		}
		return ready(e, key, bearer)
	}
	hash, failed := bridge.Digest(key)
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	if err := refused(e, hash); err != nil {
		return nil, err
	}
	return ready(e, "", false)
}

// refused says why a key of this hash does not open the endpoint, which is nil where there is none.
func refused(e *endpoint.Endpoint, hash string) *ir.Error {
	switch e.Admit(hash, time.Now().Unix()) {
	case endpoint.Unknown:
		return endpoint.WrongKey()
	case endpoint.Expired:
		return &ir.Error{Kind: ir.Authentication, Message: "This key has expired. Ask for a new one, or make one with another key of this endpoint."}
	}
	return nil
}

// disabled is the error for an endpoint that is.
func disabled() *ir.Error {
	return &ir.Error{Kind: ir.Permission, Message: "This endpoint is disabled. Its operator can enable it."}
}

// ready checks what only those hear of who have a right to the endpoint. key is the client's own, where that is for the
// upstreams.
func ready(e *endpoint.Endpoint, key string, bearer bool) (*endpoint.Endpoint, *ir.Error) {
	if e.Disabled {
		return nil, disabled()
	}
	if err := e.Public(); err != nil && !localAllowed() {
		return nil, endpoint.NotSetUp(err.Error())
	}
	for i := range e.Upstreams {
		if e.Forward {
			e.Upstreams[i].Key, e.Upstreams[i].Bearer = key, bearer
		}
	}
	return e, nil
}

// localAllowed reports whether records may name upstreams that are not on the public internet.
func localAllowed() bool {
	value, ok := setting("ALLOW_HTTP_UPSTREAM")
	return ok && value != "" && value != "false" && value != "0"
}

// stored returns the endpoint of that name, nil where there is none.
func stored(name string) (*endpoint.Endpoint, *ir.Error) {
	if !endpoint.IsName(name) {
		return nil, nil
	}
	record, _, found, failed := bridge.KVGet(recordKey(name))
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	if !found {
		return nil, nil
	}
	e, err := endpoint.Parse(name, string(record))
	if err != nil {
		println("edgelingua: the record of " + name + " can't be read: " + err.Error())
		return nil, nil
	}
	return e, nil
}

// unseal opens the upstream's key, where a record holds it.
func unseal(u *endpoint.Upstream) *ir.Error {
	if u.Key == "" || u.Endpoint.Name == "" || u.Forward {
		return nil
	}
	key, opened, _, failed := bridge.Open(u.SealContext(), u.Key)
	switch {
	case failed != nil:
		return endpoint.NotSetUp(failed.Error())
	case !opened:
		return endpoint.NotSetUp("the key of the upstream " + u.Name + " can't be opened. Set it again.")
	}
	u.Key = key
	return nil
}
