package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Statement is SQL with its arguments: nil, float64, string or []byte. If SQL contains several
// statements, the arguments are those of the last one, and the others have none.
type Statement struct {
	SQL  string
	Args []any
}

// Rows are the rows of a statement, concatenated. The values have the same types as arguments. As
// in a Durable Object, an integer is a float64 too, exact up to 2^53.
type Rows struct {
	Columns int
	Values  []any
}

// maxRows bounds the rows of a batch, in bytes of their encoding on the bridge, since the rows must
// fit into an instance's memory.
const maxRows = 16 << 20

// maxOpen bounds how many objects' databases stay open.
const maxOpen = 16

// maxTime bounds the time of a batch, since all other batches wait for it. A Durable Object has as
// much CPU time.
const maxTime = 30 * time.Second

// object is the open database of an object.
type object struct {
	number  int64
	db      *sqlite3.Conn
	guarded bool // the program's SQL is being compiled or run, restricted by authorize
	used    int  // value of the store's uses at the last use of the database
	// the values of the last batch's statement that sets the alarm; nil: there was none
	alarm []any

	// the texts that have created tables here, and need not run again while the schema has this version
	created map[string]bool
	version int64

	controls map[string]*sqlite3.Stmt   // the store's own statements, by their text
	compiled map[string][]*sqlite3.Stmt // by their text; none is older than the version of the schema
}

// Batch runs statements in the database of an object, in one transaction: either all of them take
// effect, or none. The object's first batch creates the object. Batch returns the rows of each
// statement. An error names the index of the failed statement, but no argument.
func (s *Store) Batch(name string, statements []Statement) (rows []Rows, err error) {
	err = s.do(func() error { return s.batch(name, statements, &rows) })
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// batch is Batch in an operation.
func (s *Store) batch(name string, statements []Statement, rows *[]Rows) error {
	return s.within(name, func(number int64) (err error) {
		*rows, err = s.run(number, statements)
		return err
	})
}

// within runs do on the database of an object, in one transaction.
func (s *Store) within(name string, do func(number int64) error) error {
	number := int64(0)
	err := s.transaction(func() (err error) {
		if number, err = s.numberOf(name); err == nil {
			err = do(number)
		}
		if err != nil {
			s.closeObject(number) // rolls back before another process can write
		}
		return err
	})
	if err != nil {
		s.closeObject(number) // the cache may contain uncommitted pages
	}
	return err
}

// run runs a batch of an object in a transaction of the file.
func (s *Store) run(number int64, statements []Statement) (rows []Rows, err error) {
	o, err := s.openObject(number)
	if err != nil {
		return nil, err
	}
	before := int64(0)
	if s.path == "" {
		if before, err = s.sizeOf(number); err != nil {
			return nil, err
		}
	}
	s.written, s.cause = header{}, nil
	if rows, err = o.run(statements, s.maxTime); err == nil && s.written.wasteful() {
		err = o.shrink()
	}
	if err != nil && s.cause != nil {
		err = s.cause
	}
	if err == nil {
		err = s.setAlarm(number, o.alarm)
	}
	if err == nil && s.path == "" {
		err = s.share(number, before)
	}
	return rows, err
}

func (s *Store) numberOf(name string) (number int64, err error) {
	if err := s.query("INSERT OR IGNORE INTO objects (name) VALUES (?)", []any{name}, nil); err != nil {
		return 0, err
	}
	return s.find(name)
}

// find returns the number of an object; 0: there is no such object.
func (s *Store) find(name string) (number int64, err error) {
	err = s.query("SELECT number FROM objects WHERE name = ?", []any{name},
		func(row *sqlite3.Stmt) { number = row.ColumnInt64(0) })
	return number, err
}

// openObject opens the database of an object. If too many are open, the least recently used one is
// closed.
func (s *Store) openObject(number int64) (*object, error) {
	s.uses++
	if o := s.objects[number]; o != nil {
		o.used = s.uses
		return o, nil
	}
	if len(s.objects) >= maxOpen {
		oldest, least := int64(0), s.uses
		for n, o := range s.objects {
			if o.used < least {
				oldest, least = n, o.used
			}
		}
		s.closeObject(oldest)
	}
	db, err := sqlite3.OpenFlags(fmt.Sprintf("file:%d?vfs=%s", number, s.vfs),
		sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE|sqlite3.OPEN_URI)
	if err != nil {
		return nil, err
	}
	o := &object{number: number, db: db, used: s.uses, created: map[string]bool{},
		controls: map[string]*sqlite3.Stmt{}, compiled: map[string][]*sqlite3.Stmt{}}
	s.objects[number] = o
	if err := db.Exec("PRAGMA page_size = 4096; PRAGMA journal_mode = MEMORY; PRAGMA " +
		"temp_store = MEMORY"); err != nil {
		return nil, err
	}
	for _, l := range limits {
		db.Limit(l.category, l.value)
	}
	epoch := func(ctx sqlite3.Context, _ ...sqlite3.Value) { ctx.ResultInt64(s.now().Unix()) }
	if err := db.CreateFunction("unixepoch", 0, 0, epoch); err != nil {
		return nil, err
	}
	return o, db.SetAuthorizer(o.authorize)
}

func (s *Store) closeObject(number int64) {
	if o := s.objects[number]; o != nil {
		closed(o.db)
		delete(s.objects, number)
	}
}

// run runs a batch in a transaction of the object's database. After an error the database must be
// closed.
func (o *object) run(statements []Statement, most time.Duration) (rows []Rows, err error) {
	defer o.limit(most)()
	if err := o.begin(); err != nil {
		return nil, err
	}
	if rows, err = o.execute(statements); err != nil {
		return nil, err
	}
	return rows, o.control("COMMIT")
}

// count runs a batch in the savepoint count of an open transaction.
func (o *object) count(statements []Statement, most time.Duration) (rows []Rows, err error) {
	defer o.limit(most)()
	if err := o.control("SAVEPOINT count"); err != nil {
		return nil, err
	}
	return o.execute(statements)
}

// limit interrupts SQL after a time, until the caller calls end.
func (o *object) limit(most time.Duration) (end func()) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	old := o.db.SetInterrupt(ctx)
	return func() {
		o.db.SetInterrupt(old)
		cancel()
	}
}

