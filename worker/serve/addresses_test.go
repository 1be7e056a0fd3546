package serve_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// privateHosts are spellings of addresses of this machine, of its network and of cloud metadata, as
// the URL parsers of JavaScript or Go or a resolver may read them, and hosts without an address.
var privateHosts = []string{
	"127.0.0.1", "127.0.0.1:1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1",
	"0x7F.0X0.0x0.0x1", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "0:1",
	"10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "2852039166", "0xa9fea9fe",
	"0251.0376.0251.0376", "100.64.0.1", "255.255.255.255", "224.0.0.1", "8.8.8.8", "127.0.0.1.",
	"127.0.0.1..", "1.1.1.1%2eexample.com%00", "[::1]", "[::1]:1", "[::]", "[::ffff:127.0.0.1]",
	"[::ffff:7f00:1]", "[::127.0.0.1]", "[0:0:0:0:0:0:0:1]", "[fe80::1]", "[fe80::1%25eth0]", "[fd00::1]",
	"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::1%25lo]", "[2606:4700::1111]", "[::1", "::1", "localhost",
	"LOCALHOST", "localhost:1", "localhost.", "localhost..", "a.localhost", "a.localhost.:443",
	"localhost.localdomain.local", "printer.local", "printer.LOCAL.", "metadata.google.internal", "metadata",
	"kubernetes.default.svc.cluster.local", "intranet", "instance-data",
	"%6c%6f%63%61%6c%68%6f%73%74", "127%2e0%2e0%2e1", "127.0.0.1%00.example.com", "127.0.0.1%23.example.com",
	"１２７.０.０.１", "１２７。０。０。１", "①②⑦.⓪.⓪.①", "127｡0｡0｡1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
	"loc\u00adalhost", "local\u200bhost", "a.loca\u200bl", "a.ｌocal", "example.com\u2044@127.0.0.1",
	"user@127.0.0.1", "user:password@api.example.com", "api.example.com@127.0.0.1:1",
	"api.example.com:80@127.0.0.1", `127.0.0.1\@api.example.com`, `127.0.0.1\.example.com`,
	`api.example.com\@127.0.0.1`, "127.0.0.1#@api.example.com", "127.0.0.1?@api.example.com",
	"api.example.com:0x50", "api.example.com:99999", "api.example.com:-1", "api.example.com:", " 127.0.0.1",
	"127.0.0.1 .example.com",
	"127.0.0.1\t", "127.0.0.1\n", "exa\nmple.com", "\tlocalhost", "", ".", "..", ".example.com",
	"a..example.com", "*.example.com", "a_b", "-", "api.example.com,127.0.0.1", "api.example.com;127.0.0.1",
	"$(hostname).example.com", "a.1", "a.0x7f", "1.2.3.4.5", "256.256.256.256", "a.local:443", "a.internal.",
}

// otherURLs are URLs of other schemes or with other parts, and texts that are not URLs.
var otherURLs = []string{
	"http://api.example.com", "HTTP://api.example.com", "http://127.0.0.1:1", "ftp://api.example.com",
	"file:///etc/passwd", "data:application/json,{}", "gopher://127.0.0.1", "javascript:alert(1)",
	"blob:https://api.example.com/1", "ws://api.example.com", "wss://api.example.com",
	"unix:///var/run/docker.sock", "https:api.example.com", "https:/127.0.0.1", "https:///127.0.0.1",
	`https:\\127.0.0.1`,
	"https:////127.0.0.1/", "//127.0.0.1", "127.0.0.1", "api.example.com", "", " https://api.example.com",
	"https://api.example.com/v1#x", "https://api.example.com/v1?x=1",
	"view-source:https://api.example.com", "https\x00://api.example.com", "\x00https://api.example.com",
}

