package admin

import (
	"net/http"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// webhook is the webhook for alerts of a record. Its URL is a secret, too: who knows the URL of a webhook
// of Slack or Discord can post there. So the URL is sealed together with the key that signs the alerts,
// and only its host is shown.
type webhook struct {
	secret
	url string // a new URL, which needs a new key; "": the sealed one stays
	key string // the new key, to be shown once
}

// takeWebhook moves the URL of the webhook out of the settings. patch is the member alerts of the patch,
// already merged into the settings.
func (r *Record) takeWebhook(patch gjson.Result) *Error {
	settings := gjson.Parse(r.settings)
	now := get(settings, "alerts")
	if !now.IsObject() { // endpoint.Parse, called by encode, reports any other value
		r.hook = webhook{}
		return nil
	}
	for _, name := range [...]string{"host", "sealed"} {
		if get(patch, name).Exists() {
			return noField("alerts."+name, "url and format")
		}
	}
	host := get(now, "host").Str
	if v := get(patch, "url"); v.Exists() {
		var ok bool
		if host, ok = endpoint.WebhookHost(v.Str); !ok || !isSecret(v.Str) {
			return bad("alerts.url", "must be an https URL with a public host name, on port 443 and "+
				"without user.")
		}
		r.hook = webhook{url: v.Str}
	}
	plain := appendWithout(nil, settings, "alerts")
	plain = append(appendName(plain[:len(plain)-1], "alerts"), '{')
	if host != "" {
		plain = jsonw.AppendString(appendName(plain, "host"), host)
	}
	now.ForEach(func(name, v gjson.Result) bool {
		if name.Str != "host" && name.Str != "url" {
			plain = append(appendName(plain, name.Str), v.Raw...)
		}
		return true
	})
	r.settings = string(append(plain, "}}"...))
	return nil
}

// sign sets the new key of a new URL.
func (w *webhook) sign(key string) {
	w.key = key
	w.plain = w.url + "\n" + key
	w.url = ""
}

// check returns an error if alerts, the settings of the webhook, are there without a URL, or the URL is
// not sealed.
func (w *webhook) check(alerts gjson.Result) *Error {
	switch {
	case alerts.Exists() && w.sealed == "" && w.plain == "" && w.url == "":
		return bad("alerts.url", "is missing.")
	case w.sealed != "" && !isSealed(w.sealed):
		return Refuse(http.StatusInternalServerError, "The webhook for alerts is not sealed, so nothing was "+
			"stored.")
	}
	return nil
}

// appendTo appends the settings of the webhook together with its sealed secret.
func (w *webhook) appendTo(dst []byte, alerts gjson.Result) []byte {
	if !alerts.IsObject() || w.sealed == "" {
		return append(dst, alerts.Raw...)
	}
	dst = appendWithout(dst, alerts, "sealed")
	return append(jsonw.AppendString(appendName(dst[:len(dst)-1], "sealed"), w.sealed), '}')
}
