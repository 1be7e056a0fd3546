package tenant

import (
	"strings"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Guard adds to a batch for an endpoint's object the statements that make it fail if the client may
// no longer use the endpoint: the copy of the record in KV, which admitted the client, may be out
// of date. Refused and NotAllowed return the reason. For the deployment's own endpoint Guard adds
// nothing.
func Guard(s *bridge.Statements, e *endpoint.Endpoint) {
	if e.Name != "" {
		guardKey(s, e.Rev, e.Created, e.Presented)
	}
}

// Alive adds to a batch for an endpoint's object the statements that make it fail if the endpoint
// was deleted meanwhile. Refused returns the reason. So a request stores nothing in another
// endpoint of the same name.
func Alive(s *bridge.Statements, e *endpoint.Endpoint) {
	if e.Name != "" {
		alive(s, e.Created)
	}
}

// NotAllowed returns the client's error for a batch that Guard made fail. nil: the batch failed for
// another reason.
func NotAllowed(failed error) error {
	switch Refused(failed) {
	case Gone, Revoked:
		return endpoint.WrongKey()
	case Disabled:
		return DisabledError()
	}
	return nil
}

// guardKey adds to s the statements that make a batch fail if the copy of the record in KV is out
// of date, and the record does not admit the request. Refused returns the reason. rev is the copy's
// revision, and made the creation time of its endpoint; both are 0 if the copy has none. hash is
// the hash of the client's key, "" for an endpoint whose clients send the upstream's key.
func guardKey(s *bridge.Statements, rev, made int64, hash string) {
	alive(s, made)
	s.SQL("UPDATE endpoint_record SET copied = NULL WHERE rev <> ? AND json_extract(record, " +
		"'$.disabled')").Number(float64(rev))
	if hash == "" {
		return
	}
	s.SQL("UPDATE endpoint_record SET record = NULL WHERE rev <> ? AND NOT EXISTS (SELECT 1 FROM " +
		"json_each(record, '$.keys') " +
		"WHERE json_extract(value, '$.hash') = ? AND coalesce(json_extract(value, '$.expires') > " +
		"unixepoch(), 1))")
	s.Number(float64(rev)).String(hash)
}

// alive adds to s the statements that make a batch fail if the endpoint created at made is deleted.
// Refused returns the reason. A later endpoint of the same name is a different endpoint.
func alive(s *bridge.Statements, made int64) {
	// Otherwise requests that run during a deletion, and locations that see the deletion a minute
	// later, would create the tables again and leave data for good.
	s.SQL(schema).SQL("UPDATE endpoint_record SET made = NULL WHERE record = '' OR made <> ?1 AND ?1 <> 0")
	s.Number(float64(made))
}

// Refusal is the reason why a batch was refused.
type Refusal uint8

const (
	None      Refusal = iota // not refused: the batch failed for another reason
	Overtaken                // the record changed after it was read
	Gone                     // the endpoint is deleted
	Disabled                 // the endpoint is disabled
	Revoked                  // the client's key does not belong to the endpoint, or has expired
)

// Refused returns the reason why a failed batch was refused.
func Refused(failed error) Refusal {
	_, column, _ := strings.Cut(failed.Error(), "NOT NULL constraint failed: endpoint_record.")
	for i, name := range [...]string{Overtaken: "rev", Gone: "made", Disabled: "copied", Revoked: "record"} {
		if name != "" && strings.HasPrefix(column, name) {
			return Refusal(i)
		}
	}
	return None
}
