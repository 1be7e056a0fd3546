package cli

import "os"

// keepTerminalSignals: Windows has none but Ctrl-C, which main takes.
func keepTerminalSignals() (end func()) { return func() {} }

// terminate ends a process: it can't be asked to end itself.
func terminate(p *os.Process) { p.Kill() }

// waitFor waits until the client ends and returns its exit code.
func waitFor(client *os.Process) (code int, err error) {
	state, err := client.Wait()
	if err != nil {
		return 0, err
	}
	return state.ExitCode(), nil
}
