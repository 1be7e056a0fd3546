package endpoint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/worker/alert"
)

// TestWebhookHost: a webhook is on the public internet, whatever the deployment allows for upstreams.
func TestWebhookHost(t *testing.T) {
	for url, host := range map[string]string{
		"https://hooks.slack.com/services/T0/B0/x": "hooks.slack.com", "https://ntfy.sh:443/topic": "ntfy.sh",
		"https://a.example?x=1#y": "a.example",
		"http://a.example/":       "", "https://a/": "", "https://127.0.0.1/": "", "https://2130706433/": "",
		"https://0x7f.1/": "", "https://[::1]/": "", "https://a.local/": "", "https://a.internal./": "",
		"https://localhost/": "", "https://a.example:8443/": "", "https://u@a.example/": "",
		"https:a.example": "",
		"https:///x":      "", "": "", "https://a.example/%zz": "", "https://a..example/": "",
		"ftp://a.example/": "",
		"https://a.example/" + strings.Repeat("x", 2048): "",
	} {
		got, ok := WebhookHost(url)
		assert.Equal(t, host, got, url)
		assert.Equal(t, host != "", ok, url)
	}
}

// TestAlertSettings: the deployment's webhook is complete, or missing.
func TestAlertSettings(t *testing.T) {
	const url, secret = "https://a.example/x", "0123456789abcdef"
	for _, c := range []struct{ url, format, secret, wrong string }{
		{"", "", "", ""}, {url, "", secret, ""}, {url, "slack", secret, ""},
		{"", "slack", "", "ALERT_URL"}, {"", "", secret, "ALERT_URL"}, {"http://a.example/", "", secret,
			"ALERT_URL"},
		{url, "mail", secret, "ALERT_FORMAT"}, {url, "", "", "ALERT_SECRET"}, {url, "", "short",
			"ALERT_SECRET"},
	} {
		get := func(name string) (string, bool) {
			value := map[string]string{"ALERT_URL": c.url, "ALERT_FORMAT": c.format,
				"ALERT_SECRET": c.secret}[name]
			return value, value != ""
		}
		err := checkAlerts(get)
		if c.wrong == "" {
			assert.Nil(t, err, c)
		} else if assert.NotNil(t, err, c) {
			assert.Equal(t, c.wrong, err.Setting)
			assert.NotContains(t, err.Error(), "a.example", "the URL is a secret")
		}
	}
}

// TestAlerter: an endpoint has its own webhook, the deployment's, both or none.
func TestAlerter(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	deployment := func(name string) (string, bool) {
		value := map[string]string{"ALERT_URL": "https://c.example"}[name]
		return value, value != ""
	}
	e, err := Parse("anna", `{"version":1,"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example"}],`+
		`"alerts":{"host":"b.example","format":"ntfy","sealed":"v1.x"}}`)
	assert.Nil(t, err)
	assert.True(t, e.Counts())
	own := alert.Hook{Name: "endpoint", Format: "ntfy", Sealed: "v1.x", Context: "endpoint/anna/alerts"}
	assert.Equal(t, []alert.Hook{own}, e.Alerter(none).Hooks)
	assert.Equal(t, []alert.Hook{own, {Name: "deployment"}}, e.Alerter(deployment).Hooks)
	e.Alerts = Alerts{}
	assert.Equal(t, []alert.Hook{{Name: "deployment"}}, e.Alerter(deployment).Hooks)
	assert.Nil(t, e.Alerter(none))
}
