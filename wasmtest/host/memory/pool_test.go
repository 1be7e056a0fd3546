package memory

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental"
)

// memories returns a constructor for each kind of an instance's memory.
func memories(t *testing.T) map[string]func() experimental.LinearMemory {
	pool := NewPool(1 << 20)
	t.Cleanup(pool.Close)
	return map[string]func() experimental.LinearMemory{
		"of the pool": func() experimental.LinearMemory { return pool.Allocate(0, 1<<20) },
		"Go's own":    func() experimental.LinearMemory { return pool.Allocate(0, 2<<20) },
	}
}

func TestMemoryGrowsAndKeepsWhatIsInIt(t *testing.T) {
	for name, allocate := range memories(t) {
		t.Run(name, func(t *testing.T) {
			m := allocate()
			b := m.Reallocate(1000)
			require.Len(t, b, 1000)
			b[999] = 7
			b = m.Reallocate(1 << 20)
			require.Len(t, b, 1<<20)
			assert.EqualValues(t, 7, b[999])
			m.Free()
		})
	}
}

// TestMemoryIsZeroForTheNextInstance fills a memory to its last byte and frees it. The next memory
// is all zero.
func TestMemoryIsZeroForTheNextInstance(t *testing.T) {
	for name, allocate := range memories(t) {
		t.Run(name, func(t *testing.T) {
			for _, size := range []uint64{1, 4095, 1 << 16, 1 << 20, 4096} {
				m := allocate()
				whole := m.Reallocate(1 << 20)
				assert.Equal(t, -1, bytes.IndexFunc(whole, func(r rune) bool { return r != 0 }))
				m.Free()
				m = allocate()
				copy(m.Reallocate(size), bytes.Repeat([]byte{0xFF}, int(size)))
				m.Free()
			}
		})
	}
}

func TestMemoryPoolUsesAReservationAgain(t *testing.T) {
	pool := NewPool(1 << 20)
	defer pool.Close()
	first, ok := pool.Allocate(0, 1<<20).(*reserved)
	if !ok {
		t.Skip("this system has no reservations")
	}
	at := &first.Reallocate(10)[0]
	first.Free()
	first.Free() // wazero may close a module twice
	second := pool.Allocate(0, 1<<20)
	assert.Same(t, at, &second.Reallocate(10)[0])
	assert.Nil(t, second.Reallocate(2<<20), "more than was reserved")
	third := pool.Allocate(0, 1<<20)
	assert.NotSame(t, at, &third.Reallocate(10)[0], "that one is in use")
	second.Free()
	third.Free()
	assert.Equal(t, 2, len(pool.warm)+len(pool.idle))
}

// TestMemoryPoolKeepsMemoryOfAFew frees more reservations than may retain memory: the others retain
// only address space.
func TestMemoryPoolKeepsMemoryOfAFew(t *testing.T) {
	pool := NewPool(4 * keptMemory)
	defer pool.Close()
	if _, ok := pool.Allocate(0, 1).(*reserved); !ok {
		t.Skip("this system has no reservations")
	}
	most := cap(pool.warm)
	var open []experimental.LinearMemory
	for range most + 3 {
		m := pool.Allocate(0, 1)
		copy(m.Reallocate(3 * keptMemory)[2*keptMemory:], "left by the instance before")
		open = append(open, m)
	}
	for _, m := range open {
		m.Free()
	}
	assert.Len(t, pool.warm, most)
	assert.Len(t, pool.idle, 3)
	for range open {
		whole := pool.Allocate(0, 1).Reallocate(4 * keptMemory)
		assert.Equal(t, -1, bytes.IndexFunc(whole, func(r rune) bool { return r != 0 }))
	}
}
