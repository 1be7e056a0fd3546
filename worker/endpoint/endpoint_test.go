package endpoint

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// settings returns a valid deployment, changed by pairs of name and value; the value "-" unsets.
func settings(changes ...string) Getter {
	m := map[string]string{
		"UPSTREAM_PROTOCOL": "chat",
		"UPSTREAM_URL":      "https://upstream.example/v1",
		"UPSTREAM_KEY":      "upstream-key",
		"CLIENT_KEY":        "client-key",
	}
	for i := 0; i < len(changes); i += 2 {
		m[changes[i]] = changes[i+1]
		if changes[i+1] == "-" {
			delete(m, changes[i])
		}
	}
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

func TestLoad(t *testing.T) {
	const options = `{"lossy": "refuse", "strict": "keep"}`
	const upstream = `{"max_output_tokens": 4096, "headers": {"X-Title": "a, b"}}`
	e, err := Load(settings(
		"UPSTREAM_URL", "http://127.0.0.1:11434/v1/",
		"MODELS", `{"claude-*": "gpt", "*": "other"}`,
		"OPTIONS", options, "UPSTREAM_OPTIONS", upstream,
		"HEAD_WAIT", "0.5", "BATCH", "20", "UPSTREAM_TIMEOUT", "20", "MAX_OUTPUT_BYTES", "1024"))
	require.Nil(t, err)
	want := &Endpoint{HeadWait: 500 * time.Millisecond, Batch: 20, MaxOutput: 1024,
		State: State{TTL: 2592000, Bytes: 100 << 20}, options: options}
	want.Upstreams = []Upstream{{
		Endpoint: want,
		API:      translator.API("chat"), URL: "http://127.0.0.1:11434/v1", Key: "upstream-key",
		Models:  Models{{"claude-*", "gpt"}, {"*", "other"}},
		Headers: []Header{{"x-title", "a, b"}},
		Silence: 20 * time.Second,
		options: upstream,
	}}
	require.Equal(t, want, e)
	require.Equal(t, &ir.Target{MaxOutputTokens: 4096, RefuseLossy: true}, e.Upstreams[0].Target("any"))
}

func TestLoadDefaults(t *testing.T) {
	e, err := Load(settings("UPSTREAM_KEY", "-"))
	require.Nil(t, err)
	want := &Endpoint{HeadWait: 30 * time.Second, Batch: 50, MaxOutput: 4 << 20, State: State{TTL: 2592000,
		Bytes: 100 << 20}}
	want.Upstreams = []Upstream{{Endpoint: want, API: translator.API("chat"),
		URL: "https://upstream.example/v1", Silence: 10 * time.Minute}}
	require.Equal(t, want, e)
	require.Equal(t, &ir.Target{}, e.Upstreams[0].Target("any"))
}

// TestTarget applies each option to the known facts about OpenAI's models, and to an empty target.
func TestTarget(t *testing.T) {
	known, err := Load(settings("UPSTREAM_URL", "https://api.openai.com/v1"))
	require.Nil(t, err)
	base := *known.Upstreams[0].Target("gpt-5.5")
	require.Equal(t, int64(128000), base.MaxOutputTokens)
	for options, change := range map[string]func(*ir.Target){
		`{"max_output_tokens":1000}`:                  func(t *ir.Target) { t.MaxOutputTokens = 1000 },
		`{"token_param":"max_tokens"}`:                func(t *ir.Target) { t.MaxCompletionTokens = false },
		`{"token_param":"max_completion_tokens"}`:     func(t *ir.Target) { t.MaxCompletionTokens = true },
		`{"effort":"none"}`:                           func(t *ir.Target) { t.Efforts, t.NoToolEffort = nil, false },
		`{"effort":["low","max"]}`:                    func(t *ir.Target) { t.Efforts, t.NoToolEffort = []string{"low", "max"}, false },
		`{"reasoning_echo":"none"}`:                   func(t *ir.Target) { t.ReasoningEcho = ir.NoEcho },
		`{"reasoning_echo":"reasoning_content"}`:      func(t *ir.Target) { t.ReasoningEcho = ir.EchoContent },
		`{"reasoning_echo":"reasoning"}`:              func(t *ir.Target) { t.ReasoningEcho = ir.EchoReasoning },
		`{"reasoning_echo":"both"}`:                   func(t *ir.Target) { t.ReasoningEcho = ir.EchoBoth },
		`{"thinking_off":"effort"}`:                   func(t *ir.Target) { t.ThinkingSwitch = ir.EffortSwitch },
		`{"thinking_off":"thinking"}`:                 func(t *ir.Target) { t.ThinkingSwitch = ir.ObjectSwitch },
		`{"thinking_off":"enable_thinking"}`:          func(t *ir.Target) { t.ThinkingSwitch = ir.FlagSwitch },
		`{"thinking_off":"chat_template_kwargs"}`:     func(t *ir.Target) { t.ThinkingSwitch = ir.TemplateSwitch },
		`{"reasoning_echo":"reasoning_details"}`:      func(t *ir.Target) { t.ReasoningEcho = ir.EchoDetails },
		`{"reasoning_echo":"extra_content"}`:          func(t *ir.Target) { t.ReasoningEcho = ir.EchoExtra },
		`{"think_tags":"on"}`:                         func(t *ir.Target) { t.ThinkTags = true },
		`{"think_tags":"off"}`:                        func(t *ir.Target) { t.ThinkTags = false },
		`{"text_calls":"on"}`:                         func(t *ir.Target) { t.TextCalls = true },
		`{"text_calls":"off"}`:                        func(t *ir.Target) { t.TextCalls = false },
		`{"tool_result_images":"user_turn"}`:          func(t *ir.Target) { t.ResultImages = ir.UserTurnImages },
		`{"tool_result_images":"native"}`:             func(t *ir.Target) { t.ResultImages = ir.NativeImages },
		`{"tool_result_images":"refuse"}`:             func(t *ir.Target) { t.ResultImages = ir.RefuseImages },
		`{"schema":"verbatim"}`:                       func(t *ir.Target) { t.StrictSubset, t.PlainRoot = false, false },
		`{"structured":"tool"}`:                       func(t *ir.Target) { t.Structured = ir.ByTool },
		`{"structured":"instruct"}`:                   func(t *ir.Target) { t.Structured = ir.ByInstruction },
		`{"structured":"off"}`:                        func(t *ir.Target) { t.Structured = ir.Unstructured },
		`{"schema":"strict-subset"}`:                  func(t *ir.Target) { t.StrictSubset, t.PlainRoot = true, true },
		`{"parallel_flag":"send"}`:                    func(t *ir.Target) { t.ParallelFlag = true },
		`{"parallel_flag":"omit"}`:                    func(t *ir.Target) { t.ParallelFlag = false },
		`{"top_k":"send"}`:                            func(t *ir.Target) { t.TopK = true },
		`{"top_k":"omit"}`:                            func(t *ir.Target) { t.TopK = false },
		`{"stream_usage":"ask"}`:                      func(t *ir.Target) { t.OmitStreamUsage = false },
		`{"stream_usage":"omit"}`:                     func(t *ir.Target) { t.OmitStreamUsage = true },
		`{"headers":{"a":"b"},"stream_usage":"omit"}`: func(t *ir.Target) { t.OmitStreamUsage = true },
	} {
		for url, model := range map[string]string{"https://api.openai.com/v1": "gpt-5.5",
			"http://127.0.0.1:11434/v1": "any"} {
			e, err := Load(settings("UPSTREAM_URL", url, "UPSTREAM_OPTIONS", options))
			require.Nil(t, err)
			want := ir.Target{}
			if model == "gpt-5.5" {
				want = base
			}
			change(&want)
			require.Equal(t, &want, e.Upstreams[0].Target(model), options)
			require.Equal(t, &want, e.Upstreams[0].Target(model), "a second time: "+options)
			require.Equal(t, !want.TextCalls, e.Upstreams[0].Passes(translator.API("chat")), options)
		}
	}
	e, err := Load(settings("UPSTREAM_PROTOCOL", "anthropic", "UPSTREAM_URL", "https://api.anthropic.com"))
	require.Nil(t, err)
	require.Equal(t, int64(64000), e.Upstreams[0].Target("claude-sonnet-4-5").MaxOutputTokens)
	require.Equal(t, int64(128000), e.Upstreams[0].Target("claude-opus-5-5").MaxOutputTokens)
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, value, message string }{
		{"UPSTREAM_PROTOCOL", "-",
			"UPSTREAM_PROTOCOL is not set. Set it to anthropic, chat, responses, gemini or interactions."},
		{"UPSTREAM_PROTOCOL", "openai",
			"UPSTREAM_PROTOCOL must be anthropic, chat, responses, gemini or interactions."},
		{"UPSTREAM_URL", "-", "UPSTREAM_URL is not set."},
		{"UPSTREAM_URL", "upstream.example/v1", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "ftp://upstream.example", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https:///v1", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example/v1?key=1", "without query"},
		{"UPSTREAM_URL", "https://user:s3cret@upstream.example/v1",
			"UPSTREAM_URL must hold no user and no password."},
		{"UPSTREAM_URL", "https://upstream.example:/v1", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example:65536", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example:0", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example:1:2", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://:8080/v1", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example\\v1", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example/v1\x00", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example/\x7f", "UPSTREAM_URL must be an http or https URL"},
		{"UPSTREAM_URL", "https://upstream.example/v1é", "UPSTREAM_URL must be an http or https URL"},
		{"HEAD_WAIT", "0", "HEAD_WAIT must be a number of seconds from 0.001 to 86400."},
		{"HEAD_WAIT", "NaN", "HEAD_WAIT must be"},
		{"BATCH", "-1",
			"BATCH must be a whole number of milliseconds from 0 to 1000; 0 sends each event at once."},
		{"BATCH", "0.5", "BATCH must be"},
		{"BATCH", "1001", "BATCH must be"},
		{"BATCH", "fast", "BATCH must be"},
		{"UPSTREAM_TIMEOUT", "1m", "UPSTREAM_TIMEOUT must be"},
		{"ALLOW_HTTP_UPSTREAM", "yes", "ALLOW_HTTP_UPSTREAM must be true or false, or not set at all."},
		{"MAX_OUTPUT_BYTES", "1023",
			"MAX_OUTPUT_BYTES must be a whole number of bytes from 1024 to 33554432."},
		{"MAX_OUTPUT_BYTES", "33554433", "MAX_OUTPUT_BYTES must be"},
		{"MAX_OUTPUT_BYTES", "8 MB", "MAX_OUTPUT_BYTES must be"},
		{"MODELS", "{", "MODELS is not JSON"},
		{"MODELS", "[]", `MODELS must be a JSON object, as {"claude-*":"gpt-5.5"}.`},
		{"MODELS", `{"a":1}`, "MODELS.a must be the upstream's model name, a string."},
		{"OPTIONS", "lossy", "OPTIONS is not JSON"},
		{"OPTIONS", "7", `OPTIONS must be a JSON object, as {"tool_ids":"prefixed"}.`},
		{"UPSTREAM_OPTIONS", "[]", `UPSTREAM_OPTIONS must be a JSON object, as {"effort":"none"}.`},
		{"OPTIONS", `{"lossless":true}`,
			"OPTIONS.lossless is not an option. The options are lossy, required,"},
		{"OPTIONS", `{"lossy":"maybe"}`, `OPTIONS.lossy must be one of "report", "refuse".`},
		{"OPTIONS", `{"lossy":true}`, `OPTIONS.lossy must be one of "report", "refuse".`},
		{"OPTIONS", `{"store":"yes"}`, "OPTIONS.store must be one of \"off\", \"on\"."},
		{"OPTIONS", `{"store":"on","store_ttl":59}`,
			"OPTIONS.store_ttl must be a whole number of seconds from 60 to 31536000, which is a year."},
		{"OPTIONS", `{"store":"on","store_ttl":31536001}`,
			"OPTIONS.store_ttl must be a whole number of seconds"},
		{"OPTIONS", `{"store":"on","store_ttl":60.5}`, "OPTIONS.store_ttl must be a whole number of seconds"},
		{"OPTIONS", `{"store":"on","store_bytes":0}`,
			"OPTIONS.store_bytes must be a whole number of bytes from 1 to 10737418240, which is 10 GB."},
		{"OPTIONS", `{"store":"on","store_bytes":10737418241}`,
			"OPTIONS.store_bytes must be a whole number of bytes"},
		{"OPTIONS", `{"store":"on","store_bytes":1.5}`,
			"OPTIONS.store_bytes must be a whole number of bytes"},
		{"OPTIONS", `{"store":"on","store_bytes":"1"}`,
			"OPTIONS.store_bytes must be a whole number of bytes"},
		{"OPTIONS", `{"store":"on","store_ttl":"60"}`, "OPTIONS.store_ttl must be a whole number of seconds"},
		{"OPTIONS", `{"required_action":"on"}`, "OPTIONS.required_action needs \"store\":\"on\""},
		{"OPTIONS", `{"store":"off","required_action":"on"}`,
			"OPTIONS.required_action needs \"store\":\"on\""},
		{"UPSTREAM_OPTIONS", `{"max_output_tokens":0}`,
			"UPSTREAM_OPTIONS.max_output_tokens must be a whole number"},
		{"UPSTREAM_OPTIONS", `{"max_output_tokens":1.5}`,
			"UPSTREAM_OPTIONS.max_output_tokens must be a whole number"},
		{"UPSTREAM_OPTIONS", `{"effort":"high"}`, `UPSTREAM_OPTIONS.effort must be "none" or a list`},
		{"UPSTREAM_OPTIONS", `{"effort":["huge"]}`,
			"the efforts are none, minimal, low, medium, high, xhigh and max"},
		{"UPSTREAM_OPTIONS", `{"headers":{"a b":"c"}}`,
			"UPSTREAM_OPTIONS.headers must be an object of header names"},
		{"UPSTREAM_OPTIONS", `{"headers":{"a":"b\nc: d"}}`,
			"UPSTREAM_OPTIONS.headers must be an object of header names"},
		{"UPSTREAM_OPTIONS", `{"headers":{"a":"\u0001"}}`,
			"UPSTREAM_OPTIONS.headers must be an object of header names and their values in ASCII"},
		{"UPSTREAM_OPTIONS", `{"headers":{"a":"\u007f"}}`,
			"UPSTREAM_OPTIONS.headers must be an object of header names"},
		{"UPSTREAM_OPTIONS", `{"headers":{"a":"é"}}`,
			"UPSTREAM_OPTIONS.headers must be an object of header names"},
		{"UPSTREAM_OPTIONS", `{"headers":{"Authorization":"Bearer x"}}`,
			"UPSTREAM_OPTIONS.headers must be free of authorization, which edgelingua sets itself (the " +
				"key has a setting of its own)."},
		{"UPSTREAM_OPTIONS", `{"headers":{"a":"1","A":"2"}}`,
			"UPSTREAM_OPTIONS.headers must be free of a second a."},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			_, err := Load(settings(c.name, c.value))
			require.NotNil(t, err)
			require.Equal(t, 500, ir.AsError(err).HTTPStatus())
			require.Contains(t, ir.AsError(err).Message, c.message)
		})
	}
}

