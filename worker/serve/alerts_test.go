package serve_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/worker/totals"
)

// hookURL is the URL of a webhook. Its path and query are secrets.
const hookURL = "https://hooks.test/services/T0/s3cret?x=1"

// alerted is a deployment in a bubble, with a webhook that answers with statuses, the last one forever.
type alerted struct {
	*deployment
	statuses []int
	waits    []string // the values of Retry-After in the answers with 429
	got      []sent
}

// alerting runs a test with a deployment that has a webhook, in a bubble.
func alerting(t *testing.T, env map[string]string, test func(t *testing.T, a *alerted)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &alerted{deployment: deploy(t, env), statuses: []int{200}}
		a.bubble = true
		a.upstreams["up.test"] = counted("chat")
		a.upstreams["hooks.test"] = func(s *sent) *reply {
			a.got = append(a.got, *s)
			status := a.statuses[0]
			if len(a.statuses) > 1 {
				a.statuses = a.statuses[1:]
			}
			switch status {
			case 0: // nothing comes
				<-s.Context().Done()
				return &reply{err: s.Context().Err()}
			case 429:
				wait := a.waits[0]
				a.waits = a.waits[1:]
				return &reply{status: status, header: map[string]string{"Retry-After": wait}}
			case 302:
				return &reply{status: status, header: map[string]string{"Location": "https://up.test/"}}
			}
			return &reply{status: status, chunks: []string{strings.Repeat("x", 1<<20)}}
		}
		test(t, a)
	})
}

// texts returns the texts of the alerts that the webhook got, and forgets them.
func (a *alerted) texts() (texts []string) {
	synctest.Wait()
	for _, s := range a.got {
		texts = append(texts, s.member("text").Str)
	}
	a.got = nil
	return texts
}

// signed requires that an alert is signed with a secret.
func signed(t *testing.T, s sent, secret string, now time.Time) {
	t.Helper()
	at, mac, ok := strings.Cut(strings.TrimPrefix(s.Header.Get("X-Edgelingua-Signature"), "t="), ",v1=")
	require.True(t, ok)
	require.Equal(t, now.Unix(), mustNumber(t, at))
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(at + "." + s.body))
	require.Equal(t, hex.EncodeToString(h.Sum(nil)), mac)
}

func mustNumber(t *testing.T, text string) (n int64) {
	for _, c := range text {
		require.True(t, '0' <= c && c <= '9', text)
		n = n*10 + int64(c-'0')
	}
	return n
}

// TestAlerts: a webhook of the endpoint and the deployment's get the same alert, signed by their secrets.
func TestAlerts(t *testing.T) {
	const secret = "a-secret-of-the-deployment"
	alerting(t, map[string]string{"ALERT_URL": "https://hooks.test/all", "ALERT_SECRET": secret},
		func(t *testing.T, a *alerted) {
			e := a.endpoint(`"limits":{"usd_per_day":0.2},` + ownPrices + `,` + oneUpstream("chat"))
			set := a.admin("PATCH", "/endpoints/"+e.name, `{"alerts":{"url":"`+hookURL+`"}}`)
			require.Equal(t, 200, set.Code, set.text())
			require.Equal(t, 200, e.ask("chat", asking{}).Code)
			synctest.Wait()
			require.Len(t, a.got, 2)
			urls := map[string]sent{}
			for _, s := range a.got {
				urls[s.URL.String()] = s
				require.Equal(t, "POST", s.Method)
				require.Equal(t, "application/json", s.Header.Get("Content-Type"))
				require.Equal(t, "edgelingua", s.Header.Get("User-Agent"))
				require.Len(t, s.Header, 3, "no key of anybody")
				require.Equal(t, "92 % of the budget usd_per_day of the endpoint e1, 0.2 US dollars, is "+
					"spent.",
					s.member("text").Str)
			}
			signed(t, urls[hookURL], set.get("alert_secret").Str, a.now())
			signed(t, urls["https://hooks.test/all"], secret, a.now())
			a.got = nil
			require.Equal(t, 200, e.ask("chat", asking{}).Code)
			assert.Len(t, a.texts(), 2, "100 %")
			require.Equal(t, 429, e.ask("chat", asking{}).Code)
			require.Equal(t, 429, e.ask("chat", asking{}).Code)
			assert.Empty(t, a.texts(), "told already")
			require.Equal(t, 204, a.admin("POST", "/endpoints/"+e.name+"/alerts", "").Code)
			assert.Equal(t, []string{"This is a test of the alerts of the endpoint e1.",
				"This is a test of the alerts of the endpoint e1."}, a.texts())
			for _, one := range a.admin("GET", "/endpoints/"+e.name+"/alerts", "").get("alerts").Array() {
				assert.Equal(t, "sent 1 200", one.Get("state").Str+" "+one.Get("tries").Raw+" "+
					""+one.Get("status").Raw)
			}
		})
}

