package store

import (
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// maxCompiled bounds the texts whose compiled statements an object's database retains. The two batches
// of a counted request have about 20 texts, and compiling takes longer than running them. A longer text
// than maxCompiledText is compiled each time.
const (
	maxCompiled     = 48
	maxCompiledText = 8 << 10
)

// query runs the statements of s.SQL and returns the rows of the last one. left is how many bytes
// of rows are still allowed. After an error the database is closed, with all statements.
func (o *object) query(s Statement, left *int) (rows Rows, err error) {
	// A step may compile a statement again.
	o.guarded = true
	defer func() { o.guarded = false }()
	compiled := o.compiled[s.SQL]
	again := compiled != nil
	for i, sql := 0, s.SQL; ; i++ {
		if !again { // a statement may need the tables of the statement before
			statement, tail, err := o.prepare(sql)
			if err != nil {
				return rows, err
			}
			compiled, sql = append(compiled, statement), strings.TrimLeft(tail, " \n")
		}
		statement := compiled[i]
		last := again && i == len(compiled)-1 || !again && sql == ""
		if last {
			rows, err = collect(statement, s.Args, left)
			if rows.Columns == 1 && statement.ColumnName(0) == alarmColumn {
				o.alarm = rows.Values
			}
		} else if statement.BindCount() > 0 {
			err = errNotLast
		} else {
			err = statement.Exec()
		}
		if reset := statement.Reset(); err == nil {
			err = reset
		}
		if err != nil {
			return rows, err
		}
		if last {
			break
		}
	}
	if !again {
		return rows, o.retain(s.SQL, compiled)
	}
	return rows, compiled[len(compiled)-1].ClearBindings()
}

// retain retains the compiled statements of a text, or closes them.
func (o *object) retain(text string, statements []*sqlite3.Stmt) error {
	if len(text) > maxCompiledText {
		return closeAll(statements)
	}
	if len(o.compiled) >= maxCompiled {
		if err := o.forget(); err != nil {
			return err
		}
	}
	o.compiled[strings.Clone(text)] = statements
	return statements[len(statements)-1].ClearBindings()
}

// forget closes all compiled statements.
func (o *object) forget() error {
	for text, statements := range o.compiled {
		if err := closeAll(statements); err != nil {
			return err
		}
		delete(o.compiled, text)
	}
	return nil
}

func closeAll(statements []*sqlite3.Stmt) error {
	for _, statement := range statements {
		if err := statement.Close(); err != nil {
			return err
		}
	}
	return nil
}
