package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compiledTexts returns how many statements an object's connection has, without the store's own.
func compiledTexts(s *Store, object string) (statements, texts int) {
	number, err := s.numberOf(object)
	if err != nil {
		return 0, 0
	}
	o := s.objects[number]
	for _, list := range o.compiled {
		statements += len(list)
	}
	return len(slices.Collect(o.db.Stmts())) - len(o.controls), statements
}

// TestStatementsAreCompiledOnce: a text is compiled once and has the result of its last arguments, until
// the tables change. The number of texts is bounded, and none is open twice.
func TestStatementsAreCompiledOnce(t *testing.T) {
	s, err := Open("", time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	run := func(statements ...Statement) []any {
		t.Helper()
		rows, err := s.Batch("o", statements)
		require.NoError(t, err)
		return rows[len(rows)-1].Values
	}
	run(sql("CREATE TABLE t (a)"))
	for i := range 3 {
		add := sql("DELETE FROM t; INSERT INTO t VALUES (?)", float64(i))
		assert.Equal(t, []any{float64(i)}, run(add, sql("SELECT * FROM t")))
		open, retained := compiledTexts(s, "o")
		assert.Equal(t, []int{3, 3}, []int{open, retained})
	}
	assert.Equal(t, []any{1.0, nil}, run(sql("DELETE FROM t"), sql("ALTER TABLE t ADD COLUMN b"),
		sql("INSERT INTO t (a) VALUES (1)"), sql("SELECT * FROM t")), "the columns after a change in a batch")
	assert.Equal(t, []any{1.0, nil}, run(sql("SELECT * FROM t")))
	open, retained := compiledTexts(s, "o")
	assert.Equal(t, []int{1, 1}, []int{open, retained}, "a change of the tables forgets all texts")

	number, err := s.numberOf("o")
	require.NoError(t, err)
	s.closeObject(number)
	run(sql("SELECT * FROM t"))
	open, retained = compiledTexts(s, "o")
	assert.Equal(t, []int{1, 1}, []int{open, retained}, "a database that is opened again has changed no tables")

	run(sql("DROP TABLE t"), sql("CREATE TABLE t (a)"))
	_, err = s.Batch("o", []Statement{sql("SELECT * FROM t"), sql("DROP TABLE t"),
		sql("CREATE VIEW t AS SELECT name FROM pragma_table_list"), sql("SELECT * FROM t")})
	assert.ErrorContains(t, err, "statement 3: ", "a text that is compiled again stays restricted")

	for i := range 5 * maxCompiled {
		run(sql(fmt.Sprintf("SELECT %d", i)))
	}
	run(sql("SELECT '" + strings.Repeat("x", maxCompiledText) + "'"))
	open, retained = compiledTexts(s, "o")
	assert.LessOrEqual(t, retained, maxCompiled)
	assert.Equal(t, retained, open)
}