// TestAlertsOfTheDeployment: the deployment's own endpoint has no webhook but the deployment's.
func TestAlertsOfTheDeployment(t *testing.T) {
	alerting(t, map[string]string{"ALERT_URL": "https://hooks.test/all",
		"ALERT_SECRET": strings.Repeat("s", 16),
		"USAGE":        "true", "ALERT_FORMAT": "slack"}, func(t *testing.T, a *alerted) {
		a.upstreams["up.test"] = says(503, serverError)
		for range 3 {
			a.ask("POST", "/v1/messages", messagesBody, bearer(clientKey))
		}
		assert.Equal(t, []string{"The upstream of the deployment's own endpoint is down: 3 failures in " +
			"a row, the last with status 503."}, a.texts())
	})
}

// TestAlertOfRefusedKey: an upstream that refuses the endpoint's key is down.
func TestAlertOfRefusedKey(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		e := a.endpoint(`"alerts":{"url":"` + hookURL + `"},` + oneUpstream("chat"))
		a.upstreams["up.test"] = says(401, `{"error":{"message":"invalid key"}}`)
		for range 3 {
			e.ask("chat", asking{})
		}
		assert.Equal(t, []string{"The upstream up of the endpoint e1 is down: 3 failures in a row, the last " +
			"with status 401."}, a.texts())
		a.upstreams["up.test"] = counted("chat")
		e.ask("chat", asking{})
		assert.Equal(t, []string{"The upstream up of the endpoint e1 answers again."}, a.texts())
	})
}

// TestAlertRetries: an alert that the webhook does not accept is sent five times, and a redirect is not
// followed. After the webhook's first good answer nothing is sent again.
func TestAlertRetries(t *testing.T) {
	for name, statuses := range map[string][]int{"errors": {500, 404, 302, 0, 500}, "hangs": {0},
		"recovers": {503, 302, 204}} {
		t.Run(name, func(t *testing.T) {
			alerting(t, nil, func(t *testing.T, a *alerted) {
				a.statuses = statuses
				e := a.endpoint(`"alerts":{"url":"` + hookURL + `"},` + oneUpstream("chat"))
				begin := time.Now()
				require.Equal(t, 204, a.admin("POST", "/endpoints/"+e.name+"/alerts", "").Code)
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				want, state := 5, "failed"
				if name == "recovers" {
					want, state = 3, "sent"
				}
				require.Len(t, a.got, want)
				for i, least := range []time.Duration{0, 30, 150, 750, 4350}[:want] {
					at, _, _ := strings.Cut(strings.TrimPrefix(a.got[i].Header.Get("X-Edgelingua-Signature"), "t="), ",")
					since := time.Duration(mustNumber(t, at) - begin.Unix())
					require.True(t, least <= since && since <= least+60, "%d: after %d s", i, since)
				}
				one := a.admin("GET", "/endpoints/"+e.name+"/alerts", "").get("alerts.0")
				require.Equal(t, state, one.Get("state").Str)
				require.EqualValues(t, want, one.Get("tries").Int())
			})
		})
	}
}

