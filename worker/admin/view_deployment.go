package admin

import (
	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
)

// AppendDeployment appends the endpoint that the deployment's variables make as a client with
// CLIENT_KEY sees it: in words what the settings come to, or what is wrong with them; and where
// they make an endpoint, its upstream without secrets. names are those of all settings. stateless
// says why the deployment keeps no state, "" where it does. "usage" is there where its requests are
// counted.
func AppendDeployment(dst []byte, get endpoint.Getter, names []string, stateless string) []byte {
	line, wrong := endpoint.Setup(get, names)
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

// appendVariable appends a variable that holds checked JSON as a member, where it is set.
func appendVariable(dst []byte, name, variable string, get endpoint.Getter) []byte {
	if text, ok := get(variable); ok {
		dst = append(appendName(dst, name), text...)
	}
	return dst
}
