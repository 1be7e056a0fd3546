// Package tenant manages the personal endpoints: the address in a request's path, the record and
// its keys, and access.
//
// The authoritative record is in the database of the endpoint's object: the record, its revision,
// and after a deletion a tombstone. A change names the revision on which it is based, and fails if
// the record has another revision by then. KV has a copy of the record for requests; other
// locations see a new copy within a minute. An object without a row has never changed the record.
// Then the copy in KV is authoritative, and the first change inserts the row. SQL refuses a change
// by writing NULL to a NOT NULL column: the whole batch fails, and the column in the error
// identifies the refusal. worker/endpoint interprets a record, and worker/admin changes it.
package tenant

import (
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Of cuts the address of a personal endpoint off a request's path. The rest is the path as at any
// other endpoint. ok is false for a path without such an address.
func Of(r *http.Request) (a endpoint.Address, ok bool) {
	a, r.URL.Path, ok = endpoint.Split(r.URL.Path)
	return a, ok
}

// Authorize returns the endpoint at an address for a client. key is the key from a header, bearer
// means a bearer token. A key in the path has priority over key. A client without a valid key gets
// the same error whether or not the endpoint exists.
func Authorize(host bridge.Host, a endpoint.Address, key string, bearer bool) (*endpoint.Endpoint, error) {
	if a.Key != "" {
		key = a.Key
	}
	if key == "" {
		return nil, endpoint.NoKey()
	}
	// A name is no secret, but a list of names is a list of customers. So an unknown name, a wrong
	// key, an unreadable record and a disabled endpoint that forwards keys get the same answer, after
	// the same work: one digest and one look-up.
	hash, failed := host.Digest(key)
	if failed != nil {
		return nil, endpoint.NotSetUp(failed.Error())
	}
	record, err := stored(host, a.Name)
	if err != nil {
		return nil, err
	}
	var e *endpoint.Endpoint
	if forward := a.Key == "" && forwards(record); forward || HasKey(record, hash) {
		e = parse(a.Name, record)
	}
	// After a change of an endpoint to "auth":"forward", clients send the endpoint's keys until
	// somebody replaces the keys. The upstream would get keys for the owner API, valid again after
	// a change back.
	if e != nil && e.Forward && !e.Disabled && a.Key == "" {
		if _, ours := endpoint.NameOf(key); ours { // a key of an endpoint must not go to the upstream
			return nil, &ir.Error{Kind: ir.Authentication,
				Message: "This endpoint takes the upstream's key, not one that begins with el_."}
		}
		return ready(host, e, key, bearer)
	}
	if err := CheckKey(e, hash, host.Now().Unix()); err != nil {
		return nil, err
	}
	e.Presented = hash
	return ready(host, e, "", false)
}

// CheckKey returns the client's error for the key with this hash. nil: the key belongs to e and has
// not expired at now, in Unix seconds. e is nil if there is no such endpoint.
func CheckKey(e *endpoint.Endpoint, hash string, now int64) error {
	switch endpoint.CheckKey(e, hash, now) {
	case endpoint.UnknownKey:
		return endpoint.WrongKey()
	case endpoint.ExpiredKey:
		return &ir.Error{Kind: ir.Authentication,
			Message: "This key has expired. Ask for a new one, or make one with another key of " +
				"this endpoint."}
	}
	return nil
}

// DisabledError is the error for a client of an endpoint that its operator disabled.
func DisabledError() *ir.Error {
	return &ir.Error{Kind: ir.Permission, Message: "This endpoint is disabled. Its operator can enable it."}
}

// ready returns e, or the reason why it can't serve an authorized client. With "auth":"forward",
// key is the client's own key for the upstreams, and bearer means a bearer token.
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