// TestAlertRetryAfter: a busy webhook defers the next try, but not by more than an hour.
func TestAlertRetryAfter(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		a.statuses, a.waits = []int{429, 429, 429, 200}, []string{"900", "999999999", "soon"}
		e := a.endpoint(`"alerts":{"url":"` + hookURL + `"},` + oneUpstream("chat"))
		require.Equal(t, 204, a.admin("POST", "/endpoints/"+e.name+"/alerts", "").Code)
		require.Len(t, a.texts(), 1)
		for _, seconds := range []time.Duration{900, 3600, 600} {
			time.Sleep((seconds - 60) * time.Second)
			require.Empty(t, a.texts())
			time.Sleep(time.Minute)
			require.Len(t, a.texts(), 1)
		}
	})
}

// TestHangingWebhook: a webhook that hangs does not delay the alerts of other endpoints, and may be
// removed meanwhile.
func TestHangingWebhook(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		hung := 0
		a.upstreams["slow.test"] = func(s *sent) *reply {
			hung++
			<-s.Context().Done()
			return &reply{err: s.Context().Err()}
		}
		slow := a.endpoint(`"alerts":{"url":"https://slow.test/x"},` + oneUpstream("chat"))
		fast := a.endpoint(`"alerts":{"url":"` + hookURL + `"},` + oneUpstream("chat"))
		require.Equal(t, 204, a.admin("POST", "/endpoints/"+slow.name+"/alerts", "").Code)
		synctest.Wait()
		require.Equal(t, 1, hung)
		require.Equal(t, 200, a.admin("PATCH", "/endpoints/"+slow.name, `{"alerts":null}`).Code)
		require.Equal(t, 204, a.admin("POST", "/endpoints/"+fast.name+"/alerts", "").Code)
		require.Len(t, a.texts(), 1)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Contains(t, a.logged.String(), "was not sent: timeout")
		require.NotContains(t, a.logged.String(), "no such table")
	})
}

// TestAlertsWithoutOperator: the time of the next alert does not count as the sums of an endpoint.
func TestAlertsWithoutOperator(t *testing.T) {
	alerting(t, map[string]string{"ALERT_URL": "https://hooks.test/all", "USAGE": "true", "ADMIN_KEY": "",
		"ALERT_SECRET": strings.Repeat("s", 16)}, func(t *testing.T, a *alerted) {
		a.ask("POST", "/v1/messages", messagesBody, bearer(clientKey))
		synctest.Wait()
		require.NotEmpty(t, a.state.objects)
		require.NotContains(t, a.state.objects, totals.Object)
	})
}

// TestAlertsOfNtfy: ntfy gets the topic in the JSON, at its root.
func TestAlertsOfNtfy(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		e := a.endpoint(`"alerts":{"url":"https://hooks.test/my-topic?auth=x","format":"ntfy"},` +
			oneUpstream("chat"))
		require.Equal(t, 204, a.admin("POST", "/endpoints/"+e.name+"/alerts", "").Code)
		synctest.Wait()
		require.Equal(t, "https://hooks.test/?auth=x", a.got[0].URL.String())
		require.JSONEq(t, `{"topic":"my-topic","title":"edgelingua","message":"This is a test `+
			`of the alerts of the endpoint e1."}`, a.got[0].body)
	})
}

// TestAlertOfExpiry: a key that nobody uses expires; the alert comes seven days before, once.
func TestAlertOfExpiry(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		e := a.endpoint(`"alerts":{"url":"` + hookURL + `"},` + oneUpstream("chat"))
		expires := a.now().Add(30 * 24 * time.Hour).Unix()
		body := encoded(object{"label": "laptop", "expires": expires})
		require.Equal(t, 201, a.admin("POST", "/endpoints/"+e.name+"/keys", body).Code)
		time.Sleep(23*24*time.Hour - time.Minute)
		require.Empty(t, a.texts())
		time.Sleep(2 * time.Minute)
		texts := a.texts()
		require.Len(t, texts, 1)
		require.Regexp(t, `^The key laptop \([\w-]{8}\) of the endpoint e1 expires at `, "T"+texts[0][1:])
		time.Sleep(7 * 24 * time.Hour)
		require.Empty(t, a.texts())
	})
}

