package js

import "math"

// nanHead is the upper half of a ref that is not a number: a NaN.
const nanHead = 0x7FF80000

// firstID is the first id after the predefined ids of syscall/js.
const firstID = 7

// Table maps the program's refs to values, with the reference counts of wasm_exec.js. TinyGo has no
// finalizers, so the program releases only the buffers for reading strings. All other refs are
// released when the instance ends.
type Table struct {
	values []Value
	counts []int
	ids    map[Value]uint32
	free   []uint32
}

func NewTable(global, jsGo Value) *Table {
	return &Table{
		values: []Value{math.NaN(), 0.0, Null{}, true, false, global, jsGo},
		counts: make([]int, firstID),
		ids:    map[Value]uint32{},
	}
}

// Box returns a ref for v, and increments its count.
func (t *Table) Box(v Value) uint64 {
	switch v := v.(type) {
	case nil:
		return 0
	case Null:
		return nanHead<<32 | 2
	case bool:
		if v {
			return nanHead<<32 | 3
		}
		return nanHead<<32 | 4
	case float64:
		switch {
		case math.IsNaN(v):
			return nanHead << 32
		case v == 0:
			return nanHead<<32 | 1
		}
		return math.Float64bits(v)
	}
	id, found := t.ids[v]
	if !found {
		id = t.add(v)
	}
	t.counts[id]++
	return uint64(nanHead|typeFlag(v))<<32 | uint64(id)
}

func (t *Table) add(v Value) uint32 {
	var id uint32
	if last := len(t.free) - 1; last >= 0 {
		id, t.free = t.free[last], t.free[:last]
		t.values[id] = v
	} else {
		id = uint32(len(t.values))
		t.values = append(t.values, v)
		t.counts = append(t.counts, 0)
	}
	t.ids[v] = id
	return id
}

// Unbox returns the value of a ref. A ref without a value ends the instance.
func (t *Table) Unbox(ref uint64) Value {
	v, found := t.lookUp(ref)
	if !found {
		Stop("the program uses the ref %d, which stands for no value", uint32(ref))
	}
	return v
}

// Peek returns the value of a ref, or nil for a ref without a value.
func (t *Table) Peek(ref uint64) Value {
	v, _ := t.lookUp(ref)
	return v
}

func (t *Table) lookUp(ref uint64) (v Value, found bool) {
	if f := math.Float64frombits(ref); f == 0 {
		return nil, true
	} else if !math.IsNaN(f) {
		return f, true
	}
	id := uint32(ref)
	if int(id) >= len(t.values) || id >= firstID && t.counts[id] == 0 {
		return nil, false
	}
	return t.values[id], true
}

// Release removes one reference. With the last reference the table drops the value.
func (t *Table) Release(ref uint64) {
	id := uint32(ref)
	if id < firstID || int(id) >= len(t.values) || t.counts[id] == 0 {
		Stop("the program releases the ref %d, which stands for no counted value", id)
	}
	t.counts[id]--
	if t.counts[id] > 0 {
		return
	}
	delete(t.ids, t.values[id])
	t.values[id] = nil
	t.free = append(t.free, id)
}

// ReleaseAll removes all references after the end of the program.
func (t *Table) ReleaseAll() {
	clear(t.values[firstID:])
	t.values, t.counts, t.free = t.values[:firstID], t.counts[:firstID], nil
	clear(t.ids)
}

// Len returns how many values the program refers to, without the predefined values of syscall/js.
func (t *Table) Len() int { return len(t.ids) }

// Empty reports whether the table has only the predefined values of syscall/js.
func (t *Table) Empty() bool {
	return len(t.values) == firstID && len(t.counts) == firstID && len(t.ids) == 0 && len(t.free) == 0
}

// typeFlag returns the kind of a value, in the numbers of syscall/js.
func typeFlag(v Value) uint32 {
	switch v.(type) {
	case string:
		return 2
	case *Function, *Class:
		return 4
	}
	return 1
}
