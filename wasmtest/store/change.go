package store

// Change runs statements in the database of an object as Batch does, sets a key (or deletes it if
// value is nil), and runs the statements after, all in one transaction.
func (s *Store) Change(object string, statements []Statement, key string, value, metadata []byte,
	after []Statement) error {
	if err := s.checkPut(key, value, metadata, 0); err != nil {
		return err
	}
	change := func(number int64) error {
		if _, err := s.run(number, statements); err != nil {
			return err
		}
		write := s.drop
		if value != nil {
			write = func(key string) error { return s.put(key, value, metadata, 0) }
		}
		if err := write(key); err != nil {
			return err
		}
		_, err := s.run(number, after)
		return err
	}
	return s.do(func() error { return s.within(object, change) })
}
