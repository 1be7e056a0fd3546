// Package cli is the command line of the program edgelingua. Each command has a file of its name.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"edgelingua/wasmtest/access"
)

// exitCodes describes the results of run.
const exitCodes = `Exit codes: 0 all is well, or a signal ended a server; 1 it failed, and the last line of
stderr says why; 2 the command line or a setting is wrong.`

const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is the error of a wrong command line or setting.
type usageError struct{ error }

// Main runs the command of the process's arguments, and ends the process.
func Main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], signals, os.Stdin, os.Stdout, os.Stderr))
}

// run runs one command and returns the process's exit code.
func run(args []string, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) int {
	err := command(args, signals, stdin, stdout, stderr)
	if err == nil {
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

// command runs the command named by the first argument.
func command(args []string, signals <-chan os.Signal, stdin io.Reader, stdout, stderr io.Writer) error {
	root := newRoot(&program{signals, stdin, stdout, stderr})
	if len(args) == 0 {
		args = []string{"help"}
	}
	switch args[0] {
	case "-h", "-help", "--help":
		args = []string{"help"}
	case "-version", "--version":
		args = []string{"version"}
	}
	if c := commandOf(root, args[0]); c != nil {
		args = slices.Concat(args[:1], longFlags(c, args[1:]))
	}
	return execute(root, args, stdout, stderr)
}

// program has the input and output of commands.
type program struct {
	signals        <-chan os.Signal
	stdin          io.Reader
	stdout, stderr io.Writer
}

// The sections of the list of commands.
const (
	running   = "run"
	checking  = "check"
	deploying = "deploy"
	about     = "about"
)

var sectionTitles = []*cobra.Group{{ID: running, Title: "Run it"}, {ID: checking, Title: "Check it"},
	{ID: deploying, Title: "Deploy it"}, {ID: about, Title: "About this program"}}

func init() { cobra.EnableCommandSorting = false }

// newRoot returns the root of all commands.
func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use: "edgelingua", Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(root *cobra.Command, args []string) error { return noCommand(root, args[0]) },
	}
	root.SetOut(p.stdout) // before the commands of completion, which copy the output
	root.AddGroup(sectionTitles...)
	root.AddCommand(p.serve())
	for _, c := range clients {
		root.AddCommand(p.launch(c))
	}
	root.AddCommand(p.smoke(), p.check(), p.explain(), p.replay(), p.healthy(), p.deploy(), p.version())
	root.SetHelpCommand(p.help(root))
	root.SetHelpCommandGroupID(about)
	root.SetCompletionCommandGroupID(about)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if c != root { // completion, with texts of the library
			fmt.Fprintf(p.stdout, "%s\n%s", c.Long, c.UsageString())
			return
		}
		printHelp(root, p.stdout)
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	completion := commandOf(root, "completion")
	completion.Short = "print a completion script for bash, zsh, fish or PowerShell"
	completion.Use = "completion SHELL"
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{errors.New("completion needs a shell: bash, zsh, fish or powershell, as in " +
				"`source <(edgelingua completion bash)`; `edgelingua completion bash -h` says how to keep " +
				"it")}
		}
		return usageError{errors.New("completion takes bash, zsh, fish or powershell")}
	}
	return root
}

// commandOf returns a command by its name, nil for none.
func commandOf(root *cobra.Command, name string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// noCommand returns the error for an unknown command.
func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	meant := ""
	if near := nearest(name, names); near != "" {
		meant = fmt.Sprintf("; did you mean %s?", near)
	}
	return usageError{
		fmt.Errorf("there is no command %q%s; `edgelingua help` lists the commands", name, meant),
	}
}

// printHelp prints the list of commands.
func printHelp(root *cobra.Command, out io.Writer) {
	fmt.Fprint(out, "edgelingua runs the module that is deployed, on this machine.\n")
	for _, group := range sectionTitles {
		fmt.Fprintf(out, "\n%s:\n\n", group.Title)
		for _, c := range root.Commands() {
			if c.GroupID == group.ID {
				fmt.Fprintf(out, "  edgelingua %-32s %s\n", c.Use, c.Short)
			}
		}
	}
	fmt.Fprint(out, `
edgelingua help COMMAND, or edgelingua COMMAND -h, says more.

To try it without a key and without a network:

  edgelingua serve --demo

`+exitCodes+"\n")
}

// help returns the command for help texts.
func (p *program) help(root *cobra.Command) *cobra.Command {
	return newCommand(
		description{section: about, use: "help [COMMAND]", short: "print this list, or more on a command",
			long: "edgelingua help COMMAND prints the help text of a command."},
		func(args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			c, _, err := root.Find(args)
			if err != nil || c == root {
				return noCommand(root, args[0])
			}
			return c.Help()
		},
	)
}

// version returns the command for the version.
func (p *program) version() *cobra.Command {
	return newCommand(
		description{section: about, use: "version", short: "print the version of this program and its module",
			long: "edgelingua version prints the version of this program, and the hash of its module."},
		func([]string) error { return printVersion(p.stdout) },
	)
}

// untilSignal returns a context that ends with the first signal. The caller calls cancel.
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
