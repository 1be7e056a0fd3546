package store

import (
	"time"

	"github.com/ncruces/go-sqlite3"
)

// alarmColumn is the name of the column of a statement that sets the object's alarm: its value is the
// time in Unix seconds, NULL for no alarm. See "Alerts" in worker/bridge/doc.go.
const alarmColumn = "alarm"

// setAlarm sets the alarm of an object to the only value in values. Without a value it changes nothing.
func (s *Store) setAlarm(number int64, values []any) error {
	if len(values) != 1 {
		return nil
	}
	at, ok := values[0].(float64)
	if !ok {
		return s.query("DELETE FROM alarms WHERE object = ?", []any{number}, nil)
	}
	select {
	case s.alarms <- struct{}{}:
	default:
	}
	return s.query("INSERT INTO alarms VALUES (?, ?) ON CONFLICT DO UPDATE SET time = excluded.time "+
		"WHERE time <> excluded.time", []any{number, int64(at)}, nil)
}

// Alarms has an element after an alarm was set.
func (s *Store) Alarms() <-chan struct{} { return s.alarms }

// NextAlarm returns the object with the earliest alarm, and its time. Without an alarm the name is "".
func (s *Store) NextAlarm() (object string, at time.Time, err error) {
	err = s.join(func() error {
		return s.query("SELECT name, time FROM alarms JOIN objects ON number = object ORDER BY time "+
			"LIMIT 1", nil, func(row *sqlite3.Stmt) {
			object, at = row.ColumnText(0), time.Unix(row.ColumnInt64(1), 0)
		})
	})
	return object, at, err
}
