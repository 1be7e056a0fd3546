package serve_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// storing makes an endpoint that stores responses, and returns the endpoint's key. bytes is the
// limit; 0: the default.
func (d *deployment) storing(name string, bytes int64) (key string) {
	options := object{"store": "on"}
	if bytes != 0 {
		options["store_bytes"] = bytes
	}
	return d.tenant(name, object{"options": options}).get("key").Str
}

// storeResponse sends a request, and returns the id of the stored response, or the status and the
// error's message.
func (d *deployment) storeResponse(name, key, input string, stream bool) (id string, status int, why string) {
	body := smallestOf("responses", object{"input": input, "stream": stream})
	a := d.ask("POST", "/u/"+name+"/v1/responses", body, bearer(key))
	response := gjson.Parse(a.text())
	if stream && strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
		events := strings.Split(strings.TrimSpace(a.text()), "data: ")
		response = gjson.Get(events[len(events)-1], "response")
	}
	if response.Get("status").Str == "completed" {
		return response.Get("id").Str, a.Code, ""
	}
	return "", a.Code, response.Get("error.message").Str
}

// storedBytes returns how many bytes and how many responses an endpoint has stored.
func (d *deployment) storedBytes(name string) [2]int64 {
	bytes := d.rows("endpoint:"+name, "SELECT bytes FROM responses_total")[0].(float64)
	return [2]int64{int64(bytes), int64(d.rows("endpoint:"+name,
		"SELECT count(*) FROM responses")[0].(float64))}
}

// TestStoreBytes: the option store_bytes holds to the byte.
func TestStoreBytes(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		d := tenants(t, nil)
		stored := func(name, key, input string) string {
			t.Helper()
			id, _, why := d.storeResponse(name, key, input, stream)
			require.NotEmpty(t, id, why)
			return id
		}
		full := func(name, key, input string) {
			t.Helper()
			id, status, why := d.storeResponse(name, key, input, stream)
			require.Empty(t, id)
			if stream {
				require.Equal(t, 200, status)
			} else {
				require.Equal(t, 413, status)
			}
			require.Regexp(t,
				`The response was not stored: .*"store_bytes".*Delete responses.*"store":false.*"store_ttl"`,
				why)
		}
		stored("free", d.storing("free", 0), "q")
		size := d.storedBytes("free")[0]
		tight := d.storing("tight", size-1)
		full("tight", tight, "q")
		require.NotContains(t, d.tables("endpoint:tight"), "responses")

		key := d.storing("anna", 2*size)
		id := stored("anna", key, "q")
		stored("anna", key, "q")
		full("anna", key, "q")
		full("anna", key, strings.Repeat("x", 3_000_000))
		require.Equal(t, [2]int64{2 * size, 2}, d.storedBytes("anna"))
		stored("other", d.storing("other", 2*size), "q") // another endpoint has its own bytes
		require.Equal(t, 200, d.ask("DELETE", "/u/anna/v1/responses/"+id, "", bearer(key)).Code)
		require.Equal(t, [2]int64{size, 1}, d.storedBytes("anna"))
		full("anna", key, "qq")
		stored("anna", key, "q") // the deleted response is room
		_, err := d.store.Batch("endpoint:anna", statements("UPDATE responses SET expires = 1"))
		require.NoError(t, err)
		stored("anna", key, strings.Repeat("x", int(size))) // expired responses are room
		require.Equal(t, [2]int64{2*size - 1, 1}, d.storedBytes("anna"))
	}
}

// TestStoredAtOnce: of many responses at once, as many are stored as there is room for.
func TestStoredAtOnce(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	free := d.storing("free", 0)
	d.storeResponse("free", free, "q", false)
	size := d.storedBytes("free")[0]
	key := d.storing("anna", 3*size)
	stored := 0
	for _, id := range atOnce(8, func(int) string {
		id, _, _ := d.storeResponse("anna", key, "q", false)
		return id
	}) {
		if id != "" {
			stored++
		}
	}
	require.Equal(t, 3, stored)
	require.Equal(t, [2]int64{3 * size, 3}, d.storedBytes("anna"), strconv.Itoa(int(size)))
}
