package serve_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// past is what clients have from the time of an earlier version. testdata/upgrade/make.mjs has made
// it, with the program of that version.
type past struct {
	Time      int64             // Unix seconds
	Origin    string            // of the page
	Page      string            // the value of the header x-edgelingua-page
	Keys      map[string]string // by endpoint
	Response  string            // the id of a stored response of anna
	Summaries map[string]list   // compactions, by endpoint
	Cookies   map[string]string // sessions, by holder
}

// upgraded returns a deployment with the data folder of the earlier version, soon after that time.
func upgraded(t *testing.T) (*deployment, *past) {
	t.Helper()
	was := &past{}
	text, err := os.ReadFile("testdata/upgrade/past.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, was))
	packed, err := os.Open("testdata/upgrade/data.sqlite.gz")
	require.NoError(t, err)
	defer packed.Close()
	data, err := gzip.NewReader(packed)
	require.NoError(t, err)
	folder := t.TempDir()
	file, err := os.Create(filepath.Join(folder, "edgelingua.sqlite"))
	require.NoError(t, err)
	_, err = io.Copy(file, data)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	d := deployOn(t, folder, map[string]string{"ALLOW_HTTP_UPSTREAM": "true"})
	d.setTime(was.Time + 60)
	d.upstreams["up.test"] = says(200, plainOf["chat"])
	return d, was
}

// TestUpgrade: everything that an earlier version has stored is there, and can be used and changed.
// That version is the one before model prices were required, commit 06685a7d.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	d, was := upgraded(t)
	respond := func(status int, name string, body object) *answer {
		a := d.ask("POST", "/u/"+name+"/v1/responses", encoded(merged(object{"model": "m"}, body)),
			bearer(was.Keys[name]))
		require.Equal(t, status, a.Code, "%s: %s", name, a.text())
		return a
	}
	// keys, sealed upstream keys and pools
	respond(200, "anna", object{"input": "hi"})
	require.Equal(t, "Bearer sk-of-anna-0123456789", d.last().Header.Get("Authorization"))
	respond(200, "pool", object{"input": "hi"})
	require.Regexp(t, `^Bearer sk-pool-[12]-0123456$`, d.last().Header.Get("Authorization"))
	respond(403, "off", object{"input": "hi"})
	respond(401, "gone", object{"input": "hi"})

	// stored responses
	stored := d.ask("GET", "/u/anna/v1/responses/"+was.Response, "", bearer(was.Keys["anna"]))
	require.Equal(t, 200, stored.Code, stored.text())
	respond(200, "anna", object{"input": "Which word?", "previous_response_id": was.Response})
	require.Contains(t, d.last().body, "Zwetschge")

	// summaries
	respond(200, "anna", object{"store": false, "input": append(was.Summaries["anna"], userMessage("Go on."))})
	require.Contains(t, d.last().body, "A sealed summary.")

	// usage, the log, limits and options
	usage := d.admin("GET", "/endpoints/anna/usage", "")
	require.Equal(t, int64(2+3), usage.get("days.0.requests").Int(), usage.text())
	require.Greater(t, usage.get("days.0.input").Int(), int64(2*40), usage.text())
	require.Equal(t, int64(2+3), usage.get("requests.#").Int(), usage.text())
	log := d.admin("GET", "/endpoints/anna/requests", "")
	require.Equal(t, int64(2+3), log.get("requests.#").Int(), log.text())
	require.Equal(t, usage.get("requests.#.request_id").Raw, log.get("requests.#.request_id").Raw)
	require.Equal(t, `[]`, log.get("requests.4.attempts").Raw)
	require.Equal(t, `1`, log.get("requests.0.attempts.#").Raw)
	view := d.admin("GET", "/endpoints/anna", "")
	require.Equal(t, int64(100_000), view.get("limits.tokens_per_day").Int(), view.text())
	require.Equal(t, "brave", view.get("options.web_search.provider").Str)
	require.JSONEq(t, `["a","web_search"]`, view.get("sealed_keys").Raw)

	// sessions
	signedIn := func(path, cookie string) int {
		r := httptest.NewRequest("GET", was.Origin+path, nil)
		r.Header.Set("Cookie", cookie)
		r.Header.Set("X-Edgelingua-Page", was.Page)
		return d.serve(r).Code
	}
	require.Equal(t, 200, signedIn("/admin/api/endpoints", was.Cookies["admin"]))
	require.Equal(t, 200, signedIn("/u/anna/api", was.Cookies["anna"]))

	// changes, by the revision of that time
	changed := d.admin("PATCH", "/endpoints/anna", `{"batch":7,"disabled":true}`, `If-Match: "1"`)
	require.Equal(t, 200, changed.Code, changed.text())
	respond(403, "anna", object{"input": "hi"})
	require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", `{"disabled":false}`).Code)
	require.Equal(t, 401, signedIn("/u/anna/api", was.Cookies["anna"]))
	respond(200, "anna", object{"store": false, "input": append(was.Summaries["anna"], userMessage("Go on."))})
	require.Equal(t, 200, d.admin("PATCH", "/endpoints/off", `{"disabled":false}`).Code)
	respond(200, "off", object{"input": "hi"})

	// new endpoints count usage, but an endpoint of that time still counts none
	require.True(t, view.get("usage").Bool(), view.text())
	require.Equal(t, "false", d.admin("GET", "/endpoints/off", "").get("usage").Raw)
	require.Equal(t, "false", d.admin("GET", "/endpoints/off/usage", "").get("usage").Raw)

	// a new endpoint under the name of a deleted one
	made := d.tenant("gone", nil)
	require.True(t, made.get("usage").Bool(), made.text())
	was.Keys["gone"] = made.get("key").Str
	a := respond(400, "gone", object{"store": false, "input": append(was.Summaries["gone"], userMessage("x"))})
	require.Equal(t, "invalid_compaction", a.get("error.code").Str)

	require.Equal(t, 204, d.admin("DELETE", "/endpoints/anna", "").Code)
	respond(401, "anna", object{"input": "hi"})
	d.later(13 * time.Hour)
	require.Equal(t, 401, signedIn("/admin/api/endpoints", was.Cookies["admin"]))
	require.NotContains(t, strings.Join(d.names(), " "), "anna")
}
