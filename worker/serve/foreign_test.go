package serve_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// foreignHeaders are headers of an upstream that never reach a client: browsers apply them to the
// page's origin.
var foreignHeaders = http.Header{"Set-Cookie": {"a=b"}, "Content-Disposition": {"inline"},
	"Refresh": {"0;url=/"}, "Location": {"/"}, "Link": {"</>;rel=preload"},
	"Clear-Site-Data": {`"*"`}, "Access-Control-Allow-Origin": {"*"}}

const webpage = `<!doctype html><title>none</title><script>document.title = "ran"</script>`

// TestForeignTypes: an upstream sends answers with document types. Types that a browser treats as
// documents become application/octet-stream.
func TestForeignTypes(t *testing.T) {
	t.Parallel()
	const octets = "application/octet-stream"
	d := deploy(t, nil)
	key := d.tenant("anna", object{"upstreams": everyProtocol("up.test", nil)}).get("key").Str
	counted := d.tenant("bert", object{"upstreams": everyProtocol("up.test", nil),
		"usage": true}).get("key").Str
	type pair struct {
		theirs []string // nil: no such header
		ours   string
	}
	var pairs []pair
	add := func(ours string, theirs ...string) {
		for _, one := range theirs {
			pairs = append(pairs, pair{[]string{one}, ours})
		}
	}
	for _, same := range []string{"application/json", "application/json; charset=utf-8",
		"application/problem+json", "text/event-stream", "text/event-stream; charset=utf-8"} {
		add(same, same)
	}
	add("application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8")
	// with a hidden key
	add("application/json", "application/json; x=sk-of-an-upstream", "application/json; sk-of-an-upstream=1",
		"application/sk-of-an-upstream+json",
		"application/json; charset=utf-7", `application/json; charset="text/html"`,
		"application/json; a=text/html", "application/json; charset=utf-8; charset=utf-7")
	add("text/event-stream", "text/event-stream; charset=utf-7")
	add(octets, "text/html", "TEXT/HTML; charset=utf-8", "text/html, application/json",
		"application/json, text/html", "text/html;x=json", "text/html;application/json", "image/svg+xml",
		"application/xhtml+xml", "application/xml", "text/xml", "application/pdf", "text/plain",
		"text/javascript", "text/css", "image/svg+json", "x/y+json", "application/x-ndjson",
		"multipart/x-mixed-replace; boundary=a", "application/json/html", "application/+json",
		"application/jsonp", "application/text html+json", "json", "*/*", "")
	pairs = append(pairs, pair{[]string{"text/html", "application/json"}, octets},
		pair{[]string{"application/json", "text/html"}, octets}, pair{nil, octets})
	chat := smallestOf("chat", object{"model": "chat/m"})
	for _, test := range []struct {
		what         string
		status       int
		method, path string
		body         string
	}{
		{"models", 200, "GET", "/k/" + key + "/v1/models/chat/m", ""},
		{"models, HEAD", 200, "HEAD", "/k/" + key + "/v1/models/chat/m", ""},
		{"models, 404", 404, "GET", "/k/" + key + "/v1/models/chat/m", ""},
		{"an answer", 200, "POST", "/k/" + key + "/v1/chat/completions", chat},
		{"an error", 500, "POST", "/k/" + key + "/v1/chat/completions", chat},
		{"a counted answer", 200, "POST", "/k/" + counted + "/v1/chat/completions", chat},
		{"a count", 200, "POST", "/k/" + key + "/v1/messages/count_tokens", smallestOf("anthropic",
			object{"model": "anthropic/m"})},
	} {
		for _, pair := range pairs {
			text := webpage
			if test.status == 404 { // a 404 with a page would get an error of ours
				text = encoded(object{"error": object{"message": webpage}})
			}
			header := foreignHeaders.Clone()
			if pair.theirs != nil {
				header["Content-Type"] = pair.theirs
			}
			d.upstreams["up.test"] = func(*sent) *reply {
				return &reply{status: test.status,
					raw: header.Clone(), chunks: []string{text}}
			}
			a := d.ask(test.method, test.path, test.body, none)
			what := test.what + ", " + strings.Join(pair.theirs, " and ")
			require.Equal(t, test.status, a.Code, "%s: %s", what, a.text())
			require.Equal(t, []string{pair.ours}, a.Header()["Content-Type"], what)
			for name := range foreignHeaders {
				require.Empty(t, a.Header()[name], "%s: %s", what, name)
			}
		}
	}
}

// TestForeignPages: upstreams answer with a page. The client gets JSON or a stream of our own.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.tenant("anna", object{"upstreams": everyProtocol("up.test", nil)})
	page := func(status int) upstream {
		return func(*sent) *reply {
			header := foreignHeaders.Clone()
			header.Set("Content-Type", "text/html")
			return &reply{status: status, raw: header, chunks: []string{webpage}}
		}
	}
	key := d.tenant("bert", object{"options": object{"store": "on"}, "upstreams": everyProtocol("up.test",
		nil)}).get("key").Str
	messages := smallestOf("anthropic", object{"model": "chat/m"})
	said := strings.Replace(plainOf["chat"], `"ok"`, encoded(webpage), 1)
	var id string
	for _, test := range []struct {
		what         string
		status       int
		method, path string
		body         string
		up           upstream
	}{
		{"a translated error", 500, "POST", "/v1/messages", messages, page(500)},
		{"a redirect", 502, "POST", "/v1/chat/completions", smallestOf("chat", object{"model": "chat/m"}),
			page(302)},
		{"not modified", 502, "GET", "/v1/models/chat/m", "", page(304)},
		{"an upstream that is gone", 502, "POST", "/v1/messages", messages,
			func(*sent) *reply { return &reply{err: errReset} }},
		{"an estimated count", 200, "POST", "/v1/messages/count_tokens", messages, page(500)},
		{"a translated answer", 200, "POST", "/v1/messages", messages, says(200, said)},
		{"a translated stream", 200, "POST", "/v1/messages", smallestOf("anthropic",
			object{"model": "chat/m", "stream": true}), speaks("chat")},
		{"a stored answer", 200, "POST", "/v1/responses", smallestOf("responses", object{"model": "chat/m"}),
			says(200, said)},
		{"the stored response", 200, "GET", "/v1/responses/ID", "", nil},
		{"the stored input", 200, "GET", "/v1/responses/ID/input_items", "", nil},
		{"the deletion", 200, "DELETE", "/v1/responses/ID", "", nil},
		{"a stored response that is not there", 404, "GET", "/v1/responses/ID", "", nil},
		{"no such path", 404, "GET", "/<script>", "", nil},
		{"no JSON", 400, "POST", "/v1/messages", "{",
			says(400, `{"type":"error","error":{"type":"invalid_request_error","message":"no JSON"}}`)},
	} {
		d.upstreams["up.test"] = test.up
		a := d.ask(test.method, "/k/"+key+strings.Replace(test.path, "ID", id, 1), test.body, none)
		require.Equal(t, test.status, a.Code, "%s: %s", test.what, a.text())
		require.Regexp(t, `^(application/json|text/event-stream; charset=utf-8)$`,
			a.Header().Get("Content-Type"), test.what)
		for name := range foreignHeaders {
			require.Empty(t, a.Header()[name], "%s: %s", test.what, name)
		}
		if test.what == "a stored answer" {
			id = a.get("id").Str
			require.NotEmpty(t, id)
		}
	}
}
