package serve_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/store"
)

var errUnreachable = errors.New("connection refused")

// statements returns statements without arguments.
func statements(sql ...string) (all []store.Statement) {
	for _, text := range sql {
		all = append(all, store.Statement{SQL: text})
	}
	return all
}

// edited returns a JSON object after a change.
func edited(text string, edit func(object)) string {
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	edit(o)
	return encoded(o)
}

// firstUpstream returns the first upstream of a record.
func firstUpstream(record object) object { return record["upstreams"].(list)[0].(object) }

func lifeOfAnEndpoint(t *testing.T, d *description) {
	a := administer(t, d, nil)
	one := endpoints + "/anna"
	body := object{"name": "anna", "upstreams": list{upstreamObject("chat", "up.test",
		object{"key": a.secret("anna")})},
		"options": object{"strict": "off"}, "key": object{"label": "laptop"}}
	made := a.expect(201, "POST", endpoints, body)
	key := made.get("key").Str
	require.EqualValues(t, 1, made.get("rev").Int())
	require.JSONEq(t, `["up"]`, made.get("sealed_keys").Raw)
	require.Len(t, made.get("keys").Array(), 1)
	require.Equal(t, "laptop", made.get("keys.0.label").Str)
	require.False(t, made.get("keys.0.expires").Exists())
	view := edited(made.text(), func(o object) { delete(o, "key") })
	require.JSONEq(t, view, a.expect(200, "GET", one, nil).text())
	a.refused(409, "name", "already", "POST", endpoints, body)

	require.Equal(t, 200, a.converse("anna", key).Code)
	require.Equal(t, "Bearer sk-secret-of-anna", a.last().Header.Get("Authorization"))

	require.EqualValues(t, 2, a.expect(200, "PATCH", one, object{"disabled": true}).get("rev").Int())
	require.Equal(t, 403, a.converse("anna", key).Code)
	a.expect(200, "PATCH", one, object{"disabled": nil}, `If-Match: "2"`)
	require.Equal(t, 200, a.converse("anna", key).Code)

	second := a.expect(201, "POST", one+"/keys", object{"label": "phone", "expires": a.now().Unix() + 3600})
	phone := second.get("key").Str
	require.Equal(t, 200, a.converse("anna", phone).Code)
	a.expect(200, "DELETE", one+"/keys/"+idOf(second, 1), nil)
	require.Contains(t, a.converse("anna", phone).text(), "Wrong key")
	a.expect(404, "DELETE", one+"/keys/"+idOf(second, 1), nil)

	later := a.expect(200, "POST", one+"/rotate", object{"grace": 3600}).get("key").Str
	for _, good := range []string{key, later} {
		require.Equal(t, 200, a.converse("anna", good).Code)
	}
	now := a.expect(200, "POST", one+"/rotate", nil).get("key").Str
	for _, old := range []string{key, later} {
		got := a.converse("anna", old)
		require.Equal(t, 401, got.Code)
		require.Contains(t, got.text(), "expired")
	}
	require.Equal(t, 200, a.converse("anna", now).Code)

	a.expect(204, "DELETE", one, nil)
	require.Contains(t, a.converse("anna", now).text(), "Wrong key")
	a.expect(404, "DELETE", one, nil)
	a.expect(404, "GET", one, nil)
	again := a.expect(201, "POST", endpoints, body)
	require.Contains(t, a.converse("anna", now).text(), "Wrong key")
	require.Equal(t, 200, a.converse("anna", again.get("key").Str).Code)
	rev := again.get("rev").Int()
	require.Greater(t, rev, int64(7), "the revisions continue after those of the deleted endpoint")
	a.expect(204, "DELETE", one, nil, "If-Match: "+strconv.FormatInt(rev, 10))
}

func clientsBringTheirKeys(t *testing.T, d *description) {
	a := administer(t, d, nil)
	require.False(t, a.create("open", object{"auth": "forward"}).get("key").Exists())
	require.Equal(t, 200, a.converse("open", "sk-mine").Code)
	require.Equal(t, "Bearer sk-mine", a.last().Header.Get("Authorization"))
	a.expect(401, "GET", "/u/open/api", nil, bearer("sk-mine"))
}

