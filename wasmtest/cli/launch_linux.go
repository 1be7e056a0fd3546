package cli

import "golang.org/x/sys/unix"

// hide protects this process's memory, and its initial environment in /proc/PID/environ, from other
// processes of the same user: the client runs commands of a model. The client itself is not hidden,
// since execve resets the flag (prctl(2), PR_SET_DUMPABLE).
func hide() { unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
