package serve_test

import (
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Models in the lists of a Messages upstream and of an upstream with one of OpenAI's protocols, and
// their translations.
const (
	claudeModel = `{"type":"model","id":"claude-a","display_name":"Claude A",` +
		`"created_at":"2026-02-04T00:00:00Z","max_tokens":128000}`
	claudeAsOpenAI = `{"id":"claude-a","object":"model","created":1770163200,"owned_by":"anthropic",` +
		`"context_length":1000000,"max_completion_tokens":128000}`
	claudeList = `{"data":[` + claudeModel +
		`],"has_more":false,"first_id":"claude-a","last_id":"claude-a"}`
	gptModel    = `{"id":"vendor/gpt-b","object":"model","created":1770163200,"owned_by":"vendor","more":1}`
	gptAsClaude = `{"type":"model","id":"vendor/gpt-b","display_name":"vendor/gpt-b",` +
		`"created_at":"2026-02-04T00:00:00Z","max_input_tokens":null,"max_tokens":null,"capabilities":null}`
)

// asAnthropic are the headers of Anthropic's SDK.
var asAnthropic = []string{noKey, "X-Api-Key: " + clientKey, anthropic}

// list requests a list of models, or a single model.
func (d *deployment) list(t *testing.T, path string, headers ...string) *answer {
	t.Helper()
	a := d.ask("GET", path, "", headers...)
	require.Equal(t, 200, a.Code, a.text())
	require.Equal(t, "application/json", a.Header().Get("Content-Type"))
	return a
}

// TestModelsOfAliases lists the names in MODELS without wildcards.
func TestModelsOfAliases(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"MODELS": `{"claude-opus-5-5":"a","o'r \"x\"":"b","claude-*":"c",` +
		`"*":"d"}`})
	claude := func(id string) string {
		return encoded(object{"type": "model", "id": id, "display_name": id,
			"created_at": "1970-01-01T00:00:00Z", "max_input_tokens": nil, "max_tokens": nil, "capabilities": nil})
	}
	both := claude("claude-opus-5-5") + "," + claude(`o'r "x"`)
	for _, query := range []string{"", "?limit=1", "?limit=1000"} { // the list has one page
		all := d.list(t, "/v1/models"+query, asAnthropic...)
		assert.JSONEq(t, `{"data":[`+both+
			`],"has_more":false,"first_id":"claude-opus-5-5","last_id":"o'r \"x\""}`, all.text())
	}
	assert.JSONEq(t, claude("claude-opus-5-5"),
		d.list(t, "/v1/models/claude-opus-5-5", asAnthropic...).text())
	assert.Equal(t, "not_found_error", failure(t, "anthropic",
		d.ask("GET", "/v1/models/claude-other", "", asAnthropic...), 404)["type"])

	openAI := func(id string) string {
		return encoded(object{"id": id, "object": "model", "created": 0, "owned_by": "edgelingua"})
	}
	for _, path := range []string{"/v1/models", "/v1/models?client_version=0.169.0"} {
		assert.JSONEq(t, `{"object":"list","data":[`+openAI("claude-opus-5-5")+`,`+openAI(`o'r "x"`)+`]}`,
			d.list(t, path).text())
	}
	assert.JSONEq(t, openAI(`o'r "x"`), d.list(t, "/v1/models/o'r%20%22x%22").text())
	failure(t, "chat", d.ask("GET", "/v1/models/claude-other", ""), 404)

	assert.Equal(t, "authentication_error",
		failure(t, "anthropic", d.ask("GET", "/v1/models", "", noKey, anthropic), 401)["type"])
	assert.Equal(t, "invalid_api_key", failure(t, "chat", d.ask("GET", "/v1/models", "", noKey), 401)["code"])
	head := d.ask("HEAD", "/v1/models", "", asAnthropic...)
	assert.Equal(t, 200, head.Code)
	assert.Equal(t, "application/json", head.Header().Get("Content-Type"))
	for _, method := range []string{"POST", "DELETE", "OPTIONS"} {
		a := d.ask(method, "/v1/models/claude-opus-5-5", "", asAnthropic...)
		assert.Equal(t, "invalid_request_error", failure(t, "anthropic", a, 405)["type"])
		assert.Equal(t, "GET, HEAD", a.Header().Get("Allow"))
	}
	assert.Empty(t, d.requests())
}

