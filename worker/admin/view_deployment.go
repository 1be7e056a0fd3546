package admin

import (
	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
)

// AppendDeployment appends the deployment's endpoint, as seen by a client with CLIENT_KEY. It has a
// description of the settings, or a problem with them. If the settings make an endpoint, its
// upstream follows without secrets, and "usage" if the endpoint records usage. names are the names
// of all settings. stateless is the reason why the deployment stores no state, or "".
func AppendDeployment(dst []byte, get endpoint.Getter, names []string, stateless string) []byte {
	line, wrong := endpoint.Describe(get, names)
	dst = jsonw.AppendString(append(dst, `{"setup":`...), line)
	e, unset := endpoint.Load(get)
	if wrong == nil {
		wrong = unset
	}
	if wrong != nil {
		dst = jsonw.AppendString(appendName(dst, "problem"), wrong.Error())
	}
	if stateless != "" {
		dst = jsonw.AppendString(appendName(dst, "stateless"), stateless)
	}
	if unset != nil {
		return append(dst, "}\n"...)
	}
	u := &e.Upstreams[0]
	client, _ := get("CLIENT_KEY")
	admin, _ := get("ADMIN_KEY")
	up := jsonw.AppendString([]byte(`{"protocol":`), u.API.Name)
	up = jsonw.AppendString(appendName(up, "url"), passing.Redact(u.URL, append(u.Secrets(), client, admin)))
	up = appendVariable(up, "models", "MODELS", get)
	up = append(appendVariable(up, "options", "UPSTREAM_OPTIONS", get), '}')
	dst = append(appendName(dst, "upstreams"), '[')
	dst = append(appendOwnUpstream(dst, gjson.ParseBytes(up)), ']')
	dst = appendVariable(dst, "options", "OPTIONS", get)
	if e.Counts() {
		dst = append(appendName(dst, "usage"), "true"...)
	}
	return append(dst, "}\n"...)
}

// appendVariable appends a variable with checked JSON as a member, if the variable is set.
func appendVariable(dst []byte, name, variable string, get endpoint.Getter) []byte {
	if text, ok := get(variable); ok {
		dst = append(appendName(dst, name), text...)
	}
	return dst
}
