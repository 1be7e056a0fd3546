package serve_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forwarding returns a record of auth forward with the upstreams a and b at two hosts. more has
// members of b.
func forwarding(more object) object {
	return object{"auth": "forward", "upstreams": list{upstreamObject("chat", "a.test", object{"name": "a"}),
		upstreamObject("chat", "b.test", merged(object{"name": "b"}, more))}}
}

// merged returns an object with the members of several.
func merged(all ...object) object {
	o := object{}
	for _, members := range all {
		for name, value := range members {
			o[name] = value
		}
	}
	return o
}

// TestTwoOrigins: an endpoint whose clients bring their own keys may not have upstreams of two
// origins.
func TestTwoOrigins(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"ALLOW_HTTP_UPSTREAM": "true"})
	refused := func(a *answer) {
		t.Helper()
		require.Equal(t, 400, a.Code, a.text())
		require.Equal(t, "upstreams[1].url", a.get("error.path").Str)
		require.Contains(t, a.get("error.message").Str, "forward")
	}
	make := func(name string, record object) *answer {
		return d.admin("POST", "/endpoints", encoded(merged(record, object{"name": name})))
	}
	refused(make("two", forwarding(nil)))
	refused(make("two", forwarding(object{"url": "https://a.test:8443/v1"})))
	refused(make("two", forwarding(object{"url": "http://a.test/v1"})))
	require.Equal(t, 201, make("two", merged(forwarding(nil), object{"auth": "key"})).Code)
	refused(d.admin("PATCH", "/endpoints/two", `{"auth":"forward"}`))
	require.Equal(t, 201, make("one", forwarding(object{"url": "https://a.test/v1/other"})).Code)
	refused(d.admin("PATCH", "/endpoints/one", encoded(object{"upstreams": forwarding(nil)["upstreams"]})))
}

// TestOldRecordOfTwoOrigins: with an old record of two origins, the client's key goes only to the
// first origin.
func TestOldRecordOfTwoOrigins(t *testing.T) {
	t.Parallel()
	const own = "sk-the-client-s-own-key"
	for _, test := range []struct {
		name  string
		more  object
		model string
	}{
		{"fallback", nil, "m"},
		{"its models", object{"models": list{"only-b"}}, "only-b"},
		{"its name", nil, "b/m"},
		{"a sealed key of its own", object{"key": "v1.aaaaaaaa.bbbbbbbbbbbbbbbb.cccccccccccccccccccccccc"},
			"b/m"},
	} {
		d := deploy(t, nil)
		record := forwarding(test.more)
		if test.model == "only-b" {
			firstUpstream(record)["models"] = list{"only-a"}
		}
		d.enroll("old", members(record))
		d.upstreams["a.test"] = says(503, `{"error":{"message":"no capacity"}}`)
		d.upstreams["b.test"] = says(200, plainOf["chat"])
		ask := func(method, path, body string) *answer {
			return d.ask(method, "/u/old"+path, body, bearer(own), "Openai-Organization: org")
		}
		for _, client := range clientProtocols {
			for _, stream := range []bool{false, true} {
				a := ask("POST", paths[client], smallestOf(client, object{"model": test.model,
					"stream": stream}))
				status := 403
				switch {
				case test.model == "m" && client == "anthropic":
					status = 529
				case test.model == "m":
					status = 503
				default:
					require.Contains(t, a.get("error.message").Str, `"auth":"forward"`, test.name)
				}
				require.Equal(t, status, a.Code, "%s: %s", test.name, a.text())
			}
			count := ask("POST", "/v1/messages/count_tokens", smallestOf("anthropic",
				object{"model": test.model}))
			if test.model != "m" {
				require.Contains(t, count.get("error.message").Str, `"auth":"forward"`, test.name)
			}
		}
		for _, path := range []string{"/v1/models", "/v1/models/" + url.PathEscape(test.model),
			"/v1/models/" + test.model} {
			ask("GET", path, "")
		}
		d.admin("POST", "/endpoints/old/test", `{"upstream":"b"}`)
		require.NotEmpty(t, d.asked)
		for _, asked := range d.asked {
			if asked.URL.Host == "a.test" {
				require.Equal(t, bearer(own), "Authorization: "+asked.Header.Get("Authorization"))
				continue
			}
			for _, value := range []string{own, "org", "v1.aaaaaaaa"} {
				require.NotContains(t, encoded(asked.Header), value, test.name)
			}
		}
	}
}

// TestRedirects: the worker follows no redirect of an upstream, and no client gets one.
func TestRedirects(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	key := d.tenant("led", object{"upstreams": everyProtocol("a.test", nil)}).get("key").Str
	d.tenant("led-too", object{"upstreams": list{upstreamObject("chat", "a.test",
		object{"key": "sk-of-the-upstream"})}})
	d.upstreams["b.test"] = speaks("chat")
	var calls []tenantCall
	for _, protocol := range clientProtocols {
		for _, client := range clientProtocols {
			calls = append(calls, tenantCall{"POST", paths[client], smallestOf(client,
				object{"model": protocol + "/m", "stream": client == "chat"})})
		}
		calls = append(calls, tenantCall{"POST", "/v1/messages/count_tokens", smallestOf("anthropic",
			object{"model": "anthropic/m"})}, tenantCall{"GET", "/v1/models/" + protocol + "/m", ""})
	}
	for _, status := range []int{300, 301, 302, 303, 305, 307, 308} {
		for _, location := range []string{"https://b.test/v1/models", "//b.test/",
			"https://a.test/elsewhere", "/elsewhere", "http://169.254.169.254/latest/meta-data/",
			"data:application/json,{}",
			"file:///etc/passwd", `\\127.0.0.1\x`} {
			d.asked = nil
			d.upstreams["a.test"] = func(*sent) *reply {
				return &reply{status: status, raw: http.Header{"Location": {location},
					"Refresh": {"0;url=" + location}, "Content-Location": {location}}, chunks: []string{""}}
			}
			for _, c := range calls {
				a := d.ask(c.method, "/u/led"+c.path, c.body, bearer(key))
				require.Equal(t, 502, a.Code, "%d %s: %s", status, location, a.text())
				require.Empty(t, a.Header().Get("Location")+a.Header().Get("Refresh")+
					a.Header().Get("Content-Location"))
			}
			require.False(t, d.admin("POST", "/endpoints/led-too/test", "{}").get("ok").Bool())
			require.Len(t, d.asked, len(calls)+1)
			for _, asked := range d.asked {
				require.Equal(t, "a.test", asked.URL.Host)
				require.False(t, strings.Contains(asked.URL.Path, "elsewhere"))
			}
		}
	}
}
