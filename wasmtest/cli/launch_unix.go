//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// keepTerminalSignals keeps this process alive where the terminal sends SIGHUP or SIGQUIT, until
// the function that it returns is called. A signal that is ignored would stay so in the client; one
// with a channel does not.
func keepTerminalSignals() (end func()) {
	nobody := make(chan os.Signal, 1)
	signal.Notify(nobody, syscall.SIGHUP, syscall.SIGQUIT)
	return func() { signal.Stop(nobody) }
}

func terminate(p *os.Process) { p.Signal(syscall.SIGTERM) }

// waitFor waits until the client ends and returns its exit code, as a shell gives it. Where the
// client has stopped itself alone, as older versions of Ink do at Ctrl-Z (process.kill(process.pid,
// "SIGSTOP")), this process stops too: else the shell would not come back.
func waitFor(client *os.Process) (code int, err error) {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(client.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case status.Stopped():
			// Where both were stopped, and have gone on meanwhile, this sees that the client has.
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
