package cli

import "os"

// keepTerminalSignals does nothing: Windows has only Ctrl-C, and main handles it.
func keepTerminalSignals() (end func()) { return func() {} }

// terminate ends a process: Windows has no request to end.
func terminate(p *os.Process) { p.Kill() }

// waitFor waits until the client ends and returns its exit code.
func waitFor(client *os.Process) (code int, err error) {
	state, err := client.Wait()
	if err != nil {
		return 0, err
	}
	return state.ExitCode(), nil
}