// TestAddresses: the Admin API refuses upstream addresses outside the public internet, in records
// and in drafts.
func TestAddresses(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	to := func(name, url string) object {
		return object{"name": name, "protocol": "chat", "url": url, "key": "sk-of-the-upstream"}
	}
	good := to("a", "https://api.example.com/v1")
	require.Equal(t, 201, d.admin("POST", "/endpoints", encoded(object{"name": "made",
		"upstreams": list{good}})).Code)
	before := d.stored("made")
	urls := otherURLs
	for _, host := range privateHosts {
		urls = append(urls, "https://"+host+"/v1")
	}
	require.Greater(t, len(urls), 130)
	for _, u := range urls {
		for _, test := range []struct {
			method, path string
			body         object
			field        string
		}{
			{"POST", "/endpoints", object{"name": "new", "upstreams": list{to("a", u)}}, "upstreams[0].url"},
			{"PATCH", "/endpoints/made", object{"upstreams": list{to("a", u)}}, "upstreams[0].url"},
			{"PATCH", "/endpoints/made", object{"upstreams": list{good, to("b", u)}}, "upstreams[1].url"},
			{"POST", "/test", object{"upstream": "a", "draft": object{"upstreams": list{to("a", u)}}},
				"upstreams[0].url"},
			{"POST", "/models", object{"upstream": "a", "draft": object{"upstreams": list{to("a", u)}}},
				"upstreams[0].url"},
			{"POST", "/endpoints/made/test", object{"upstream": "a",
				"draft": object{"upstreams": list{to("a", u)}}}, "upstreams[0].url"},
			{"POST", "/endpoints/made/models", object{"upstream": "a",
				"draft": object{"upstreams": list{to("a", u)}}}, "upstreams[0].url"},
		} {
			a := d.admin(test.method, test.path, encoded(test.body))
			require.Equal(t, 400, a.Code, "%s %q: %s", test.path, u, a.text())
			require.Equal(t, test.field, a.get("error.path").Str, "%s %q", test.path, u)
		}
	}
	require.Empty(t, d.asked)
	require.Equal(t, before, d.stored("made"))
	require.Equal(t, []string{"endpoint:made"}, d.names())
}

// TestAddressesOfOldRecords: the worker sends nothing to such an address in an old record.
func TestAddressesOfOldRecords(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	for _, u := range []string{"http://127.0.0.1:1/v1", "http://localhost:1/v1", "https://127.0.0.1:1",
		"https://127.1:1", "https://localhost.:1", "https://[::ffff:127.0.0.1]:1", "https://2130706433:1"} {
		key := d.enroll("old", `"upstreams":[{"name":"a","protocol":"chat","url":"`+u+`"}]`).key
		for _, c := range []tenantCall{{"POST", "/v1/messages", messagesBody},
			{"POST", "/v1/chat/completions", chatBody}, {"GET", "/v1/models", ""},
			{"POST", "/v1/messages/count_tokens", messagesBody}} {
			a := d.ask(c.method, "/u/old"+c.path, c.body, bearer(key))
			require.Equal(t, 500, a.Code, u)
			require.Contains(t, a.get("error.message").Str, "upstreams[0].url must")
		}
		require.Equal(t, 500, d.admin("POST", "/endpoints/old/test", "{}").Code, u)
	}
	require.Empty(t, d.asked)
}

// TestPathsOfUpstreams: no text of a client leads to another host or path of the upstream.
func TestPathsOfUpstreams(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	key := d.tenant("anna", object{"upstreams": everyProtocol("up.test", nil)}).get("key").Str
	d.upstreams["up.test"] = says(404, `{"error":{"message":"none","type":"invalid_request_error"}}`)
	for _, protocol := range clientProtocols {
		for _, word := range []string{"@127.0.0.1:1/", "//127.0.0.1:1/", "..%2f..%2fadmin", "../../admin",
			"%2e%2e/admin", ".", "..", "%252e%252e", "http://127.0.0.1:1/", "m?key=x", "m%3Fkey=x", "m%23",
			`m\..\..`, "%00", "m%0d%0ahost:%20evil", "\u2025/\u2025"} {
			path := "/u/anna/v1/models/" + protocol + "/" + strings.ReplaceAll(url.PathEscape(word), "%25",
				"%")
			for _, header := range []string{"X-Api-Key: " + key, bearer(key)} {
				require.Contains(t, []int{400, 404}, d.ask("GET", path, "", none, header).Code, path)
			}
			for _, client := range clientProtocols {
				d.ask("POST", "/u/anna"+paths[client], smallestOf(client,
					object{"model": protocol + "/" + word}), bearer(key))
			}
		}
	}
	require.Greater(t, len(d.asked), 100)
	for _, asked := range d.asked {
		require.Equal(t, "up.test", asked.Host)
		require.Equal(t, "up.test", asked.URL.Host)
		path := asked.URL.RequestURI()
		if asked.Method == "POST" {
			require.Contains(t, []string{"/v1/messages", "/v1/chat/completions", "/v1/responses"}, path)
		} else {
			require.Regexp(t, `^/v1/models(/[^/?#]*)?(\?|$)`, path)
		}
		require.NotRegexp(t, `/\.{0,2}(/|\?|$)`, path)
	}
}
