package host

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/host/outbound"
	"edgelingua/wasmtest/testdns"
)

// TestPublicName has a name server that resolves a public name to a loopback address.
func TestPublicName(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	get := func(dialer *net.Dialer) error {
		dialer.Resolver = testdns.Loopback()
		l := js.NewLoop()
		u := newUpstream(context.Background(), l, 0)
		defer u.close()
		r, err := newUpstreamRequest("http://api.rebinding.example:"+port+"/", "GET", "", nil)
		require.NoError(t, err)
		u.send(outbound.Transport(dialer), r)
		require.NoError(t, l.Run(u.arrived))
		return u.failure
	}
	assert.NoError(t, get(&net.Dialer{}))
	assert.Equal(t, 1, asked)
	assert.Equal(t, outbound.ErrNotPublic, get(outbound.Public()))
	assert.Equal(t, 1, asked)
}
