package host

import "github.com/tetratelabs/wazero/experimental"

// memoryPool gives instances their memory. Each gets address space for the most memory that it may have, so that growing copies
// nothing. At its end the memory that was used goes back to the system; the address space is kept for the next instance.
type memoryPool struct {
	size uint64
	idle chan []byte // reservations of size bytes, all zero, without memory behind them
}

// maxIdle is how many reservations are kept. One costs a system call to make and one to give back, but no memory.
const maxIdle = 64

func newMemoryPool(size uint64) *memoryPool {
	return &memoryPool{size: size, idle: make(chan []byte, maxIdle)}
}

// Allocate implements experimental.MemoryAllocator. Where no address space can be reserved, the memory is Go's.
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

// close gives the kept address space back.
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

// reserved is the memory of an instance in a reservation of the pool.
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

// Free clears the memory and puts the reservation back into the pool. One that can't be cleared is given back to the system.
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

// grown is the memory of an instance in a slice of Go's, which is copied when it grows.
type grown struct{ b []byte }

func (g *grown) Reallocate(size uint64) []byte {
	if more := size - uint64(len(g.b)); size > uint64(len(g.b)) {
		g.b = append(g.b, make([]byte, more)...)
	}
	return g.b[:size:size]
}

func (g *grown) Free() { g.b = nil }
