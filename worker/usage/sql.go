package usage

import "edgelingua/worker/bridge"

// MaxDays is for how many days usage is kept, and DefaultDays how many are shown to who asks for no
// number.
const (
	MaxDays     = 90
	DefaultDays = 30
)

// Bounds of what is kept.
const (
	// of usage_sum in a day; requests that would need further ones are counted with the model
	// "other"
	maxRows    = "100"
	maxText    = 128   // bytes of a model's name, and of a request's id
	maxErrors  = "20"  // failed requests
	maxLogged  = "100" // requests of the log
	maxRefused = "20"  // of these requests, those that a limit has refused
	maxLost    = "100" // fields of usage_lost in a day; further ones are counted as "other"
)

// MaxLogTime is for how many seconds a log of requests keeps one at most.
const MaxLogTime = 30 * 86400

// lease is how long a stream, or another open request, holds its place without a renewal, in seconds.
const lease = "60"

// RenewEvery is after how many milliseconds a lease is to be renewed. A lease outlives one renewal
// that fails, and most often two.
const RenewEvery = 20_000

const schema = `CREATE TABLE IF NOT EXISTS usage_now (one INTEGER PRIMARY KEY, now INTEGER, refused TEXT, wait INTEGER);
CREATE TABLE IF NOT EXISTS usage_second (second INTEGER PRIMARY KEY, requests INTEGER);
CREATE TABLE IF NOT EXISTS usage_stream (lease TEXT PRIMARY KEY, expires INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_open (lease TEXT PRIMARY KEY, expires INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_day (day INTEGER, model TEXT, requests INTEGER, errors INTEGER, input INTEGER, output INTEGER, cached INTEGER, reasoning INTEGER, PRIMARY KEY (day, model)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_error (number INTEGER PRIMARY KEY, time INTEGER, status INTEGER, type TEXT, request_id TEXT);
CREATE TABLE IF NOT EXISTS usage_sum (day INTEGER, model TEXT, key TEXT, upstream TEXT, requests INTEGER, errors INTEGER, fell INTEGER, input INTEGER, output INTEGER, cached INTEGER, written INTEGER, reasoning INTEGER, searches INTEGER, cost INTEGER, unpriced INTEGER, first_ms TEXT, total_ms TEXT, last INTEGER, PRIMARY KEY (day, model, key, upstream)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_lost (day INTEGER, field TEXT, requests INTEGER, PRIMARY KEY (day, field)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_request (number INTEGER PRIMARY KEY, time INTEGER, id TEXT, key TEXT, asked TEXT, model TEXT, upstream TEXT, status INTEGER, first_ms INTEGER, total_ms INTEGER, input INTEGER, output INTEGER, cached INTEGER, cost INTEGER, lost TEXT, type TEXT, words TEXT);
CREATE TABLE IF NOT EXISTS usage_health (upstream TEXT PRIMARY KEY, key TEXT, streak INTEGER, began INTEGER, failed INTEGER, answered INTEGER, opened INTEGER, until INTEGER, status INTEGER, time INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_turn (one INTEGER PRIMARY KEY, turn INTEGER);
INSERT OR IGNORE INTO usage_sum SELECT day, model, '', '', requests, errors, 0, input, output, cached, 0, reasoning, 0, 0, requests, '{}', '{}', day * 86400 FROM usage_day;
DELETE FROM usage_day`

const drop = `DROP TABLE IF EXISTS usage_now; DROP TABLE IF EXISTS usage_second; DROP TABLE IF EXISTS usage_stream;
DROP TABLE IF EXISTS usage_open; DROP TABLE IF EXISTS usage_day; DROP TABLE IF EXISTS usage_error; DROP TABLE IF EXISTS usage_sum;
DROP TABLE IF EXISTS usage_lost; DROP TABLE IF EXISTS usage_request; DROP TABLE IF EXISTS usage_health; DROP TABLE IF EXISTS usage_turn`

// SQL for the time of the batch, for its day, and for the argument of a Clock.
const (
	now   = "(SELECT now FROM usage_now)"
	today = "(SELECT now / 86400 FROM usage_now)"
	clock = "CAST(coalesce(?, unixepoch()) AS INTEGER)"
)

// Clock is the time of a batch, in seconds of the Unix epoch; 0: that of the object. Only tests set
// another.
type Clock float64

func (c Clock) argument(s *bridge.Statements) {
	if c == 0 {
		s.Null()
	} else {
		s.Number(float64(c))
	}
}

// begin begins a batch: it makes the tables, and notes the time in usage_now.
func begin(c Clock) *bridge.Statements {
	s := new(bridge.Statements)
	s.SQL(schema).SQL("INSERT OR REPLACE INTO usage_now (one, now) VALUES (0, " + clock + ")")
	c.argument(s)
	return s
}

// Prepare makes the statements that make the tables. fresh: the endpoint had no usage so far, and
// whatever an earlier endpoint of the same name has left is deleted.
func Prepare(fresh bool) *bridge.Statements {
	s := new(bridge.Statements)
	if fresh {
		s.SQL(drop)
	}
	return s.SQL(schema)
}

// Clear makes the statements that delete all usage.
func Clear() *bridge.Statements { return new(bridge.Statements).SQL(drop) }
