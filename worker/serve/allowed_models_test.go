package serve_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// countPaths are the clients' paths for token counts.
var countPaths = map[string]string{"anthropic": "/v1/messages/count_tokens",
	"responses": "/v1/responses/input_tokens"}

// naming returns the smallest request of a client. model is JSON, and more has further members as
// JSON.
func naming(client, model, more string) string {
	if more != "" {
		more = "," + more
	}
	switch client {
	case "anthropic":
		return `{"model":` + model + `,"max_tokens":64,"messages":[{"role":"user","content":"hi"}]` + more +
			`}`
	case "chat":
		return `{"model":` + model + `,"messages":[{"role":"user","content":"hi"}]` + more + `}`
	}
	return `{"model":` + model + `,"input":"hi"` + more + `}`
}

// modelAttack is a request for a model other than "ok" in disguise.
type modelAttack struct {
	name, body, query, coding string
	status                    int
	path                      string // in the error
}

// modelAttacks returns the attacks of a client.
func modelAttacks(client string) (all []modelAttack) {
	for _, member := range [][2]string{
		{`"Model":"forbidden"`, "Model"},
		{`"MODEL":"forbidden"`, "MODEL"},
		{`"model":"forbidden"`, "model"},
		{`"mod\u0065l":"forbidden"`, "model"},
		{`"\u004dodel":"forbidden"`, "Model"},
		{`"mo_del":"forbidden"`, "mo_del"},
		{`"models":["ok","forbidden"]`, "models"},
		{`"mode\u006cs":["forbidden"]`, "models"},
		{`"Models":["forbidden"]`, "Models"},
		{`"fallbacks":[{"model":"forbidden"}]`, "fallbacks"},
		{"\"fallbac\u212as\":[\"forbidden\"]", "fallbac\u212as"},
		{`"route":"fallback","x":"forbidden"`, "route"},
		{`"preset":"forbidden"`, "preset"},
		{`"providerOptions":{"gateway":{"models":["forbidden"]}}`, "providerOptions"},
		{`"user_config":{"model_list":[{"model_name":"ok","litellm_params":{"model":"forbidden"}}]}`,
			"user_config"},
		{`"tools":[{"type":"x"},{"type":"advisor_20260301","name":"advisor","model":"forbidden"}]`,
			"tools[1].model"},
		{`"tools":[{"type":"openrouter:fusion","x":"forbidden"}]`, "tools[0].type"},
		{`"tools":[{"type":"openrouter:image_generation","parameters":{"model":"forbidden"}}]`,
			"tools[0].parameters"},
		{`"plugins":[{"id":"fusion","analysis_models":["forbidden"]}]`, "plugins[0].id"},
		{`"input":[{"type":"additional_tools","tools":[{"type":"image_generation","model":"forbidden"}]}]`,
			"input[0].tools[0].model"},
		{`"messages":[{"role":"system","content":[{"type":"tool_addition",` +
			`"tool":{"type":"tool_definition","definition":{"type":"advisor_20260301",` +
			`"model":"forbidden"}}}]}]`,
			"messages[0].content[0].tool.definition.model"},
		{`"deployment_id":"forbidden"`, "deployment_id"},
		{`"engine":"forbidden"`, "engine"},
		{`"router_settings_override":{"fallbacks":[{"ok":["forbidden"]}]}`, "router_settings_override"},
		{`"extra_body":{"model":"forbidden"}`, "extra_body.model"},
		{`"extra_body":{"tools":[{"type":"image_generation","model":"forbidden"}]}`, "extra_body.tools"},
		{`"background":true,"x":"forbidden"`, "background"},
		{`"Stream":true,"x":"forbidden"`, "Stream"},
		{"\"\u017ftream\":true,\"x\":\"forbidden\"", "\u017ftream"},
		{`"\u017ftream":true,"x":"forbidden"`, "\u017ftream"},
		{`"stream":false,"stream":true,"x":"forbidden"`, "stream"},
		{`"stream":true,"Stream_options":{"include_usage":false},"x":"forbidden"`, "Stream_options"},
		{`"stream":true,"stream_options":{"include_usage":true,"Include_usage":false},"x":"forbidden"`,
			"stream_options.Include_usage"},
	} {
		all = append(all, modelAttack{name: member[0], body: naming(client, `"ok"`, member[0]),
			path: member[1]})
	}
	plain, forbidden := naming(client, `"ok"`, ""), naming(client, `"forbidden"`, "")
	all = append(all,
		modelAttack{name: "another case, first", body: strings.Replace(plain, "{", `{"Model":"forbidden",`,
			1), path: "Model"},
		modelAttack{name: "a list", body: naming(client, `["ok","forbidden"]`, ""), path: "model"},
		modelAttack{name: "a list in a name", body: naming(client, `"ok,forbidden"`, ""), path: "model"},
		modelAttack{name: "the query", body: plain, query: "?beta=true&model=forbidden", path: "model"},
		modelAttack{name: "the query, in another case", body: plain, query: "?Model=forbidden",
			path: "Model"},
		modelAttack{name: "the query, escaped", body: plain, query: "?mod%65l=forbidden", path: "mod%65l"},
		modelAttack{name: "the query, badly escaped", body: plain, query: "?mod%el=forbidden",
			path: "mod%el"},
		modelAttack{name: "UTF-16, which Python reads", body: utf16Of(forbidden), path: "not JSON"},
		modelAttack{name: "two values", body: plain + forbidden, path: "not JSON"},
	)
	for _, coding := range []string{"br", "gzip, br", "gzip, gzip, gzip"} {
		all = append(all, modelAttack{name: "a body of " + coding, body: zipped(forbidden), coding: coding,
			status: 415, path: "content-encoding"})
	}
	return all
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// utf16Of returns a text in UTF-16, the low byte first.
func utf16Of(text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// ask sends the attack to a path of the endpoint anna.
func (x modelAttack) ask(d *deployment, key, path string) *answer {
	headers := []string{bearer(key)}
	if x.coding != "" {
		headers = append(headers, "Content-Encoding: "+x.coding)
	}
	return d.ask("POST", "/u/anna"+path+x.query, x.body, headers...)
}

// countingOf is an upstream that also answers token counts, and never streams.
func countingOf(protocol string) upstream {
	return func(r *sent) *reply {
		if strings.Contains(r.URL.Path, "count_tokens") || strings.Contains(r.URL.Path, "input_tokens") {
			return says(200, `{"input_tokens":1,"object":"response.input_tokens"}`)(r)
		}
		return says(200, plainOf[protocol])(r)
	}
}

// TestAllowedModels: with limits.models only allowed models reach the upstream, however a client
// names another model.
func TestAllowedModels(t *testing.T) {
	t.Parallel()
	for _, client := range clientProtocols {
		for _, protocol := range clientProtocols {
			t.Run(client+" to "+protocol, func(t *testing.T) {
				t.Parallel()
				d := deploy(t, nil)
				d.upstreams["up.test"] = countingOf(protocol)
				key := d.tenant("anna", object{"upstreams": list{upstreamObject(protocol, "up.test", nil)},
					"limits": object{"models": list{"ok*"}, "concurrent_streams": 9}}).get("key").Str
				all := []string{paths[client]}
				if client == protocol && countPaths[client] != "" {
					all = append(all, countPaths[client])
				}
				for _, path := range all {
					for _, attack := range modelAttacks(client) {
						a := attack.ask(d, key, path)
						require.Empty(t, d.asked, "%s: %s", path, attack.name)
						if attack.status == 0 {
							attack.status = 400
						}
						require.Equal(t, attack.status, a.Code, "%s: %s: %s", path, attack.name, a.text())
						at := attack.path
						if client == "anthropic" {
							require.Equal(t, "error", a.get("type").Str)
							// as Anthropic writes a path
							at = regexp.MustCompile(`\[(\d+)\]`).ReplaceAllString(at, ".$1")
						} else {
							require.False(t, a.get("type").Exists())
						}
						require.Equal(t, "invalid_request_error", a.get("error.type").Str)
						if a.get("error.param").Str != at {
							require.Contains(t, a.get("error.message").Str, at, attack.name)
						}
					}
				}
				require.Equal(t, 200, modelAttack{body: naming(client, `"ok"`, "")}.ask(d, key,
					paths[client]).Code)
			})
		}
	}
}

// TestSecondModels: an endpoint that only counts accepts any model, but not two models in one
// request.
func TestSecondModels(t *testing.T) {
	t.Parallel()
	for _, client := range clientProtocols {
		for _, record := range []object{{"usage": true}, {"limits": object{"concurrent_streams": 9}}} {
			d := deploy(t, nil)
			d.upstreams["up.test"] = countingOf(client)
			record["upstreams"] = list{upstreamObject(client, "up.test", nil)}
			key := d.tenant("anna", record).get("key").Str
			ask := func(more string) int {
				return d.ask("POST", "/u/anna"+paths[client], naming(client, `"ok"`, more),
					bearer(key)).Code
			}
			require.Equal(t, 200, ask(`"models":["a","b"],"route":"fallback"`))
			require.Len(t, d.asked, 1)
			for _, more := range []string{`"Model":"b"`, `"Stream":true`, `"stream":false,"stream":true`,
				`"extra_body":{"model":"b"}`, `"background":true`} {
				require.Equal(t, 400, ask(more), more)
			}
			require.Len(t, d.asked, 1)
		}
	}
}

// TestHonestModels: honest requests pass byte for byte, even with the word model in other places.
func TestHonestModels(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"model":{"type":"string"},"Model":{},` +
		`"models":{"type":"array"}}}`
	for _, client := range clientProtocols {
		d := deploy(t, nil)
		d.upstreams["up.test"] = countingOf(client)
		key := d.tenant("anna", object{"upstreams": list{upstreamObject(client, "up.test", nil)},
			"limits": object{"models": list{"ok*"}}}).get("key").Str
		for _, more := range []string{
			"",
			` "models" : [] , "fallbacks":null,"metadata":{"model":"a","Model":"b"}`,
			`"tools":[{"type":"function","name":"f","parameters":` + schema +
				`,"function":{"name":"model","parameters":` + schema +
				`}},{"name":"models","input_schema":` + schema + `}],"tool_choice":"auto"`,
			`"stream":false,"stream_options":null,"background":false,"extra_body":{"google":{"model":"a"}}`,
			`"x":[{"model":"a","model":"b"},"Model"]`,
		} {
			body := naming(client, `"ok"`, more)
			a := modelAttack{body: body, query: "?beta=true&x=model&x%5B%5D=1"}.ask(d, key,
				paths[client])
			require.Equal(t, 200, a.Code, "%s: %s", more, a.text())
			require.Equal(t, body, d.last().body)
		}
	}
}

// TestModelsWithoutLimits: without limits and usage all bodies pass unchanged.
func TestModelsWithoutLimits(t *testing.T) {
	t.Parallel()
	for _, client := range clientProtocols {
		d := deploy(t, nil)
		d.upstreams["up.test"] = countingOf(client)
		key := d.tenant("anna", object{"usage": false, "upstreams": list{upstreamObject(client, "up.test",
			nil)}}).get("key").Str
		for _, attack := range modelAttacks(client) {
			if attack.coding != "" { // no body passes that this server can't read
				require.Equal(t, 415, attack.ask(d, key, paths[client]).Code, attack.name)
				continue
			}
			require.Equal(t, 200, attack.ask(d, key, paths[client]).Code, attack.name)
			require.Equal(t, attack.body, d.last().body, attack.name)
		}
	}
}

// TestCompressedBodies: limits and MODELS apply to a compressed body, and the upstream gets the body
// without its coding.
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	// a frame of zstd with one raw block (RFC 8878)
	framed := func(text string) string {
		n := len(text)
		return "\x28\xb5\x2f\xfd\xa0" + string([]byte{byte(n), byte(n >> 8), 0, 0, byte(n<<3 | 1), byte(n >> 5),
			byte(n >> 13)}) + text
	}
	deflated := func(text string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	for _, client := range clientProtocols {
		d := deploy(t, nil)
		d.upstreams["up.test"] = countingOf(client)
		key := d.tenant("anna", object{"upstreams": list{upstreamObject(client, "up.test", nil)},
			"limits": object{"models": list{"ok*"}}}).get("key").Str
		for _, x := range []struct {
			coding string
			pack   func(string) string
		}{
			{"gzip", zipped}, {"X-GZIP", zipped}, {"identity, gzip", zipped}, {"deflate", deflated},
			{"zstd", framed}, {"deflate, gzip", func(text string) string { return zipped(deflated(text)) }},
		} {
			good := naming(client, `"ok"`, "")
			path := strings.Replace(paths[client], "forbidden", "ok", 1)
			a := modelAttack{body: x.pack(good), coding: x.coding}.ask(d, key, path)
			require.Equal(t, 200, a.Code, "%s: %s", x.coding, a.text())
			require.Equal(t, good, d.last().body, x.coding)
			require.Empty(t, d.last().Header.Get("content-encoding"))
			if client == "gemini" { // the model is in the path
				continue
			}
			d.asked = nil
			a = modelAttack{body: x.pack(naming(client, `"forbidden"`, "")), coding: x.coding}.ask(d, key, path)
			require.Equal(t, 403, a.Code, "%s: %s", x.coding, a.text())
			require.Empty(t, d.asked)
		}
		for name, bad := range map[string]modelAttack{
			"not gzip":    {body: naming(client, `"ok"`, ""), coding: "gzip", status: 400},
			"cut":         {body: zipped(naming(client, `"ok"`, ""))[:40], coding: "gzip", status: 400},
			"a bomb":      {body: zipped(strings.Repeat(" ", 33<<20)), coding: "gzip", status: 413},
			"unknown":     {body: "x", coding: "compress", status: 415},
			"three times": {body: "x", coding: "gzip, gzip, gzip", status: 415},
		} {
			a := bad.ask(d, key, paths[client])
			require.Equal(t, bad.status, a.Code, "%s: %s", name, a.text())
		}
	}
}

// TestLocalUpstreams: only ALLOW_HTTP_UPSTREAM=true allows an http upstream. Other values are an
// error.
func TestLocalUpstreams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ word, refusal string }{
		{"true", ""}, {"false", "must begin with https"}, {"", "must begin with https"},
		{"False", "ALLOW_HTTP_UPSTREAM must be true or false"},
		{"off", "ALLOW_HTTP_UPSTREAM must be true or false"},
		{"0.0", "ALLOW_HTTP_UPSTREAM must be true or false"},
	} {
		d := tenants(t, map[string]string{"ALLOW_HTTP_UPSTREAM": test.word})
		d.upstreams["127.0.0.1:1"] = speaks("chat")
		local := list{object{"name": "up", "protocol": "chat", "url": "http://127.0.0.1:1/v1"}}
		key := d.enroll("anna", members(object{"upstreams": local})).key
		asked := d.ask("POST", "/u/anna/v1/chat/completions", chatBody, bearer(key))
		made := d.admin("POST", "/endpoints", encoded(object{"name": "made", "upstreams": local}))
		tried := d.admin("POST", "/endpoints/anna/test", "{}")
		if test.refusal == "" {
			require.Equal(t, []int{200, 201, 200}, []int{asked.Code, made.Code, tried.Code})
			require.Len(t, d.asked, 2)
			continue
		}
		status := 500
		if strings.HasPrefix(test.refusal, "must") {
			status = 400
		}
		require.Equal(t, []int{500, status}, []int{asked.Code, made.Code}, test.word)
		answers := []*answer{asked, made, tried}
		// nor an upstream of a draft
		for _, path := range []string{"/endpoints/anna/models", "/endpoints/anna/test", "/models", "/test"} {
			draft := d.admin("POST", path, encoded(object{"draft": object{"upstreams": local}}))
			require.Equal(t, status, draft.Code, "%s: %s", path, draft.text())
			answers = append(answers, draft)
		}
		for _, a := range answers {
			require.Contains(t, a.text(), test.refusal, test.word)
		}
		require.Empty(t, d.asked)
	}
}
