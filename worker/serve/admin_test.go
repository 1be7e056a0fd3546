package serve_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// endpoints is the path of the list of endpoints.
const endpoints = "/admin/api/endpoints"

// TestAdminAPI calls the Admin API and the owner API. openapi.json must describe each answer, and
// each described answer must occur.
func TestAdminAPI(t *testing.T) {
	t.Parallel()
	d := newDescription(t)
	t.Run("tests", func(t *testing.T) {
		for name, test := range map[string]func(t *testing.T, d *description){
			"life": lifeOfAnEndpoint, "forward": clientsBringTheirKeys, "host": keyStaysWithItsHost,
			"planted":           sealedForItsRecord,
			"previous seal key": sealedAgain, "if-match": ifMatch, "overtaken": overtakenChanges,
			"16 keys":        sixteenKeys,
			"refused by SQL": objectFails, "names": namesThatAreNone, "large bodies": largeBodies,
			"fuzzed bodies": fuzzedBodies,
			"list":          thousandEndpoints, "list reads nothing": listReadsNothing, "setup": notSetUp,
			"bindings":   withoutBindings,
			"key limits": limitsOfKeys, "webhooks": webhooks, "audit": auditOfChanges,
			"owner": ownerAPI, "rotations": rotationsOfAnOwner, "usage": usageOfAnEndpoint,
			"health": healthOfEndpoints, "overview": overviewOfAll,
			"probe": probeOfAnUpstream, "models": modelsOfAnUpstream, "drafts": drafts,
			"no admin": noAdmin, "sessions": sessions, "deployment": deploymentsOwn,
			"usage of the deployment": deploymentsUsage, "at rest": atRest,
			"log": logOfAnEndpoint, "log of the deployment": deploymentsLog,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, d)
			})
		}
	})
	for _, o := range d.operations {
		for status := range o.responses {
			require.True(t, d.seen[o.method+" "+o.path+" "+status], "%s %s was never answered with %s",
				o.method, o.path, status)
		}
	}
}

// description is openapi.json.
type description struct {
	document   any
	operations []operation
	mu         sync.Mutex
	seen       map[string]bool // "METHOD path status" of the answers so far
}

type operation struct {
	method, path string
	responses    object
}

func newDescription(t *testing.T) *description {
	text, err := os.ReadFile("../admin/openapi.json")
	require.NoError(t, err)
	d := &description{seen: map[string]bool{}}
	require.NoError(t, json.Unmarshal(text, &d.document))
	for path, methods := range d.document.(object)["paths"].(object) {
		for method, o := range methods.(object) {
			if method != "parameters" {
				d.operations = append(d.operations, operation{strings.ToUpper(method), path,
					o.(object)["responses"].(object)})
			}
		}
	}
	slices.SortFunc(d.operations, func(a, b operation) int {
		return strings.Compare(a.path+a.method,
			b.path+b.method)
	})
	return d
}

// resolve follows a reference.
func (d *description) resolve(node any) object {
	o, _ := node.(object)
	ref, ok := o["$ref"].(string)
	if !ok {
		return o
	}
	at := d.document
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(object)[name]
	}
	return d.resolve(at)
}

// find returns the operation of a request, or nil.
func (d *description) find(method, target string) *operation {
	path, _, _ := strings.Cut(target, "?")
	parts := strings.Split(path, "/")
	for i, o := range d.operations {
		pattern := strings.Split(o.path, "/")
		fits := o.method == method && len(pattern) == len(parts)
		for j := 0; fits && j < len(parts); j++ {
			fits = pattern[j] == parts[j] || strings.HasPrefix(pattern[j], "{")
		}
		if fits {
			return &d.operations[i]
		}
	}
	return nil
}

// check requires that openapi.json describes an answer.
func (d *description) check(t *testing.T, method, target string, a *answer) {
	t.Helper()
	o := d.find(method, target)
	if o == nil {
		return
	}
	status := strconv.Itoa(a.Code)
	require.Contains(t, o.responses, status, "%s %s: %s", method, target, a.text())
	response := d.resolve(o.responses[status])
	headers, _ := response["headers"].(object)
	for name := range headers {
		require.NotEmpty(t, a.Header().Get(name), name)
	}
	if content, ok := response["content"].(object); ok {
		var value any
		require.NoError(t, json.Unmarshal(a.Body.Bytes(), &value), a.text())
		d.fits(t, content["application/json"].(object)["schema"], value, method+" "+target)
	} else {
		require.Empty(t, a.text())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[method+" "+o.path+" "+status] = true
}

// typeIs reports whether a value has a type of JSON Schema.
func typeIs(name, value any) bool {
	switch v := value.(type) {
	case object:
		return name == "object"
	case list:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	}
	return name == "null"
}

// fits requires that a value fits a schema. Only the keywords of the answers' schemas are
// implemented.
func (d *description) fits(t *testing.T, node, value any, path string) {
	t.Helper()
	schema := d.resolve(node)
	if kinds, ok := schema["anyOf"].(list); ok {
		require.True(t, slices.ContainsFunc(kinds, func(kind any) bool {
			return typeIs(kind.(object)["type"],
				value)
		}), path)
		return
	}
	if words, ok := schema["enum"].(list); ok {
		require.Contains(t, words, value, path)
	}
	if kind, ok := schema["type"]; ok {
		require.True(t, typeIs(kind, value), "%s is no %v: %v", path, kind, value)
	}
	if pattern, ok := schema["pattern"].(string); ok {
		require.Regexp(t, regexp.MustCompile(pattern), value, path)
	}
	required, _ := schema["required"].(list)
	for _, name := range required {
		require.Contains(t, value, name, path)
	}
	if items, ok := schema["items"]; ok {
		for i, item := range value.(list) {
			d.fits(t, items, item, path+"["+strconv.Itoa(i)+"]")
		}
	}
	if schema["type"] != "object" {
		return
	}
	properties, _ := schema["properties"].(object)
	for name, member := range value.(object) {
		described, ok := properties[name]
		if !ok {
			described = schema["additionalProperties"]
			require.NotEqual(t, false, described, "%s.%s is not described", path, name)
		}
		if o, ok := described.(object); ok {
			d.fits(t, o, member, path+"."+name)
		}
	}
}

// api is a deployment. Its answers of the Admin API and the owner API are checked against the
// description, and must not have a secret.
type api struct {
	*deployment
	description *description
	secrets     map[string]bool
}

// administer returns a deployment with the upstreams up.test and other.test, both answering "ok",
// and the unreachable upstream gone.test.
func administer(t *testing.T, d *description, env map[string]string) *api {
	t.Helper()
	a := &api{deploy(t, env), d, map[string]bool{adminKey: true, sealKey: true}}
	a.upstreams["up.test"], a.upstreams["other.test"] = speaks("chat"), speaks("chat")
	a.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errUnreachable} }
	return a
}

