package store

import "fmt"

// Change runs statements in the database of an object, as Batch does. Then it sets a key or, where value is nil, deletes it, and runs the
// statements after. Where only the key can't be written, the error begins with "not copied: ".
func (s *Store) Change(object string, statements []Statement, key string, value, metadata []byte, after []Statement) error {
	if _, err := s.Batch(object, statements); err != nil {
		return err
	}
	write := func() error { return s.Put(key, value, metadata, 0) }
	if value == nil {
		write = func() error { return s.Delete(key) }
	}
	if err := write(); err != nil {
		return fmt.Errorf("not copied: %w", err)
	}
	_, err := s.Batch(object, after)
	return err
}
