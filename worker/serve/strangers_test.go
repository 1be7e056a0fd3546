package serve_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// strangersRoutes are the paths after /v1, /u/NAME and /k/KEY, with the allowed methods.
var strangersRoutes = map[string]string{
	"/v1/messages": "POST", "/v1/messages/count_tokens": "POST", "/v1/messages/batches": "POST",
	"/v1/chat/completions": "POST", "/v1/responses": "POST",
	"/v1/responses/input_tokens": "POST", "/v1/responses/compact": "POST",
	"/v1beta/models/m:generateContent": "POST", "/v1beta/models/m:streamGenerateContent?alt=sse": "POST",
	"/v1beta/models/m:countTokens?key=x": "POST", "/v1beta/models?key=": "GET HEAD",
	"/v1beta/models/m": "GET", "/v1/models": "GET HEAD", "/v1/models/m": "GET HEAD",
	"/v1/models/a%2f..%2fb?limit=1": "GET", "/v1/responses/" + unknownID: "GET DELETE",
	"/v1/responses/" + unknownID + "/": "GET", "/v1/responses/" + unknownID + "/input_items": "GET",
	"/v1/responses/" + unknownID + "/submit_tool_outputs": "POST",
	"/v1/responses/" + unknownID + "/cancel":              "POST",
}

// ownersRoutes are paths after /u/NAME, and adminRoutes paths after the list of endpoints.
var (
	ownersRoutes = map[string]string{"/api": "GET", "/api/usage": "GET", "/api/usage?days=90": "GET",
		"/api/rotate": "POST"}
	adminRoutes = map[string]string{"": "GET POST", "/": "GET", "?limit=1&cursor=x": "GET",
		"/NAME": "GET PATCH DELETE", "/NAME/": "GET", "/NAME/keys": "POST", "/NAME/keys/abc": "DELETE",
		"/NAME/rotate": "POST", "/NAME/test": "POST", "/NAME/models": "POST", "/NAME/usage": "GET",
		"/NAME/usage/x": "GET"}
)