// secret returns an upstream's key. From now on no answer may contain the key.
func (a *api) secret(name string) string {
	key := "sk-secret-of-" + name
	a.secrets[key] = true
	return key
}

// call sends a request to the Admin API or the owner API. body is JSON as a string, or a value; nil
// is no body.
func (a *api) call(method, path string, body any, headers ...string) *answer {
	a.t.Helper()
	text, ok := body.(string)
	if !ok && body != nil {
		text = encoded(body)
	}
	got := a.ask(method, path, text, append([]string{"Authorization: Bearer " + adminKey}, headers...)...)
	require.Equal(a.t, "no-store", got.Header().Get("Cache-Control"), path)
	require.Empty(a.t, got.Header().Get("Access-Control-Allow-Origin"), path)
	for secret := range a.secrets {
		require.NotContains(a.t, got.text(), secret, "%s %s", method, path)
	}
	if key := got.get("key").Str; key != "" {
		a.secrets[key] = true
	}
	a.description.check(a.t, method, path, got)
	return got
}

// expect is call, and requires a status.
func (a *api) expect(status int, method, path string, body any, headers ...string) *answer {
	a.t.Helper()
	got := a.call(method, path, body, headers...)
	require.Equal(a.t, status, got.Code, "%s %s %v: %s", method, path, headers, got.text())
	return got
}

// refused is expect, and requires an error with a path and a message.
func (a *api) refused(status int, errorPath, message, method, path string, body any,
	headers ...string) *answer {
	a.t.Helper()
	got := a.expect(status, method, path, body, headers...)
	require.Equal(a.t, errorPath, got.get("error.path").Str, got.text())
	require.Regexp(a.t, message, got.get("error.message").Str)
	return got
}

// create makes an endpoint with one upstream, "up" at up.test, and returns the answer.
func (a *api) create(name string, more object) *answer {
	a.t.Helper()
	body := object{"name": name, "upstreams": list{upstreamObject("chat", "up.test", nil)}}
	for member, value := range more {
		body[member] = value
	}
	return a.expect(201, "POST", endpoints, body)
}

// bearer returns the header of a key, instead of the administrator's key.
func bearer(key string) string { return "Authorization: Bearer " + key }

// none is no key at all.
const none = "Authorization: "

// converse sends a Messages request to an endpoint.
func (d *deployment) converse(name, key string) *answer {
	return d.ask("POST", "/u/"+name+"/v1/messages", messagesBody, bearer(key))
}

// stored returns the copy of an endpoint's record in KV, "" for none.
func (d *deployment) stored(name string) string {
	value, _, _, err := d.store.Get("endpoint:" + name)
	require.NoError(d.t, err)
	return string(value)
}

// plant writes a record, or some other text, into KV, past the Admin API, and deletes the
// endpoint's object's copy of the record.
func (d *deployment) plant(name, record string) {
	d.t.Helper()
	_, metadata, _, err := d.store.Get("endpoint:" + name)
	require.NoError(d.t, err)
	require.NoError(d.t, d.store.Put("endpoint:"+name, []byte(record), metadata, 0))
	d.rows("endpoint:"+name, "DROP TABLE IF EXISTS endpoint_record")
}

// names returns the names of all keys in KV.
func (d *deployment) names() (names []string) {
	page, err := d.store.List("", "", 1000)
	require.NoError(d.t, err)
	require.Empty(d.t, page.Cursor)
	for _, key := range page.Keys {
		names = append(names, key.Name)
	}
	return names
}

// idOf returns the id of the n-th key of an endpoint.
func idOf(view *answer, n int) string { return view.get("keys." + strconv.Itoa(n) + ".id").Str }

// values returns JSON without formatting, for comparisons.
func values(text string) any { return gjson.Parse(text).Value() }
