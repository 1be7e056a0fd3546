package memory

import "syscall"

// reserve returns address space without memory: a page gets memory, all zero, when touched.
func reserve(size uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
}

// discard returns the memory of used to the system. Linux promises that used reads as zero
// afterwards (madvise(2)); other systems don't.
func discard(used []byte) error {
	if len(used) == 0 {
		return nil
	}
	return syscall.Madvise(used, syscall.MADV_DONTNEED)
}

func unreserve(whole []byte) { syscall.Munmap(whole) }
