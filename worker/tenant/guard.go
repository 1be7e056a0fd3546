package tenant

import (
	"strings"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Guard adds to a batch for an endpoint's object what makes it fail if the copy in KV by which the client was let in is out of date, and the
// client may not use the endpoint any more: Refused and NotAllowed tell why. Nothing is added for the deployment's own endpoint.
func Guard(s *bridge.Statements, e *endpoint.Endpoint) {
	if e.Name != "" {
		guardKey(s, e.Rev, e.Created, e.Presented)
	}
}

// Alive adds to a batch for an endpoint's object what makes it fail if the endpoint was deleted meanwhile: Refused tells why. So a request
// leaves nothing behind for another endpoint of the same name.
func Alive(s *bridge.Statements, e *endpoint.Endpoint) {
	if e.Name != "" {
		alive(s, e.Created)
	}
}

// NotAllowed returns the error for a client whom Guard has refused; nil: the batch has failed for another reason.
func NotAllowed(failed error) error {
	switch Refused(failed) {
	case Gone, Revoked:
		return endpoint.WrongKey()
	case Disabled:
		return DisabledError()
	}
	return nil
}

// guardKey adds to s the statements that make a batch fail for a request whose endpoint's copy in KV is out of date, where it says that
// the request is none for the endpoint: Refused tells why. The copy is at rev, made is when its endpoint was made, and hash is that of the key
// which the client has presented, "" for an endpoint whose clients bring the upstream's key. made and rev are 0 where the copy has none.
func guardKey(s *bridge.Statements, rev, made int64, hash string) {
	alive(s, made)
	s.SQL("UPDATE endpoint_record SET copied = NULL WHERE rev <> ? AND json_extract(record, '$.disabled')").Number(float64(rev))
	if hash == "" {
		return
	}
	s.SQL("UPDATE endpoint_record SET record = NULL WHERE rev <> ? AND NOT EXISTS (SELECT 1 FROM json_each(record, '$.keys') " +
		"WHERE json_extract(value, '$.hash') = ? AND coalesce(json_extract(value, '$.expires') > unixepoch(), 1))")
	s.Number(float64(rev)).String(hash)
}

// alive adds to s the statements that make a batch fail where the endpoint that was made at this time is deleted: Refused tells why. An
// endpoint of the same name, made later, is another one.
func alive(s *bridge.Statements, made int64) {
	s.SQL(schema).SQL("UPDATE endpoint_record SET made = NULL WHERE record = '' OR made <> ?1 AND ?1 <> 0")
	s.Number(float64(made))
}

// Refusal says why a batch was refused.
type Refusal uint8

const (
	None      Refusal = iota // it has failed for a reason of its own
	Overtaken                // the record has changed since it was read
	Gone                     // the endpoint is deleted
	Disabled                 // the endpoint is disabled
	Revoked                  // the client's key is none of the endpoint's, or has expired
)

// Refused returns why a batch was refused that has failed.
func Refused(failed error) Refusal {
	_, column, _ := strings.Cut(failed.Error(), "NOT NULL constraint failed: endpoint_record.")
	for i, name := range [...]string{Overtaken: "rev", Gone: "made", Disabled: "copied", Revoked: "record"} {
		if name != "" && strings.HasPrefix(column, name) {
			return Refusal(i)
		}
	}
	return None
}
