package usage

import (
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// The limits of a key hold beside the endpoint's. Tokens and money of a key are in usage_sum. Its
// requests per minute have a table of their own, which only batches of keys with this limit create.

// ofKey follows the name of a key's limit, in usage_now, in the request log and in errors.
const ofKey = " of this key"

const keySchema = "CREATE TABLE IF NOT EXISTS usage_key_second (key TEXT, second INTEGER, " +
	"requests INTEGER, PRIMARY KEY (key, second)) WITHOUT ROWID"

// account1 and account2 are SQL for the id under which the key ?1 or ?2 is counted: its own, or the id of
// the key that has replaced it. A request may have begun before the key was replaced, or with an older
// copy of the endpoint's record.
const (
	account1 = "coalesce((SELECT r.key FROM usage_replaced AS r WHERE r.old = ?1), ?1)"
	account2 = "coalesce((SELECT r.key FROM usage_replaced AS r WHERE r.old = ?2), ?2)"
)

// refuseKey adds the statements that refuse the request if its key has had too many requests in the
// minute.
func (r *Request) refuseKey(s *bridge.Statements) {
	forKey := "key = " + account2
	if n := r.KeyLimits.Requests; n > 0 {
		s.SQL(keySchema).SQL("DELETE FROM usage_key_second WHERE second NOT BETWEEN " + now + " - 60 AND " +
			now + " + 60")
		refuse(s, "requests_per_minute"+ofKey, minuteWait("usage_key_second", forKey),
			"(SELECT sum(requests) FROM usage_key_second WHERE "+forKey+")", n)
		s.String(r.Key)
	}
}

// Recount returns the statements that count the use of a key under another key, which replaces it. No
// request has been counted under the other key yet. The overview receives the days of the key again.
func Recount(c Clock, from, to string) *bridge.Statements {
	s := begin(c).SQL(keySchema)
	s.SQL("UPDATE usage_sent SET first = min(first, moved), day = min(day, moved), time = 0, settled = 0 " +
		"FROM (SELECT min(u.day) AS moved FROM usage_sum AS u WHERE key = ?1) WHERE moved IS NOT NULL")
	s.String(from)
	for _, table := range [...]string{"usage_sum", "usage_hour", "usage_log", "usage_session",
		"usage_refused", "usage_key_second", "usage_replaced"} {
		s.SQL("UPDATE " + table + " SET key = ?1 WHERE key = ?2").String(to).String(from)
	}
	s.SQL("DELETE FROM usage_replaced WHERE time <= " + now + " - ?1").Number(replacedTime)
	return s.SQL("INSERT OR REPLACE INTO usage_replaced SELECT ?1, ?2, now FROM usage_now").String(from).
		String(to)
}

// replacedTime is how long requests may still come with the id of a replaced key, in seconds. No request
// lasts as long.
const replacedTime = 30 * 86400

// KeyLimits are the limits of a key with an id.
type KeyLimits struct {
	Key string
	Limits
}

// ReadKeys adds to a batch of Read the statements that read the use of keys' limits. AppendKeys reads
// the rows.
func ReadKeys(s *bridge.Statements, keys []KeyLimits) {
	if len(keys) > 0 {
		s.SQL(keySchema)
	}
	for i := range keys {
		sql := "SELECT (SELECT sum(requests) FROM usage_key_second WHERE key = ?1 AND second BETWEEN now - " +
			"60 AND now + 60), (SELECT " + tokensToday + " AND key = ?1)"
		for _, b := range keys[i].Budgets() {
			sql += ", " + budget(b.From, " AND key = ?1")
		}
		s.SQL(sql + " FROM usage_now").String(keys[i].Key)
	}
}

// AppendKeys appends the limits of keys with their use as members of an object, by the keys' ids. The
// rows are at the statement before those of ReadKeys.
func AppendKeys(dst []byte, rows *bridge.Rows, keys []KeyLimits) []byte {
	for i := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		rows.Statement()
		rows.Answer()
		rows.Next()
		l := &keys[i].Limits
		dst = append(jsonw.AppendString(dst, keys[i].Key), ":{"...)
		from := len(dst)
		for i, limit := range [...]struct {
			name string
			most int64
		}{{"requests_per_minute", l.Requests}, {"tokens_per_day", l.Tokens}, {"usd_per_day", int64(l.Daily)},
			{"usd_per_month", int64(l.Monthly)}} {
			used, unpriced, money := int64(rows.Value().Number), int64(0), i >= 2
			if money {
				unpriced = int64(rows.Value().Number)
			}
			if limit.most == 0 {
				continue
			}
			if len(dst) > from {
				dst = append(dst, ',')
			}
			dst = append(jsonw.AppendString(dst, limit.name), ':')
			dst = appendUse(dst, limit.most, used, unpriced, money)
		}
		dst = append(dst, '}')
	}
	return dst
}