// TestModelsOfMessagesUpstream passes the list to clients of Messages page by page, and translates
// the list for others.
func TestModelsOfMessagesUpstream(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "anthropic", map[string]string{"MODELS": `{"gpt-*":"claude-a"}`})
	d.upstreams["up.test"] = func(r *sent) *reply {
		id := map[bool]string{true: "2", false: "1"}[r.URL.Query().Has("after_id")]
		return says(200, `{"data":[`+with(claudeModel,
			`{"id":"`+id+`"}`)+`],"has_more":`+strconv.FormatBool(id == "1")+`,"first_id":"`+id+
			`","last_id":"`+id+`"}`)(r)
	}
	for i, query := range []string{"?limit=1", "?limit=1&after_id=1"} {
		a := d.list(t, "/v1/models"+query, asAnthropic...)
		id := strconv.Itoa(i + 1)
		assert.JSONEq(t, `{"data":[`+with(claudeModel,
			`{"id":"`+id+`"}`)+`],"has_more":`+strconv.FormatBool(i == 0)+`,"first_id":"`+id+`","last_id":"`+
			id+`"}`, a.text())
		asked := d.last()
		assert.Equal(t, "GET /v1/models"+query, asked.Method+" "+asked.URL.RequestURI())
		assert.Equal(t, upstreamKey, asked.Header.Get("X-Api-Key"))
		assert.NotContains(t, asked.Header, "Content-Type")
		assert.Empty(t, asked.body)
	}

	d.upstreams["up.test"] = says(200, claudeList)
	assert.JSONEq(t, `{"object":"list","data":[`+claudeAsOpenAI+`]}`, d.list(t, "/v1/models").text())
	assert.Equal(t, "/v1/models?limit=1000", d.last().URL.RequestURI())
	assert.Equal(t, "2023-06-01", d.last().Header.Get("Anthropic-Version"))
	for _, headers := range [][]string{nil, asAnthropic} {
		assert.Equal(t, 200, d.ask("HEAD", "/v1/models", "", headers...).Code)
	}

	d.restart()
	d.upstreams["up.test"] = says(200, claudeModel)
	assert.JSONEq(t, claudeModel, d.list(t, "/v1/models/claude-a", asAnthropic...).text())
	assert.JSONEq(t, claudeAsOpenAI, d.list(t, "/v1/models/gpt-5.5").text())
	require.Len(t, d.requests(), 2)
	for _, asked := range d.requests() {
		assert.Equal(t, "/v1/models/claude-a", asked.URL.RequestURI())
	}
}

// TestModelsOfOpenAIUpstream passes the list to clients of OpenAI's APIs, and translates the list
// for others.
func TestModelsOfOpenAIUpstream(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"chat", "responses"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			d := deployTo(t, protocol, nil)
			d.upstreams["up.test"] = func(r *sent) *reply {
				if r.URL.Path == "/v1/models" {
					return says(200, `{"object":"list","data":[`+gptModel+`]}`)(r)
				}
				return says(200, gptModel)(r)
			}
			a := d.list(t, "/v1/models", asAnthropic...)
			assert.JSONEq(t, `{"data":[`+gptAsClaude+
				`],"has_more":false,"first_id":"vendor/gpt-b","last_id":"vendor/gpt-b"}`, a.text())
			assert.Equal(t, "/v1/models", d.last().URL.RequestURI())
			assert.Equal(t, "Bearer "+upstreamKey, d.last().Header.Get("Authorization"))
			assert.JSONEq(t, gptAsClaude, d.list(t, "/v1/models/vendor%2Fgpt-b", asAnthropic...).text())
			assert.Equal(t, "/v1/models/vendor%2Fgpt-b", d.last().URL.RequestURI())
			assert.JSONEq(t, `{"object":"list","data":[`+gptModel+`]}`, d.list(t, "/v1/models").text())

			d.upstreams["up.test"] = says(404,
				`{"error":{"message":"No such model","type":"invalid_request_error","param":null,`+
					`"code":"model_not_found"}}`)
			e := failure(t, "anthropic", d.ask("GET", "/v1/models/x", "", asAnthropic...), 404)
			assert.Equal(t, "not_found_error", e["type"])
			assert.Contains(t, e["message"], "No such model")
			assert.Equal(t, "model_not_found",
				failure(t, "chat", d.ask("GET", "/v1/models/x", ""), 404)["code"])

			d.upstreams["up.test"] = says(200, "<html>")
			assert.Equal(t, "api_error", failure(t, "anthropic",
				d.ask("GET", "/v1/models", "", asAnthropic...), 502)["type"])
			d.upstreams["up.test"] = says(401,
				`{"type":"error","error":{"type":"authentication_error","message":"bad key `+upstreamKey+
					`"}}`)
			for _, headers := range [][]string{nil, asAnthropic} {
				a := d.ask("GET", "/v1/models", "", headers...)
				assert.Equal(t, 401, a.Code)
				assert.Contains(t, a.text(), "bad key")
				assert.NotContains(t, a.text(), upstreamKey)
			}
			d.upstreams["up.test"] = func(*sent) *reply { return &reply{err: syscall.ECONNRESET} }
			assert.Equal(t, "api_error", failure(t, "anthropic",
				d.ask("GET", "/v1/models", "", asAnthropic...), 502)["type"])
		})
	}
}

