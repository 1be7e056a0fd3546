package admin

import (
	"net/http"
	"strings"
)

// Operation is the operation of a request to the APIs.
type Operation uint8

const (
	List Operation = iota
	Make
	Read
	Change
	Delete
	AddKey
	RevokeKey
	ChangeKey
	Rotate
	Test
	Models
	DraftTest // DraftTest and DraftModels: for an endpoint that is not stored
	DraftModels
	Usage
	Requests
	Sessions
	Alerts
	TestAlerts
	Changes
	Health
	Overview
	OwnerRead
	OwnerRotate
	OwnerUsage
	OwnerRequests
	OwnerSessions
	DeploymentRead
	DeploymentUsage
	DeploymentRequests
	DeploymentSessions
	OpenSession // OpenSession, ReadSession and EndSession: for the operator or an owner
	ReadSession
	EndSession
)

// Route is a method and a path with an operation. {name} and {id} match a segment of the path.
type Route struct {
	Method, Path string
	Operation    Operation
}

// Routes returns all routes of the APIs.
func Routes() []Route {
	const list, one = "/admin/api/endpoints", "/admin/api/endpoints/{name}"
	const session, own = "/admin/api/session", "/u/{name}/api/session"
	return []Route{
		{http.MethodGet, list, List},
		{http.MethodPost, list, Make},
		{http.MethodGet, one, Read},
		{http.MethodPatch, one, Change},
		{http.MethodDelete, one, Delete},
		{http.MethodPost, one + "/keys", AddKey},
		{http.MethodDelete, one + "/keys/{id}", RevokeKey},
		{http.MethodPatch, one + "/keys/{id}", ChangeKey},
		{http.MethodPost, one + "/rotate", Rotate},
		{http.MethodPost, one + "/test", Test},
		{http.MethodPost, one + "/models", Models},
		{http.MethodPost, "/admin/api/test", DraftTest},
		{http.MethodPost, "/admin/api/models", DraftModels},
		{http.MethodGet, one + "/usage", Usage},
		{http.MethodGet, one + "/requests", Requests},
		{http.MethodGet, one + "/sessions", Sessions},
		{http.MethodGet, one + "/alerts", Alerts},
		{http.MethodPost, one + "/alerts", TestAlerts},
		{http.MethodGet, one + "/changes", Changes},
		{http.MethodGet, "/admin/api/health", Health},
		{http.MethodGet, "/admin/api/overview", Overview},
		{http.MethodGet, "/u/{name}/api", OwnerRead},
		{http.MethodPost, "/u/{name}/api/rotate", OwnerRotate},
		{http.MethodGet, "/u/{name}/api/usage", OwnerUsage},
		{http.MethodGet, "/u/{name}/api/requests", OwnerRequests},
		{http.MethodGet, "/u/{name}/api/sessions", OwnerSessions},
		{http.MethodGet, deployment, DeploymentRead},
		{http.MethodGet, deployment + "/usage", DeploymentUsage},
		{http.MethodGet, deployment + "/requests", DeploymentRequests},
		{http.MethodGet, deployment + "/sessions", DeploymentSessions},
		{http.MethodPost, session, OpenSession},
		{http.MethodGet, session, ReadSession},
		{http.MethodDelete, session, EndSession},
		{http.MethodPost, own, OpenSession},
		{http.MethodGet, own, ReadSession},
		{http.MethodDelete, own, EndSession},
	}
}

// deployment is the path of the API for the page at /: the settings and, under the path, the usage
// of the endpoint made of the deployment's variables.
const deployment = "/api"

// Call is the result of Find for a request.
type Call struct {
	Operation
	Name, ID string
	// if no route has the method: the methods of the path, or "" for an unknown path
	Allow string
}

// IsSession reports whether the request is about the session of the client.
func (c *Call) IsSession() bool { return c.Operation >= OpenSession }

// IsAdmin reports whether a path is under the Admin API, even if the path is unknown.
func IsAdmin(path string) bool { return path == "/admin/api" || strings.HasPrefix(path, "/admin/api/") }

// Serves reports whether a path belongs to the Admin API, the owner API or the deployment's API.
func Serves(path string) bool {
	if !strings.HasPrefix(path, "/u/") {
		switch path {
		case deployment, deployment + "/usage", deployment + "/requests", deployment + "/sessions":
			return true
		}
		return IsAdmin(path)
	}
	c, _ := Find("", path)
	return c.Allow != ""
}

// Find returns the route of a request. ok is false without a route.
func Find(method, path string) (c Call, ok bool) {
	for _, route := range Routes() {
		found := Call{Operation: route.Operation}
		if !found.match(route.Path, path) {
			continue
		}
		if route.Method == method {
			return found, true
		}
		if c.Allow != "" {
			c.Allow += ", "
		}
		c.Allow += route.Method
	}
	return c, false
}

// match reports whether a path matches a pattern of Routes, and sets Name and ID from the path.
func (c *Call) match(pattern, path string) bool {
	for {
		part, rest, more := strings.Cut(pattern, "/")
		is, others, further := strings.Cut(path, "/")
		switch {
		case part == "{name}":
			c.Name = is
		case part == "{id}":
			c.ID = is
		case part != is:
			return false
		}
		if !more || !further {
			return more == further
		}
		pattern, path = rest, others
	}
}
