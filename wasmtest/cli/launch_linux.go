package cli

import "golang.org/x/sys/unix"

// hide keeps this process's memory, and /proc/PID/environ with the environment that it began with,
// from other processes of the same user: the client runs what a model says. The client itself is
// not hidden, since execve undoes it (prctl(2), PR_SET_DUMPABLE).
func hide() { unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
