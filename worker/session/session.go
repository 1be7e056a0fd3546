package session

import "edgelingua/worker/bridge"

// Object is the name of the object with all sessions. No endpoint's object has the same name: see
// endpoint.Object.
const Object = "sessions"

// Life is how long a session is valid, in seconds.
const Life = 12 * 3600

// mostAnHour is how many sessions a holder may open in any hour. It bounds the rows that a client
// with a valid key can write.
const mostAnHour = "100"

// Admin is the holder of the operator's sessions.
const Admin = "admin"

// Owner returns the holder of the sessions at the endpoint with a name.
func Owner(name string) string { return "u/" + name }

const schema = `CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, holder TEXT, key TEXT,
	opened INTEGER, ended INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS session_wrong (address TEXT PRIMARY KEY,
	since INTEGER, wrong INTEGER) WITHOUT ROWID`

// SQL conditions for the sessions opened in the last 12 hours, and for a holder's sessions in the
// last hour. ?1 is now, ?2 the holder. The clocks of two instances differ, so opened may be up to a
// minute after now.
const (
	alive  = "opened BETWEEN ?1 - 43199 AND ?1 + 60"
	recent = " FROM session WHERE holder = ?2 AND opened > ?1 - 3600"
)

// Material returns the text whose hash is the id of a session: the token in the cookie, and
// everything to which the session is bound. page is the value of OwnHeader. secret is ADMIN_KEY for
// a session of the operator, "" for an owner's.
func Material(token, holder, page, secret string) string {
	return token + "\n" + holder + "\n" + page + "\n" + secret
}

// Open returns the statements that open a session at now, in Unix seconds, unless the holder has
// opened too many. Opened reads their rows. key is the hash of the endpoint key that an owner has
// presented. The table of an earlier version has a further column, which stays NULL.
func Open(id, holder, key string, now int64) *bridge.Statements {
	at := float64(now)
	s := new(bridge.Statements).SQL(schema)
	s.SQL("DELETE FROM session WHERE NOT " + alive).Number(at)
	s.SQL("SELECT opened + 3600 - ?1" + recent + " ORDER BY opened DESC LIMIT 1 OFFSET " + mostAnHour +
		" - 1").Number(at).String(holder)
	s.SQL("INSERT INTO session (id, holder, key, opened, ended) SELECT ?3, ?2, ?4, ?1, 0 " +
		"WHERE (SELECT count(*)" + recent + ") < " + mostAnHour)
	return s.Number(at).String(holder).String(id).String(key)
}

// Opened returns how many seconds the holder has to wait for another session, or 0 if the session
// was opened.
func Opened(rows *bridge.Rows) (wait int64) { return waiting(rows) }

// Find returns the statements that look up a session at now, in Unix seconds. Found reads their
// rows.
func Find(id string, now int64) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema)
	s.SQL("SELECT key, opened + 43200 FROM session WHERE id = ?2 AND NOT ended AND " + alive)
	return s.Number(float64(now)).String(id)
}

// Found returns the hash of the endpoint key that opened the session, and when the session ends, in
// Unix seconds. If the session has ended or never existed, ok is false.
func Found(rows *bridge.Rows) (key string, expires int64, ok bool) {
	rows.Answer()
	if !rows.Next() {
		return "", 0, false
	}
	key = string(rows.Value().Bytes)
	return key, int64(rows.Value().Number), true
}

// End returns the statements that end a session. The row stays for 12 hours, because mostAnHour
// counts it.
func End(id string) *bridge.Statements {
	return new(bridge.Statements).SQL(schema).SQL("UPDATE session SET ended = 1 WHERE id = ?").String(id)
}

// EndAll returns the statements that end all sessions of a holder. The rows stay, as with End.
func EndAll(holder string) *bridge.Statements {
	s := new(bridge.Statements).SQL(schema).SQL("UPDATE session SET ended = 1 WHERE holder = ?")
	return s.String(holder)
}

// waiting returns the number in the row of the first statement with columns, or 0 if the statement
// returned no row or a NULL.
func waiting(rows *bridge.Rows) int64 {
	rows.Answer()
	if !rows.Next() {
		return 0
	}
	return int64(rows.Value().Number)
}
