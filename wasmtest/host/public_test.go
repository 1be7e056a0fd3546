package host

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsPublic(t *testing.T) {
	for _, a := range []string{"1.1.1.1", "104.16.0.1", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"} {
		assert.True(t, isPublic(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{
		"127.0.0.1", "0.0.0.0", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "255.255.255.255", "224.0.0.1",
		"::1", "::", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "fe80::1%eth0", "fd00::1", "ff02::1", "2002:7f00:1::", "2001:0:1::",
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
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go resolveToLoopback(far)
		return near, nil
	}}
	get := func(dialer *net.Dialer) error {
		dialer.Resolver = resolver
		l := newLoop()
		u := newUpstream(context.Background(), l, 0)
		defer u.close()
		r, err := newUpstreamRequest("http://api.rebinding.example:"+port+"/", "GET", "", nil)
		require.NoError(t, err)
		u.send(newTransport(dialer), r)
		require.NoError(t, l.run(u.arrived))
		return u.failure
	}
	assert.NoError(t, get(&net.Dialer{}))
	assert.Equal(t, 1, asked)
	assert.Equal(t, errNotPublic, get(publicDialer()))
	assert.Equal(t, 1, asked)
}

// resolveToLoopback answers one question of DNS (RFC 1035, section 4): with 127.0.0.1 for type A, else with no address.
func resolveToLoopback(conn net.Conn) {
	defer conn.Close()
	var length [2]byte
	for {
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		end := 12 + strings.IndexByte(string(question[12:]), 0) + 5 // the end of the question: name, type and class
		answer := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:end]...)
		if question[end-3] == 1 { // type A
			answer[7] = 1
			answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)
		}
		binary.BigEndian.PutUint16(length[:], uint16(len(answer)))
		conn.Write(append(length[:], answer...))
	}
}
