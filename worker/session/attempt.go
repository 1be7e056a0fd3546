package session

import (
	"strings"

	"edgelingua/worker/bridge"
)

// How many wrong keys may come in a minute, from one address and from all together.
const (
	mostOfOne = "10"
	mostOfAll = "100"
)

// refused is SQL for the rows that refuse a key: that of its address, ?2, and that of all, which
// does not speak against an address from which the operator has opened one of the sessions that are
// kept. ?1 is now.
const refused = " FROM session_wrong WHERE address = ?2 AND address <> '' AND wrong >= " + mostOfOne +
	" OR address = '' AND wrong >= " + mostOfAll +
	" AND NOT EXISTS (SELECT 1 FROM session WHERE session.address = ?2)"

// Attempt makes the statements that decide whether a key from a client's address is looked at, at
// now in Unix seconds; Attempted reads their rows. A wrong one is counted, unless it is refused:
// then nothing is written. A minute begins with the first wrong key.
//
// All is decided in one batch, which has the outcome of the comparison with it: of keys that come
// at once, not one more is looked at.
func Attempt(address string, wrong bool, now int64) *bridge.Statements {
	at := float64(now)
	s := new(bridge.Statements).SQL(schema)
	s.SQL("DELETE FROM session_wrong WHERE since NOT BETWEEN ?1 - 59 AND ?1 + 60").Number(at)
	s.SQL("SELECT max(since) + 60 - ?1" + refused).Number(at).String(address)
	if wrong {
		s.SQL("INSERT INTO session_wrong SELECT address, ?1, 1 FROM (SELECT ?2 AS address UNION SELECT " +
			"'') WHERE NOT EXISTS (SELECT 1" + refused + ")" +
			" ON CONFLICT DO UPDATE SET wrong = wrong + 1")
		s.Number(at).String(address)
	}
	return s
}

// Attempted returns for how many seconds no key is looked at, 0 where the key was.
func Attempted(rows *bridge.Rows) (wait int64) { return waiting(rows) }

// maxAddress is the length of the longest address, an IPv6 address that ends as an IPv4 one.
const maxAddress = 45

// Client returns the address by which a client's wrong keys are counted, of the address that the
// host names in cf-connecting-ip: of IPv6 the first half, which is one network's. "" is for a
// client whose address nobody knows.
func Client(address string) string {
	if len(address) > maxAddress {
		return ""
	}
	head, tail, short := strings.Cut(address, "::")
	groups := strings.Split(head, ":")
	if len(groups) == 1 && !short {
		return address
	}
	if short {
		for n := 8 - len(groups) - strings.Count(tail, ":") - 1; n > 0; n-- {
			groups = append(groups, "0")
		}
		groups = append(groups, strings.Split(tail, ":")...)
	}
	return strings.Join(groups[:min(4, len(groups))], ":")
}
