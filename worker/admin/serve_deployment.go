package admin

import (
	"net/http"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// serveDeployment answers the page at /, which presents CLIENT_KEY. With AUTH=forward only the
// upstream can check a key, so the settings are shown to no client.
func (m *managed) serveDeployment(key string) (status int, out []byte, err *Error) {
	if refused := endpoint.Authorize(m.host.Setting, key); refused != nil {
		return 0, nil, refusedBy(refused)
	}
	if mode, _ := m.host.Setting("AUTH"); mode != "" {
		return 0, nil, Refuse(http.StatusForbidden,
			"With AUTH=forward the upstream checks keys, so the settings are told to nobody here. The "+
				"log's first line has them.")
	}
	if m.Operation != DeploymentRead {
		e, refused := endpoint.Load(m.host.Setting)
		switch {
		case refused != nil:
			return 0, nil, refusedBy(refused)
		case m.Operation == DeploymentRequests:
			return m.requests(e, "")
		case m.Operation == DeploymentSessions:
			return m.sessions(e, "")
		}
		return m.usage(e, "")
	}
	var statements bridge.Statements
	stateless := ""
	statements.SQL("SELECT 1")
	if _, failed := m.host.Batch(endpoint.Object(""), &statements); failed != nil {
		stateless = failed.Error()
	}
	return http.StatusOK, AppendDeployment(nil, m.host.Setting, m.host.SettingNames(), stateless), nil
}
