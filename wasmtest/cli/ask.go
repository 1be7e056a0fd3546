package cli

import (
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
	show, err := deploy.Hide(terminal)
	if err != nil {
		return "", fmt.Errorf("the terminal can't hide what is typed for %s (%w)", name, err)
	}
	type answer struct {
		line []byte
		err  error
	}
	answers := make(chan answer, 1)
	defer show()
	fmt.Fprint(stderr, name+" (hidden): ")
	go func() {
		line, err := term.ReadPassword(int(terminal.Fd()))
		answers <- answer{line, err}
	}()
	select {
	case a := <-answers:
		fmt.Fprintln(stderr)
		switch {
		case a.err != nil && !errors.Is(a.err, io.EOF):
			return "", fmt.Errorf("%s can't be read from the terminal (%w)", name, a.err)
		case len(a.line) == 0:
			return "", usageError{fmt.Errorf("nothing was typed for %s", name)}
		}
		return string(a.line), nil
	case <-signals:
		fmt.Fprintln(stderr)
		return "", errInterrupted
	}
}
