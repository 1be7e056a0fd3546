//go:build unix

package deploy

import (
	"os"

	"golang.org/x/sys/unix"
)

// hideEcho turns the echo of a terminal off. show restores the terminal.
func hideEcho(terminal *os.File) (show func(), err error) {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, readTermios)
	if err != nil {
		return nil, err
	}
	hidden := *before
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, writeTermios, &hidden); err != nil {
		return nil, err
	}
	return func() { unix.IoctlSetTermios(fd, writeTermios, before) }, nil
}
