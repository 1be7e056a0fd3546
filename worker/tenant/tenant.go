// Package tenant knows the personal endpoints: the address of one in a request's path, its record and its keys, and who may use it.
//
// The truth of a record is in the database of the endpoint's object: the record, its revision, and after a deletion a tombstone. A change
// names the revision on which it is based, and fails if the record is at another one by then. KV has a copy of the record, which requests
// read; other locations see a new copy within a minute. An object without a row has never been asked to change the record: then the copy in
// KV is the truth, and the first change makes it a row. A refusal in SQL is a NULL for a column that takes none, which makes the whole batch
// fail: the column in the error says what the refusal is. worker/endpoint reads what a record says, and worker/admin changes it.
package tenant

import (
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Of takes the address of a personal endpoint off a request's path, which then is what it is at any other endpoint. ok is false for
// a path that has none.
func Of(r *http.Request) (a endpoint.Address, ok bool) {
	a, r.URL.Path, ok = endpoint.Split(r.URL.Path)
	return a, ok
}

// Authorize returns the endpoint at an address for a client that presented key in a header, as a bearer token or not; a key in the
// path goes before it. A client without a key of the endpoint gets the same error whether or not there is such an endpoint.
func Authorize(host bridge.Host, a endpoint.Address, key string, bearer bool) (*endpoint.Endpoint, error) {
	if a.Key != "" {
		key = a.Key
	}
	if key == "" {
		return nil, endpoint.NoKey()
	}
	e, err := stored(host, a.Name)
	if err != nil {
		return nil, err
	}
	if e != nil && e.Forward && a.Key == "" {
		if _, ours := endpoint.NameOf(key); ours { // a key of an endpoint must not go to the upstream
			return nil, &ir.Error{Kind: ir.Authentication, Message: "This endpoint takes the upstream's key, not one that begins with el_."}
		}
		return ready(host, e, key, bearer)
	}
	hash, failed := host.Digest(key)
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	if err := CheckKey(e, hash, host.Now().Unix()); err != nil {
		return nil, err
	}
	e.Presented = hash
	return ready(host, e, "", false)
}

// CheckKey returns the error for a client whose key has this hash; nil: that is a key of e which has not expired at now, in seconds of
// the Unix epoch. e is nil if there is no such endpoint.
func CheckKey(e *endpoint.Endpoint, hash string, now int64) error {
	switch endpoint.CheckKey(e, hash, now) {
	case endpoint.UnknownKey:
		return endpoint.WrongKey()
	case endpoint.ExpiredKey:
		return &ir.Error{Kind: ir.Authentication, Message: "This key has expired. Ask for a new one, or make one with another key of this endpoint."}
	}
	return nil
}

// DisabledError is the error for a client of an endpoint that its operator has disabled.
func DisabledError() *ir.Error {
	return &ir.Error{Kind: ir.Permission, Message: "This endpoint is disabled. Its operator can enable it."}
}

// ready returns e, or why it can't serve a client that has a right to it. With "auth":"forward" key is the client's own, which goes to
// the upstreams, as a bearer token or not.
func ready(host bridge.Host, e *endpoint.Endpoint, key string, bearer bool) (*endpoint.Endpoint, error) {
	if e.Disabled {
		return nil, DisabledError()
	}
	local, err := endpoint.LocalUpstreams(host.Setting)
	if err == nil && !local {
		err = e.Public()
	}
	if err != nil {
		return nil, endpoint.NotSetUp(err.Error())
	}
	if e.Forward {
		e.Present(key, bearer)
	}
	return e, nil
}
