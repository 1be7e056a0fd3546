package store

import (
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Committing takes longer than counting a request. So counts that follow each other share one
// transaction of the file. It is committed countDelay after its first count, after maxCounts, and before
// any operation that is neither a count nor only reads keys. Until then the counts are in the
// transaction, where all later operations of this store find them. Only a process that ends without
// Close, such as a killed one, loses them.
const (
	countDelay = 50 * time.Millisecond
	maxCounts  = 100
)

// aloneTime is for how long each count is committed at once after another process has written to the
// file, which would have to wait for the end of shared transactions, or after a commit has failed: with a
// full disk, a request is refused if it can't be counted.
const aloneTime = time.Minute

// counts is an open transaction of counts.
type counts struct {
	timer   *time.Timer
	objects map[string]*object // each has an open transaction, too
	lost    []func(error)      // of each count
}

// Count runs statements as Batch does, but commits them together with other counts, at most a moment
// later: a killed process may lose the counts of that moment. The next operations see them at once. If
// they can't be committed, lost gets the error; it must not use the store. A store in memory commits at
// once.
func (s *Store) Count(name string, statements []Statement, lost func(error)) (rows []Rows, err error) {
	if s.path == "" {
		return s.Batch(name, statements)
	}
	err = s.join(func() error {
		if s.counts == nil {
			if shared, err := s.beginCounts(); err != nil {
				return err
			} else if !shared {
				return s.batch(name, statements, &rows)
			}
		}
		o, err := s.joinCounts(name)
		if err == nil && o == nil {
			s.commitCounts() // the object is new: if its first batch fails, there is no object
			return s.batch(name, statements, &rows)
		}
		if err == nil {
			rows, err = s.count(o, statements)
		}
		if err != nil {
			return err
		}
		s.counts.lost = append(s.counts.lost, lost)
		alerts := len(o.alarm) == 1 && o.alarm[0] != nil // an alert is committed at once
		if alerts || len(s.counts.lost) == maxCounts || len(s.counts.objects) == maxOpen-1 {
			s.commitCounts()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// beginCounts begins a transaction of counts, unless counts share none now (aloneTime).
func (s *Store) beginCounts() (shared bool, err error) {
	version := int64(0)
	if err := s.query("PRAGMA data_version", nil,
		func(row *sqlite3.Stmt) { version = row.ColumnInt64(0) }); err != nil {
		return false, err
	}
	if s.version != 0 && s.version != version {
		s.alone = s.now().Add(aloneTime)
	}
	s.version = version
	if s.now().Before(s.alone) {
		return false, nil
	}
	if err := s.begin(); err != nil {
		return false, err
	}
	c := &counts{objects: map[string]*object{}}
	c.timer = time.AfterFunc(s.delay, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.counts == c {
			s.commitCounts()
		}
	})
	s.counts = c
	return true, nil
}

// joinCounts returns the open database of an object in the transaction of counts; nil: there is no such
// object yet.
func (s *Store) joinCounts(name string) (*object, error) {
	if o := s.counts.objects[name]; o != nil {
		return o, nil
	}
	number, err := s.find(name)
	if err != nil || number == 0 {
		return nil, err
	}
	o, err := s.openObject(number)
	if err == nil {
		err = o.begin()
	}
	if err != nil {
		s.closeObject(number)
		return nil, err
	}
	s.counts.objects[strings.Clone(name)] = o
	return o, nil
}

// count runs a count in the transaction of counts. A failed count is undone, the counts before it are
// committed, and the database is closed, as after a failed batch.
func (s *Store) count(o *object, statements []Statement) (rows []Rows, err error) {
	s.cause = nil
	if rows, err = o.count(statements, s.maxTime); err == nil {
		err = s.setAlarm(o.number, o.alarm)
	}
	if err == nil {
		err = o.control("RELEASE count")
		s.broken = s.broken || err != nil
		return rows, err
	}
	if s.cause != nil {
		err = s.cause
	}
	if s.broken || o.control("ROLLBACK TO count") != nil || o.control("RELEASE count") != nil {
		s.broken = true // SQLite has rolled back the counts before this one, too
		return nil, err
	}
	s.commitCounts()
	s.closeObject(o.number)
	return nil, err
}

// commitCounts commits the transaction of counts, if one is open.
func (s *Store) commitCounts() {
	if s.counts == nil {
		return
	}
	s.cause = nil
	panicked, err := guarded(func() error {
		for _, o := range s.counts.objects {
			if err := s.commitObject(o); err != nil {
				return err
			}
		}
		return s.query("COMMIT", nil, nil)
	})
	if s.cause != nil {
		err = s.cause
	}
	if panicked || err != nil {
		s.disconnect(err)
		return
	}
	s.counts.timer.Stop()
	s.counts = nil
}

// loseCounts reports that the counts of the open transaction, if any, are lost.
func (s *Store) loseCounts(err error) {
	c := s.counts
	if c == nil {
		return
	}
	s.counts = nil
	s.alone = s.now().Add(aloneTime)
	c.timer.Stop()
	for _, lost := range c.lost {
		lost(err)
	}
}

// commitObject commits the open transaction of an object's database, and returns free pages.
func (s *Store) commitObject(o *object) error {
	s.written = header{}
	err := o.control("COMMIT")
	if err == nil && s.written.wasteful() {
		err = o.shrink()
	}
	return err
}
