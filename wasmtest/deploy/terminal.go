package deploy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

var errInterrupted = errors.New("interrupted")

// Terminal is a person's terminal: for answers, and for output that must not be in a log.
type Terminal struct {
	In  io.Reader
	Out io.Writer

	lines *bufio.Reader
}

// Ask prints a question and returns the typed line, trimmed; "" at the end of the input. Its error
// is errInterrupted.
func (t *Terminal) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(t.Out, question)
	if t.lines == nil {
		t.lines = bufio.NewReaderSize(oneByOne{t.In}, 1)
	}
	answer := make(chan string, 1)
	go func() {
		line, _ := t.lines.ReadString('\n')
		answer <- strings.TrimSpace(line)
	}()
	select {
	case said := <-answer:
		return said, nil
	case <-ctx.Done():
		fmt.Fprintln(t.Out)
		return "", errInterrupted
	}
}

// AskHidden is Ask without an echo of the typed line.
func (t *Terminal) AskHidden(ctx context.Context, question string) (string, error) {
	if file, ok := t.In.(*os.File); ok {
		show, err := hideEcho(file)
		if err != nil {
			return "", fmt.Errorf("the terminal can't hide what is typed (%w)", err)
		}
		defer show()
	}
	answer, err := t.Ask(ctx, question)
	fmt.Fprintln(t.Out)
	return answer, err
}

// oneByOne reads one byte at a time, so the input after an answer is left for wrangler.
type oneByOne struct{ io.Reader }

func (r oneByOne) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(1, len(p))]) }
