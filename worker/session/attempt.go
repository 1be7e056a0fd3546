package session

import (
	"strings"

	"edgelingua/worker/bridge"
)

// Limits on wrong keys per minute, from one address and from all addresses together.
const (
	mostOfOne = "10"
	mostOfAll = "100"
)

// refused is SQL for the rows of session_wrong that refuse a wrong key: the row of the client's
// address ?2, and the row of all addresses, with an empty address. ?1 is now.
const refused = " FROM session_wrong WHERE address = ?2 AND address <> '' AND wrong >= " + mostOfOne +
	" OR address = '' AND wrong >= " + mostOfAll

// Wrong returns the statements that count a wrong key from a client's address, at now in Unix
// seconds. Over a limit nothing is written. Refused reads their rows. A minute begins with the first
// wrong key. Decision and count are one batch, so simultaneous keys can't exceed the limit.
func Wrong(address string, now int64) *bridge.Statements {
	at := float64(now)
	s := new(bridge.Statements).SQL(schema)
	s.SQL("DELETE FROM session_wrong WHERE since NOT BETWEEN ?1 - 59 AND ?1 + 60").Number(at)
	s.SQL("SELECT max(since) + 60 - ?1" + refused).Number(at).String(address)
	s.SQL("INSERT INTO session_wrong SELECT address, ?1, 1 FROM (SELECT ?2 AS address UNION SELECT " +
		"'') WHERE NOT EXISTS (SELECT 1" + refused + ")" +
		" ON CONFLICT DO UPDATE SET wrong = wrong + 1")
	return s.Number(at).String(address)
}

// Refused returns for how many seconds wrong keys are refused uncounted, or 0 if the key was counted.
func Refused(rows *bridge.Rows) (wait int64) { return waiting(rows) }

// maxAddress is the length of the longest address: an IPv6 address with an IPv4 address at the end.
const maxAddress = 45

// Client returns the address under which a client's wrong keys are counted. address is the value of
// cf-connecting-ip, set by the host. Of an IPv6 address Client returns the first half, which
// identifies a network. If the client's address is unknown, Client returns "".
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
