package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func logOfAnEndpoint(t *testing.T, d *description) {
	a := administer(t, d, nil)
	key := a.create("log", object{"request_log": object{"ttl": 60, "rows": 1000}}).get("key").Str
	plain := a.create("plain", nil).get("key").Str
	for _, list := range []string{"requests", "sessions"} {
		own, admins := "/u/log/api/"+list, endpoints+"/log/"+list
		empty := `{"log":true,"requests":[],"errors":[],"refused":[]}`
		if list == "sessions" {
			empty = `{"log":true,"sessions":[]}`
		}
		require.JSONEq(t, empty, a.expect(200, "GET", own, nil, bearer(key)).text())
		require.JSONEq(t, empty, a.expect(200, "GET", admins, nil).text())
		empty = strings.Replace(empty, "true", "false", 1)
		require.JSONEq(t, empty, a.expect(200, "GET", "/u/plain/api/"+list, nil, bearer(plain)).text())
		require.JSONEq(t, empty, a.expect(200, "GET", endpoints+"/plain/"+list, nil).text())
		a.expect(404, "GET", endpoints+"/nobody/"+list, nil)
		a.expect(401, "GET", own, nil)
		a.expect(401, "GET", own, nil, bearer(plain))
	}
	for query, path := range map[string]string{"limit=0": "limit", "limit=201": "limit", "limit=x": "limit",
		"from=x": "from", "from=-1": "from", "until=0": "until", "status=200": "status", "status=no": "status",
		"cursor=x": "cursor", "cursor=1-0": "cursor"} {
		require.Equal(t, path,
			a.expect(400, "GET", endpoints+"/log/requests?"+query, nil).get("error.path").Str, query)
		a.expect(400, "GET", "/u/log/api/requests?"+query, nil, bearer(key))
	}
	a.expect(200, "PATCH", endpoints+"/log", object{"disabled": true})
	a.expect(403, "GET", "/u/log/api/requests", nil, bearer(key))
	a.expect(403, "GET", "/u/log/api/sessions", nil, bearer(key))
}

func deploymentsLog(t *testing.T, d *description) {
	a := administer(t, d, map[string]string{"USAGE": "true", "REQUEST_LOG": "3600"})
	own := bearer(clientKey)
	asked := a.ask("POST", "/v1/messages", messagesBody, "X-Claude-Code-Session-Id: one")
	require.Equal(t, 200, asked.Code, asked.text())
	require.Len(t, a.expect(200, "GET", "/api/requests?status=ok", nil, own).get("requests").Array(), 1)
	require.Empty(t, a.expect(200, "GET", "/api/requests?status=error", nil, own).get("requests").Array())
	require.Len(t, a.expect(200, "GET", "/api/sessions", nil, own).get("sessions").Array(), 1)
	a.expect(400, "GET", "/api/requests?status=0", nil, own)
	for _, list := range []string{"requests", "sessions"} {
		a.expect(401, "GET", "/api/"+list, nil, bearer("wrong"))
		a.expect(403, "GET", "/api/"+list, nil, own, "Origin: https://evil.example")
		placeholder := administer(t, d, map[string]string{"CLIENT_KEY": "choose-a-long-random-key"})
		placeholder.expect(500, "GET", "/api/"+list, nil, bearer(clientKey))
	}
}
