package usage

import "edgelingua/worker/bridge"

// MaxDays is for how many days usage is stored. DefaultDays is how many days are shown if the
// client names no number.
const (
	MaxDays     = 90
	DefaultDays = 30
)

// maxHours is for how many hours usage is also stored by the hour: for eight days.
const maxHours = "192"

// Limits on the stored usage.
const (
	// rows of usage_sum per day; requests beyond are counted with the model "other"
	maxRows   = "100"
	maxText   = 128   // bytes of a model's name, and of a request's id
	maxErrors = "20"  // failed requests
	maxLost   = "100" // fields of usage_lost per day; fields beyond are counted as "other"
)

// MaxLogTime is the longest time for which a log retains a request, in seconds. LogRows is how many
// requests a log has unless the endpoint sets a number, and MaxLogRows the largest number.
const (
	MaxLogTime = 30 * 86400
	LogRows    = 100
	MaxLogRows = 100_000
)

// lease is how long a stream or an open request occupies its slot without a renewal, in seconds.
const lease = "60"

// RenewEvery is the interval of lease renewals in milliseconds. A lease survives one failed
// renewal, and usually two.
const RenewEvery = 20_000

// Usage is dropped when nothing asks for it any more: otherwise the next endpoint of that name would
// show the usage of years before.

const schema = `CREATE TABLE IF NOT EXISTS usage_now (one INTEGER PRIMARY KEY, now INTEGER,
	refused TEXT, wait INTEGER);
CREATE TABLE IF NOT EXISTS usage_second (second INTEGER PRIMARY KEY, requests INTEGER);
CREATE TABLE IF NOT EXISTS usage_stream (lease TEXT PRIMARY KEY, expires INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_open (lease TEXT PRIMARY KEY, expires INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_day (day INTEGER, model TEXT, requests INTEGER, errors INTEGER,
	input INTEGER, output INTEGER, cached INTEGER, reasoning INTEGER,
	PRIMARY KEY (day, model)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_error (number INTEGER PRIMARY KEY, time INTEGER, status INTEGER,
	type TEXT, request_id TEXT);
CREATE TABLE IF NOT EXISTS usage_sum (day INTEGER, model TEXT, key TEXT, upstream TEXT, requests INTEGER,
	errors INTEGER, fell INTEGER, input INTEGER, output INTEGER, cached INTEGER, written INTEGER,
	reasoning INTEGER, searches INTEGER, cost INTEGER, unpriced INTEGER, first_ms TEXT, total_ms TEXT,
	last INTEGER, PRIMARY KEY (day, model, key, upstream)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_hour (hour INTEGER, model TEXT, key TEXT, upstream TEXT, requests INTEGER,
	errors INTEGER, fell INTEGER, input INTEGER, output INTEGER, cached INTEGER, written INTEGER,
	reasoning INTEGER, searches INTEGER, cost INTEGER, unpriced INTEGER, first_ms TEXT, total_ms TEXT,
	last INTEGER, PRIMARY KEY (hour, model, key, upstream)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_lost (day INTEGER, field TEXT, requests INTEGER,
	PRIMARY KEY (day, field)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_refused (day INTEGER, key TEXT, reason TEXT, requests INTEGER,
	last INTEGER, request_id TEXT, model TEXT, PRIMARY KEY (day, key, reason)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_request (number INTEGER PRIMARY KEY, time INTEGER, id TEXT, key TEXT,
	asked TEXT, model TEXT, upstream TEXT, status INTEGER, first_ms INTEGER, total_ms INTEGER,
	input INTEGER, output INTEGER, cached INTEGER, cost INTEGER, lost TEXT, type TEXT, words TEXT);
CREATE TABLE IF NOT EXISTS usage_log (number INTEGER PRIMARY KEY, time INTEGER, id TEXT, key TEXT,
	asked TEXT, model TEXT, upstream TEXT, client TEXT, session TEXT, agent TEXT, status INTEGER, type TEXT,
	words TEXT, finish TEXT, first_ms INTEGER, total_ms INTEGER, input INTEGER, output INTEGER,
	cached INTEGER, summary INTEGER, cost INTEGER, lost TEXT, attempts TEXT);
CREATE TABLE IF NOT EXISTS usage_session (number INTEGER PRIMARY KEY, session TEXT, key TEXT, client TEXT,
	began INTEGER, last INTEGER, requests INTEGER, errors INTEGER, input INTEGER, output INTEGER,
	cached INTEGER, cost INTEGER, unpriced INTEGER, total_ms INTEGER, UNIQUE (session, key));
CREATE INDEX IF NOT EXISTS usage_session_last ON usage_session (last);
CREATE TABLE IF NOT EXISTS usage_health (upstream TEXT PRIMARY KEY, key TEXT, streak INTEGER,
	began INTEGER, failed INTEGER, answered INTEGER, opened INTEGER, until INTEGER, status INTEGER,
	time INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_replaced (old TEXT PRIMARY KEY, key TEXT, time INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_turn (one INTEGER PRIMARY KEY, turn INTEGER);
CREATE TABLE IF NOT EXISTS usage_sent (one INTEGER PRIMARY KEY, id TEXT, number INTEGER, settled INTEGER,
	first INTEGER, day INTEGER, time INTEGER);
INSERT OR IGNORE INTO usage_sent VALUES (0, lower(hex(randomblob(8))), 0, 0, 0, 0, 0);
INSERT OR IGNORE INTO usage_sum SELECT day, model, '', '', requests, errors, 0, input, output, cached, 0,
	reasoning, 0, 0, requests, '{}', '{}', day * 86400 FROM usage_day;
DELETE FROM usage_day;
INSERT INTO usage_log SELECT NULL, time, id, key, asked, model, upstream, '', '', '', status, type, words,
	'', first_ms, total_ms, input, output, cached, 0, cost, lost, '[]' FROM usage_request ORDER BY number;
DELETE FROM usage_request`

