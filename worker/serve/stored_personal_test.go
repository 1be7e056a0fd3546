package serve_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
)

// storer returns the record of an endpoint with a store_ttl of an hour.
func storer(name string) string {
	return encoded(object{"name": name, "upstreams": list{object{"name": "up", "protocol": "chat",
		"url": "https://up.test/v1"}}, "options": object{"store": "on", "store_ttl": 3600}})
}

// TestStoredPersonal: responses and items of one endpoint are worthless at another endpoint.
func TestStoredPersonal(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", nil)
	d.upstreams["up.test"] = lenient("chat", texts("ok"))
	anna, bert := d.make(storer("anna")), d.make(storer("bert"))
	const responses = "/v1/responses"
	a := d.ask("POST", "/u/anna"+responses, creation(""), bearer(anna))
	require.Equal(t, 200, a.Code, a.text())
	id, item := a.get("id").Str, a.get("output.0.id").Str
	for _, at := range [][2]string{{"/u/anna", anna}, {"/k/" + anna, "other"}} {
		got := d.ask("GET", at[0]+responses+"/"+id, "", bearer(at[1]))
		assert.Equal(t, "ok", got.get("output.0.content.0.text").Str, got.text())
	}
	rows, err := d.store.Batch("endpoint:anna", []store.Statement{{SQL: "SELECT expires FROM responses"}})
	require.NoError(t, err)
	assert.Equal(t, []any{float64(d.now().Unix() + 3600)}, rows[0].Values)
	for _, at := range [][2]string{{"/u/bert", bert}, {"/k/" + bert, "other"}} {
		key, path := bearer(at[1]), at[0]+responses
		d.refused(t, 404, "Response with id '"+id+`' not found\.$`, "GET", path+"/"+id, "", key)
		d.refused(t, 404, "not found", "DELETE", path+"/"+id, "", key)
		d.refused(t, 400, "not found", "POST", path, creation(`{"previous_response_id":"`+id+`"}`), key)
		d.refused(t, 404, "not found", "POST", path,
			creation(`{"input":[{"type":"item_reference","id":"`+item+`"}]}`), key)
	}
	d.refused(t, 401, "Wrong key", "GET", "/u/anna"+responses+"/"+id, "", bearer(bert))
	assert.Equal(t, 200, d.ask("DELETE", "/k/"+anna+responses+"/"+id, "", "Authorization: Bearer other").Code)
}

// TestStoredWithEndpoint deletes an endpoint with its responses, also during requests.
func TestStoredWithEndpoint(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, stream bool) {
		d := deployTo(t, "chat", nil)
		ok := lenient("chat", texts("ok"))
		path := "/u/carl/v1/responses"
		made := func() (id, key string) {
			key = "Authorization: Bearer " + d.make(storer("carl"))
			d.upstreams["up.test"] = ok
			a := d.ask("POST", path, creation(""), key)
			require.Equal(t, 200, a.Code, a.text())
			responses, parts := d.storedRows(t, "endpoint:carl")
			assert.Equal(t, []int{1, 4}, []int{responses, parts})
			return a.get("id").Str, key
		}
		gone := func() {
			assert.Equal(t, 204, d.admin("DELETE", "/endpoints/carl", "").Code)
			responses, parts := d.storedRows(t, "endpoint:carl")
			assert.Equal(t, []int{0, 0}, []int{responses, parts})
			d.later(time.Second)
		}
		id, _ := made()
		gone()
		_, key := made()
		d.refused(t, 404, "not found", "GET", path+"/"+id, "", key)

		d.upstreams["up.test"] = func(r *sent) *reply {
			gone()
			return ok(r)
		}
		a := d.ask("POST", path, streamed(creation(""), stream), key)
		if stream {
			frames := a.events(t)
			assert.Equal(t, "response.failed", frames[len(frames)-1].Name)
			assert.Contains(t, lastResponse(t, a).Get("error.message").Str,
				"not stored: this endpoint was deleted")
		} else {
			assert.Equal(t, 403, a.Code, a.text())
		}
		synctest.Wait()
		responses, parts := d.storedRows(t, "endpoint:carl")
		assert.Equal(t, []int{0, 0}, []int{responses, parts})
		made()
	})
}
