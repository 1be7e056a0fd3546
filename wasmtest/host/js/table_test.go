package js

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func newTestTable() *Table { return NewTable(&Namespace{Name: "globalThis"}, &Namespace{Name: "Go"}) }

// TestRefs compares refs with the predefined refs of syscall/js/js.go.
func TestRefs(t *testing.T) {
	table := newTestTable()
	for ref, v := range map[uint64]Value{
		0:                              nil,
		nanHead<<32 | 1:                0.0,
		nanHead<<32 | 2:                Null{},
		nanHead<<32 | 3:                true,
		nanHead<<32 | 4:                false,
		math.Float64bits(1.5):          1.5,
		math.Float64bits(math.Inf(-1)): math.Inf(-1),
	} {
		assert.Equal(t, ref, table.Box(v))
		assert.Equal(t, v, table.Unbox(ref))
	}
	assert.EqualValues(t, nanHead<<32, table.Box(math.NaN()))
	assert.True(t, math.IsNaN(table.Unbox(nanHead<<32).(float64)))
	assert.EqualValues(t, nanHead<<32|1, table.Box(math.Copysign(0, -1)))
	assert.Equal(t, "globalThis", table.Unbox((nanHead|1)<<32|5).(*Namespace).Name)
	assert.Equal(t, "Go", table.Unbox((nanHead|1)<<32|6).(*Namespace).Name)
	assert.Empty(t, table.ids)
}

func TestTypeFlags(t *testing.T) {
	for flag, values := range map[uint64][]Value{
		1: {NewObject(), &Array{}, &Uint8Array{}, &Promise{}, &Error{}},
		2: {"", "text"},
		4: {&Function{}, &Class{}},
	} {
		for _, v := range values {
			assert.Equal(t, nanHead|flag, newTestTable().Box(v)>>32)
		}
	}
}

func TestReferenceCounts(t *testing.T) {
	table := newTestTable()
	o, other := NewObject(), NewObject()
	ref := table.Box(o)
	assert.EqualValues(t, firstID, uint32(ref))
	assert.Equal(t, ref, table.Box(o), "the same object has the same ref")
	assert.NotEqual(t, ref, table.Box(other))
	assert.Equal(t, table.Box("text"), table.Box("te"+"xt"), "equal strings are the same value")
	table.Release(ref)
	assert.Same(t, o, table.Unbox(ref), "one reference is left")
	table.Release(ref)
	assert.PanicsWithError(t, "the program uses the ref 7, which stands for no value",
		func() { table.Unbox(ref) })
	assert.PanicsWithError(t, "the program releases the ref 7, which stands for no counted value",
		func() { table.Release(ref) })
	assert.PanicsWithError(t, "the program releases the ref 5, which stands for no counted value",
		func() { table.Release(5) })
	assert.EqualValues(t, firstID, uint32(table.Box(NewObject())), "a free id is used again")
	assert.Len(t, table.ids, 3)
}

// TestTableIsBackAfterStrings reads a string as jsString of syscall/js does: the table is then as
// before.
func TestTableIsBackAfterStrings(t *testing.T) {
	table := newTestTable()
	for range 3 {
		encoded := table.Box(&Uint8Array{Data: []byte("text")})
		table.Release(encoded)
	}
	assert.Empty(t, table.ids)
	assert.Len(t, table.values, firstID+1)
}
