package registry

import (
	"strings"

	"edgelingua/worker/bridge"
)

// Guard adds to s the statements that make a batch fail for a request whose endpoint's copy in KV is out of date, where it says that
// the request is none for the endpoint: Refused tells why. The copy is at rev, made is when its endpoint was made, and hash is that of the key
// which the client has presented, "" for an endpoint whose clients bring the upstream's key. made and rev are 0 where the copy has none.
func Guard(s *bridge.Statements, rev, made int64, hash string) *bridge.Statements {
	Alive(s, made)
	s.SQL("UPDATE endpoint_record SET copied = NULL WHERE rev <> ? AND json_extract(record, '$.disabled')").Number(float64(rev))
	if hash == "" {
		return s
	}
	s.SQL("UPDATE endpoint_record SET record = NULL WHERE rev <> ? AND NOT EXISTS (SELECT 1 FROM json_each(record, '$.keys') " +
		"WHERE json_extract(value, '$.hash') = ? AND coalesce(json_extract(value, '$.expires') > unixepoch(), 1))")
	return s.Number(float64(rev)).String(hash)
}

// Alive adds to s the statements that make a batch fail where the endpoint that was made at this time is deleted: Refused tells why. An
// endpoint of the same name, made later, is another one.
func Alive(s *bridge.Statements, made int64) *bridge.Statements {
	s.SQL(schema).SQL("UPDATE endpoint_record SET made = NULL WHERE record = '' OR made <> ?1 AND ?1 <> 0")
	return s.Number(float64(made))
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
