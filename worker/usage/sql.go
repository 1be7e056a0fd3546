package usage

import "edgelingua/worker/bridge"

// MaxDays is how many days are kept, and DefaultDays how many are shown where nobody says.
const (
	MaxDays     = 90
	DefaultDays = 30
)

// Bounds of what else is kept.
const (
	maxModels = "100" // of a day; the others together are "other"
	maxText   = 128   // bytes of a model's name, and of a request's id
	maxErrors = "20"
)

// lease is how long a stream holds its place without a renewal, in seconds.
const lease = "60"

// RenewEvery is how often a lease is to be renewed, in milliseconds: one renewal may fail, and mostly two.
const RenewEvery = 20_000

const schema = `CREATE TABLE IF NOT EXISTS usage_now (one INTEGER PRIMARY KEY, now INTEGER, refused TEXT, wait INTEGER);
CREATE TABLE IF NOT EXISTS usage_second (second INTEGER PRIMARY KEY, requests INTEGER);
CREATE TABLE IF NOT EXISTS usage_stream (lease TEXT PRIMARY KEY, expires INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_day (day INTEGER, model TEXT, requests INTEGER, errors INTEGER, input INTEGER, output INTEGER, cached INTEGER, reasoning INTEGER, PRIMARY KEY (day, model)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage_error (number INTEGER PRIMARY KEY, time INTEGER, status INTEGER, type TEXT, request_id TEXT)`

const drop = `DROP TABLE IF EXISTS usage_now; DROP TABLE IF EXISTS usage_second; DROP TABLE IF EXISTS usage_stream;
DROP TABLE IF EXISTS usage_day; DROP TABLE IF EXISTS usage_error`

// now stands for the time of the batch, clock for that of the object or, where a test gives another, for that.
const (
	now   = "(SELECT now FROM usage_now)"
	today = "(SELECT now / 86400 FROM usage_now)"
	clock = "CAST(coalesce(?, unixepoch()) AS INTEGER)"
)

// Clock is a time that stands for the object's; 0: that is good.
type Clock float64

func (c Clock) argument(s *bridge.Statements) {
	if c == 0 {
		s.Null()
	} else {
		s.Number(float64(c))
	}
}

// begin begins a batch: the tables are there, and they have the time.
func begin(c Clock) *bridge.Statements {
	s := new(bridge.Statements)
	s.SQL(schema).SQL("INSERT OR REPLACE INTO usage_now (one, now) VALUES (0, " + clock + ")")
	c.argument(s)
	return s
}

// Prepare makes the tables, of an endpoint that has no usage yet if fresh. What an endpoint of the same name has left is gone.
func Prepare(fresh bool) *bridge.Statements {
	s := new(bridge.Statements)
	if fresh {
		s.SQL(drop)
	}
	return s.SQL(schema)
}

// Clear deletes all that is kept.
func Clear() *bridge.Statements { return new(bridge.Statements).SQL(drop) }

// answers goes to the rows of the first statement that asks for some.
func answers(rows *bridge.Rows) {
	for rows.Columns() == 0 {
		rows.Statement()
	}
}
