package host

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/host/js"
)

// TestClientAddress: X-Forwarded-For counts only from trusted proxies, and only up to the right-most
// address that is no trusted proxy.
func TestClientAddress(t *testing.T) {
	trusted, err := ParseProxies(" 127.0.0.1, 10.0.0.0/8 ,fd00::/8,::1")
	require.NoError(t, err)
	for _, test := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"198.51.100.7"}, "192.0.2.1"},
		{"127.0.0.1:5", nil, "127.0.0.1"},
		{"127.0.0.1:5", []string{""}, "127.0.0.1"},
		{"127.0.0.1:5", []string{"198.51.100.7"}, "198.51.100.7"},
		{"127.0.0.2:5", []string{"198.51.100.7"}, "127.0.0.2"},
		{"[::ffff:127.0.0.1]:5", []string{"198.51.100.7"}, "198.51.100.7"},
		{"[::1]:5", []string{"2001:db8::7"}, "2001:db8::7"},
		{"127.0.0.1:5", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		{"127.0.0.1:5", []string{"203.0.113.9", "198.51.100.7"}, "198.51.100.7"},
		{"127.0.0.1:5", []string{"203.0.113.9, 198.51.100.7,10.1.2.3 , fd00::1"}, "198.51.100.7"},
		{"127.0.0.1:5", []string{"10.0.0.9, 10.0.0.8"}, "10.0.0.9"},
		{"127.0.0.1:5", []string{"198.51.100.7:4711"}, "198.51.100.7"},
		{"127.0.0.1:5", []string{"[2001:db8::7]:4711"}, "2001:db8::7"},
		{"127.0.0.1:5", []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"127.0.0.1:5", []string{"::ffff:10.0.0.8"}, "10.0.0.8"},
		{"127.0.0.1:5", []string{"198.51.100.7, unknown"}, "127.0.0.1"},
		{"127.0.0.1:5", []string{"198.51.100.7, unknown, 10.0.0.8"}, "10.0.0.8"},
		{"127.0.0.1:5", []string{"198.51.100.7,"}, "127.0.0.1"},
		{"127.0.0.1:5", []string{",198.51.100.7"}, "198.51.100.7"},
		{"@", []string{"198.51.100.7"}, ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Header = test.peer, http.Header{"X-Forwarded-For": test.forwarded}
		assert.Equal(t, test.want, trusted.client(r), test)
		peer := Proxies(nil).client(r)
		r.Header = nil
		assert.Equal(t, Proxies(nil).client(r), peer, "nobody is trusted")
	}
}

// TestForgedClientAddress: a client's own cf-connecting-ip never reaches the program.
func TestForgedClientAddress(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "192.0.2.1:5"
	r.Header.Set("Cf-Connecting-Ip", "198.51.100.7")
	r.Header.Set("X-Forwarded-For", "198.51.100.8")
	head := js.NewHeaders(nil)
	head.Set("host", "example.com")
	head.Set("x-forwarded-for", "198.51.100.8")
	head.Set("cf-connecting-ip", "192.0.2.1")
	assert.ElementsMatch(t, strings.Split(head.Head(), "\n"), strings.Split(clientHead(r, nil), "\n"))
}

func TestTrustedProxies(t *testing.T) {
	for _, none := range []string{"", " "} {
		p, err := ParseProxies(none)
		assert.NoError(t, err)
		assert.Empty(t, p)
	}
	for _, wrong := range []string{"localhost", "10.0.0.0/33", "10.0.0.1,", "*", "10.0.0.0/8 10.1.0.0/16",
		"::ffff:10.0.0.0/104", "fe80::1%eth0", "10.0.0", "true"} {
		_, err := ParseProxies(wrong)
		assert.ErrorContains(t, err, "TRUSTED_PROXIES has ", wrong)
	}
}
