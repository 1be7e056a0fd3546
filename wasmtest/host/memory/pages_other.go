//go:build !linux

package memory

import "errors"

// reserve fails: only Linux guarantees that returned memory reads as zero.
func reserve(uint64) ([]byte, error) { return nil, errors.ErrUnsupported }

func discard([]byte) error { return errors.ErrUnsupported }

func unreserve([]byte) {}
