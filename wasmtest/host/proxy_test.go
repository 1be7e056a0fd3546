package host

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsOwn(t *testing.T) {
	for path, want := range map[string]bool{"/v1/messages": true, "/": true, "/admin": true,
		"/u/anna/v1/messages": false, "/k/el_anna_key/v1/messages": false,
		"/admin/api/endpoints/anna/test": false} {
		assert.Equal(t, want, isOwn(path), path)
	}
}

// TestProxyOfHTTPS: for an https upstream the proxy opens a tunnel, and sees neither path nor key.
func TestProxyOfHTTPS(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	asked := make(chan *http.Request, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			asked <- r
			io.WriteString(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		}
	}()
	h := newHost(Config{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: listener.Addr().String()})})
	r := httptest.NewRequest("GET", "https://api.example.com/v1/models", nil)
	r.RequestURI = ""
	r.Header.Set("Authorization", "Bearer key")
	_, err = h.proxied.RoundTrip(r)
	assert.ErrorContains(t, err, "Forbidden")
	seen := <-asked
	assert.Equal(t, "CONNECT api.example.com:443", seen.Method+" "+seen.Host)
	assert.Empty(t, seen.Header.Get("Authorization"))
	assert.Nil(t, newHost(Config{}).proxied.Proxy)
}
