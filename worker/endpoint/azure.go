package endpoint

import "strings"

// deployments is the part of the base URL that identifies an Azure deployment with a path of its
// own.
const deployments = ".azure.com/openai/deployments/"

func (u *Upstream) isDeployment() bool { return strings.Contains(u.URL, deployments) }

// Base returns the base URL to which a path is appended: URL, or the equivalent of URL at the
// upstream's gateway. For an Azure deployment with a path of its own, the list of models is not
// below the deployment but at /openai/models
// (learn.microsoft.com/rest/api/azureopenai/models/list).
func (u *Upstream) Base(path string) string {
	if u.Gateway != nil {
		return u.Gateway.base
	}
	if models := u.API.Models; u.isDeployment() && (path == models.Path || strings.HasPrefix(path,
		models.Path+"/")) {
		base, _, _ := strings.Cut(u.URL, "/deployments/")
		return base
	}
	return u.URL
}
