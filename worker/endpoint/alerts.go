package endpoint

import (
	"net/url"

	"github.com/tidwall/gjson"

	"edgelingua/worker/alert"
)

// Alerts is the webhook of a record for alerts about the endpoint. The zero value is no webhook.
type Alerts struct {
	Host   string // the host of the URL, to be shown
	Format string // one of alert.Formats
	// the URL, a line break, and the secret that signs the alerts, sealed for AlertContext
	Sealed string
}

// shortestAlertSecret is how long ALERT_SECRET has to be, in characters.
const shortestAlertSecret = 16

// AlertContext returns the context of Alerts.Sealed at the endpoint called name.
func AlertContext(name string) string { return "endpoint/" + name + "/alerts" }

// WebhookHost returns the host of a webhook's URL. ok is false if no alert may go there: a webhook has an
// https URL on port 443 with a name in public DNS, whatever ALLOW_HTTP_UPSTREAM says. The host also
// checks the address of the name.
func WebhookHost(text string) (host string, ok bool) {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxWebhook || u.Scheme != "https" || u.User != nil || u.Opaque != "" ||
		u.Port() != "" && u.Port() != "443" || !PublicName(u.Host) {
		return "", false
	}
	return u.Hostname(), true
}

// maxWebhook bounds the URL of a webhook, in bytes.
const maxWebhook = 2048

func (e *Endpoint) readAlerts(path string, v gjson.Result) *Error {
	e.Alerts.Format = "json"
	return eachMember(path, v, func(path, key string, v gjson.Result) *Error {
		switch key {
		case "host":
			return readText(&e.Alerts.Host, path, v)
		case "format":
			return readWord(path, v, alert.Formats, func(word string) { e.Alerts.Format = word })
		case "sealed":
			return readText(&e.Alerts.Sealed, path, v)
		}
		return unknown(path, "url and format")
	})
}

// Alerter returns the source of alerts about the endpoint, or nil without a webhook: the endpoint's own,
// and the deployment's. get reads the deployment's settings, which Describe has checked.
func (e *Endpoint) Alerter(get Getter) *alert.Source {
	var hooks []alert.Hook
	if e.Alerts.Sealed != "" {
		hooks = append(hooks, alert.Hook{Name: "endpoint", Format: e.Alerts.Format, Sealed: e.Alerts.Sealed,
			Context: AlertContext(e.Name)})
	}
	if to, _ := get(secretAlertURL); to != "" {
		format, _ := get(varAlertFormat)
		hooks = append(hooks, alert.Hook{Name: "deployment", Format: format})
	}
	if hooks == nil {
		return nil
	}
	return &alert.Source{Endpoint: e.Name, Hooks: hooks}
}

// AlertKeys returns the endpoint's keys for alerts.
func (e *Endpoint) AlertKeys() (keys []alert.Key) {
	for i := range e.Keys {
		keys = append(keys, e.Keys[i].forAlerts())
	}
	return keys
}

// AlertKey returns the client's key for alerts.
func (e *Endpoint) AlertKey() alert.Key { return e.key().forAlerts() }

func (k *Key) forAlerts() alert.Key {
	a := alert.Key{ID: KeyID(k.Hash), Label: k.Label, Created: k.Created, Expires: k.Expires}
	if k.CountedAs != "" {
		a.Expires = 0 // another key has replaced this one, so its end surprises nobody
	}
	return a
}

// checkAlerts returns an error unless the deployment's webhook is complete, or missing.
func checkAlerts(get Getter) *Error {
	to, _ := get(secretAlertURL)
	format, formatted := get(varAlertFormat)
	secret, signed := get(secretAlertSecret)
	if to == "" {
		if formatted || signed {
			return &Error{secretAlertURL, "is missing, but ALERT_FORMAT or ALERT_SECRET is set. Set that " +
				"too, or leave all out."}
		}
		return nil
	}
	if _, ok := WebhookHost(to); !ok {
		return &Error{secretAlertURL, "must be an https URL with a public host name, on port 443 and " +
			"without user."}
	}
	if formatted && !oneOf(alert.Formats, format) {
		return &Error{varAlertFormat, "must be one of " + quotedList(alert.Formats) + "."}
	}
	if len(secret) < shortestAlertSecret {
		return &Error{secretAlertSecret, "must have 16 characters or more: " +
			setSecret(secretAlertSecret) + "."}
	}
	return checkKey(secretAlertSecret, secret)
}