// TestAlertOfSoonExpiry: a key that already expires soon, when the webhook is set, is told at once.
func TestAlertOfSoonExpiry(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		e := a.endpoint(oneUpstream("chat"))
		expires := a.now().Add(30 * 24 * time.Hour).Unix()
		body := encoded(object{"label": "laptop", "expires": expires})
		require.Equal(t, 201, a.admin("POST", "/endpoints/"+e.name+"/keys", body).Code)
		time.Sleep(25 * 24 * time.Hour)
		for range 2 {
			set := a.admin("PATCH", "/endpoints/"+e.name, `{"alerts":{"url":"`+hookURL+`"}}`)
			require.Equal(t, 200, set.Code)
		}
		synctest.Wait()
		require.Len(t, a.got, 1)
		require.Contains(t, a.got[0].member("text").Str, "the key laptop")
		require.Regexp(t, `^\d+$`, a.got[0].member("time").Raw)
		time.Sleep(6 * 24 * time.Hour)
		require.Len(t, a.texts(), 1, "told already")
		require.Equal(t, 204, a.admin("POST", "/endpoints/"+e.name+"/alerts", "").Code)
		synctest.Wait()
		require.Regexp(t, `^\d+$`, a.got[0].member("time").Raw)
	})
}

// TestAlertOfRotatedKey: a key that replaces another one has its budget alerts, and the end of the
// replaced key is not told.
func TestAlertOfRotatedKey(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		e := a.endpoint(`"alerts":{"url":"` + hookURL + `"},` + ownPrices + `,` + oneUpstream("chat"))
		one := e.addKey(`{"usd_per_day":2.2}`)
		time.Sleep(8 * 24 * time.Hour)
		for range 10 {
			one.ask("chat", asking{})
		}
		texts := a.texts()
		require.Len(t, texts, 1)
		require.Contains(t, texts[0], "84 %")
		rotated := a.ask("POST", "/u/"+one.name+"/api/rotate", `{"grace":3600}`, bearer(one.key))
		require.Equal(t, 200, rotated.Code)
		one.key = rotated.get("key").Str
		require.Equal(t, 200, one.ask("chat", asking{}).Code)
		require.Empty(t, a.texts(), "told already, of the replaced key")
		one.ask("chat", asking{})
		texts = a.texts()
		require.Len(t, texts, 1)
		require.Contains(t, texts[0], "100 %")
	})
}

// TestAlertOfStrangers: where clients bring the upstream's key, a wrong one raises no alert.
func TestAlertOfStrangers(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		made := a.admin("POST", "/endpoints", `{"name":"fw","auth":"forward","alerts":{"url":"`+hookURL+`"},`+
			oneUpstream("chat")+`}`)
		require.Equal(t, 201, made.Code, made.text())
		ask := func() {
			for range 12 {
				a.ask("POST", "/u/fw/v1/chat/completions",
					`{"model":"m","messages":[{"role":"user","content":"x"}]}`, bearer("junk"))
			}
		}
		for _, status := range []int{401, 403} {
			a.upstreams["up.test"] = says(status, `{"error":{"message":"invalid key"}}`)
			ask()
			require.Empty(t, a.texts())
		}
		a.upstreams["up.test"] = says(500, serverError)
		time.Sleep(time.Hour)
		ask()
		require.NotEmpty(t, a.texts(), "a failure of the upstream")
	})
}

// TestNoAlerts: without a webhook nothing of alerts is stored, and their tables go with the webhook.
func TestNoAlerts(t *testing.T) {
	alerting(t, nil, func(t *testing.T, a *alerted) {
		tables := func(e *ownEndpoint) int {
			return len(a.rows("endpoint:"+e.name, "SELECT name FROM sqlite_master WHERE name LIKE 'alert%'"))
		}
		e := a.endpoint(oneUpstream("chat"))
		require.Equal(t, 200, e.ask("chat", asking{}).Code)
		require.Zero(t, tables(e))
		require.Equal(t, 409, a.admin("POST", "/endpoints/"+e.name+"/alerts", "").Code)
		a.admin("PATCH", "/endpoints/"+e.name, `{"alerts":{"url":"`+hookURL+`"}}`)
		require.NotZero(t, tables(e))
		a.admin("POST", "/endpoints/"+e.name+"/alerts", "")
		require.Len(t, a.texts(), 1)
		a.admin("PATCH", "/endpoints/"+e.name, `{"alerts":null}`)
		require.Zero(t, tables(e))
		a.admin("PATCH", "/endpoints/"+e.name, `{"alerts":{"url":"`+hookURL+`"}}`)
		require.Equal(t, 204, a.admin("DELETE", "/endpoints/"+e.name, "").Code)
		require.Zero(t, tables(e))
	})
}

