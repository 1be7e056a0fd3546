package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"edgelingua/wasmtest/deploy"
)

var errInterrupted = errors.New("interrupted")

// ask asks the person at the terminal for each --secret NAME, without an echo. A signal ends the
// question.
func (o *serveOptions) ask(signals <-chan os.Signal, stdin io.Reader, stderr io.Writer) error {
	for _, name := range o.asked {
		terminal, ok := stdin.(*os.File)
		if !ok || !term.IsTerminal(int(terminal.Fd())) {
			return usageError{fmt.Errorf("%s can't be asked for, since stdin is no terminal; --secret "+
				"%[1]s=@FILE reads it from a file, and %s%[1]s is read from the environment",
				name, settingPrefix)}
		}
		value, err := typed(name, terminal, signals, stderr)
		if err != nil {
			return err
		}
		o.vars[name] = value
	}
	return nil
}

// typed returns the line typed for a secret.
func typed(name string, terminal *os.File, signals <-chan os.Signal, stderr io.Writer) (string, error) {
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	go func() {
		select {
		case <-signals:
			interrupt()
		case <-ctx.Done():
		}
	}()
	value, err := (&deploy.Terminal{In: terminal, Out: stderr}).AskHidden(ctx, name+" (hidden): ")
	switch {
	case ctx.Err() != nil:
		return "", errInterrupted
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	case value == "":
		return "", usageError{fmt.Errorf("nothing was typed for %s", name)}
	}
	return value, nil
}
