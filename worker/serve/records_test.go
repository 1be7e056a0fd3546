package serve_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// heldBody is a body without its last byte until release is closed. begun is closed at the first
// read.
type heldBody struct {
	text    string
	begun   chan struct{}
	release chan struct{}
}

func (b *heldBody) Read(p []byte) (int, error) {
	if len(b.text) == 0 {
		return 0, io.EOF
	}
	if len(b.text) > 1 {
		n := copy(p, b.text[:len(b.text)-1])
		b.text = b.text[n:]
		close(b.begun)
		return n, nil
	}
	<-b.release
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

func (b *heldBody) Close() error { return nil }

// hold sends a request without the last byte of its body. The returned function sends the last
// byte, and returns the answer.
func (d *deployment) hold(method, path, key, body string) func() *answer {
	held := &heldBody{text: body, begun: make(chan struct{}), release: make(chan struct{})}
	r := httptest.NewRequest(method, "http://edge.test"+path, held).WithContext(context.Background())
	r.ContentLength = int64(len(body))
	r.Header.Set("Authorization", "Bearer "+key)
	answered := make(chan *answer, 1)
	go func() { answered <- d.serve(r) }()
	<-held.begun
	return func() *answer {
		close(held.release)
		return <-answered
	}
}

// tenants returns a deployment whose upstream answers "ok".
func tenants(t *testing.T, env map[string]string) *deployment {
	d := deploy(t, env)
	d.upstreams["up.test"] = speaks("chat")
	return d
}

// tenant makes an endpoint with one upstream, "up" at up.test, and returns the answer.
func (d *deployment) tenant(name string, more object) *answer {
	d.t.Helper()
	record := object{"name": name, "upstreams": list{upstreamObject("chat", "up.test",
		object{"key": "sk-of-the-upstream"})}}
	for member, value := range more {
		record[member] = value
	}
	a := d.admin("POST", "/endpoints", encoded(record))
	require.Equal(d.t, 201, a.Code, a.text())
	return a
}

// copies returns a function that restores the current copy of an endpoint's record in KV: some
// locations see an older copy for a minute.
func (d *deployment) copies(name string) (restore func()) {
	value, metadata, found, err := d.store.Get("endpoint:" + name)
	require.NoError(d.t, err)
	require.True(d.t, found)
	return func() { require.NoError(d.t, d.store.Put("endpoint:"+name, value, metadata, 0)) }
}

// TestRecordsOfOlderCopies: no request of an endpoint's owner undoes a change, neither a request
// from before the change, nor a request served with an older copy.
func TestRecordsOfOlderCopies(t *testing.T) {
	t.Parallel()
	limits := `{"requests_per_minute":1}`
	for _, act := range []struct{ name, method, path, body string }{
		{"deletion", "DELETE", "", ""},
		{"disabling", "PATCH", "", `{"disabled":true}`},
		{"revocation", "DELETE", "/keys/ID", ""},
		{"a change of limits", "PATCH", "", `{"limits":` + limits + `}`},
	} {
		for _, held := range []bool{false, true} {
			t.Run(act.name+" "+strconv.FormatBool(held), func(t *testing.T) {
				t.Parallel()
				d := tenants(t, nil)
				made := d.tenant("anna", object{"limits": object{"requests_per_minute": 1000}})
				key := made.get("key").Str
				restore := d.copies("anna")
				rotate := func() *answer { return d.ask("POST", "/u/anna/api/rotate", "{}", bearer(key)) }
				if held {
					rotate = d.hold("POST", "/u/anna/api/rotate", key, "{}")
				}
				done := d.admin(act.method, "/endpoints/anna"+strings.ReplaceAll(act.path, "ID",
					idOf(made, 0)), act.body)
				require.Less(t, done.Code, 300, done.text())
				truth := d.stored("anna")
				if !held {
					restore()
				}
				got := rotate()
				if act.name == "a change of limits" {
					require.Equal(t, 200, got.Code, got.text())
					require.JSONEq(t, limits, got.get("limits").Raw)
					require.JSONEq(t, limits, gjson.Get(d.stored("anna"), "limits").Raw)
					return
				}
				require.Contains(t, []int{401, 403}, got.Code, got.text())
				require.False(t, got.get("key").Exists())
				if held {
					require.Equal(t, truth, d.stored("anna"))
				}
				// With limits the worker checks the endpoint's object, so an older copy admits
				// nobody.
				require.Contains(t, []int{401, 403}, d.converse("anna", key).Code)
				require.Empty(t, d.asked)
			})
		}
	}
}

// atOnce runs a function n times at once, and returns the results.
func atOnce[T any](n int, run func(i int) T) []T {
	all := make([]T, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { all[i] = run(i) })
	}
	group.Wait()
	return all
}

