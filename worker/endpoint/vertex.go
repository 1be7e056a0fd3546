package endpoint

import (
	"net/url"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonr"
)

// vertexHost is the host of Vertex AI's global location. The host of another location is
// LOCATION-aiplatform.googleapis.com, except for us and eu: aiplatform.us.rep.googleapis.com and
// aiplatform.eu.rep.googleapis.com.
const vertexHost = "aiplatform.googleapis.com"

// IsVertex reports whether the upstream is Vertex AI. Its base URL names a project and a location:
// https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION. Its key is a
// service account's.
func (u *Upstream) IsVertex() bool {
	host := strings.TrimSuffix(strings.ToLower(hostOf(u.URL)), ":443")
	return host == vertexHost || strings.HasSuffix(host, "-"+vertexHost) ||
		strings.HasPrefix(host, "aiplatform.") && strings.HasSuffix(host, ".rep.googleapis.com")
}

// ByServiceAccount reports whether the upstream's key is a service account's, which Google
// exchanges for a token. A client's own token needs no exchange.
func (u *Upstream) ByServiceAccount() bool { return u.IsVertex() && !u.Endpoint.Forward && u.Key != "" }

// knownHost returns the host for the lookup of what the upstream accepts.
func (u *Upstream) knownHost() string {
	if u.IsVertex() {
		return vertexHost
	}
	return hostOf(u.URL)
}

// Path returns the path for requests to the model, below the base URL.
func (c *Choice) Path(stream bool) string {
	path := c.API.Upstream.Path
	if c.IsVertex() {
		path = c.API.Vertex.Path
	}
	return path(url.PathEscape(c.Model), stream)
}

// CountPath returns the path for token counts, or "" if the upstream has no token counts.
func (c *Choice) CountPath() string {
	path := c.API.Upstream.CountPath
	if c.IsVertex() {
		if path = c.API.Vertex.CountPath; path == nil {
			return ""
		}
	}
	return path(url.PathEscape(c.Model))
}

// checkVertex returns an error if an upstream at Vertex AI can't be called with its settings.
func (u *Upstream) checkVertex(path string) *Error {
	switch {
	case !u.IsVertex():
		return nil
	case u.API.Vertex == nil:
		return &Error{path,
			"is Vertex AI, which doesn't speak this protocol: set that of Anthropic for Claude, or of " +
				"Google for Gemini."}
	case !strings.Contains(u.URL, "/projects/") || !strings.Contains(u.URL, "/locations/"):
		return &Error{path,
			"must name the project and the location, as " +
				"https://us-east5-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-east5."}
	case u.Gateway != nil:
		return &Error{path, "is Vertex AI, which is asked directly: leave the gateway out."}
	case !strings.HasPrefix(u.URL, "https://"):
		return &Error{path, "must begin with https://: the token that Google gives goes there."}
	}
	return nil
}

// checkOwnKey returns an error if UPSTREAM_KEY is a placeholder, can't be sent to the deployment's
// upstream, or, for Vertex AI, is not a service account's key.
func (u *Upstream) checkOwnKey() *Error {
	if Placeholder(u.Key) {
		return &Error{secretUpstreamKey, "is a placeholder of the documents. Set your own key at the " +
			"upstream: " + setSecret(secretUpstreamKey) + "."}
	}
	if !u.IsVertex() || u.Endpoint.Forward {
		return checkUpstreamKey(secretUpstreamKey, u.Key)
	}
	if problem := WrongAccount(u.Key); problem != "" {
		return &Error{secretUpstreamKey, problem}
	}
	return nil
}

// WrongAccount returns the problem with an upstream key for Vertex AI, or "" if the key looks like
// a service account's. Whether its private key is valid is known only when the host signs with it.
func WrongAccount(key string) (problem string) {
	const wanted = "the JSON of a service account's key, as Google Cloud's console makes it: IAM, Service " +
		"accounts, Keys, Add key, JSON"
	if jsonr.Check(key) != nil || !gjson.Parse(key).IsObject() {
		return "must be " + wanted + "."
	}
	var kind, email, private string
	gjson.Parse(key).ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "type":
			kind = v.Str
		case "client_email":
			email = v.Str
		case "private_key":
			private = v.Str
		}
		return true
	})
	switch {
	case kind != "service_account" && kind != "" && IsName(strings.ReplaceAll(kind, "_", "-")):
		return "is a credential of the type " + kind + ", which is not taken. It must be " + wanted + "."
	case kind != "service_account" || email == "" || private == "":
		return "must be " + wanted + ", with type, client_email and private_key."
	}
	return ""
}
