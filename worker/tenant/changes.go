package tenant

import (
	"strconv"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
)

// Entry is an entry of the audit list of an endpoint: who has changed what, never a value.
type Entry struct {
	Time       int64 // Unix seconds
	Key, Label string
	Owner      bool     // the owner of Key made the change, not the operator
	Action     string   // "create", "change", "delete", "add_key", "change_key", "revoke_key" or "rotate"
	Subject    string   // id of the changed or the new key, or ""
	Settings   []string // the names of the changed settings
}

// mostEntries is how many changes the list has.
const mostEntries = "50"

const changes = `CREATE TABLE IF NOT EXISTS endpoint_change (number INTEGER PRIMARY KEY, time INTEGER, ` +
	`who TEXT, key TEXT, label TEXT, action TEXT, subject TEXT, settings TEXT)`

// Log adds to the batch of a change its entry in the audit list. The list outlives the endpoint: its
// deletion is in the list of a later endpoint of the same name.
func (e *Entry) Log(s *bridge.Statements) {
	who := "operator"
	if e.Owner {
		who = "owner"
	}
	list := []byte{'['}
	for i, name := range e.Settings {
		if i > 0 {
			list = append(list, ',')
		}
		list = jsonw.AppendString(list, name)
	}
	s.SQL(changes).SQL("INSERT INTO endpoint_change (time, who, key, label, action, subject, settings) " +
		"VALUES (?, ?, ?, ?, ?, ?, ?)").Number(float64(e.Time)).String(who).String(e.Key).String(e.Label)
	s.String(e.Action).String(e.Subject).String(string(append(list, ']')))
	s.SQL("DELETE FROM endpoint_change WHERE number <= (SELECT max(number) FROM endpoint_change) - " +
		mostEntries)
}

// ReadChanges returns the statements that read the audit list. AppendChanges writes their rows.
func ReadChanges() *bridge.Statements {
	return new(bridge.Statements).SQL(changes).SQL("SELECT time, who, key, label, action, subject, " +
		"settings " +
		"FROM endpoint_change ORDER BY number DESC")
}

// AppendChanges appends the JSON answer with the audit list, the latest change first.
func AppendChanges(dst []byte, rows *bridge.Rows) []byte {
	dst = append(dst, `{"changes":[`...)
	rows.Answer()
	for n := 0; rows.Next(); n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, `{"time":`...), int64(rows.Value().Number), 10)
		for _, name := range [...]string{"who", "key", "label", "action", "subject"} {
			if text := string(rows.Value().Bytes); text != "" {
				dst = append(append(append(dst, `,"`...), name...), `":`...)
				dst = jsonw.AppendString(dst, text)
			}
		}
		dst = append(append(append(dst, `,"settings":`...), rows.Value().Bytes...), '}')
	}
	return append(dst, "]}\n"...)
}
