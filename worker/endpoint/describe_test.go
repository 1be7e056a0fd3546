package endpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/translator/ir"
)

func TestDescribe(t *testing.T) {
	const key = "3b1f0c9d5e7a42668890"
	base := func(with ...string) map[string]string {
		vars := map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "https://api.example.com/v1/",
			"UPSTREAM_KEY": "sk-1", "CLIENT_KEY": key}
		for i := 0; i < len(with); i += 2 {
			vars[with[i]] = with[i+1]
			if with[i+1] == "-" {
				delete(vars, with[i])
			}
		}
		return vars
	}
	for name, c := range map[string]struct {
		vars        map[string]string
		names       []string
		line, wrong string
	}{
		"all is set": {vars: base(),
			line: "upstream: chat https://api.example.com/v1 (key set), clients need a key"},
		"no key": {vars: base("UPSTREAM_KEY", "-"),
			line: "upstream: chat https://api.example.com/v1 (no key), clients need a key"},
		"models": {vars: base("MODELS", `{"a":"b"}`),
			line: "upstream: chat https://api.example.com/v1 (key set), models named by MODELS, " +
				"clients need a key"},
		"keys in the URL": {vars: base("UPSTREAM_KEY", "sk-0123456789abcdef", "UPSTREAM_URL",
			"https://api.example.com/sk-0123456789abcdef/"+key+"/v1"),
			line: "upstream: chat https://api.example.com/[key]/[key]/v1 (key set), clients need a key"},
		"forward": {vars: base("AUTH", "forward", "CLIENT_KEY", "-"),
			line: "upstream: chat https://api.example.com/v1 (with the client's key), clients need the " +
				"upstream's key"},
		"administered": {vars: base("ADMIN_KEY", key),
			line: "upstream: chat https://api.example.com/v1 (key set), clients need a key, page at /admin"},
		"personal endpoints alone": {vars: base("ADMIN_KEY", key, "CLIENT_KEY", "-", "UPSTREAM_URL", "-"),
			line: "upstream: only those of personal endpoints, page at /admin"},
		"personal endpoints, and a key": {vars: base("ADMIN_KEY", key, "UPSTREAM_URL", "-",
			"UPSTREAM_PROTOCOL", "-"),
			line: "upstream: only those of personal endpoints, page at /admin"},
		"the demo": {vars: base("CLIENT_KEY", "demo", "UPSTREAM_KEY", "demo-upstream-key"),
			line: "upstream: chat https://api.example.com/v1 (key set), clients need a key"},
		"mistyped": {vars: base(), names: []string{"UPSTREAM_UR", "PATH", "MODEL", "MODELS", "upstream_url",
			"Whatever", "ENDPOINTS"},
			line: "upstream: chat https://api.example.com/v1 (key set), clients need a key; UPSTREAM_UR " +
				"is no setting: did you mean UPSTREAM_URL?" +
				"; MODEL is no setting: did you mean MODELS?; upstream_url is no setting: did you mean " +
				"UPSTREAM_URL?"},

		"no CLIENT_KEY": {vars: base("CLIENT_KEY", "-"),
			wrong: "This deployment has no CLIENT_KEY, so it refuses every request."},
		"no UPSTREAM_URL": {vars: base("UPSTREAM_URL", "-"),
			wrong: "This deployment is not set up: UPSTREAM_URL is not set."},
		"a URL without scheme": {vars: base("UPSTREAM_URL", "api.example.com/v1"),
			wrong: "This deployment is not set up: UPSTREAM_URL must be an http or https URL without query"},
		"a protocol that is none": {vars: base("UPSTREAM_PROTOCOL", "openai"),
			wrong: "UPSTREAM_PROTOCOL must be anthropic, chat, responses, gemini or interactions."},
		"broken models":          {vars: base("MODELS", `{"a":`), wrong: "MODELS is not JSON"},
		"an option that is none": {vars: base("OPTIONS", `{"nothing":1}`), wrong: "OPTIONS.nothing"},
		"a wait that is none": {vars: base("HEAD_WAIT", "abc"),
			wrong: "HEAD_WAIT must be a number of seconds"},
		"another AUTH":         {vars: base("AUTH", "none"), wrong: "AUTH must be \"forward\""},
		"a USAGE that is none": {vars: base("USAGE", "yes"), wrong: "USAGE must be true or false"},
		"a USAGE that nobody sees": {vars: base("USAGE", "true", "AUTH", "forward", "CLIENT_KEY", "-"),
			wrong: "USAGE and REQUEST_LOG need a CLIENT_KEY"},
		"a REQUEST_LOG of a second": {vars: base("REQUEST_LOG", "1"),
			wrong: "REQUEST_LOG must be a whole number of seconds from 60 to 2592000"},
		"a REQUEST_LOG that is none": {vars: base("REQUEST_LOG", "day"),
			wrong: "REQUEST_LOG must be a whole number"},
		"a short ADMIN_KEY": {vars: base("ADMIN_KEY", "123456789012345"),
			wrong: "This deployment has no ADMIN_KEY of 16 characters or more"},
		"an example as CLIENT_KEY": {vars: base("CLIENT_KEY", "a-key-of-yours"),
			wrong: "CLIENT_KEY is an example of the documents, which everybody knows."},
		"an example as ADMIN_KEY": {vars: base("ADMIN_KEY", "choose-another-long-random-key"),
			wrong: "ADMIN_KEY is an example of the documents"},
		"the demo's key elsewhere": {vars: base("CLIENT_KEY", "demo"),
			wrong: "CLIENT_KEY is an example of the documents"},
		"a line break in CLIENT_KEY": {vars: base("CLIENT_KEY", key+"\n"),
			wrong: "CLIENT_KEY begins or ends with white space"},
		"a line break inside": {vars: base("CLIENT_KEY", key+"\n"+key),
			wrong: "CLIENT_KEY holds what no client can send"},
		"a letter outside ASCII": {vars: base("CLIENT_KEY", "schlüssel"),
			wrong: "CLIENT_KEY holds what no client can send"},
		"a line break in ADMIN_KEY": {vars: base("ADMIN_KEY", key+"\r\n"+key),
			wrong: "ADMIN_KEY holds what no client can send"},
		"a line break behind it": {vars: base("UPSTREAM_KEY", "sk-1\n"),
			wrong: "UPSTREAM_KEY holds what no header can carry"},
		"a placeholder": {vars: base("UPSTREAM_KEY", "sk-..."),
			wrong: "UPSTREAM_KEY is a placeholder of the documents. Set your own key at the upstream: "},
		"an example as UPSTREAM_KEY": {vars: base("UPSTREAM_KEY", "YOUR_KEY"),
			wrong: "UPSTREAM_KEY is a placeholder of the documents."},
		"a letter that no key has": {vars: base("UPSTREAM_KEY", "sk-…"),
			wrong: "UPSTREAM_KEY holds what no header can carry"},
		"a space in ADMIN_KEY": {vars: base("ADMIN_KEY", " "+key),
			wrong: "ADMIN_KEY begins or ends with white space"},
	} {
		t.Run(name, func(t *testing.T) {
			line, err := Describe(func(name string) (string, bool) { v, ok := c.vars[name]; return v, ok },
				c.names)
			assert.Equal(t, c.line, line)
			if c.wrong == "" {
				assert.Nil(t, err)
			} else if assert.NotNil(t, err) {
				assert.Contains(t, ir.AsError(err).Message, c.wrong)
				assert.NotContains(t, ir.AsError(err).Message, key)
			}
		})
	}
}

