package host

import "github.com/tetratelabs/wazero/experimental"

// memoryPool gives instances their memory: address space reserved for all that one may ever have, so that a memory that grows
// is not copied. What an instance has used goes back to the system at its end, and the address space is kept for the next one.
type memoryPool struct {
	size uint64
	idle chan []byte // reservations of that size, all zero and not backed by memory
}

// maxIdle bounds the reservations that are kept. They cost a system call to make and one to give back, but no memory.
const maxIdle = 64

func newMemoryPool(size uint64) *memoryPool {
	return &memoryPool{size: size, idle: make(chan []byte, maxIdle)}
}

// Allocate is of experimental.MemoryAllocator. Where the system has nothing to reserve, memory is Go's own.
func (p *memoryPool) Allocate(cap, max uint64) experimental.LinearMemory {
	if max > p.size {
		return &grown{}
	}
	select {
	case whole := <-p.idle:
		return &reserved{pool: p, whole: whole}
	default:
	}
	whole, err := reserve(p.size)
	if err != nil {
		return &grown{}
	}
	return &reserved{pool: p, whole: whole}
}

// close gives the address space back.
func (p *memoryPool) close() {
	for {
		select {
		case whole := <-p.idle:
			unreserve(whole)
		default:
			return
		}
	}
}

// reserved is a memory in a reservation of the pool.
type reserved struct {
	pool  *memoryPool
	whole []byte
	used  uint64
}

func (r *reserved) Reallocate(size uint64) []byte {
	if size > uint64(len(r.whole)) {
		return nil
	}
	r.used = max(r.used, size)
	return r.whole[:size:size]
}

// Free makes the reservation fit for the next instance: all zero. One that can't be made so is not used again.
func (r *reserved) Free() {
	if r.whole == nil {
		return
	}
	whole := r.whole
	r.whole = nil
	if discard(whole[:r.used]) != nil {
		unreserve(whole)
		return
	}
	select {
	case r.pool.idle <- whole:
	default:
		unreserve(whole)
	}
}

// grown is a memory of Go's, which is copied when it grows.
type grown struct{ b []byte }

func (g *grown) Reallocate(size uint64) []byte {
	if more := size - uint64(len(g.b)); size > uint64(len(g.b)) {
		g.b = append(g.b, make([]byte, more)...)
	}
	return g.b[:size:size]
}

func (g *grown) Free() { g.b = nil }
