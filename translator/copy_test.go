package translator_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

const (
	copiedText = `data: {"choices":[{"delta":{"content":"Hello"}}]}` + "\n\n"
	copiedStop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	copiedDone = "data: [DONE]\n\n"
)

// copiedStream returns the stream of an answer of Chat Completions to a client of Messages.
func copiedStream(t *testing.T) *translator.Stream {
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	x, err := pair.Decode("/v1/messages", []byte(`{"model":"m","max_tokens":9,"stream":true,
		"messages":[{"role":"user","content":"Hi"}]}`))
	require.NoError(t, err)
	_, err = x.AppendRequest(nil, &ir.Target{})
	require.NoError(t, err)
	return x.Stream()
}

// closedStream returns the client's stream of Push and Close.
func closedStream(t *testing.T, text string, cause error) string {
	s := copiedStream(t)
	out, done := s.Push([]byte(text))
	all := string(out)
	if !done {
		all += string(s.Close(cause))
	}
	return all
}

// TestCopy: the client's stream is that of Push and Close, and the result says which side failed.
func TestCopy(t *testing.T) {
	reset := errors.New("read tcp 10.1.2.3:443: connection reset")
	slow := &ir.Error{Kind: ir.Timeout, Message: "The upstream took too long."}
	broken := func(text string, err error) io.Reader {
		return io.MultiReader(strings.NewReader(text), iotest.ErrReader(err))
	}
	broke := &ir.Error{Kind: ir.Unavailable, Message: "The connection to the upstream broke."}
	for name, c := range map[string]struct {
		src   io.Reader
		text  string
		cause error
		want  error
	}{
		"complete": {strings.NewReader(copiedText + copiedStop + copiedDone),
			copiedText + copiedStop + copiedDone, nil, nil},
		"complete, byte by byte": {iotest.OneByteReader(strings.NewReader(copiedText + copiedStop + copiedDone)),
			copiedText + copiedStop + copiedDone, nil, nil},
		"the last bytes come with the error": {
			iotest.DataErrReader(strings.NewReader(copiedText + copiedStop + copiedDone)),
			copiedText + copiedStop + copiedDone, nil, nil},
		"without [DONE]": {strings.NewReader(copiedText + copiedStop), copiedText + copiedStop, nil, nil},
		"cut off":        {broken(copiedText, reset), copiedText, broke, &translator.ReadError{Err: reset}},
		"cut off in an event": {broken(copiedText+"data: {", io.ErrUnexpectedEOF), copiedText, broke,
			&translator.ReadError{Err: io.ErrUnexpectedEOF}},
		"cut off by an error of the caller": {broken(copiedText, slow), copiedText, slow,
			&translator.ReadError{Err: slow}},
		"cut off after the end": {broken(copiedText+copiedStop, reset), copiedText + copiedStop, broke, nil},
		"ended too early": {strings.NewReader(copiedText), copiedText, nil,
			&ir.Error{Kind: ir.Unavailable, Message: "The upstream's stream ended before the answer was complete."}},
		"no stream": {strings.NewReader("<html>"), "<html>", nil,
			&ir.Error{Kind: ir.Unavailable, Message: "The upstream's stream ended before the answer was complete."}},
		"a failure of the upstream": {strings.NewReader(copiedText + `data: {"error":{"message":"no"}}` + "\n\n"),
			copiedText + `data: {"error":{"message":"no"}}` + "\n\n", nil,
			&ir.Error{Kind: ir.Internal, Message: "no"}},
	} {
		var out bytes.Buffer
		err := translator.Copy(&out, c.src, copiedStream(t))
		require.Equal(t, c.want, err, name)
		require.Equal(t, closedStream(t, c.text, c.cause), out.String(), name)
		require.Equal(t, c.want == nil, strings.Contains(out.String(), "message_stop"), name)
		require.NotContains(t, out.String(), "10.1.2.3", name)
	}
}

// flushes counts the calls of a Flush, and what was written before each.
type flushes struct {
	bytes.Buffer
	at  []int
	err error
}

func (f *flushes) Flush() error {
	f.at = append(f.at, f.Len())
	return f.err
}

// TestCopyFlushes: each output is flushed at once, before the upstream's next chunk.
func TestCopyFlushes(t *testing.T) {
	src, upstream := io.Pipe()
	client, dst := io.Pipe()
	buffered := bufio.NewWriterSize(dst, 1<<20) // passes nothing on by itself
	copied := make(chan error, 1)
	go func() {
		copied <- translator.Copy(buffered, src, copiedStream(t))
		dst.Close()
	}()
	_, err := upstream.Write([]byte(copiedText))
	require.NoError(t, err)
	seen := make([]byte, 1<<10)
	n, err := io.ReadAtLeast(client, seen, 100)
	require.NoError(t, err)
	require.Contains(t, string(seen[:n]), "message_start")
	_, err = upstream.Write([]byte(copiedStop + copiedDone))
	require.NoError(t, err)
	rest, err := io.ReadAll(client)
	require.NoError(t, err)
	require.Contains(t, string(rest), "message_stop")
	require.NoError(t, <-copied)

	var f flushes
	require.NoError(t, translator.Copy(&f, iotest.OneByteReader(strings.NewReader(copiedText+copiedStop+
		copiedDone)), copiedStream(t)))
	require.Len(t, f.at, 2, "an empty output is not flushed")
	require.Equal(t, f.Len(), f.at[1])
	w := httptest.NewRecorder() // an http.Flusher
	whole := strings.NewReader(copiedText + copiedStop + copiedDone)
	require.NoError(t, translator.Copy(w, whole, copiedStream(t)))
	require.True(t, w.Flushed)
}

// TestCopyToAClientThatIsGone: a WriteError has the writer's error, and nothing more is read.
func TestCopyToAClientThatIsGone(t *testing.T) {
	gone := errors.New("gone")
	src := strings.NewReader(copiedText + strings.Repeat(copiedText, 10_000))
	for name, dst := range map[string]io.Writer{
		"write": writer(func([]byte) (int, error) { return 0, gone }),
		"flush": &flushes{err: gone},
	} {
		err := translator.Copy(dst, src, copiedStream(t))
		var write *translator.WriteError
		require.ErrorAs(t, err, &write, name)
		require.ErrorIs(t, err, gone, name)
	}
	require.NotZero(t, src.Len())
	short := writer(func([]byte) (int, error) { return 1, nil })
	err := translator.Copy(short, strings.NewReader(copiedText), copiedStream(t))
	require.ErrorIs(t, err, io.ErrShortWrite)
	failing := writer(func([]byte) (int, error) { return 0, gone }) // both sides fail
	err = translator.Copy(failing, iotest.ErrReader(io.ErrUnexpectedEOF), copiedStream(t))
	require.Equal(t, &translator.WriteError{Err: gone}, err)
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestCopyOverHTTP: a client that leaves a server ends Copy, and the request to the upstream with
// it.
func TestCopyOverHTTP(t *testing.T) {
	left := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, copiedText)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}))
	defer upstream.Close()
	result := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ask, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, upstream.URL, nil)
		answer, err := http.DefaultClient.Do(ask)
		if err != nil {
			result <- err
			return
		}
		defer answer.Body.Close()
		result <- translator.Copy(w, answer.Body, copiedStream(t))
	}))
	defer server.Close()
	answer, err := http.Get(server.URL)
	require.NoError(t, err)
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "event: message_start\n", line)
	answer.Body.Close()
	var read *translator.ReadError
	require.ErrorAs(t, <-result, &read)
	require.ErrorIs(t, read, context.Canceled)
	<-left
}
