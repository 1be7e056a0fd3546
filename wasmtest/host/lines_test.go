package host

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lineReader reads a stream line by line.
type lineReader struct {
	r       *bufio.Reader
	skipped string // lines with this text are skipped
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: bufio.NewReader(r)} }

// skip skips all further lines with a text.
func (l *lineReader) skip(line string) { l.skipped = line }

func (l *lineReader) next(t *testing.T) string {
	t.Helper()
	for {
		line, err := l.r.ReadString('\n')
		require.NoError(t, err)
		if line = strings.TrimSuffix(line, "\n"); line != l.skipped || line == "" {
			return line
		}
	}
}

func (l *lineReader) end(t *testing.T) {
	t.Helper()
	_, err := l.r.ReadByte()
	assert.Equal(t, io.EOF, err)
}
