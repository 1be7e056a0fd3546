package personal

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/registry"
)

// Guard adds to a batch for an endpoint's object what makes it fail, for a reason that Refused knows, where the copy in KV by which the
// client was let in is out of date, and the client may not use the endpoint any more.
func Guard(s *bridge.Statements, e *endpoint.Endpoint) {
	if e.Name != "" {
		registry.Guard(s, e.Rev, e.Created, e.Presented)
	}
}

// Alive adds to a batch for an endpoint's object what makes it fail, for a reason that registry.Refused knows, where the endpoint was deleted
// meanwhile: a request leaves nothing behind for another endpoint of the same name.
func Alive(s *bridge.Statements, e *endpoint.Endpoint) {
	if e.Name != "" {
		registry.Alive(s, e.Created)
	}
}

// Refused returns the error for a client whom Guard has refused, nil where a batch has failed for another reason.
func Refused(failed error) error {
	switch registry.Refused(failed) {
	case registry.Gone, registry.Revoked:
		return endpoint.WrongKey()
	case registry.Disabled:
		return Disabled()
	}
	return nil
}
