package serve_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/vendors"
)

const (
	oldVersion = "2023-06-01"
	newVersion = "2026-10-21"
)

// judge is an upstream of the Messages API: the strict double.
func judge(options vendors.Options) upstream {
	v := vendors.New("anthropic", options, func() *vendors.Turn { return turn("Hi.") })
	return func(r *sent) *reply {
		answer := v.Answer(&vendors.Request{Path: r.URL.Path, Header: r.Header, Body: []byte(r.body)})
		return replyOf(answer)
	}
}

// versions has requests of clients with a version of the Messages API, the upstream's version, and
// the verdict of the upstream's strict double.
var versions = []struct {
	name, host, protocol, model string
	client                      string // the client's version; "": none
	settings                    string // the version in the upstream's settings; "": none
	more                        string // further members of the body
	sent                        string
	status                      int
	has, lost                   string // a member of the upstream's body, and the report of losses
}{
	{name: "the old version passes", protocol: "anthropic", client: oldVersion, sent: oldVersion},
	{name: "the new version passes", protocol: "anthropic", client: newVersion, sent: newVersion},
	{name: "to Foundry too", host: "r.services.ai.azure.com", protocol: "anthropic", client: newVersion,
		sent: newVersion},
	{name: "to AWS too", host: "aws-external-anthropic.us-east-1.api.aws", protocol: "anthropic",
		client: newVersion, sent: newVersion},
	{name: "no version is the old one", protocol: "anthropic", sent: oldVersion},
	{name: "Anthropic judges an unknown version", protocol: "anthropic", client: "2027-01-01",
		sent: "2027-01-01", status: 400},
	{name: "Anthropic judges a client's body", protocol: "anthropic", client: newVersion,
		more: `,"temperature":1`, sent: newVersion, status: 400},
	{name: "another server gets the old version", host: "up.test", protocol: "anthropic", client: newVersion,
		sent: oldVersion},
	{name: "an unknown version is the old one elsewhere", host: "up.test", protocol: "anthropic",
		client: "2027-01-01", sent: oldVersion},
	{name: "so is a text that is no version", host: "up.test", protocol: "anthropic", client: "latest, x",
		sent: oldVersion},
	{name: "another API, to a model without sampling", protocol: "chat", model: "claude-opus-4-8",
		more: `,"temperature":0.5`, sent: newVersion, lost: "temperature"},
	{name: "another API, to an unknown model", protocol: "chat", model: "claude-next-9", sent: newVersion},
	{name: "another API, to a model with sampling", protocol: "chat", model: "claude-sonnet-4-5",
		more: `,"temperature":0.5`, sent: oldVersion, has: "temperature"},
	{name: "another API, to another server", host: "up.test", protocol: "chat", model: "claude-opus-4-8",
		sent: oldVersion},
	{name: "the settings raise the version", protocol: "anthropic", model: "claude-sonnet-4-5",
		client: oldVersion, settings: newVersion, more: `,"temperature":0.5,"top_k":4`, sent: newVersion,
		lost: "temperature,top_k"},
	{name: "for a client without a version", protocol: "anthropic", model: "claude-sonnet-4-5",
		settings: newVersion, more: `,"temperature":1,"top_p":0.9`, sent: newVersion, lost: "top_p"},
	{name: "for a client of another API", protocol: "chat", model: "claude-sonnet-4-5", settings: newVersion,
		more: `,"temperature":0.5`, sent: newVersion, lost: "temperature"},
	{name: "the settings lower the version", protocol: "anthropic", client: newVersion, settings: oldVersion,
		more: `,"top_k":4`, model: "claude-sonnet-4-5", sent: oldVersion, has: "top_k"},
	{name: "another version in the settings raises nothing", protocol: "anthropic", settings: "2024-01-01",
		more: `,"temperature":0.5`, sent: "2024-01-01", status: 400},
	{name: "the settings lower the version of a translated request", protocol: "anthropic", client: newVersion,
		settings: oldVersion, model: "claude-sonnet-4-5", sent: oldVersion, has: "temperature",
		lost: "messages[0].content[0]",
		more: `,"temperature":0.5,"messages":[{"role":"user","content":[{"type":"redacted_thinking",` +
			`"data":"el1:gemini:x"}]},{"role":"user","content":"Hi"}]`},
	{name: "the settings name the client's version", protocol: "anthropic", client: newVersion,
		settings: newVersion, sent: newVersion},
}

// TestVersions: each upstream gets a known version of the API, and only a body of this version.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, test := range versions {
		t.Run(test.name, func(t *testing.T) {
			host, model, status := test.host, test.model, test.status
			if host == "" {
				host = "api.anthropic.com"
			}
			if model == "" {
				model = "claude-opus-4-8"
			}
			if status == 0 {
				status = http.StatusOK
			}
			env := map[string]string{"UPSTREAM_URL": "https://" + host}
			if test.settings != "" {
				env["UPSTREAM_OPTIONS"] = `{"headers":{"anthropic-version":"` + test.settings + `"}}`
			}
			d := deployTo(t, "anthropic", env)
			d.upstreams[host] = judge(vendors.Options{OldVersion: host == "up.test"})

			var headers []string
			if test.client != "" {
				headers = []string{"Anthropic-Version: " + test.client}
			}
			path := map[string]string{"anthropic": "/v1/messages", "chat": "/v1/chat/completions"}
			a := d.ask("POST", path[test.protocol], `{"model":"`+model+
				`","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]`+test.more+`}`, headers...)
			assert.Equal(t, status, a.Code, a.text())
			assert.Equal(t, []string{test.sent}, d.last().Header["Anthropic-Version"])
			assert.Equal(t, test.lost, a.Header().Get("x-edgelingua-lost"))
			for _, name := range []string{"temperature", "top_p", "top_k"} {
				asked := d.last()
				assert.Equal(t, name == test.has || status != 200 && test.more != "" && name == "temperature",
					asked.member(name).Exists(), name)
			}
		})
	}
}
