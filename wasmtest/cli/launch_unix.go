//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// keepTerminalSignals keeps this process alive on SIGHUP and SIGQUIT of the terminal, until end is
// called. An ignored signal would stay ignored in the client; a signal with a channel does not.
func keepTerminalSignals() (end func()) {
	nobody := make(chan os.Signal, 1)
	signal.Notify(nobody, syscall.SIGHUP, syscall.SIGQUIT)
	return func() { signal.Stop(nobody) }
}

func terminate(p *os.Process) { p.Signal(syscall.SIGTERM) }

// waitFor waits until the client ends and returns its exit code, as a shell would. If only the
// client stops itself, as older versions of Ink do at Ctrl-Z (process.kill(process.pid,
// "SIGSTOP")), this process stops too: otherwise the shell would not come back.
func waitFor(client *os.Process) (code int, err error) {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(client.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case status.Stopped():
			// If both were stopped and have continued, the client reports that here.
			if pid, _ := syscall.Wait4(client.Pid, &status, syscall.WCONTINUED|syscall.WNOHANG,
				nil); pid == 0 {
				syscall.Kill(syscall.Getpid(), syscall.SIGTSTP)
			}
		case status.Signaled():
			return codeOf(status.Signal()), nil
		default:
			return status.ExitStatus(), nil
		}
	}
}