func TestAuthorize(t *testing.T) {
	for _, c := range []struct {
		name, credential string
		get              Getter
		status           int // 0: allowed
		message          string
	}{
		{"the key", "client-key", settings(), 0, ""},
		{"another key", "client-kez", settings(), 401, "Wrong key."},
		{"a part of the key", "client", settings(), 401, "Wrong key."},
		{"no key", "", settings(), 401, "No key."},
		{"no CLIENT_KEY", "client-key", settings("CLIENT_KEY", "-"), 401,
			"This deployment has no CLIENT_KEY"},
		{"what syumai/workers reads for no CLIENT_KEY", "<undefined>", settings("CLIENT_KEY", "-"), 401,
			"This deployment has no CLIENT_KEY"},
		{"an empty CLIENT_KEY", "", settings("CLIENT_KEY", ""), 401, "This deployment has no CLIENT_KEY"},
		{"forward", "anything", settings("AUTH", "forward", "CLIENT_KEY", "-"), 0, ""},
		{"forward without a key", "", settings("AUTH", "forward"), 401, "Send the upstream's key"},
		{"another AUTH", "client-key", settings("AUTH", "none"), 500, "AUTH must be \"forward\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Authorize(c.get, c.credential)
			if c.status == 0 {
				require.Nil(t, err)
				return
			}
			require.NotNil(t, err)
			require.Equal(t, c.status, ir.AsError(err).HTTPStatus())
			require.Contains(t, ir.AsError(err).Message, c.message)
		})
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	for _, name := range []string{"UPSTREAM_URL", "MODELS", "OPTIONS", "UPSTREAM_OPTIONS", "HEAD_WAIT",
		"MAX_OUTPUT_BYTES", "UPSTREAM_PROTOCOL"} {
		_, err := Load(settings(name, "s3cret"))
		require.NotNil(t, err, name)
		require.NotContains(t, ir.AsError(err).Message, "s3cret")
	}
}

