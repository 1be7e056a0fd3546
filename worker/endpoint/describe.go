package endpoint

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
)

// shortestAdminKey is how long ADMIN_KEY has to be, in characters.
const shortestAdminKey = 16

// examples are the keys in documents and files of this project. They are public, so they are
// refused. wasmtest/readme reports missing ones.
var examples = [...]string{
	"choose-a-long-random-key", "choose-another-long-random-key", "a-key-of-yours", "your-own-admin-key",
	"your-client-key", "your-key", "YOUR_CLIENT_KEY", "YOUR_KEY", DemoKey,
}

// AdminPath is the path of the Admin API's page.
const AdminPath = "/admin"

// The keys of the local host's demo. The demo has its own upstream, so DemoKey gives access to no
// real model.
const (
	DemoKey         = "demo"
	DemoUpstreamKey = "demo-upstream-key"
)

// Example reports whether key is in a document or a file of this project.
func Example(key string) bool {
	for _, example := range examples {
		if key == example {
			return true
		}
	}
	return false
}

// Placeholder reports whether an upstream's key is a placeholder of a document or a file of this
// project, such as sk-... in .dev.vars.example.
func Placeholder(key string) bool {
	return strings.HasSuffix(key, "...") || Example(key) && key != DemoKey
}

// setSecret says how a deployment's owner sets the secret called name. The worker does not know
// where it runs: in a clone, in a project made from a release, or on a local host.
func setSecret(name string) string {
	return "on Cloudflare with `wrangler secret put " + name + "`, on a local host with `serve --secret " +
		name + "` or in .dev.vars"
}

// checkKey returns the error for an unusable secret: an example, or a text that no header can
// carry.
func checkKey(name, key string) *Error {
	switch {
	case Example(key):
		return &Error{name,
			"is an example of the documents, which everybody knows. Set another one: `openssl rand -hex " +
				"24` makes one."}
	case strings.TrimSpace(key) != key:
		return &Error{name, "begins or ends with white space, which no client can send. Set it without."}
	case !isHeaderValue(key):
		return &Error{name,
			"holds what no client can send: a line break, or what is not ASCII. `openssl rand -hex " +
				"24` makes one."}
	}
	return nil
}

// checkUpstreamKey returns the error for a secret, called name, if it would reach the upstream
// truncated or changed, and would not be recognised in the upstream's errors.
func checkUpstreamKey(name, key string) *Error {
	if isHeaderValue(key) && strings.TrimSpace(key) == key {
		return nil
	}
	return &Error{name,
		"holds what no header can carry: white space at an end, a line break, or what is not ASCII. Set " +
			"it as the vendor shows it."}
}

// clientKey returns CLIENT_KEY, or "" if it is not set. The error is for an unusable key.
func clientKey(get Getter) (string, *Error) {
	key, _ := get(secretClientKey)
	if key == DemoKey {
		if upstream, _ := get(secretUpstreamKey); upstream == DemoUpstreamKey {
			return key, nil
		}
	}
	return key, checkKey(secretClientKey, key)
}

// AdminKey returns ADMIN_KEY. If the Admin API is disabled, refused is the reason, for its clients.
func AdminKey(get Getter) (key, refused string) {
	key, _ = get(secretAdminKey)
	if len(key) < shortestAdminKey {
		return "", "This deployment has no ADMIN_KEY of 16 characters or more, so it refuses every " +
			"request here. Its owner sets one: " + setSecret(secretAdminKey) + "."
	}
	if err := checkKey(secretAdminKey, key); err != nil {
		return "", setup(err).Message
	}
	return key, ""
}

// Describe returns a line that says where the deployment's prompts go and who may send them. If the
// deployment can't serve, Describe returns the error that clients would get. The line shows no secret.
// names are the names of all settings of the deployment, if known: for a name similar to a
// setting's, the line suggests the setting.
func Describe(get Getter, names []string) (line string, wrong error) {
	admin, administered := get(secretAdminKey)
	if administered = administered && admin != ""; administered {
		if _, refused := AdminKey(get); refused != "" {
			return "", &ir.Error{Kind: ir.Internal, Message: refused}
		}
	}
	if _, err := LocalUpstreams(get); err != nil {
		return "", setup(err)
	}
	if err := checkTraces(get); err != nil {
		return "", setup(err)
	}
	if err := checkAlerts(get); err != nil {
		return "", setup(err)
	}
	key, err := clientKey(get)
	mode, _ := get(varAuth)
	_, named := get(varURL)
	_, spoken := get(varProtocol)
	if administered && (key == "" && mode == "" || !named && !spoken) {
		line = "upstream: only those of personal endpoints"
	} else {
		if err != nil {
			return "", setup(err)
		}
		credential := key
		if mode == "forward" {
			credential = "any"
		}
		if wrong := Authorize(get, credential); wrong != nil {
			return "", wrong
		}
		e, wrong := Load(get)
		if wrong != nil {
			return "", wrong
		}
		line = e.line(get)
	}
	if administered {
		line += ", page at " + AdminPath
	}
	for _, name := range names {
		if meant := Meant(name); meant != "" {
			line += "; " + name + " is no setting: did you mean " + meant + "?"
		}
	}
	return line, nil
}

// line returns Describe's description of the deployment's own endpoint.
func (e *Endpoint) line(get Getter) string {
	u := &e.Upstreams[0]
	client, _ := get(secretClientKey)
	admin, _ := get(secretAdminKey)
	line := "upstream: " + u.API.Name + " " + passing.Redact(u.URL, append(u.Secrets(), client, admin))
	if u.Gateway != nil {
		line += " through the gateway " + u.Gateway.ID
	}
	switch {
	case u.IsCloudflareAI():
		line += " (no key needed)"
	case e.Forward:
		line += " (with the client's key)"
	case u.Key != "":
		line += " (key set)"
	default:
		line += " (no key)"
	}
	if _, mapped := get(varModels); mapped {
		line += ", models named by MODELS"
	}
	if e.Forward {
		return line + ", clients need the upstream's key"
	}
	return line + ", clients need a key"
}

// names has the names of a deployment's secrets, followed by its variables and its bindings.
var names = [...]string{
	secretClientKey, secretUpstreamKey, secretGatewayToken, secretAdminKey, secretSealKey,
	secretSealKeyPrevious, secretAPIToken, secretTracesHeaders, secretSearchKey, secretAlertURL,
	secretAlertSecret,
	varProtocol, varURL, varGateway, varModels, varOptions, varUpstreamOptions, varAuth, varHeadWait,
	varBatch, varTimeout, varMaxOutput, varLocalUpstreams,
	varUsage, varRequestLog, varAccount, varTraces, varProxies, varAlertFormat,
	"ENDPOINTS", "ENDPOINT_STATE",
}

// Secrets returns the names of a deployment's secrets.
func Secrets() []string { return names[:11] }

// Known reports whether name is a setting, a secret or a binding of a deployment.
func Known(name string) bool {
	for _, known := range names {
		if name == known {
			return true
		}
	}
	return false
}

// Meant returns the setting that an unknown name probably means, "" if no setting is near (ir.Meant)
// or name is a setting.
func Meant(name string) string { return ir.Meant(name, strings.Join(names[:], " ")) }
