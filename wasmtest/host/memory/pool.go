// Package memory allocates the memory of the module's instances, in reservations of address space
// that are reused.
package memory

import (
	"runtime"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental"
)

// Pool allocates the memory of instances. Each instance gets address space for its maximum memory,
// so growth copies nothing. When an instance ends, its memory returns to the system, and the pool
// retains the address space for the next instance. A few reservations also retain memory, cleared:
// the system needs more time for new pages than clearing takes.
type Pool struct {
	size uint64
	warm chan []byte // reservations of size bytes, all zero, backed by up to keptMemory
	idle chan []byte // reservations of size bytes, all zero, without memory

	instances atomic.Int64 // how many instances have memory
	used      atomic.Int64 // total bytes of their memory
}

// maxIdle is how many unused reservations the pool retains. A reservation costs a system call to
// make and another to free, but no memory.
const maxIdle = 64

// keptMemory is how much memory a reservation keeps: more than a usual request takes.
const keptMemory = 1 << 20

func NewPool(size uint64) *Pool {
	return &Pool{size: size, warm: make(chan []byte, 2*runtime.GOMAXPROCS(0)), idle: make(chan []byte,
		maxIdle)}
}

// Allocate implements experimental.MemoryAllocator. If no address space can be reserved, the memory
// is Go's.
func (p *Pool) Allocate(cap, max uint64) experimental.LinearMemory {
	p.instances.Add(1)
	if max > p.size {
		return &grown{pool: p}
	}
	for _, kept := range []chan []byte{p.warm, p.idle} {
		select {
		case whole := <-kept:
			return &reserved{pool: p, whole: whole}
		default:
		}
	}
	whole, err := reserve(p.size)
	if err != nil {
		return &grown{pool: p}
	}
	return &reserved{pool: p, whole: whole}
}

// Close gives the kept address space back.
func (p *Pool) Close() {
	for {
		select {
		case whole := <-p.warm:
			unreserve(whole)
		case whole := <-p.idle:
			unreserve(whole)
		default:
			return
		}
	}
}

// Use returns how many instances have memory, and the total bytes of their memory.
func (p *Pool) Use() (n, bytes int) { return int(p.instances.Load()), int(p.used.Load()) }

// Spare returns how many reservations wait for an instance.
func (p *Pool) Spare() int { return len(p.warm) + len(p.idle) }

// reserved is the memory of an instance in a reservation of the pool.
type reserved struct {
	pool  *Pool
	whole []byte
	used  uint64
}

func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.whole)) {
		return nil
	}
	if size > r.used {
		r.pool.used.Add(int64(size - r.used))
		r.used = size
	}
	return r.whole[:size:size]
}

// Free clears the memory and returns the reservation to the pool, or, if clearing fails, to the
// system.
func (r *reserved) Free() {
	if r.whole == nil {
		return
	}
	whole := r.whole
	r.whole = nil
	r.pool.instances.Add(-1)
	r.pool.used.Add(-int64(r.used))
	kept := uint64(0)
	if len(r.pool.warm) < cap(r.pool.warm) {
		kept = min(r.used, keptMemory)
	}
	clear(whole[:kept])
	if discard(whole[kept:r.used]) != nil {
		unreserve(whole)
		return
	}
	if kept > 0 {
		select {
		case r.pool.warm <- whole:
			return
		default: // other instances have filled the channel
		}
		if discard(whole[:kept]) != nil {
			unreserve(whole)
			return
		}
	}
	select {
	case r.pool.idle <- whole:
	default:
		unreserve(whole)
	}
}

// grown is the memory of an instance in a Go slice, which is copied when it grows.
type grown struct {
	pool  *Pool
	b     []byte
	freed bool
}

func (g *grown) Reallocate(size uint64) []byte {
	if more := size - uint64(len(g.b)); size > uint64(len(g.b)) {
		g.b = append(g.b, make([]byte, more)...)
		g.pool.used.Add(int64(more))
	}
	return g.b[:size:size]
}

func (g *grown) Free() {
	if g.freed {
		return
	}
	g.freed = true
	g.pool.instances.Add(-1)
	g.pool.used.Add(-int64(len(g.b)))
	g.b = nil
}
