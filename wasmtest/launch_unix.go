//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// keepTerminalSignals keeps this process alive where the terminal sends SIGHUP or SIGQUIT, until the function that it returns is called.
// A signal that is ignored would stay so in the client; one with a channel does not.
func keepTerminalSignals() (end func()) {
	nobody := make(chan os.Signal, 1)
	signal.Notify(nobody, syscall.SIGHUP, syscall.SIGQUIT)
	return func() { signal.Stop(nobody) }
}

func terminate(p *os.Process) { p.Signal(syscall.SIGTERM) }

// exitCode returns the exit code of a process, as a shell gives it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return codeOf(status.Signal())
	}
	return state.ExitCode()
}
