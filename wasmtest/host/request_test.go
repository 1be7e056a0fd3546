package host

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadable(t *testing.T) {
	for head, want := range map[string]bool{
		"GET /v1/models HTTP/1.1\r\nHost: a.b:80":       true,
		"GET //k/x?a=b%zz HTTP/1.1\r\nHost: [::1]:8787": true, "GET / HTTP/1.0\r\nX: y": true,
		"GET http://a/u/anna HTTP/1.1\r\nHost: b": true, "CONNECT a:80 HTTP/1.1\r\nHost: a:80": true,
		"GET http://a HTTP/1.1\r\nHost: a":         true,
		"GET /v1/models/a%2Fb HTTP/1.1\r\nHost: a": true, "GET /%F0%9F HTTP/1.1\r\nHost: a": true,
		"GET / HTTP/1.1\r\nHost: %zz": false, "GET / HTTP/1.1\r\nHost: a:b": false,
		"GET / HTTP/1.1\r\nHost: [::1":         false,
		"GET x::80/u/anna HTTP/1.1\r\nHost: a": false, "GET x:u/anna HTTP/1.1\r\nHost: a": false,
		"OPTIONS * HTTP/1.1\r\nHost: a": false,
	} {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head + "\r\n\r\n")))
		require.NoError(t, err, head)
		assert.Equal(t, want, readable(r), head)
	}
}
