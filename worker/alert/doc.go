// Package alert raises alerts about an endpoint: SQL in the batches of the endpoint's object decides
// which alerts are due, each once per cause and period, and the object's host sends them to webhooks
// ("Alerts" in worker/bridge/doc.go). The package makes the SQL and does no input or output.
//
//	alert       an alert to a webhook: the last one of each kind and subject, sent or still to be sent
//	alert_down  the upstreams that are down, since when
//	alert_rate  the requests of the last minutes, and how many of these failed
//
// An alert contains names, numbers and the label of a key: no content of a request, no error's text and
// no key.
package alert
