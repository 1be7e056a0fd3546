package endpoint

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
)

// shortestAdminKey is how long ADMIN_KEY has to be, in characters.
const shortestAdminKey = 16

// examples are the keys that stand in documents and files of this project: whoever has read those
// has them. wasmtest/readme finds those that are missing here.
var examples = [...]string{
	"choose-a-long-random-key", "choose-another-long-random-key", "a-key-of-yours", "your-own-admin-key",
	"your-client-key", "your-key", "YOUR_CLIENT_KEY", "YOUR_KEY", DemoKey,
}

// AdminPath is where the page of the Admin API is.
const AdminPath = "/admin"

// The keys of the local host's demo, which has an upstream of its own: nobody's model can be asked
// with the first one.
const (
	DemoKey         = "demo"
	DemoUpstreamKey = "demo-upstream-key"
)

// Example reports whether key is one that stands in a document or a file of this project.
func Example(key string) bool {
	for _, example := range examples {
		if key == example {
			return true
		}
	}
	return false
}

// checkKey returns the error for a secret that nobody may go by: an example, or one that no header
// can carry.
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

// checkUpstreamKey returns the error for a secret, called name, that would reach the upstream cut
// off or changed, and would not be recognised in its errors.
func checkUpstreamKey(name, key string) *Error {
	if isHeaderValue(key) && strings.TrimSpace(key) == key {
		return nil
	}
	return &Error{name,
		"holds what no header can carry: white space at an end, a line break, or what is not ASCII. Set " +
			"it as the vendor shows it."}
}

// clientKey returns CLIENT_KEY, "" where it is not set, or why it can't be used.
func clientKey(get Getter) (string, *Error) {
	key, _ := get(secretClientKey)
	if key == DemoKey {
		if upstream, _ := get(secretUpstreamKey); upstream == DemoUpstreamKey {
			return key, nil
		}
	}
	return key, checkKey(secretClientKey, key)
}

// AdminKey returns ADMIN_KEY, or why nobody may administer this deployment, for who asks to.
func AdminKey(get Getter) (key, refused string) {
	key, _ = get(secretAdminKey)
	if len(key) < shortestAdminKey {
		return "", "This deployment has no ADMIN_KEY of 16 characters or more, so it refuses every " +
			"request here. " +
			"Its owner sets one with `./build.sh secret put ADMIN_KEY` (locally: in .dev.vars)."
	}
	if err := checkKey(secretAdminKey, key); err != nil {
		return "", setup(err).Message
	}
	return key, ""
}

// Setup says in a line where the deployment's prompts go and who may send them, or why it can't
// serve, as clients would be told. It shows no secret. names are those of all settings, where it is
// known that the deployment has them: one that is close to a setting's is named.
func Setup(get Getter, names []string) (line string, wrong error) {
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
	key, err := clientKey(get)
	mode, _ := get(varAuth)
	_, named := get(varURL)
	_, spoken := get(varProtocol)
	if administered && (key == "" && mode == "" || !named && !spoken) {
		line = "upstream: those of personal endpoints alone"
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

// line returns what Setup says of the deployment's own endpoint.
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

// names are the secrets of a deployment, then its variables and its bindings.
var names = [...]string{
	secretClientKey, secretUpstreamKey, secretGatewayToken, secretAdminKey, secretSealKey,
	secretSealKeyPrevious, secretAPIToken, secretTracesHeaders, secretSearchKey,
	varProtocol, varURL, varGateway, varModels, varOptions, varUpstreamOptions, varAuth, varHeadWait,
	varBatch, varTimeout, varMaxOutput, varLocalUpstreams,
	varUsage, varRequestLog, varAccount, varTraces,
	"ENDPOINTS", "ENDPOINT_STATE",
}

// Secrets returns the names of a deployment's secrets.
func Secrets() []string { return names[:9] }

// Known reports whether name is a setting, a secret or a binding of a deployment.
func Known(name string) bool {
	for _, known := range names {
		if name == known {
			return true
		}
	}
	return false
}

// farthest is how many characters are to be inserted, deleted or replaced at most where a name is
// taken for a setting's, mistyped.
const farthest = 2

// Meant returns the setting that a name was meant for which is none: the nearest that one or two
// inserted, deleted or replaced characters lead to, whatever their case, one where the setting has
// less than eight. It is "" where there is none, or where the name is a setting.
func Meant(name string) string {
	if Known(name) {
		return ""
	}
	meant, least := "", farthest+1
	for _, known := range names {
		if d := distance(strings.ToUpper(name), known); d < least && (d < farthest || len(known) >= 8) {
			meant, least = known, d
		}
	}
	return meant
}

// distance returns the Levenshtein distance of two texts, or more than farthest where it is more.
func distance(a, b string) int {
	const widest = 32
	if len(a) > len(b)+farthest || len(b) > len(a)+farthest || len(b) >= widest {
		return farthest + 1
	}
	var row [widest]int
	for j := range b {
		row[j+1] = j + 1
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
