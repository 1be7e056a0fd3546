package archive

// Bounds. A blob has up to 2 MB, and the rows of a batch 16 MB.
const (
	maxPart     = 1 << 20  // bytes
	maxItems    = 15 << 20 // bytes of a conversation
	maxTurns    = 4096     // responses of a conversation
	maxIDs      = 90       // arguments of one statement
	maxPurged   = 64       // responses that a write deletes because they have expired
	MaxResponse = 16 << 20 // bytes of a response's items
)

// kind is what a part belongs to, in the order in which parts are read.
type kind int

const (
	input      kind = iota // items
	head                   // of the answer, up to its items
	output                 // items
	tail                   // of the answer, behind its items
	parameters             // of the request, where they are needed later
)

const schema = `CREATE TABLE IF NOT EXISTS responses (id TEXT PRIMARY KEY, parent TEXT, expires INTEGER NOT NULL, hidden INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS responses_expires ON responses (expires);
CREATE TABLE IF NOT EXISTS response_parts (id TEXT NOT NULL, kind INTEGER NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (id, kind, part))`

// Drop deletes all that is stored.
const Drop = `DROP TABLE IF EXISTS response_parts; DROP TABLE IF EXISTS responses`
