package endpoint

import "strings"

// deployments is in the base URL of a deployment at Azure that has a path of its own.
const deployments = ".azure.com/openai/deployments/"

func (u *Upstream) isDeployment() bool { return strings.Contains(u.URL, deployments) }

// Base returns the base URL that a path is appended to: URL, or what that is at the upstream's
// gateway. The list of models of a deployment with a path of its own stands beside the deployments,
// at /openai/models (learn.microsoft.com/rest/api/azureopenai/models/list).
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
