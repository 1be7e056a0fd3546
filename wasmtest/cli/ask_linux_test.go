package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openTerminal returns the two ends of a new pseudo-terminal: the person's screen and keyboard, and
// the program's terminal.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { person.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	return person, program
}

func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	modes, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	require.NoError(t, err)
	return modes.Lflag&unix.ECHO != 0
}

// asking asks at a terminal for the secrets of a command line. It returns the options, the screen,
// and a channel with the result of ask.
func asking(t *testing.T, program *os.File, signals chan os.Signal, args ...string) (*serveOptions,
	*bufio.Reader, chan error) {
	t.Helper()
	o, err := parseServe(args, io.Discard)
	require.NoError(t, err)
	screen, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- o.ask(signals, program, hidingScreen{t, program, w})
		w.Close()
	}()
	return o, bufio.NewReader(screen), done
}

// hidingScreen is the screen of a terminal. The terminal must not echo when a question is shown.
type hidingScreen struct {
	t        *testing.T
	terminal *os.File
	io.Writer
}

func (s hidingScreen) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "(hidden)") {
		assert.False(s.t, echoes(s.t, s.terminal), "%s", p)
	}
	return s.Writer.Write(p)
}

// TestTyped types two secrets, one of them named twice. The screen shows no secret, and the
// terminal echoes again afterwards.
func TestTyped(t *testing.T) {
	person, program := openTerminal(t)
	o, screen, done := asking(t, program, nil, "--secret", "UPSTREAM_KEY", "--secret", "CLIENT_KEY",
		"--secret", "UPSTREAM_KEY")
	for _, name := range []string{"UPSTREAM_KEY", "CLIENT_KEY"} {
		question, err := screen.ReadString(':')
		require.NoError(t, err)
		assert.Equal(t, name+" (hidden):", strings.TrimSpace(question))
		_, err = io.WriteString(person, "typed-"+name+"\r")
		require.NoError(t, err)
		_, err = screen.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, <-done)
	assert.Equal(t, map[string]string{"UPSTREAM_KEY": "typed-UPSTREAM_KEY",
		"CLIENT_KEY": "typed-CLIENT_KEY"}, o.vars)
	assert.True(t, echoes(t, program))
	_, err := io.WriteString(program, "the end\n")
	require.NoError(t, err)
	shown, err := bufio.NewReader(person).ReadString('d')
	require.NoError(t, err)
	assert.Equal(t, "the end", strings.TrimSpace(shown))
}

// TestInterrupted: after a signal at the question, the terminal echoes again.
func TestInterrupted(t *testing.T) {
	person, program := openTerminal(t)
	signals := make(chan os.Signal, 1)
	_, screen, done := asking(t, program, signals, "--secret", "UPSTREAM_KEY")
	_, err := screen.ReadString(':')
	require.NoError(t, err)
	signals <- os.Interrupt
	go io.Copy(io.Discard, screen)
	require.ErrorIs(t, <-done, errInterrupted)
	assert.True(t, echoes(t, program))
	io.WriteString(person, "\r") // ends the pending read
}

func TestNothingTyped(t *testing.T) {
	person, program := openTerminal(t)
	_, screen, done := asking(t, program, nil, "--secret", "UPSTREAM_KEY")
	_, err := screen.ReadString(':')
	require.NoError(t, err)
	io.WriteString(person, "\r")
	go io.Copy(io.Discard, screen)
	require.EqualError(t, <-done, "nothing was typed for UPSTREAM_KEY")
}