func TestMeant(t *testing.T) {
	for name, want := range map[string]string{
		"UPSTREAM_URL": "", "UPSTREAM_UR": "UPSTREAM_URL", "UPSTREM_UL": "UPSTREAM_URL",
		"UPSTREAMURL": "UPSTREAM_URL", "UPSTREAM_URLS": "UPSTREAM_URL",
		"UPTREM_UL": "", "SEALKEY": "SEAL_KEY", "AUTHS": "AUTH", "PATH": "", "AU": "", "": "",
		"CLIENT_KEY_2": "CLIENT_KEY", "BASE_URL": "",
		"client-key": "CLIENT_KEY", "A_NAME_THAT_IS_LONGER_THAN_ANY_SETTING": "",
	} {
		assert.Equal(t, want, Meant(name), name)
	}
}

// TestSecretNames lists the settings whose values the local host reads as secrets.
func TestSecretNames(t *testing.T) {
	assert.Equal(t, []string{"CLIENT_KEY", "UPSTREAM_KEY", "UPSTREAM_GATEWAY_TOKEN", "ADMIN_KEY", "SEAL_KEY",
		"SEAL_KEY_PREVIOUS", "CLOUDFLARE_API_TOKEN", "OTLP_HEADERS", "SEARCH_KEY",
		"ALERT_URL", "ALERT_SECRET"}, Secrets())
}
