package host

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func newTestTable() *table { return newTable(&namespace{name: "globalThis"}, &namespace{name: "Go"}) }

// TestRefs compares refs with those that syscall/js/js.go predefines.
func TestRefs(t *testing.T) {
	table := newTestTable()
	for ref, v := range map[uint64]value{
		0:                              nil,
		nanHead<<32 | 1:                0.0,
		nanHead<<32 | 2:                null{},
		nanHead<<32 | 3:                true,
		nanHead<<32 | 4:                false,
		math.Float64bits(1.5):          1.5,
		math.Float64bits(math.Inf(-1)): math.Inf(-1),
	} {
		assert.Equal(t, ref, table.box(v))
		assert.Equal(t, v, table.unbox(ref))
	}
	assert.EqualValues(t, nanHead<<32, table.box(math.NaN()))
	assert.True(t, math.IsNaN(table.unbox(nanHead<<32).(float64)))
	assert.EqualValues(t, nanHead<<32|1, table.box(math.Copysign(0, -1)))
	assert.Equal(t, "globalThis", table.unbox((nanHead|1)<<32|5).(*namespace).name)
	assert.Equal(t, "Go", table.unbox((nanHead|1)<<32|6).(*namespace).name)
	assert.Empty(t, table.ids)
}

func TestTypeFlags(t *testing.T) {
	for flag, values := range map[uint64][]value{
		1: {newObject(), &array{}, &uint8Array{}, &promise{}, &jsError{}},
		2: {"", "text"},
		4: {&function{}, &class{}},
	} {
		for _, v := range values {
			assert.Equal(t, nanHead|flag, newTestTable().box(v)>>32)
		}
	}
}

func TestReferenceCounts(t *testing.T) {
	table := newTestTable()
	o, other := newObject(), newObject()
	ref := table.box(o)
	assert.EqualValues(t, firstID, uint32(ref))
	assert.Equal(t, ref, table.box(o), "the same object has the same ref")
	assert.NotEqual(t, ref, table.box(other))
	assert.Equal(t, table.box("text"), table.box("te"+"xt"), "equal strings are the same value")
	table.release(ref)
	assert.Same(t, o, table.unbox(ref), "one reference is left")
	table.release(ref)
	assert.PanicsWithError(t, "the program uses the ref 7, which stands for no value",
		func() { table.unbox(ref) })
	assert.PanicsWithError(t, "the program releases the ref 7, which stands for no counted value",
		func() { table.release(ref) })
	assert.PanicsWithError(t, "the program releases the ref 5, which stands for no counted value",
		func() { table.release(5) })
	assert.EqualValues(t, firstID, uint32(table.box(newObject())), "a free id is used again")
	assert.Len(t, table.ids, 3)
}

// TestTableIsBackAfterStrings reads a string as jsString of syscall/js does: the table is then as
// before.
func TestTableIsBackAfterStrings(t *testing.T) {
	table := newTestTable()
	for range 3 {
		encoded := table.box(&uint8Array{data: []byte("text")})
		table.release(encoded)
	}
	assert.Empty(t, table.ids)
	assert.Len(t, table.values, firstID+1)
}