// TestChangesAtOnce: of several changes with the same revision, the first wins, and the others get
// an error.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	made := d.tenant("two", nil)
	all := atOnce(8, func(i int) *answer {
		return d.admin("PATCH", "/endpoints/two", `{"head_wait":`+strconv.Itoa(i+1)+`}`, "If-Match: 1")
	})
	var won *answer
	for _, a := range all {
		if a.Code == 200 {
			require.Nil(t, won)
			won = a
		} else {
			require.Equal(t, 412, a.Code, a.text())
		}
	}
	require.NotNil(t, won)
	for _, a := range all {
		if a != won {
			require.JSONEq(t, won.text(), a.get("endpoint").Raw)
		}
	}
	require.Equal(t, made.get("rev").Int()+1, won.get("rev").Int())
	require.JSONEq(t, won.text(), d.admin("GET", "/endpoints/two", "").text())
	require.Equal(t, won.get("head_wait").Int(), gjson.Get(d.stored("two"), "head_wait").Int())
}

// TestKeysAtOnce: each of several changes without if-match is made whole, or refused with the
// current state.
func TestKeysAtOnce(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	d.tenant("many", nil)
	done := int64(0)
	for _, a := range atOnce(8, func(i int) *answer {
		return d.admin("POST", "/endpoints/many/keys", `{"label":"k`+strconv.Itoa(i)+`"}`)
	}) {
		if a.Code == 201 {
			done++
			continue
		}
		require.Equal(t, 409, a.Code, a.text())
		require.Equal(t, "many", a.get("endpoint.name").Str)
	}
	view := d.admin("GET", "/endpoints/many", "")
	require.Len(t, view.get("keys").Array(), 1+int(done))
	require.Equal(t, 1+done, view.get("rev").Int())
	require.Equal(t, 1+done, gjson.Get(d.stored("many"), "rev").Int(), "the copy is that of the last change")
}

// TestMadeAnew: an endpoint that was deleted and created again accepts nothing of the first.
func TestMadeAnew(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	first := d.tenant("again", object{"usage": true})
	key := first.get("key").Str
	rotate := d.hold("POST", "/u/again/api/rotate", key, "{}")
	patch := d.hold("PATCH", endpoints+"/again", adminKey, `{"disabled":true}`)
	restore := d.copies("again")
	require.Equal(t, 204, d.admin("DELETE", "/endpoints/again", "").Code)
	second := d.tenant("again", object{"usage": true})
	require.Greater(t, second.get("rev").Int(), first.get("rev").Int())
	require.Equal(t, 401, rotate().Code)
	// the operator changes the endpoint that has the name when the request arrives
	require.Equal(t, 200, patch().Code)
	require.Equal(t, 200, d.admin("PATCH", "/endpoints/again", `{"disabled":false}`).Code)
	require.Equal(t, 200, d.converse("again", second.get("key").Str).Code)
	restore()
	require.Equal(t, 401, d.converse("again", key).Code)
}

// TestRevocationAtOnce: an endpoint with usage or stored data checks its object. A revoked key is
// refused at once, even with an old copy of the record.
func TestRevocationAtOnce(t *testing.T) {
	t.Parallel()
	stored := object{"options": object{"store": "on"}}
	for _, test := range []struct {
		name               string
		more               object
		method, path, body string
	}{
		{"limits", object{"limits": object{"tokens_per_day": 1000000}}, "POST", "/v1/messages", messagesBody},
		{"usage", object{"usage": true}, "POST", "/v1/messages", messagesBody},
		{"stored responses", stored, "POST", "/v1/responses", responsesBody},
		{"stored responses to be read", stored, "GET", "/v1/responses/resp_" + clientKey, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := tenants(t, nil)
			made := d.tenant("exact", test.more)
			other := d.admin("POST", "/endpoints/exact/keys", "{}").get("key").Str
			restore := d.copies("exact")
			ask := func(key string) int {
				return d.ask(test.method, "/u/exact"+test.path, test.body,
					bearer(key)).Code
			}
			d.admin("DELETE", "/endpoints/exact/keys/"+idOf(made, 0), "")
			restore()
			require.Equal(t, 401, ask(made.get("key").Str))
			require.Empty(t, d.asked)
			require.Contains(t, []int{200, 404}, ask(other))
			d.admin("PATCH", "/endpoints/exact", `{"disabled":true}`)
			restore()
			require.Equal(t, 403, ask(other))
			d.admin("DELETE", "/endpoints/exact", "")
			restore()
			assert.Equal(t, 401, ask(other))
		})
	}
}
