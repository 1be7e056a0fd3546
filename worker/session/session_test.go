package session

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPages(t *testing.T) {
	const here, plain = "https://a.example", "http://a.example"
	for _, test := range []struct {
		url, method, site, origin, own string
		foreign                        bool
		want                           string
	}{
		{url: here},
		{url: here, own: here, want: here},
		{url: here, own: here, site: "same-origin", want: here},
		{url: here, own: here, site: "same-origin", origin: here, want: here},
		{url: here, own: here, site: "same-site", foreign: true, want: here},
		{url: here, own: here, site: "cross-site", foreign: true, want: here},
		{url: here, own: here, site: "none", foreign: true, want: here},
		{url: here, own: here, origin: "null", foreign: true, want: here},
		{url: here, own: plain},
		{url: here, own: plain, origin: plain, foreign: true},
		{url: here, own: here + " secret", want: here},
		{url: here, own: " " + here},
		{url: here, own: here + ":444"},
		{url: here, own: here + "/"},
		{url: here, own: "1"},
		{url: here, own: "https://b.example", origin: "https://b.example", foreign: true},
		{url: here, method: "POST", own: here},
		{url: here, method: "POST", origin: here},
		{url: here, method: "DELETE", own: here, origin: here, want: here},
		{url: plain, own: plain, want: plain},
		{url: plain, own: here, want: here}, // a proxy has terminated https
		{url: plain, method: "POST", own: here, origin: here, want: here},
		{url: plain, method: "POST", own: here, origin: plain},
		{url: "http://127.0.0.1:8787", own: "http://evil.example:8787", origin: "http://evil.example:8787",
			foreign: true},
	} {
		at, err := url.Parse(test.url + "/admin/api/session")
		assert.NoError(t, err)
		h := http.Header{}
		for name, value := range map[string]string{"sec-fetch-site": test.site, "origin": test.origin,
			OwnHeader: test.own} {
			if value != "" {
				h.Set(name, value)
			}
		}
		method := test.method
		if method == "" {
			method = "GET"
		}
		assert.Equal(t, test.foreign, Foreign(at, h), test)
		assert.Equal(t, test.want, Origin(method, at, h), test)
	}
}

func TestPrivate(t *testing.T) {
	for _, origin := range []string{"https://a.example", "http://localhost", "http://localhost:8787",
		"http://127.0.0.1:1", "http://[::1]:8787", "http://[::1]"} {
		assert.True(t, Private(origin), origin)
	}
	for _, origin := range []string{"http://a.example", "http://localhost.a.example",
		"http://127.0.0.1.a.example:80", "http://192.168.0.1:8787", "http://[::2]:8787",
		"http://a.example:127.0.0.1", "http://[::1].a.example"} {
		assert.False(t, Private(origin), origin)
	}
}

func TestCookies(t *testing.T) {
	token := strings.Repeat("t", 43)
	const safe, plain = "https://a.example", "http://127.0.0.1:8787"
	assert.Equal(t, "__Secure-edgelingua-admin="+token+
		"; Path=/admin; Max-Age=43200; HttpOnly; SameSite=Strict; Secure", Cookie(token, Admin, safe))
	assert.Equal(t, "edgelingua-owner="+token+"; Path=/u/anna/; Max-Age=43200; HttpOnly; SameSite=Strict",
		Cookie(token, Owner("anna"), plain))
	assert.Equal(t, "edgelingua-admin=; Path=/admin; Max-Age=0; HttpOnly; SameSite=Strict", Cookie("", Admin,
		plain))
	all := "a=b;edgelingua-admin=" + token +
		"; x-edgelingua-owner=no; edgelingua-owner=short; edgelingua-owner=" + strings.ToUpper(token) + "; ;"
	assert.Equal(t, token, Token(all, Admin, plain))
	assert.Equal(t, strings.ToUpper(token), Token(all, Owner("anna"), plain))
	assert.Empty(t, Token(all, Admin, safe), "over https a cookie without Secure is none")
	assert.Empty(t, Token("", Admin, plain))
}

func TestClients(t *testing.T) {
	for address, want := range map[string]string{
		"":                        "",
		"192.0.2.1":               "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":    "2001:db8:1:2",
		"2001:db8:1:2::1":         "2001:db8:1:2",
		"2001:db8::1":             "2001:db8:0:0",
		"2001:db8::4:5:6:7":       "2001:db8:0:0",
		"2001::2:3:4:5:6:7":       "2001:0:2:3",
		"::1":                     ":0:0:0",
		"2001:db8::":              "2001:db8:0:0",
		"fe80::1%eth0":            "fe80:0:0:0",
		strings.Repeat("1:", 100): "",
	} {
		assert.Equal(t, want, Client(address), address)
	}
}