const drop = `DROP TABLE IF EXISTS usage_now; DROP TABLE IF EXISTS usage_second;
DROP TABLE IF EXISTS usage_stream; DROP TABLE IF EXISTS usage_open; DROP TABLE IF EXISTS usage_day;
DROP TABLE IF EXISTS usage_error; DROP TABLE IF EXISTS usage_sum; DROP TABLE IF EXISTS usage_lost;
DROP TABLE IF EXISTS usage_request; DROP TABLE IF EXISTS usage_health; DROP TABLE IF EXISTS usage_turn;
DROP TABLE IF EXISTS usage_key_second; DROP TABLE IF EXISTS usage_sent; DROP TABLE IF EXISTS usage_hour;
DROP TABLE IF EXISTS usage_refused; DROP TABLE IF EXISTS usage_log; DROP TABLE IF EXISTS usage_session;
DROP TABLE IF EXISTS usage_replaced`

// SQL for the time of the batch, for the day and the hour of the batch, and for the argument of a Clock.
const (
	now   = "(SELECT now FROM usage_now)"
	today = "(SELECT now / 86400 FROM usage_now)"
	hour  = "(SELECT now / 3600 FROM usage_now)"
	clock = "CAST(coalesce(?, unixepoch()) AS INTEGER)"
)

// Clock is the time of a batch in seconds of the Unix epoch. 0 means the object's own clock. Only
// tests set a time.
type Clock float64

// Argument adds the time as an argument, NULL for the object's own clock.
func (c Clock) Argument(s *bridge.Statements) {
	if c == 0 {
		s.Null()
	} else {
		s.Number(float64(c))
	}
}

// room is what a batch takes that counts a request without a log, in bytes.
const room = 11 << 10

// begin begins a batch: it creates the tables, and stores the time in usage_now.
func begin(c Clock) *bridge.Statements {
	s := bridge.NewStatements(room)
	s.SQL(schema).SQL("INSERT OR REPLACE INTO usage_now (one, now) VALUES (0, " + clock + ")")
	c.Argument(s)
	return s
}

// Prepare returns the statements that create the tables. fresh: the endpoint has had no usage so
// far, so any usage of an earlier endpoint with the same name is deleted. logRows is the most
// requests of the endpoint's log; 0: it has none.
func Prepare(fresh bool, logRows int64) *bridge.Statements {
	s := new(bridge.Statements)
	if fresh {
		s.SQL(drop)
	}
	s.SQL(schema)
	prepareLog(s, logRows)
	return s
}

// Clear returns the statements that delete all usage.
func Clear() *bridge.Statements { return new(bridge.Statements).SQL(drop) }
