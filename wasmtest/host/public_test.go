package host

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/testdns"
)

func TestIsPublic(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "104.16.0.1", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111",
		"64:ff9b::808:808"} {
		assert.True(t, isPublic(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{
		"127.0.0.1", "0.0.0.0", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",
		"255.255.255.255", "224.0.0.1",
		"::1", "::", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "fe80::1%eth0",
		"fd00::1", "ff02::1", "2002:7f00:1::", "2001:0:1::",
	} {
		assert.False(t, isPublic(netip.MustParseAddr(a)), a)
	}
}

// TestPublicName has a name server that resolves a public name to this machine's loopback address.
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
		u.send(newTransport(dialer), r)
		require.NoError(t, l.Run(u.arrived))
		return u.failure
	}
	assert.NoError(t, get(&net.Dialer{}))
	assert.Equal(t, 1, asked)
	assert.Equal(t, errNotPublic, get(publicDialer()))
	assert.Equal(t, 1, asked)
}
