package serve_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// midnight is the beginning of a day, 2026-11-21, in seconds of the Unix epoch.
const midnight = 1_795_219_200

// every has the protocols of clients.
var every = []string{"anthropic", "chat", "responses", "gemini"}

// ownEndpoint is a personal endpoint, and the key of a client.
type ownEndpoint struct {
	d         *deployment
	name, key string
}

// endpoint makes an endpoint with these members of its record.
func (d *deployment) endpoint(members string) *ownEndpoint {
	d.t.Helper()
	d.mu.Lock()
	d.endpointCount++
	name := fmt.Sprintf("e%d", d.endpointCount)
	d.mu.Unlock()
	return &ownEndpoint{d, name, d.make(`{"name":"` + name + `",` + members + `}`)}
}

// keyOf returns a key for an endpoint, as the Admin API would make it.
func keyOf(name string) string { return "el_" + name + "_" + strings.Repeat("k", 43) }

// hashOf returns the hash of a key that a record has.
func hashOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// members returns the members of an object as JSON, without the braces.
func members(o object) string {
	text := encoded(o)
	return text[1 : len(text)-1]
}

// enroll plants a record with these members and the key of keyOf. The record has no sealed keys.
func (d *deployment) enroll(name, members string) *ownEndpoint {
	d.t.Helper()
	d.plant(name, `{"version":1,"rev":1,"keys":[{"hash":"`+hashOf(keyOf(name))+`"}],`+members+`}`)
	return &ownEndpoint{d, name, keyOf(name)}
}

// tables returns the tables of usage that the object of the endpoint has.
func (e *ownEndpoint) tables() []any {
	return e.d.rows("endpoint:"+e.name, "SELECT name FROM sqlite_master WHERE name LIKE 'usage%'")
}

// upstreamAt returns an upstream of a record as JSON. more are further members, each after a comma.
func upstreamAt(name, protocol, host string, more ...string) string {
	return fmt.Sprintf(`{"name":%q,"protocol":%q,"url":%q%s}`, name, protocol, base(protocol, host),
		strings.Join(more, ""))
}

// upstreamList returns the member "upstreams" of a record.
func upstreamList(upstreams ...string) string {
	return `"upstreams":[` + strings.Join(upstreams, ",") + `]`
}

// oneUpstream returns the member "upstreams" of a record with one upstream: "up" at up.test.
func oneUpstream(protocol string, more ...string) string {
	return upstreamList(upstreamAt("up", protocol, "up.test", more...))
}

// asking is a request to a model.
type asking struct {
	model  string // "" is "m"
	stream bool
	usage  bool   // a client of Chat asks for the usage of a stream
	more   string // further members of the body, each with a comma after it
	raw    string // replaces the body
}

// httpOf returns the path and the body of a client's request.
func (a asking) httpOf(client string) (path, body string) {
	model := a.model
	if model == "" {
		model = "m"
	}
	streams := ""
	if a.stream {
		streams = `"stream":true,`
	}
	named := `{` + a.more + `"model":"` + model + `",` + streams
	switch client {
	case "anthropic":
		path, body = "/v1/messages", named+`"max_tokens":64,"messages":[{"role":"user","content":"hi"}]}`
	case "chat":
		if a.usage {
			named += `"stream_options":{"include_usage":true},`
		}
		path, body = "/v1/chat/completions", named+`"messages":[{"role":"user","content":"hi"}]}`
	case "responses":
		path, body = "/v1/responses", named+`"input":"hi"}`
	case "gemini":
		method := "generateContent"
		if a.stream {
			method = "streamGenerateContent?alt=sse"
		}
		path, body = "/v1beta/models/"+model+":"+method,
			`{`+a.more+`"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
	}
	if a.raw != "" {
		body = a.raw
	}
	return path, body
}

// ask sends a request and returns the whole answer. By then the request is counted.
func (e *ownEndpoint) ask(client string, a asking) *answer {
	path, body := a.httpOf(client)
	return e.send("POST", path, body)
}

// send sends a request to a path below the endpoint's.
func (e *ownEndpoint) send(method, path, body string) *answer {
	return e.d.ask(method, "/u/"+e.name+path, body, "Authorization: ", "X-Api-Key: "+e.key)
}

// open sends a request. The test reads the answer as it arrives.
func (e *ownEndpoint) open(client string, a asking) *call {
	path, body := a.httpOf(client)
	return e.d.open(newRequest(context.Background(), "POST", "/u/"+e.name+path, body, "Authorization: ",
		"X-Api-Key: "+e.key))
}

// usage returns the usage of an endpoint in the admin's view. query is "" or begins with a question
// mark.
func (d *deployment) usage(name string, query ...string) gjson.Result {
	d.t.Helper()
	a := d.admin("GET", "/endpoints/"+name+"/usage"+strings.Join(query, ""), "")
	require.Equal(d.t, 200, a.Code, a.text())
	return gjson.Parse(a.text())
}

// usage is deployment.usage of the endpoint.
func (e *ownEndpoint) usage(query ...string) gjson.Result { return e.d.usage(e.name, query...) }

// sum returns the sum of a member over all rows of days.
func sum(usage gjson.Result, member string) (n int64) {
	for _, row := range usage.Get("days").Array() {
		n += row.Get(member).Int()
	}
	return n
}

// sums returns the sums of members over all rows of days.
func sums(usage gjson.Result, members ...string) (all []int64) {
	for _, member := range members {
		all = append(all, sum(usage, member))
	}
	return all
}

// raw returns the JSON of several paths, with spaces between.
func raw(v gjson.Result, paths ...string) string {
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = v.Get(path).Raw
	}
	return strings.Join(all, " ")
}

// errorMessage returns the message of an error with the status 403 or 429, and checks the form of
// the client's protocol.
func errorMessage(d *deployment, client string, a *answer) string {
	d.t.Helper()
	switch client {
	case "anthropic":
		kind := map[int]string{429: "rate_limit_error", 403: "permission_error"}[a.Code]
		require.Equal(d.t, []string{"error", kind}, []string{a.get("type").Str, a.get("error.type").Str},
			a.text())
	case "gemini":
		kind := map[int]string{429: "RESOURCE_EXHAUSTED", 403: "PERMISSION_DENIED"}[a.Code]
		require.Equal(d.t, int64(a.Code), a.get("error.code").Int(), a.text())
		require.Equal(d.t, kind, a.get("error.status").Str, a.text())
	}
	return a.get("error.message").Str
}