const unknownID = "resp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// presented returns the headers in which a stranger may present a key.
func presented(name string) [][]string {
	basic := base64.StdEncoding.EncodeToString([]byte("admin:" + adminKey))
	key := keyOf(name)
	return [][]string{
		{},
		{"X-Api-Key: " + key},
		{"X-Api-Key: "},
		{"X-Api-Key: " + clientKey + " x"},
		{"X-Api-Key: " + strings.ToUpper(clientKey)},
		{"X-Api-Key: client-key, e2e"},
		{"X-Api-Key: *"},
		{"X-Api-Key: undefined"},
		{`X-Api-Key: "` + adminKey + `"`},
		{bearer(key)},
		{"Authorization: bearer  " + key + "," + clientKey},
		{"Authorization: Bearer\t" + clientKey},
		{"Authorization: Basic " + basic},
		{"Authorization: " + clientKey},
		{"Authorization: Bearer"},
		{"Authorization: Bearer null"},
		{"Proxy-Authorization: Bearer " + clientKey, "Api-Key: " + clientKey, "X-Goog-Key: " + clientKey,
			"X-Admin-Key: " + adminKey},
		{"X-Goog-Api-Key: " + key},
		{`X-Goog-Api-Key: "` + clientKey + `"`, "X-Goog-Api-Client: " + clientKey,
			"X-Goog-User-Project: " + adminKey},
		{"X-Goog-Api-Key: ", "X-Goog-Iam-Authorization-Token: " + clientKey},
		{"Cookie: key=" + clientKey + "; ADMIN_KEY=" + adminKey + "; __Secure-admin=x; admin=x; session=x"},
		{"X-Forwarded-For: 127.0.0.1", "X-Real-Ip: 127.0.0.1", "Cf-Connecting-Ip: 127.0.0.1",
			"Forwarded: for=127.0.0.1;host=localhost"},
		{"X-Original-Url: /v1/models", "X-Rewrite-Url: /admin/api/endpoints", "X-Forwarded-Prefix: /admin",
			"X-Forwarded-Host: localhost"},
		{"X-Http-Method-Override: GET", "X-Method-Override: DELETE"},
		{"Anthropic-Version: 2023-06-01"},
		{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"},
	}
}

// strangers is a deployment with the endpoint anna, and without an endpoint nope.
type strangers struct {
	*deployment
	refused int
}

func newStrangers(t *testing.T) *strangers {
	d := tenants(t, nil)
	d.tenant("anna", object{"upstreams": list{upstreamObject("chat", "up.test", object{"name": "an-upstream",
		"key": "sk-of-the-upstream", "headers": object{"x-title": "a-title"}, "models": list{"a-model"}})},
		"key": object{"label": "a-label"}, "usage": true, "limits": object{"requests_per_minute": 100},
		"options": object{"store": "on"}})
	return &strangers{d, 0}
}

// refuse sends a request that must be refused, first with an existing endpoint as NAME in the path, then
// with a missing endpoint; KEY is a wrong key of either. The answers must not differ.
func (d *strangers) refuse(t *testing.T, method, path string, headers func(name string) []string) {
	t.Helper()
	body := `{"model":"m","input":"hi","messages":[{"role":"user","content":"hi"}],"max_tokens":9,` +
		`"label":"x","name":"x"}`
	if method == "GET" || method == "HEAD" || method == "OPTIONS" {
		body = ""
	}
	var answers []string
	for _, name := range []string{"anna", "nope"} {
		d.later(time.Minute) // attempts at ADMIN_KEY are limited
		at := strings.NewReplacer("KEY", keyOf(name), "NAME", name).Replace(path)
		lines := headers(name)
		a := d.ask(method, at, body, append([]string{none}, lines...)...)
		what := method + " " + at + " " + strings.Join(lines, ", ") + ": " + a.text()
		require.Contains(t, []int{400, 401, 403, 404, 405, 426}, a.Code, what)
		if a.text() != "" {
			require.Regexp(t, `^application/json\b`, a.Header().Get("Content-Type"), what)
			require.Greater(t, len(a.get("error.message").Str), 10, what)
			for _, prefix := range []string{"", "/u/" + name, "/k/" + keyOf(name)} {
				if strings.HasPrefix(at, prefix+"/v1/messages") {
					require.Equal(t, "error", a.get("type").Str, what)
				}
			}
		}
		// a random id may contain any word
		said := strings.NewReplacer(at, "", a.Header().Get("x-request-id"), "").Replace(headText(a) + a.text())
		for _, word := range []string{"of-the-upstream", "up.test", "127.0.0.1", "localhost", "a-label",
			"an-upstream", "a-model", "a-title", clientKey, "sk-up", adminKey, sealKey, "goroutine", "panic",
			"wasm"} {
			require.NotContains(t, said, word, what)
		}
		d.refused++
		always := constantHeaders(a)
		answers = append(answers, encoded(list{a.Code, always, strings.ReplaceAll(a.text(), name, "")}))
	}
	require.Equal(t, answers[0], answers[1], "%s %s", method, path)
}

// all calls a function with each method and path of all routes.
func (d *strangers) all(run func(method, path string)) {
	for _, table := range []struct {
		base  string
		paths map[string]string
	}{{"", strangersRoutes}, {"/u/NAME", strangersRoutes}, {"/k/KEY", strangersRoutes},
		{"/u/NAME", ownersRoutes}, {endpoints, adminRoutes}} {
		for path, methods := range table.paths {
			for _, method := range strings.Fields(methods) {
				run(method, table.base+path)
			}
		}
	}
}

// nothing fails the test if a request reached an upstream, or created a key or an object.
func (d *strangers) nothing(t *testing.T) {
	require.Empty(t, d.asked)
	require.Equal(t, []string{"endpoint:anna"}, d.names())
	for name := range d.state.objects {
		require.Contains(t, []string{"endpoint:anna", "sessions"}, name)
	}
}

// TestAddressesOfStrangers presents all kinds of texts except keys.
func TestAddressesOfStrangers(t *testing.T) {
	t.Parallel()
	d := newStrangers(t)
	d.all(func(method, path string) {
		for i := range presented("") {
			d.refuse(t, method, path, func(name string) []string { return presented(name)[i] })
		}
	})
	require.Greater(t, d.refused, 3000)
	d.nothing(t)
}

// TestDisabledForward: a disabled endpoint that forwards keys answers strangers like an unknown
// name. A client with an old key learns that the endpoint is disabled.
func TestDisabledForward(t *testing.T) {
	t.Parallel()
	d := newStrangers(t)
	const old = "el_anna_ooooooooooooooooooooooooooooooooooooooooooo"
	d.plant("anna", `{"version":1,"rev":1,"auth":"forward","disabled":true,"keys":[{"hash":"`+hashOf(old)+
		`"}],`+toA+`}`)
	d.all(func(method, path string) {
		for _, line := range []string{"X-Api-Key: sk-of-a-vendor", "X-Goog-Api-Key: AIza", bearer("sk-vendor")} {
			d.refuse(t, method, path, func(string) []string { return []string{line} })
		}
		d.refuse(t, method, path, func(name string) []string { return []string{bearer(keyOf(name))} })
	})
	require.Empty(t, d.asked)
	require.Equal(t, 403, d.ask("POST", "/u/anna/v1/messages", messagesBody, bearer(old)).Code)
}

// TestWorkForStrangers: a wrong key costs the same at existing and at missing names, so the duration
// does not reveal names. Not parallel: the test counts the allocations of the process.
func TestWorkForStrangers(t *testing.T) {
	d := newStrangers(t)
	var ups []string
	for i := range 16 {
		ups = append(ups, upstreamAt("u"+strconv.Itoa(i), "chat", "a.test", `,"models":["a*","b*","c*"]`))
	}
	d.enroll("anna", upstreamList(ups...))
	d.enroll("fwd", `"auth":"forward","disabled":true,`+upstreamList(ups...))
	d.plant("broken", `{"version":2,"x":"`+strings.Repeat("x", 4000)+`"}`)
	for _, path := range []string{"/u/NAME/v1/models", "/k/KEY/v1/models", "/u/NAME/api"} {
		work := func(name string) (operations []string, allocations float64) {
			at := strings.NewReplacer("NAME", name, "KEY", "el_"+name+"_"+strings.Repeat("w", 43)).Replace(path)
			ask := func() { require.Equal(t, 401, d.ask("GET", at, "", none, "X-Api-Key: sk-wrong").Code) }
			d.state.operations = nil
			ask()
			for _, operation := range d.state.operations {
				operations = append(operations, strings.ReplaceAll(operation, name, "NAME"))
			}
			return operations, testing.AllocsPerRun(20, ask)
		}
		want, least := work("nope")
		require.Equal(t, []string{"get endpoint:NAME"}, want, path)
		for _, name := range []string{"anna", "fwd", "broken"} {
			operations, allocations := work(name)
			require.Equal(t, want, operations, path)
			require.InDelta(t, least, allocations, 12, "%s of %s", path, name)
		}
	}
}

// TestMethodsOfStrangers sends any method to each path, with a wrong key.
func TestMethodsOfStrangers(t *testing.T) {
	t.Parallel()
	d := newStrangers(t)
	d.all(func(_, path string) {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "OPTIONS"} {
			d.refuse(t, method, path, func(name string) []string {
				return []string{"X-Api-Key: " +
					keyOf(name)}
			})
		}
	})
	require.Greater(t, d.refused, 700)
	d.nothing(t)
}

// TestLongPaths: an overlong path is refused before all other checks.
func TestLongPaths(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	for _, path := range []string{"/v1/messages", "/u/anna/v1/responses", "/admin/api/endpoints", "/k/"} {
		a := d.ask("GET", path+strings.Repeat("%01", 513), "", none)
		require.Equal(t, 414, a.Code, a.text())
		require.Contains(t, a.get("error.message").Str, "over the limit of 512 bytes")
	}
}