func TestModels(t *testing.T) {
	e, err := Load(settings("MODELS",
		`{"claude-*-haiku":"small", "claude-*":"large", "exact":"one", "*mini*":"mini"}`))
	require.Nil(t, err)
	m := e.Upstreams[0].Models
	for from, to := range map[string]string{
		"claude-5-haiku":    "small",
		"claude-5-haiku-2":  "large",
		"claude-":           "large",
		"Claude-5":          "Claude-5",
		"exact":             "one",
		"exactly":           "exactly",
		"gpt-mini-2":        "mini",
		"mini":              "mini",
		"":                  "",
		"claude-haiku":      "large",
		"claude--haiku":     "small",
		"claude-a-b-haiku":  "small",
		"claude-haikuhaiku": "large",
	} {
		require.Equal(t, to, m.Map(from), from)
	}
	require.Equal(t, "any", Models(nil).Map("any"))
	require.Equal(t, []string{"exact"}, e.Names())
}

// A pattern of many * must not take exponential time.
func TestMatchIsBounded(t *testing.T) {
	require.False(t, match(strings.Repeat("*a", 2000)+"b", strings.Repeat("a", 4000)))
}

func TestSplit(t *testing.T) {
	key := NewKey("anna", strings.Repeat("0", hashLength))
	for path, want := range map[string]struct {
		Address
		rest string
		ok   bool
	}{
		"/v1/messages":               {rest: "/v1/messages"},
		"/u/anna/v1/messages":        {Address{Name: "anna"}, "/v1/messages", true},
		"/u/anna":                    {Address{Name: "anna"}, "/", true},
		"/u/":                        {Address{}, "/", true},
		"/k/" + key + "/v1/models/a": {Address{Name: "anna", Key: key}, "/v1/models/a", true},
		"/k/none/v1/models":          {Address{Key: "none"}, "/v1/models", true},
		"/users":                     {rest: "/users"},
	} {
		a, rest, ok := Split(path)
		require.Equal(t, want.Address, a, path)
		require.Equal(t, want.rest, rest, path)
		require.Equal(t, want.ok, ok, path)
	}
}

