package bridge

import (
	"encoding/binary"
	"math"
)

// Letters of packed values: see "State" in the package comment.
const (
	packedNull      = 'n'
	packedNumber    = 'f'
	packedString    = 's'
	packedBlob      = 'b'
	packedStatement = 'q'
	packedRows      = 'r'
)

// Values are packed, not JSON: stored conversations are megabytes of JSON, which would be escaped
// and unescaped on both sides, and blobs would need base64. Packed values are read in place, by
// less code.

// Statements are SQL statements for Batch. The arguments of a statement are added after it.
type Statements struct{ packed []byte }

// NewStatements returns no statements yet, with room for n bytes of them.
func NewStatements(n int) *Statements { return &Statements{make([]byte, 0, n)} }

// Packed returns the statements in the host's form. The bytes belong to s.
func (s *Statements) Packed() []byte { return s.packed }

// Grow makes room for n more bytes of statements and arguments at once.
func (s *Statements) Grow(n int) {
	Reserve(n)
	s.packed = append(make([]byte, 0, len(s.packed)+n), s.packed...)
}

// Add adds the statements of another batch.
func (s *Statements) Add(other *Statements) { s.packed = append(s.packed, other.packed...) }

// SQL adds a statement, given in parts: TinyGo's + would copy all parts before for each one.
func (s *Statements) SQL(parts ...string) *Statements {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	s.packed = binary.LittleEndian.AppendUint32(append(s.packed, packedStatement), uint32(n))
	for _, part := range parts {
		s.packed = append(s.packed, part...)
	}
	return s
}

// Null adds NULL as an argument.
func (s *Statements) Null() *Statements {
	s.packed = append(s.packed, packedNull)
	return s
}

// Number adds a number as an argument: see f in the package comment.
func (s *Statements) Number(f float64) *Statements {
	s.packed = binary.LittleEndian.AppendUint64(append(s.packed, packedNumber), math.Float64bits(f))
	return s
}

// String adds a text as an argument.
func (s *Statements) String(v string) *Statements { return s.add(packedString, v) }

// Blob adds bytes as an argument.
func (s *Statements) Blob(v string) *Statements { return s.add(packedBlob, v) }

func (s *Statements) add(letter byte, v string) *Statements {
	s.packed = binary.LittleEndian.AppendUint32(append(s.packed, letter), uint32(len(v)))
	s.packed = append(s.packed, v...)
	return s
}

// Rows reads what a batch returned, from the first statement to the last:
//
//	for rows.Next() { // for each row of the first statement
//		id, n := rows.Value(), rows.Value()
//	}
//	rows.Statement() // on to the second statement
type Rows struct {
	packed []byte
	left   int // columns of the row that are not read yet
	width  int // columns of the statement
}

// NewRows reads the rows of a batch, packed by the host. It starts at the first statement's rows.
// It views packed.
func NewRows(packed []byte) *Rows {
	r := &Rows{packed: packed}
	if len(packed) > 0 {
		r.Statement()
	}
	return r
}

// Value is a value of a row. Bytes, of a String or a Blob, belong to Rows and never change.
type Value struct {
	Kind   byte // Null, Number, String or Blob
	Number float64
	Bytes  []byte
}

// Kinds of a Value.
const (
	Null   = packedNull
	Number = packedNumber
	String = packedString
	Blob   = packedBlob
)

// Columns returns the number of columns of the statement's rows.
func (r *Rows) Columns() int { return r.width }

// Statement skips the statement's remaining rows, and moves to the rows of the next statement,
// which must exist.
func (r *Rows) Statement() {
	for r.Next() {
	}
	r.width = int(binary.LittleEndian.Uint32(r.packed[1:]))
	r.packed = r.packed[5:]
}

// Answer moves to the first statement whose rows have columns, a SELECT, which must exist.
func (r *Rows) Answer() {
	for r.width == 0 {
		r.Statement()
	}
}

// Next skips the rest of the row, and moves to the next row of the statement. It returns false if
// there is none.
func (r *Rows) Next() bool {
	for r.left > 0 {
		r.Value()
	}
	if len(r.packed) == 0 || r.packed[0] == packedRows {
		return false
	}
	r.left = r.width
	return true
}

// Value returns the next value of the row.
func (r *Rows) Value() (v Value) {
	v.Kind = r.packed[0]
	r.packed = r.packed[1:]
	r.left--
	switch v.Kind {
	case Number:
		v.Number = math.Float64frombits(binary.LittleEndian.Uint64(r.packed))
		r.packed = r.packed[8:]
	case String, Blob:
		end := 4 + int(binary.LittleEndian.Uint32(r.packed))
		v.Bytes, r.packed = r.packed[4:end:end], r.packed[end:]
	}
	return v
}
