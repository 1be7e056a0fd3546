package main

import "os"

// keepTerminalSignals: Windows has none but Ctrl-C, which main takes.
func keepTerminalSignals() (end func()) { return func() {} }

// terminate ends a process: it can't be asked to end itself.
func terminate(p *os.Process) { p.Kill() }

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
