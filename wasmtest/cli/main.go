// Package cli is the command line of the program edgelingua: each command is in a file of its name.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"edgelingua/wasmtest/access"
)

const help = `edgelingua runs the module that is deployed, on this machine.

  edgelingua serve [flags]         serves it over HTTP; serve -h lists the flags
  edgelingua claude|codex|opencode [flags] -- ARGS
                                   serves it for one run of that client, which gets ARGS; claude -h says more
  edgelingua smoke [flags]         checks the module, or a deployed worker; smoke -h says how
  edgelingua check [flags] URL     checks any server of the four APIs; check -h says how
  edgelingua replay [flags] FILE   shows a recorded request or answer translated; replay -h says more
  edgelingua deploy [flags]        deploys it, with wrangler; deploy -h says how
  edgelingua healthy HOST:PORT     asks a running edgelingua whether it is well; healthy -h says more
  edgelingua version               says what this program is
  edgelingua help                  prints this text

To try it without a key and without a network:

  edgelingua serve --demo

` + exitCodes

// exitCodes describes the values that run returns.
const exitCodes = `Exit codes: 0 all is well, or a signal ended a server; 1 it failed, and why is the last line of stderr; 2 the command line or a setting is wrong.
`

const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is the error of a command line that can't be understood.
type usageError struct{ error }

// Main runs the command that the arguments of the process name, and ends the process.
func Main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], signals, os.Stdin, os.Stdout, os.Stderr))
}

// run runs one command and returns the process's exit code.
func run(args []string, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) int {
	err := command(args, signals, stdin, stdout, stderr)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if client := (exited{}); errors.As(err, &client) {
		return client.code
	}
	fmt.Fprintln(stderr, "edgelingua:", access.Text(err.Error()))
	if errors.As(err, &usageError{}) {
		return exitUsage
	}
	return exitFailed
}

func command(args []string, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		args = []string{"help"}
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(stdout, help)
		return err
	case "version", "-version", "--version":
		return printVersion(stdout)
	case "healthy":
		address, err := parseHealthy(args[1:], stdout)
		if err != nil {
			return err
		}
		return healthy(address)
	case "serve":
		o, err := parseServe(args[1:], stdout)
		if err != nil {
			return err
		}
		if err := o.ask(signals, stdin, stderr); err != nil {
			return err
		}
		return serve(o, signals, stdout, stderr)
	case "smoke":
		o, err := parseSmoke(args[1:], stdout)
		if err != nil {
			return err
		}
		return runSmoke(o, signals, stdin, stdout, stderr)
	case "check":
		o, err := parseCheck(args[1:], stdout)
		if err != nil {
			return err
		}
		return runCheck(o, signals, stdin, stdout, stderr)
	case "deploy":
		o, err := parseDeploy(args[1:], stdout)
		if err != nil {
			return err
		}
		dropEnvironment() // wrangler has no use for it
		return runDeploy(o, signals, stdin, stdout, stderr)
	case "replay":
		o, err := parseReplay(args[1:], stdout)
		if err != nil {
			return err
		}
		return replay(o, stdin, stdout, stderr)
	}
	for _, c := range clients {
		if args[0] != c.name {
			continue
		}
		o, err := parseLaunch(c, args[1:], stdout)
		if err != nil {
			return err
		}
		return launch(o, signals, stdin, stdout, stderr)
	}
	return usageError{fmt.Errorf("there is no command %q; `edgelingua help` lists the commands", args[0])}
}

// untilSignal returns a context that ends with the first signal. The caller cancels it.
func untilSignal(signals <-chan os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
