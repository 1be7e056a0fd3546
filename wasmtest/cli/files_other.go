//go:build !unix

package cli

// openFiles returns how many descriptors this process may have: Windows has no limit that could be
// reached.
func openFiles() int { return manyFiles }