// begin begins a transaction, and forgets what depends on tables that another process has changed.
func (o *object) begin() error {
	if err := o.control("BEGIN"); err != nil {
		return err
	}
	version, err := o.schemaVersion()
	if err != nil || version == o.version {
		return err
	}
	clear(o.created)
	o.version = version
	return o.forget()
}

// execute runs statements in an open transaction.
func (o *object) execute(statements []Statement) (rows []Rows, err error) {
	left := maxRows
	o.alarm = nil
	rows = make([]Rows, 0, len(statements))
	for i, statement := range statements {
		r := Rows{}
		if !o.created[statement.SQL] {
			if r, err = o.query(statement, &left); err != nil {
				clear(o.created) // the tables of this batch are rolled back
				return nil, fmt.Errorf("statement %d: %w", i, plain(err))
			}
			o.noteTables(statement)
		}
		rows = append(rows, r)
	}
	before := o.version
	if o.version, err = o.schemaVersion(); err == nil && o.version != before {
		err = o.forget()
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// noteTables notes that a text without arguments has created tables, or forgets all texts if one drops
// tables. Each batch begins with the program's tables, whose text takes longer to compile than all the
// rest. A text with arguments does more than create tables, and always runs. EndpointState
// (worker/workerd/state.mjs) does the same.
func (o *object) noteTables(s Statement) {
	switch {
	case strings.Contains(s.SQL, "DROP TABLE"):
		clear(o.created)
	case len(s.Args) == 0 && strings.HasPrefix(s.SQL, "CREATE TABLE IF NOT EXISTS"):
		o.created[strings.Clone(s.SQL)] = true
	}
}

// schemaVersion returns the number that SQLite changes with each change of the tables.
func (o *object) schemaVersion() (version int64, err error) {
	statement, err := o.own("PRAGMA schema_version")
	if err != nil {
		return 0, err
	}
	if statement.Step() {
		version = statement.ColumnInt64(0)
	}
	return version, errors.Join(statement.Err(), statement.Reset())
}

// control runs one of the store's own statements, which has no rows.
func (o *object) control(sql string) error {
	statement, err := o.own(sql)
	if err != nil {
		return err
	}
	return statement.Exec()
}

// own returns one of the store's own statements, which are compiled once.
func (o *object) own(sql string) (statement *sqlite3.Stmt, err error) {
	if statement = o.controls[sql]; statement == nil {
		if statement, _, err = o.db.Prepare(sql); err == nil {
			o.controls[sql] = statement
		}
	}
	return statement, err
}

var (
	errNone    = errors.New("SQL code did not contain a statement.")
	errNotLast = errors.New("When executing multiple SQL statements in a single call, only the last " +
		"statement can have parameters.")
	errBindings = errors.New("Wrong number of parameter bindings for SQL query.")
	errTooMuch  = fmt.Errorf("the rows take more than %d MB", maxRows>>20)
)

// shrink returns free pages of the object's database to the file, for use by other objects. VACUUM
// may change the rowids of a table without an INTEGER PRIMARY KEY, unlike a Durable Object. The
// program's SQL reads no such rowid.
func (o *object) shrink() error {
	o.db.Limit(sqlite3.LIMIT_ATTACHED, 1) // VACUUM attaches a database in memory
	defer o.db.Limit(sqlite3.LIMIT_ATTACHED, 0)
	return o.db.Exec("VACUUM")
}

// prepare compiles the first statement of sql.
func (o *object) prepare(sql string) (statement *sqlite3.Stmt, tail string, err error) {
	statement, tail, err = o.db.Prepare(sql)
	if err == nil && statement == nil {
		err = errNone
	}
	return statement, tail, err
}

// collect runs a statement and returns the rows.
func collect(statement *sqlite3.Stmt, args []any, left *int) (Rows, error) {
	rows := Rows{}
	if statement.BindCount() != len(args) {
		return rows, errBindings
	}
	for i, arg := range args {
		if err := bind(statement, i+1, arg); err != nil {
			return rows, err
		}
	}
	more := statement.Step()
	// If the batch has changed the tables, the first step compiles the statement again.
	rows.Columns = statement.ColumnCount()
	for ; more; more = statement.Step() {
		for i := range rows.Columns {
			v, size := column(statement, i)
			if *left -= size; *left < 0 {
				return rows, errTooMuch
			}
			rows.Values = append(rows.Values, v)
		}
	}
	return rows, statement.Err()
}

// column returns one value and its size on the bridge in bytes.
func column(row *sqlite3.Stmt, i int) (v any, size int) {
	switch row.ColumnType(i) {
	case sqlite3.INTEGER:
		return float64(row.ColumnInt64(i)), 9
	case sqlite3.FLOAT:
		return row.ColumnFloat(i), 9
	case sqlite3.TEXT:
		s := row.ColumnText(i)
		return s, 5 + len(s)
	case sqlite3.BLOB:
		b := row.ColumnBlob(i, []byte{})
		return b, 5 + len(b)
	}
	return nil, 1
}

// plain returns the error without the library's name.
func plain(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "sqlite3: "))
}