func keyStaysWithItsHost(t *testing.T, d *description) {
	a := administer(t, d, nil)
	one := endpoints + "/host"
	made := a.create("host", object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": a.secret("host")})}})
	key := made.get("key").Str
	sentKey := func() string {
		require.Equal(t, 200, a.converse("host", key).Code)
		return a.last().URL.Host + " " + a.last().Header.Get("Authorization")
	}
	a.expect(200, "PATCH", one, edited(`{"upstreams":`+made.get("upstreams").Raw+`}`,
		func(o object) { firstUpstream(o)["timeout"] = 60 }))
	require.Equal(t, "up.test Bearer sk-secret-of-host", sentKey())
	before := a.stored("host")
	a.refused(400, "upstreams[0].key", "must be sent again", "PATCH", one,
		object{"upstreams": list{upstreamObject("chat", "other.test", nil)}})
	require.Equal(t, before, a.stored("host"))
	a.expect(200, "PATCH", one, object{"upstreams": list{upstreamObject("chat", "other.test",
		object{"key": a.secret("other")})}})
	require.Equal(t, "other.test Bearer sk-secret-of-other", sentKey())
	removed := a.expect(200, "PATCH", one, object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": nil})}})
	require.JSONEq(t, `[]`, removed.get("sealed_keys").Raw)
	require.Equal(t, "up.test ", sentKey())
}

// sealedForItsRecord puts the sealed key of one endpoint into the record of another.
func sealedForItsRecord(t *testing.T, d *description) {
	a := administer(t, d, nil)
	mine := a.create("mine", object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": a.secret("mine")})}}).get("key").Str
	theirs := a.create("theirs", object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": a.secret("theirs")})}}).get("key").Str
	sealed := gjson.Get(a.stored("mine"), "upstreams.0.key").Str
	a.plant("theirs", edited(a.stored("theirs"), func(o object) { firstUpstream(o)["key"] = sealed }))
	got := a.converse("theirs", theirs)
	require.Equal(t, 500, got.Code)
	require.Contains(t, got.text(), "can't be opened")
	a.expect(500, "POST", endpoints+"/theirs/test", nil)
	require.Empty(t, a.asked)
	// A sealed text that a client sends as a key is an ordinary key.
	a.expect(200, "PATCH", endpoints+"/theirs", object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": sealed})}})
	require.Equal(t, 200, a.converse("theirs", theirs).Code)
	require.Equal(t, "Bearer "+sealed, a.last().Header.Get("Authorization"))
	require.Equal(t, 200, a.converse("mine", mine).Code)
}

// sealedAgain has a record with a key sealed by SEAL_KEY_PREVIOUS. A request opens the key, and a
// change seals the key with SEAL_KEY.
func sealedAgain(t *testing.T, d *description) {
	previous := make([]byte, 32)
	previous[0] = 8
	a := administer(t, d,
		map[string]string{"SEAL_KEY_PREVIOUS": base64.RawURLEncoding.EncodeToString(previous)})
	key := a.create("stale", nil).get("key").Str
	sealed := sealWith(t, previous, "endpoint/stale/up/up.test", a.secret("stale"))
	a.plant("stale", edited(a.stored("stale"), func(o object) { firstUpstream(o)["key"] = sealed }))
	for _, master := range [][]byte{previous, make([]byte, 32)} { // sealKey is 32 zero bytes
		sealed := gjson.Get(a.stored("stale"), "upstreams.0.key").Str
		require.Equal(t, sealID(master), strings.Split(sealed, ".")[1])
		require.Equal(t, 200, a.converse("stale", key).Code)
		require.Equal(t, "Bearer sk-secret-of-stale", a.last().Header.Get("Authorization"))
		a.expect(200, "PATCH", endpoints+"/stale", object{})
	}
}

// sealID returns the id of a master key.
func sealID(master []byte) string {
	sum := sha256.Sum256(append([]byte("edgelingua SEAL_KEY v1\x00"), master...))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:8]
}

// sealWith seals a secret as the hosts do.
func sealWith(t *testing.T, master []byte, context, secret string) string {
	block, err := aes.NewCipher(master)
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	nonce := make([]byte, gcm.NonceSize())
	sealed := gcm.Seal(nil, nonce, []byte(secret), []byte(context))
	return "v1." + sealID(master) + "." + base64.RawURLEncoding.EncodeToString(nonce) + "." +
		base64.RawURLEncoding.EncodeToString(sealed)
}

func ifMatch(t *testing.T, d *description) {
	a := administer(t, d, nil)
	one := endpoints + "/match"
	id := idOf(a.create("match", nil), 0)
	before := a.stored("match")
	for _, test := range []struct {
		method, path string
		body         any
	}{{"PATCH", one, object{}}, {"DELETE", one, nil}, {"POST", one + "/keys", nil},
		{"DELETE", one + "/keys/" + id, nil}, {"POST", one + "/rotate", nil}} {
		a.refused(412, "", "revision 1", test.method, test.path, test.body, "If-Match: 7")
	}
	require.Equal(t, before, a.stored("match"))
}

// overtakenChanges makes another change of the record between the read and the write of a change.
func overtakenChanges(t *testing.T, d *description) {
	a := administer(t, d, nil)
	one := endpoints + "/race"
	made := a.create("race", nil)
	overtake := func() {
		a.state.beforeChange(func() {
			_, err := a.store.Batch("endpoint:race",
				statements("UPDATE endpoint_record SET rev = rev + 1, record = json_set(record, "+
					"'$.rev', rev + 1)"))
			require.NoError(t, err)
		})
	}
	rev := 1
	for _, test := range [][2]string{{"PATCH", one}, {"POST", one + "/keys"},
		{"DELETE", one + "/keys/" + idOf(made, 0)}, {"PATCH", one + "/keys/" + idOf(made, 0)},
		{"POST", one + "/rotate"}} {
		for _, status := range []int{409, 412} {
			rev++
			var headers []string
			if status == 412 {
				headers = []string{"If-Match: " + strconv.Itoa(rev-1)}
			}
			overtake()
			body := object{}
			if strings.HasPrefix(test[1], one+"/keys/") {
				body["limits"] = nil
			}
			got := a.expect(status, test[0], test[1], body, headers...)
			require.Contains(t, got.get("error.message").Str,
				"changed at the same time, and is at revision "+strconv.Itoa(rev)+" now")
			require.EqualValues(t, rev, got.get("endpoint.rev").Int())
			require.JSONEq(t, made.get("keys").Raw, got.get("endpoint.keys").Raw)
		}
	}
	overtake()
	require.False(t, a.expect(409, "POST", "/u/race/api/rotate", nil,
		bearer(made.get("key").Str)).get("endpoint").Exists())
	overtake()
	a.expect(204, "DELETE", one, nil)
}

func sixteenKeys(t *testing.T, d *description) {
	a := administer(t, d, nil)
	one := endpoints + "/many-keys"
	a.create("many-keys", nil)
	for range 15 {
		a.expect(201, "POST", one+"/keys", nil)
	}
	a.refused(409, "", "Revoke one", "POST", one+"/keys", nil)
	require.False(t, a.expect(200, "GET", one, nil).get("key").Exists())
	a.refused(409, "", "Revoke one", "POST", one+"/rotate", object{"grace": 60})
	require.Len(t, a.expect(200, "POST", one+"/rotate", nil).get("keys").Array(), 16)
}

// objectFails runs with a failing store.
func objectFails(t *testing.T, d *description) {
	a := administer(t, d, nil)
	key := a.create("broken", object{"usage": true}).get("key").Str
	id := idOf(a.expect(200, "GET", endpoints+"/broken", nil), 0)
	page := []string{"X-Edgelingua-Page: https://edge.test", "Origin: https://edge.test"}
	a.state.failing = errors.New("the disk is full")
	for _, o := range d.operations {
		path := strings.NewReplacer("{name}", "broken", "{id}", id).Replace(o.path)
		if _, described := o.responses["500"]; !described || strings.HasPrefix(path, "/api") ||
			slices.Contains(draftPaths, path) {
			continue
		}
		var body any
		if o.method == "POST" || o.method == "PATCH" {
			body = object{}
		}
		headers := page
		switch {
		case path == endpoints && o.method == "POST":
			body = object{"name": "new", "upstreams": list{upstreamObject("chat", "up.test", nil)}}
		case strings.HasPrefix(path, "/u/"):
			headers = append(headers, bearer(key))
		case path == "/admin/api/session" && o.method != "POST":
			headers = append(headers, none, "Cookie: __Secure-edgelingua-admin="+strings.Repeat("x", 43))
		}
		if path == "/u/broken/api/session" && o.method != "POST" {
			headers = append(headers, none, "Cookie: __Secure-edgelingua-owner="+strings.Repeat("x", 43))
		}
		a.expect(500, o.method, path, body, headers...)
	}
}

func namesThatAreNone(t *testing.T, d *description) {
	a := administer(t, d, nil)
	for _, name := range []string{"No", "a%20b", "a_b", "..", strings.Repeat("x", 41), ""} {
		a.expect(404, "GET", endpoints+"/"+name, nil)
	}
	for _, test := range []struct {
		method, path string
		body         any
	}{{"PATCH", "", object{}}, {"DELETE", "", nil}, {"POST", "/keys", nil}, {"DELETE", "/keys/abc", nil},
		{"POST", "/rotate", nil}, {"POST", "/test", nil}, {"POST", "/models", nil}} {
		a.expect(404, test.method, endpoints+"/nobody"+test.path, test.body)
	}
}

func largeBodies(t *testing.T, d *description) {
	a := administer(t, d, nil)
	body := object{"name": "large", "options": object{"guidance": strings.Repeat("x", 256<<10)}}
	key := a.create("sized", nil).get("key").Str
	for _, test := range [][2]string{{"POST", ""}, {"PATCH", "/sized"}, {"POST", "/sized/keys"},
		{"PATCH", "/sized/keys/x"}, {"POST", "/sized/rotate"}, {"POST", "/sized/test"}, {"POST", "/sized/models"},
		{"POST", "/sized/alerts"}} {
		a.expect(413, test[0], endpoints+test[1], body)
	}
	a.expect(413, "POST", "/u/sized/api/rotate", body, bearer(key))
}

// fuzzedBodies sends changes with junk. The error names the path of a field, and the record stays
// the same.
func fuzzedBodies(t *testing.T, d *description) {
	a := administer(t, d, nil)
	random := rand.New(rand.NewPCG(20261121, 1))
	junk := list{nil, true, -1, 1e300, 1.5, "", "x", "\x00", "http://127.0.0.1", "https://[::1]", list{},
		object{}, list{nil},
		object{"a": 1}, strings.Repeat("a", 5000), list{list{list{list{}}}}}
	whole := func() object {
		return object{
			"disabled": false, "auth": "key", "head_wait": 5, "max_output_bytes": 4096,
			"options": object{"strict": "off", "tool_map": object{"Bash": object{"name": "shell",
				"params": object{"command": "cmd"}}}},
			"upstreams": list{upstreamObject("chat", "up.test", object{"key": a.secret("fuzz"),
				"headers": object{"x-a": "b"}, "models": object{"*": "b"},
				"options": object{"effort": list{"low"}}, "timeout": 9})},
		}
	}
	key := a.create("fuzz", whole()).get("key").Str
	original := a.stored("fuzz")
	refused := 0
	for range 400 {
		value := whole()
		up := value["upstreams"].(list)[0].(object)
		options := value["options"].(object)
		objects := []object{value, value, options, options["tool_map"].(object), up, up,
			up["options"].(object)}
		into := objects[random.IntN(len(objects))]
		members := []string{"other", "name", "__proto__"}
		for name := range into {
			members = append(members, name)
		}
		slices.Sort(members)
		into[members[random.IntN(len(members))]] = junk[random.IntN(len(junk))]
		body := encoded(value)
		if random.Float64() < 0.3 {
			cut := []string{`"`, "{", "}", ",", "\u00ff", `\`, ""}
			body = body[:random.IntN(len(body))] + cut[random.IntN(len(cut))] + body[random.IntN(len(body)):]
		}
		routes := [][2]string{{"PATCH", "/fuzz"}, {"PATCH", "/fuzz"}, {"POST", ""}, {"POST", "/fuzz/keys"},
			{"POST", "/fuzz/rotate"}, {"POST", "/fuzz/test"}}
		route := routes[random.IntN(len(routes))]
		got := a.call(route[0], endpoints+route[1], body)
		if got.Code == 200 && route[0] == "PATCH" { // the junk was a valid change, so undo it
			a.plant("fuzz", original)
			continue
		}
		require.Equal(t, 400, got.Code, "%s %s %s: %s", route[0], route[1], body, got.text())
		if got.get("error.path").Str == "" {
			require.Regexp(t, "^(The body|An object)", got.get("error.message").Str)
		}
		require.Equal(t, original, a.stored("fuzz"), body)
		refused++
	}
	require.Greater(t, refused, 200)
	require.Equal(t, 200, a.converse("fuzz", key).Code)
}

// thousandEndpoints lists endpoints without reading their records.
func thousandEndpoints(t *testing.T, d *description) {
	a := administer(t, d, nil)
	metadata := `{"auth":"key","disabled":false,"keys":1,"created":1,"updated":2,"upstreams":{"a":"chat"}}`
	var views []string
	for i := range 1000 {
		name := fmt.Sprintf("0-%04d", i)
		require.NoError(t, a.store.Put("endpoint:"+name, []byte("is not read"), []byte(metadata), 0))
		views = append(views, `{"name":"`+name+`",`+metadata[1:])
	}
	a.create("last", nil)
	a.create("last-too", nil)
	page := a.expect(200, "GET", endpoints, nil)
	require.Equal(t, values("["+strings.Join(views, ",")+"]"), page.get("endpoints").Value())
	next := a.expect(200, "GET", endpoints+"?limit=2&cursor="+page.get("cursor").Str, nil)
	require.Len(t, next.get("endpoints").Array(), 2)
	for _, e := range next.get("endpoints").Array() {
		require.JSONEq(t, `{"up":"chat"}`, e.Get("upstreams").Raw)
	}
	for _, limit := range []string{"0", "1001", "x", "-1"} {
		a.refused(400, "limit", "from 1 to 1000", "GET", endpoints+"?limit="+limit, nil)
	}
	for _, cursor := range []string{"x", "*"} {
		a.refused(400, "cursor", "page before", "GET", endpoints+"?cursor="+cursor, nil)
	}
	a.expect(500, "GET", endpoints+"/0-0000", nil) // the stored text is not a record
	a.expect(500, "PATCH", endpoints+"/0-0000", object{})
	a.expect(204, "DELETE", endpoints+"/0-0000", nil)
}

// listReadsNothing: a list of endpoints needs one KV list.
func listReadsNothing(t *testing.T, d *description) {
	a := administer(t, d, nil)
	for i := range 3 {
		a.create("e"+strconv.Itoa(i), nil)
	}
	a.state.operations = nil
	require.Len(t, a.expect(200, "GET", endpoints, nil).get("endpoints").Array(), 3)
	require.Equal(t, []string{"list endpoint:"}, a.state.operations)
}

var draftPaths = []string{"/admin/api/test", "/admin/api/models"} // for drafts

func notSetUp(t *testing.T, d *description) {
	for _, test := range []struct {
		name, value string
		status      int
		message     string
	}{
		{"ADMIN_KEY", "", 403,
			"`wrangler secret put ADMIN_KEY`, on a local host with `serve --secret ADMIN_KEY`"},
		{"ADMIN_KEY", "123456789012345", 403, "16 characters or more"},
		{"SEAL_KEY", "", 500, "SEAL_KEY"},
		{"ALLOW_HTTP_UPSTREAM", "false", 400, "must begin with https"},
		{"ALLOW_HTTP_UPSTREAM", "", 400, "must begin with https"},
	} {
		a := administer(t, d, map[string]string{test.name: test.value})
		body := object{"name": "a", "upstreams": list{object{"name": "a", "protocol": "chat",
			"url": "http://up.test/v1", "key": "sk-1"}}}
		if test.name == "SEAL_KEY" {
			body["upstreams"].(list)[0].(object)["url"] = "https://up.test/v1"
		}
		keys := []string{adminKey}
		if test.status == 403 {
			keys = []string{"", "123456789012345", "undefined", adminKey}
		}
		for _, key := range keys {
			got := a.expect(test.status, "POST", endpoints, body, bearer(key))
			require.Regexp(t, test.message, got.get("error.message").Str)
		}
		require.Empty(t, a.names())
		if test.status == 403 { // a host that checks the setup first does not start
			bare := deploy(t, map[string]string{test.name: test.value, "CLIENT_KEY": "", "UPSTREAM_URL": "",
				"UPSTREAM_PROTOCOL": "", "UPSTREAM_KEY": ""})
			line, wrong, err := bare.host.Describe()
			require.NoError(t, err)
			require.True(t, wrong)
			require.Regexp(t, "^This deployment has no (ADMIN|CLIENT)_KEY", line)
		}
	}
}

// withoutBindings is a deployment without its bindings. Operations without a binding still work,
// with their own errors.
func withoutBindings(t *testing.T, d *description) {
	a := administer(t, d, nil)
	a.state.failing = errors.New("There is no binding ENDPOINT_STATE. Add to wrangler.toml: it")
	for _, o := range d.operations {
		path := strings.NewReplacer("{name}", "a", "{id}", "b").Replace(o.path)
		if path == "/admin/api/session" || strings.HasPrefix(path, "/api") || slices.Contains(draftPaths,
			path) {
			continue
		}
		var body any
		if o.method == "POST" || o.method == "PATCH" {
			body = object{}
		}
		if path == endpoints {
			body = object{"name": "a", "upstreams": list{upstreamObject("chat", "up.test", nil)}}
		}
		got := a.expect(500, o.method, path, body)
		require.Contains(t, got.get("error.message").Str, "no binding ENDPOINT_STATE. Add to wrangler.toml",
			path)
	}
	page := []string{"X-Edgelingua-Page: https://edge.test", "Origin: https://edge.test"}
	require.Contains(t, a.expect(500, "POST", "/admin/api/session", nil, page...).get("error.message").Str,
		"no binding ENDPOINT_STATE")
	page = append(page, "Cookie: __Secure-edgelingua-admin="+strings.Repeat("x", 43), none)
	a.expect(500, "GET", "/admin/api/session", nil, page...)
	a.expect(500, "DELETE", "/admin/api/session", nil, page...)

	unclear := administer(t, d, map[string]string{"ALLOW_HTTP_UPSTREAM": "off"})
	draft := object{"draft": object{"upstreams": list{upstreamObject("chat", "up.test", nil)}}}
	for _, path := range draftPaths {
		got := unclear.expect(500, "POST", path, draft)
		require.Contains(t, got.get("error.message").Str, "ALLOW_HTTP_UPSTREAM must be true or false")
	}
}

// atRest: nothing in the store gives access to anything.
func atRest(t *testing.T, d *description) {
	a := administer(t, d, nil)
	for i := range 12 {
		name := "rest-" + strconv.Itoa(i)
		key := a.create(name, object{"usage": true, "upstreams": list{upstreamObject("chat", "up.test",
			object{"key": a.secret(name)})}}).get("key").Str
		require.Equal(t, 200, a.converse(name, key).Code)
		a.expect(201, "POST", endpoints+"/"+name+"/keys", nil)
		a.expect(200, "POST", "/u/"+name+"/api/rotate", nil, bearer(key))
	}
	a.later(time.Hour)
	a.expect(200, "GET", endpoints, nil)
	dump := a.dump()
	require.Contains(t, dump, `"key":"v1.`)
	require.Greater(t, len(a.secrets), 30)
	for secret := range a.secrets {
		require.NotContains(t, dump, secret)
	}
	a.refused(400, "upstreams[0].headers", "only key is sealed", "POST", endpoints,
		object{"name": "headers", "upstreams": list{upstreamObject("chat", "up.test",
			object{"headers": object{"api-key": "k"}})}})
}