func TestClient(t *testing.T) {
	marked := func(string) string { return "1" }
	plain := func(string) string { return "" }
	require.Equal(t, "anthropic", Client("/u/anna/v1/messages", plain).Name)
	require.Equal(t, "responses", Client("/k/el_anna_x/v1/responses/resp_1", marked).Name)
	require.Equal(t, "anthropic", Client("/k/el_anna_x/v1/models", marked).Name)
	require.Equal(t, "chat", Client("/u/anna/v1/models", plain).Name)
}

func TestState(t *testing.T) {
	for text, want := range map[string]State{
		`{}`: {TTL: 2592000, Bytes: 100 << 20},
		`{"store":"off","store_ttl":60,"required_action":"off"}`: {TTL: 60, Bytes: 100 << 20},
		`{"required_action":"on","store_ttl":31536000,"store":"on"}`: {Responses: true, TTL: 31536000,
			Bytes: 100 << 20, RequiredAction: true},
		`{"store":"on"}`:                           {Responses: true, TTL: 2592000, Bytes: 100 << 20},
		`{"store":"on","store_bytes":1}`:           {Responses: true, TTL: 2592000, Bytes: 1},
		`{"store":"on","store_bytes":10737418240}`: {Responses: true, TTL: 2592000, Bytes: 10 << 30},
	} {
		e := newEndpoint()
		require.Nil(t, e.readOptions("OPTIONS", gjson.Parse(text)), text)
		require.Equal(t, want, e.State, text)
	}
	require.Equal(t, "deployment", (&Endpoint{}).Object())
	require.Equal(t, "endpoint:anna", (&Endpoint{Name: "anna"}).Object())
}

func TestLocalUpstreams(t *testing.T) {
	local, err := LocalUpstreams(func(string) (string, bool) { return "", false })
	require.Nil(t, err)
	require.False(t, local)
	for text, want := range map[string]bool{"true": true, "false": false} {
		local, err := LocalUpstreams(func(string) (string, bool) { return text, true })
		require.Nil(t, err)
		require.Equal(t, want, local)
	}
	for _, text := range []string{"", "False", "FALSE", "True", "no", "off", "0", "0.0", "1", "yes", "on",
		"null", " true", "true\n", "\"true\""} {
		local, err := LocalUpstreams(func(string) (string, bool) { return text, true })
		require.NotNil(t, err, text)
		require.False(t, local)
	}
}
