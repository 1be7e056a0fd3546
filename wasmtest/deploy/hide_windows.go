package deploy

import (
	"os"

	"golang.org/x/sys/windows"
)

// hideEcho turns the echo of a terminal off. show restores the terminal.
func hideEcho(terminal *os.File) (show func(), err error) {
	console := windows.Handle(terminal.Fd())
	var before uint32
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(console, before&^windows.ENABLE_ECHO_INPUT); err != nil {
		return nil, err
	}
	return func() { windows.SetConsoleMode(console, before) }, nil
}
