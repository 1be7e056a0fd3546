//go:build unix

package cli

import "syscall"

// openFiles returns how many descriptors this process may have. Go raises the limit to the hard
// limit at the start.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return manyFiles
	}
	return int(min(uint64(limit.Cur), manyFiles))
}