// webhooks sets, changes and removes the webhook of an endpoint.
func webhooks(t *testing.T, d *description) {
	a := administer(t, d, nil)
	a.upstreams["hooks.test"] = says(200, "{}")
	made := a.create("hooked", object{"usage": false, "alerts": object{"url": hookURL}})
	one := endpoints + "/hooked"
	first := made.get("alert_secret").Str
	require.Len(t, first, 43)
	for _, secret := range []string{first, "s3cret", "services"} {
		a.secrets[secret] = true
	}
	view := a.expect(200, "GET", one, nil)
	require.JSONEq(t, `{"host":"hooks.test"}`, view.get("alerts").Raw)
	require.True(t, a.expect(200, "GET", one+"/usage", nil).get("usage").Bool(), "alerts are raised by "+
		"counts")
	require.NotContains(t, a.stored("hooked"), "s3cret")
	own := a.expect(200, "GET", "/u/hooked/api", nil, bearer(made.get("key").Str))
	require.False(t, own.get("alerts").Exists(), "an owner is told nothing of the operator's webhook")
	sealed := func() string { return gjson.Get(a.stored("hooked"), "alerts.sealed").Str }
	before := sealed()
	view = a.expect(200, "PATCH", one, object{"alerts": object{"format": "slack"}})
	require.JSONEq(t, `{"host":"hooks.test","format":"slack"}`, view.get("alerts").Raw)
	require.Equal(t, before, sealed())
	require.False(t, view.get("alert_secret").Exists())
	second := a.expect(200, "PATCH", one,
		object{"alerts": object{"url": "https://other.test/b"}}).get("alert_secret").Str
	require.NotEqual(t, first, second)
	require.Len(t, second, 43)
	a.secrets[second] = true
	for _, url := range []any{"http://hooks.test/", "https://127.0.0.1/", "https://[::1]/", "https://hooks/",
		"https://a.internal/", "https://u:p@hooks.test/", "https://hooks.test:8443/", "", 1, nil,
		"https://hooks.test/ x", "https://10.0.0.1.nip.io.1/", "https://edge.test/", "https://EDGE.test./x"} {
		a.expect(400, "PATCH", one, object{"alerts": object{"url": url}})
	}
	a.refused(400, "alerts.url", "this deployment", "PATCH", one,
		object{"alerts": object{"url": "https://edge.test/"}})
	a.refused(400, "alerts.format", "must be one of", "PATCH", one,
		object{"alerts": object{"format": "mail"}})
	a.refused(400, "alerts.sealed", "no field", "PATCH", one, object{"alerts": object{"sealed": "v1.x"}})
	a.refused(400, "alerts.host", "no field", "PATCH", one, object{"alerts": object{"host": "x"}})
	a.refused(400, "alerts.x", "no field. The fields are url and format", "PATCH", one,
		object{"alerts": object{"x": 1}})
	a.refused(400, "alerts", "must be an object", "PATCH", one, object{"alerts": "https://hooks.test/"})
	a.expect(204, "POST", one+"/alerts", nil)
	a.expect(200, "GET", one+"/alerts", nil)
	require.False(t, a.expect(200, "PATCH", one, object{"alerts": nil}).get("alerts").Exists())
	a.expect(409, "POST", one+"/alerts", nil)
	a.expect(200, "GET", one+"/alerts", nil)
	a.refused(400, "alerts.url", "missing", "PATCH", one, object{"alerts": object{"format": "ntfy"}})
	for _, path := range []string{"GET", "POST"} {
		a.expect(404, path, endpoints+"/nobody/alerts", nil)
	}
}