// TestModelLimits: a list in each client's form has the limits of a model: from the upstream's list
// in any of the usual forms, or else from the rows of the upstream's model. An unknown model has
// none.
func TestModelLimits(t *testing.T) {
	t.Parallel()
	limitsOf := func(d *deployment) (got [3][2]int64) {
		for i, x := range []struct{ headers, paths []string }{
			{asAnthropic, []string{"data.0.max_input_tokens", "data.0.max_tokens"}},
			{nil, []string{"data.0.context_length", "data.0.max_completion_tokens"}},
			{[]string{noKey, "X-Goog-Api-Key: " + clientKey},
				[]string{"models.0.inputTokenLimit", "models.0.outputTokenLimit"}},
		} {
			path := "/v1/models"
			if i == 2 {
				path = "/v1beta/models"
			}
			a := d.list(t, path, x.headers...)
			got[i] = [2]int64{a.get(x.paths[0]).Int(), a.get(x.paths[1]).Int()}
		}
		return got
	}
	each := func(input, output int64) [3][2]int64 {
		limits := [2]int64{input, output}
		return [3][2]int64{limits, limits, limits}
	}
	for name, x := range map[string]struct {
		entry         string
		input, output int64
	}{
		"OpenRouter": {`"id":"q/x","context_length":131072,"top_provider":{"context_length":null,` +
			`"max_completion_tokens":16384}`, 131072, 16384},
		"Groq":      {`"id":"x","context_window":8192,"max_completion_tokens":512`, 8192, 512},
		"vLLM":      {`"id":"x","max_model_len":40960`, 40960, 0},
		"LM Studio": {`"id":"x","max_context_length":4096`, 4096, 0},
		"a row":     {`"id":"anthropic/claude-opus-5.5"`, 1000000, 0},
		"odd":       {`"id":"x","context_length":-1,"max_tokens":"many","top_provider":7`, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := deployTo(t, "chat", nil)
			d.upstreams["up.test"] = says(200, `{"data":[{`+x.entry+`}]}`)
			got := limitsOf(d)
			want := each(x.input, x.output)
			// the upstream's own form passes unchanged
			got[1] = want[1]
			assert.Equal(t, want, got)
		})
	}
	t.Run("an alias", func(t *testing.T) {
		d := deploy(t, map[string]string{"MODELS": `{"claude-x":"gpt-6.2-sol"}`,
			"UPSTREAM_URL": "https://api.openai.com/v1", "UPSTREAM_PROTOCOL": "responses"})
		assert.Equal(t, each(922000, 128000), limitsOf(d))
		assert.Empty(t, d.requests())
		has := d.list(t, "/v1/models", asAnthropic...).get("data.0.capabilities")
		for path, want := range map[string]bool{"effort.supported": true, "effort.max.supported": true,
			"thinking.types.adaptive.supported": true, "image_input.supported": true, "batch.supported": false,
			"pdf_input.supported": true, "structured_outputs.supported": true, "server_tools.web_search.supported": true,
			"context_management.supported": false} {
			assert.Equal(t, strconv.FormatBool(want), has.Get(path).Raw, path)
		}
		google := d.list(t, "/v1beta/models", noKey, "X-Goog-Api-Key: "+clientKey)
		assert.True(t, google.get("models.0.thinking").Bool())
	})
	t.Run("an alias at an upstream of the client's API", func(t *testing.T) {
		d := deploy(t, map[string]string{"MODELS": `{"best":"claude-opus-4-8"}`,
			"UPSTREAM_URL": "https://api.anthropic.com", "UPSTREAM_PROTOCOL": "anthropic"})
		entry := d.list(t, "/v1/models", asAnthropic...).get("data.0")
		assert.Equal(t, "null", entry.Get("capabilities").Raw, "the upstream judges")
		assert.Equal(t, "128000", entry.Get("max_tokens").Raw)
	})
	t.Run("a limit of the settings", func(t *testing.T) {
		d := deploy(t, map[string]string{"MODELS": `{"claude-x":"gpt-6.2-sol"}`,
			"UPSTREAM_OPTIONS": `{"max_output_tokens":4096}`})
		assert.Equal(t, each(922000, 4096), limitsOf(d))
	})
}

// TestCodexCatalogue: the catalogue of an upstream reaches Codex unchanged. Other upstreams' lists
// stay in OpenAI's form: an entry of a catalogue would replace Codex's prompt.
func TestCodexCatalogue(t *testing.T) {
	t.Parallel()
	const path, catalogue = "/v1/models?client_version=0.169.0",
		`{"models":[{"slug":"gpt-6.2-sol","context_window":272000,"model_messages":{"x":1}}]}`
	d := deployTo(t, "responses", nil)
	d.upstreams["up.test"] = says(200, catalogue)
	assert.Equal(t, catalogue, d.list(t, path).text())
	assert.Equal(t, path, d.last().URL.RequestURI())
	d = deployTo(t, "anthropic", nil)
	d.upstreams["up.test"] = says(200, claudeList)
	assert.JSONEq(t, `{"object":"list","data":[`+claudeAsOpenAI+`]}`, d.list(t, path).text())
}
