package totals

import "edgelingua/worker/bridge"

// days is usage.MaxDays in SQL.
const days = "90"

// Object is the name of the object with the sums of all endpoints.
const Object = "totals"

const schema = `CREATE TABLE IF NOT EXISTS total_now (one INTEGER PRIMARY KEY, now INTEGER);
CREATE TABLE IF NOT EXISTS total_endpoint (endpoint TEXT PRIMARY KEY, id TEXT, number INTEGER,
	settled INTEGER, time INTEGER, health TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS total_part (day INTEGER, endpoint TEXT, id TEXT, number INTEGER, rows TEXT,
	PRIMARY KEY (day, endpoint, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS total_day (day INTEGER, kind INTEGER, name TEXT, requests INTEGER,
	errors INTEGER, input INTEGER, output INTEGER, cached INTEGER, cost INTEGER, unpriced INTEGER,
	PRIMARY KEY (day, kind, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS total_stale (day INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS total_search (one INTEGER PRIMARY KEY, cursor TEXT, done INTEGER);
`

// merges are the statements that merge a text of usage.SendDue or usage.Collect. Each has the text as
// its only argument. Texts may arrive in any order and more than once: the last number counts. The id
// of the usage changes if an endpoint is deleted and made again; the sums of its days then add up.
var merges = [...]string{
	schema + "INSERT INTO total_endpoint SELECT json_extract(?1, '$.endpoint'), json_extract(?1, '$.id'), " +
		"json_extract(?1, '$.number'), json_extract(?1, '$.settled'), json_extract(?1, '$.time'), " +
		"json_extract(?1, '$.health') WHERE 1 ON CONFLICT DO UPDATE SET id = excluded.id, number = " +
		"excluded.number, settled = excluded.settled, time = excluded.time, health = excluded.health " +
		"WHERE id <> excluded.id OR number < excluded.number",
	"INSERT INTO total_part SELECT json_extract(value, '$[0]'), json_extract(?1, '$.endpoint'), " +
		"json_extract(?1, '$.id'), json_extract(?1, '$.number'), json_extract(value, '$[1]') FROM " +
		"json_each(?1, '$.days') WHERE 1 ON CONFLICT DO UPDATE SET number = excluded.number, rows = " +
		"excluded.rows WHERE number < excluded.number",
	"INSERT OR IGNORE INTO total_stale SELECT json_extract(value, '$[0]') FROM json_each(?1, '$.days')",
	"DELETE FROM total_part WHERE day <= json_extract(?1, '$.time') / 86400 - " + days,
}

// MergeText returns the statements that merge a text.
func MergeText(text string) *bridge.Statements {
	s := new(bridge.Statements)
	for _, sql := range merges {
		s.SQL(sql).String(text)
	}
	return s
}

// ForgetHealth returns the statement that deletes the health of an endpoint's upstreams. collect: the
// next overview collects the endpoint's sums and health.
func ForgetHealth(endpoint string, collect bool) *bridge.Statements {
	return new(bridge.Statements).SQL(schema + "UPDATE total_endpoint SET health = '[]', settled = ?1 " +
		"WHERE endpoint = ?2").Number(number(!collect)).String(endpoint)
}

// Merge returns the statements of merges without their argument, which the host adds: see account in
// the comment of package bridge.
func Merge() *bridge.Statements {
	s := bridge.NewStatements(4 << 10)
	for _, sql := range merges {
		s.SQL(sql)
	}
	return s
}
