package host

import "syscall"

// reserve returns address space without memory behind it: a page is there, and zero, once it is touched.
func reserve(size uint64) ([]byte, error) {
	return syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
}

// discard gives the memory behind used back. Linux promises that it reads as zero from then on (madvise(2)); other systems do
// not.
func discard(used []byte) error {
	if len(used) == 0 {
		return nil
	}
	return syscall.Madvise(used, syscall.MADV_DONTNEED)
}

func unreserve(whole []byte) { syscall.Munmap(whole) }
