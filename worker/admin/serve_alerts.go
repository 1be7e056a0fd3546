package admin

import (
	"net/http"
	"strings"

	"edgelingua/worker/alert"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// signWebhook makes the key of a new webhook. A webhook on the host of the request is refused: it would be
// this deployment. Under another name the deployment refuses the alerts, by their user-agent.
func (m *managed) signWebhook(rec *Record) *Error {
	if rec.hook.url == "" {
		return nil
	}
	host, _ := endpoint.WebhookHost(rec.hook.url)
	if strings.EqualFold(strings.TrimSuffix(host, "."), m.r.URL.Hostname()) {
		return bad("alerts.url", "must not lead to this deployment.")
	}
	rec.hook.sign(m.host.Random())
	return nil
}

// alertStatements adds the statements of a change that schedule alerts, or delete them if the endpoint
// raises none any more.
func (m *managed) alertStatements(statements *bridge.Statements, rec *Record) {
	_, counts := rec.Counts()
	source := rec.finished.Alerter(m.host.Setting)
	switch {
	case source != nil && counts:
		statements.Add(source.Change(rec.finished.AlertKeys(), m.now))
		if rec.recounted != "" {
			statements.Add(alert.Rename(rec.recounted, rec.Keys[len(rec.Keys)-1].Account()))
		}
	case rec.loaded != nil && rec.loaded.Alerts.Sealed != "" || source != nil:
		statements.Add(alert.Clear())
	}
}

// alerts answers with the last alerts of an endpoint, or raises a test alert.
func (m *managed) alerts(e *endpoint.Endpoint) (status int, out []byte, err *Error) {
	if m.Operation == Alerts {
		rows, failed := m.host.Batch(e.Object(), alert.List())
		if failed != nil {
			return 0, nil, broken(failed)
		}
		return http.StatusOK, alert.AppendList(nil, rows), nil
	}
	source := e.Alerter(m.host.Setting)
	if source == nil {
		return 0, nil, Refuse(http.StatusConflict,
			"No webhook is set: neither alerts of the endpoint nor ALERT_URL of the deployment.")
	}
	if _, failed := m.host.Batch(e.Object(), source.Test(m.now)); failed != nil {
		return 0, nil, broken(failed)
	}
	return http.StatusNoContent, nil, nil
}
