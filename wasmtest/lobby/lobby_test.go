package lobby

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serve serves with handler, and a lobby for room connections.
func serve(t *testing.T, listener net.Listener, room int, handler http.HandlerFunc) (address string,
	l *Lobby, logged *strings.Builder) {
	t.Helper()
	logged = &strings.Builder{}
	l = New(listener, room, log.New(logged, "", 0))
	s := &http.Server{Handler: handler, ConnContext: l.Context, ConnState: l.State}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return listener.Addr().String(), l, logged
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func admit(w http.ResponseWriter, r *http.Request) {
	if Admit(r.Context()) {
		defer Return(r.Context())
		io.WriteString(w, r.URL.Path)
	}
}

// ask sends a request on a connection, and returns the answer.
func ask(t *testing.T, conn net.Conn, path string) string {
	t.Helper()
	io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

// ends waits until the server has closed a connection. If the server never does, the test hangs.
func ends(conn net.Conn) { io.Copy(io.Discard, conn) }

func TestTheLongestWaitingGoes(t *testing.T) {
	address, l, logged := serve(t, listen(t), 2, admit)
	first, second := dial(t, address), dial(t, address)
	assert.Equal(t, "/a", ask(t, first, "/a"))
	assert.Equal(t, "/b", ask(t, second, "/b"))
	assert.Equal(t, "/c", ask(t, first, "/c")) // now the second has waited longest
	third := dial(t, address)
	ends(second)
	assert.Equal(t, "/d", ask(t, first, "/d"))
	assert.Equal(t, "/e", ask(t, third, "/e"))
	l.mu.Lock()
	defer l.mu.Unlock()
	assert.Equal(t, "too many connections wait without a request: 1 closed to make room for new ones\n",
		logged.String())
}

// TestAdmittedRequestsStay opens connections while a request is served.
func TestAdmittedRequestsStay(t *testing.T) {
	came, release := make(chan struct{}), make(chan struct{})
	address, _, _ := serve(t, listen(t), 1, func(w http.ResponseWriter, r *http.Request) {
		require.True(t, Admit(r.Context()))
		came <- struct{}{}
		<-release
		Return(r.Context())
		io.WriteString(w, "served")
	})
	client := dial(t, address)
	answer := make(chan string)
	go func() { answer <- ask(t, client, "/") }()
	<-came
	last := dial(t, address)
	for range 5 {
		before := last
		last = dial(t, address)
		ends(before)
	}
	close(release)
	assert.Equal(t, "served", <-answer)
	ends(last) // the served connection is now the youngest
	client.Close()
}

// TestTakenOver has a handler hijack a connection. The connection then no longer waits, although
// its request is returned to the lobby.
func TestTakenOver(t *testing.T) {
	over := make(chan net.Conn, 1)
	address, l, _ := serve(t, listen(t), 1, func(w http.ResponseWriter, r *http.Request) {
		require.True(t, Admit(r.Context()))
		if r.URL.Path == "/" {
			Return(r.Context())
			io.WriteString(w, "served")
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		Return(r.Context())
		require.True(t, Admit(r.Context()))
		Return(r.Context())
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
		over <- conn
	})
	kept := dial(t, address)
	assert.Equal(t, "first", ask(t, kept, "/over"))
	for range 3 {
		assert.Equal(t, "served", ask(t, dial(t, address), "/"))
	}
	l.mu.Lock()
	assert.Equal(t, 1, l.waiting.Len())
	l.mu.Unlock()
	conn := <-over
	defer conn.Close()
	_, err := io.WriteString(conn, "x")
	require.NoError(t, err)
	_, err = io.ReadFull(kept, make([]byte, 1))
	assert.NoError(t, err, "the connection is open")
}

// TestTooLate has request headers arrive on a connection that was closed to make room.
func TestTooLate(t *testing.T) {
	listener := listen(t)
	l := New(listener, 1, log.New(io.Discard, "", 0))
	defer listener.Close()
	dial(t, listener.Addr().String())
	dial(t, listener.Addr().String())
	first, err := l.Accept()
	require.NoError(t, err)
	second, err := l.Accept()
	require.NoError(t, err)
	assert.False(t, Admit(l.Context(t.Context(), first)))
	Return(l.Context(t.Context(), first))
	assert.True(t, Admit(l.Context(t.Context(), second)))
	assert.Zero(t, l.waiting.Len())
	Return(l.Context(t.Context(), second))
	assert.Equal(t, 1, l.waiting.Len())
	second.Close()
	assert.Zero(t, l.waiting.Len())
	assert.True(t, Admit(t.Context()), "a server without a lobby")
	Return(t.Context())
}

// outOfFiles is a listener that runs out of file descriptors a few times.
type outOfFiles struct {
	net.Listener
	times int
	err   error
}

func (l *outOfFiles) Accept() (net.Conn, error) {
	if l.times--; l.times >= 0 {
		return nil, &net.OpError{Op: "accept", Err: l.err}
	}
	return l.Listener.Accept()
}

func TestWithoutDescriptors(t *testing.T) {
	for _, lack := range []error{syscall.EMFILE, syscall.ENFILE} {
		scarce := &outOfFiles{Listener: listen(t), err: lack}
		l := New(scarce, 100, log.New(io.Discard, "", 0))
		old := dial(t, scarce.Addr().String())
		_, err := l.Accept()
		require.NoError(t, err)
		scarce.times = 1
		dial(t, scarce.Addr().String())
		_, err = l.Accept()
		require.NoError(t, err)
		ends(old)
		scarce.times = 2
		_, err = l.Accept()
		assert.ErrorIs(t, err, lack, "nobody waits any more")
		scarce.times, scarce.err = 1, io.ErrUnexpectedEOF
		_, err = l.Accept()
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		scarce.Close()
	}
}

// TestAdmittedTwice: a connection with two admitted requests waits again after the second one's end.
func TestAdmittedTwice(t *testing.T) {
	l := New(nil, 1, log.New(io.Discard, "", 0))
	g := &guest{lobby: l}
	ctx := l.Context(t.Context(), g)
	l.wait(g)
	require.True(t, Admit(ctx))
	require.True(t, Admit(ctx))
	Return(ctx)
	assert.Zero(t, l.waiting.Len())
	Return(ctx)
	assert.Equal(t, 1, l.waiting.Len())
}
