package outbound

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConnectionEndsWithItsRequest cancels requests before a connection is made: to an address
// without an answer, and to a server that never answers the TLS handshake.
func TestConnectionEndsWithItsRequest(t *testing.T) {
	ask := func(transport http.RoundTripper, url string) (giveUp func()) {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(Bounded(ctx), "GET", url, nil)
		require.NoError(t, err)
		over := make(chan struct{})
		go func() {
			defer close(over)
			_, err := transport.RoundTrip(r)
			assert.ErrorIs(t, err, context.Canceled)
		}()
		return func() {
			cancel()
			<-over
		}
	}
	dialled, ended := make(chan struct{}), make(chan struct{})
	giveUp := ask(transportOver(func(ctx context.Context, _, _ string) (net.Conn, error) {
		close(dialled)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}), "http://upstream.test")
	<-dialled
	giveUp()
	<-ended

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	giveUp = ask(Transport(&net.Dialer{}), "https://"+listener.Addr().String())
	conn, err := listener.Accept()
	require.NoError(t, err)
	defer conn.Close()
	conn.Read(make([]byte, 1))
	giveUp()
	// reads to the end of the connection; if the connection ends only with the handshake timeout,
	// the test takes that long
	io.Copy(io.Discard, conn)
}
