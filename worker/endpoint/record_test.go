package endpoint

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/worker/usage"
)

const hash = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

func TestParse(t *testing.T) {
	e, err := Parse("anna", `{
		"version": 1, "rev": 7, "created": 1790000000, "updated": 1790000001, "auth": "key", "disabled": true, "head_wait": 5, "batch": 0, "max_output_bytes": 2048,
		"usage": true, "request_log": {"ttl": 3600}, "prices": {"gpt-*": {"input": 1.5, "output": 10, "cache_read": 0}},
		"limits": {"requests_per_minute": 50, "concurrent_streams": 4, "tokens_per_day": 1000000, "concurrent_requests": 8, "usd_per_day": 2.5, "usd_per_month": 40, "over_budget": "next", "models": ["claude-*", "gpt-5.5"]},
		"keys": [{"hash": "`+hash+`", "label": "laptop", "created": 1790000000, "expires": 1800000000,
			"counted_as": "abc", "limits": {"usd_per_day":1,"models":["gpt-5"]}}],
		"upstreams": [
			{"name": "openai", "protocol": "responses", "url": "https://api.openai.com/v1/", "key": "sealed", "timeout": 1.5,
			 "headers": {"X-Title": "mine"}, "models": {"opus*": "gpt-5.5"}, "options": {"effort": "none"}},
			{"name": "claude", "protocol": "anthropic", "url": "https://api.anthropic.com", "models": ["claude-*"]}
		],
		"options": {"strict": "off"}}`)
	require.Nil(t, err)
	want := &Endpoint{
		Name: "anna", Rev: 7, Created: 1790000000, Updated: 1790000001, Disabled: true,
		HeadWait: 5 * time.Second, MaxOutput: 2048,
		State: State{TTL: 2592000, Bytes: 100 << 20},
		Keys: []Key{{Hash: hash, Label: "laptop", Created: 1790000000, Expires: 1800000000,
			CountedAs: "abc", limits: `{"usd_per_day":1,"models":["gpt-5"]}`,
			LimitSet: LimitSet{Limits: usage.Limits{Daily: 1_000_000_000}, Allowed: []string{"gpt-5"}}}},
		Usage: true, LogTime: 3600, LogRows: 100, prices: []priced{{"gpt-*", usage.Price{Over: -1, Input: 1.5, Output: 10,
			Read: 0, Write: -1, Search: -1}}},
		LimitSet: LimitSet{Limits: usage.Limits{Requests: 50, Streams: 4, Tokens: 1000000, Open: 8,
			Daily: 2_500_000_000, Monthly: 40_000_000_000, Next: true},
			Allowed: []string{"claude-*", "gpt-5.5"}},
		options: `{"strict": "off"}`,
	}
	want.Policy.NoStrict = true
	want.Upstreams = []Upstream{
		{Endpoint: want, Name: "openai", API: translator.API("responses"), URL: "https://api.openai.com/v1",
			Key: "sealed", Silence: 1500 * time.Millisecond,
			Headers: []Header{{"x-title", "mine"}}, Models: Models{{"opus*", "gpt-5.5"}},
			options: `{"effort": "none"}`},
		{Endpoint: want, Name: "claude", API: translator.API("anthropic"), URL: "https://api.anthropic.com",
			Silence: 10 * time.Minute,
			Models:  Models{{"claude-*", ""}}},
	}
	require.Equal(t, want, e)
}

// record returns a valid record with old replaced by new.
func record(old, new string) string {
	return strings.Replace(`{"version":1,"upstreams":[{"name":"a","protocol":"chat",`+
		`"url":"https://a.example/v1"}]}`, old, new, 1)
}

func TestParseErrors(t *testing.T) {
	const upstream = `{"name":"a","protocol":"chat","url":"https://a.example/v1"}`
	for _, c := range []struct{ record, message string }{
		{`{`, "the record is not JSON"},
		{`[]`, "the record must be a JSON object"},
		{strings.Repeat(" ", MaxRecord+1), "the record must be at most 128 KB."},
		{record(`"version":1,`, ``), "version must be 1."},
		{record(`1`, `"1"`), "version must be 1."},
		{record(`"version":1`, `"version":1,"version":1`), "version is there twice."},
		{record(`"version"`, `"nme":"x","version"`),
			"nme is no field. The fields are version, id, rev, created, updated, auth, keys, upstreams"},
		{record(`"version"`, `"auth":"none","version"`), `auth must be one of "key", "forward".`},
		{record(`"version"`, `"rev":-1,"version"`), "rev must be a whole number."},
		{record(`"version"`, `"disabled":1,"version"`), "disabled must be true or false."},
		{record(`"version"`, `"usage":"on","version"`), "usage must be true or false."},
		{record(`"version"`, `"limits":[],"version"`), "limits must be an object."},
		{record(`"version"`, `"limits":{"streams":1},"version"`),
			"limits.streams is no field. The fields are requests_per_minute, concurrent_streams, " +
				"tokens_per_day, concurrent_requests, usd_per_day, usd_per_month, over_budget, unpriced and models"},
		{record(`"version"`, `"limits":{"requests_per_minute":0},"version"`),
			"limits.requests_per_minute must be a whole number from 1 on."},
		{record(`"version"`, `"limits":{"concurrent_streams":1.5},"version"`),
			"limits.concurrent_streams must be a whole number from 1 on."},
		{record(`"version"`, `"limits":{"tokens_per_day":"1"},"version"`),
			"limits.tokens_per_day must be a whole number from 1 on."},
		{record(`"version"`, `"limits":{"usd_per_day":-1},"version"`),
			"limits.usd_per_day must be an amount of US dollars from 0 to 1000000."},
		{record(`"version"`, `"limits":{"usd_per_month":0},"version"`),
			"limits.usd_per_month must be more than 0."},
		{record(`"version"`, `"limits":{"over_budget":"ask"},"version"`),
			`limits.over_budget must be one of "refuse", "next".`},
		{record(`"version"`, `"prices":{"m":{"input":-1,"output":1}},"version"`),
			"prices.m.input must be an amount of US dollars from 0 to 1000000."},
		{record(`"version"`, `"prices":{"m":{"input":1}},"version"`), "prices.m must have input and output."},
		{record(`"version"`, `"prices":{"m":{"per_request":1}},"version"`),
			"prices.m.per_request is no field. The fields are input, output, cache_read, " +
				"cache_write and search."},
		{record(`"version"`, `"prices":[],"version"`), "prices must be an object."},
		{record(`"version"`, `"request_log":{"ttl":5},"version"`),
			"request_log.ttl must be a whole number of seconds from 60 to 2592000"},
		{record(`"version"`, `"request_log":{"ttl":60,"rows":99},"version"`),
			"request_log.rows must be a whole number from 100 to 100000"},
		{record(`"version"`, `"request_log":{"rows":100001,"ttl":60},"version"`),
			"request_log.rows must be a whole number from 100 to 100000"},
		{record(`"version"`, `"request_log":{"rows":200},"version"`),
			"request_log.ttl must be a whole number of seconds from 60 to 2592000"},
		{record(`"version"`, `"request_log":{},"version"`),
			"request_log.ttl must be a whole number of seconds from 60 to 2592000"},
		{record(`"version"`, `"limits":{"models":[]},"version"`),
			"limits.models must be a list of one pattern at least."},
		{record(`"version"`, `"limits":{"models":"a"},"version"`), "limits.models must be a list."},
		{record(`"version"`, `"limits":{"models":["a",""]},"version"`),
			"limits.models[1] must be a model's name, with * for any characters."},
		{record(`"version"`, `"head_wait":"5","version"`), "head_wait must be a number of seconds"},
		{record(`"version"`, `"batch":true,"version"`), "batch must be a whole number of milliseconds"},
		{record(`"version"`, `"max_output_bytes":1.5,"version"`), "max_output_bytes must be a whole number"},
		{record(`"version"`, `"options":[],"version"`), "options must be an object."},
		{record(`"version"`, `"options":{"lossy":"x"},"version"`),
			`options.lossy must be one of "report", "refuse".`},
		{record(`"version"`, `"options":{"required_action":"on"},"version"`),
			"options.required_action needs \"store\":\"on\""},
		{record(`"version"`, `"keys":{},"version"`), "keys must be a list."},
		{record(`"version"`, `"keys":[{}],"version"`), "keys[0].hash must be a SHA-256, in base64url."},
		{record(`"version"`, `"keys":[{"hash":1}],"version"`), "keys[0].hash must be a text"},
		{record(`"version"`, `"keys":[{"x":1}],"version"`), "keys[0].x is no field."},
		{record(`"version"`, `"keys":[{"limits":[]}],"version"`), "keys[0].limits must be an object."},
		{record(`"version"`, `"keys":[{"limits":{"concurrent_requests":1}}],"version"`),
			"keys[0].limits.concurrent_requests is no field. The fields are requests_per_minute, tokens_per_day, "},
		{record(`[`+upstream+`]`, `[]`), "upstreams must be a list of one upstream at least."},
		{record(`[`+upstream+`]`, `{}`), "upstreams must be a list."},
		{record(upstream, `1`), "upstreams[0] must be an object."},
		{record(upstream, strings.Repeat(`1,`, 20)+`1`), "upstreams[0] must be an object."},
		{record(upstream, upstream+`,`+upstream),
			"upstreams[1].name must be another than that of upstreams[0]."},
		{record(`"name":"a",`, ``), "upstreams[0].name is missing."},
		{record(`"name":"a"`, `"name":"A b"`), "upstreams[0].name must be a name"},
		{record(`"protocol":"chat",`, ``), "upstreams[0].protocol is missing."},
		{record(`"chat"`, `"openai"`),
			"upstreams[0].protocol must be anthropic, chat, responses, gemini or interactions."},
		{record(`,"url":"https://a.example/v1"`, ``), "upstreams[0].url is missing."},
		{record(`https://a.example/v1`, `a.example`), "upstreams[0].url must be an http or https URL"},
		{record(`"url"`, `"key":7,"url"`), "upstreams[0].key must be a text"},
		{record(`"url"`, `"timeout":0,"url"`), "upstreams[0].timeout must be a number of seconds"},
		{record(`"url"`, `"models":"x","url"`), "upstreams[0].models must be an object."},
		{record(`"url"`, `"models":[""],"url"`), "upstreams[0].models[0] must be a model's name"},
		{record(`"url"`, `"models":{"a":1},"url"`),
			"upstreams[0].models.a must be the upstream's model name, a string."},
		{record(`"url"`, `"models":{`+strings.Repeat(`"a":"b",`, maxPatterns)+`"c":"d"},"url"`),
			"upstreams[0].models must be an object with at most 256 members."},
		{record(`"url"`, `"models":["a"`+strings.Repeat(`,"b"`, maxPatterns)+`],"url"`),
			"upstreams[0].models must be a list of at most 256."},
		{record(`"url"`, `"headers":{"host":"x"},"url"`), "upstreams[0].headers must be free of host"},
		{record(`"url"`, `"options":{"effort":"all"},"url"`),
			`upstreams[0].options.effort must be "none" or a list`},
		{record(`"url"`, `"uri":"x","url"`), "upstreams[0].uri is no field."},
		{record(`"url"`, `"modles":"x","url"`), "upstreams[0].modles is no field. The fields are name, "},
		{record(`"url"`, `"modles":"x","url"`), ". Did you mean 'models'?"},
		{record(`"version"`, `"auth":"sk-in-the-wrong-place","version"`), `auth must be one of "key", "forward".`},
		{record(`"chat"`, `"antropic"`), "gemini or interactions. Did you mean 'anthropic'?"},
		{record(`"version"`, `"auth":"foward","version"`),
			`auth must be one of "key", "forward". Did you mean 'forward'?`},
		{record(`"version"`, `"options":{"lossi":"refuse"},"version"`),
			"options.lossi is not an option. The options are lossy, required,"},
		{record(`"version"`, `"options":{"lossi":"refuse"},"version"`), ". Did you mean 'lossy'?"},
		{record(`"version"`, `"options":{"lossy":"refused"},"version"`),
			`options.lossy must be one of "report", "refuse". Did you mean 'refuse'?`},
	} {
		_, err := Parse("anna", c.record)
		require.NotNil(t, err, c.record)
		require.Contains(t, err.Error(), c.message)
		require.NotContains(t, err.Error(), "sk-", "a value may be a secret")
	}
	_, err := Parse("anna", record(`"version"`, `"keys":[`+strings.Repeat(`{"hash":"`+hash+`"},`, MaxKeys)+
		`{}],"version"`))
	require.Equal(t, "keys must be a list of at most 16.", err.Error())
}

func TestChoose(t *testing.T) {
	e, err := Parse("anna", `{"version":1,"upstreams":[
		{"name":"one","protocol":"chat","url":"https://a.example","models":{"gpt-*":"g","exact":"e"}},
		{"name":"two","protocol":"chat","url":"https://b.example","models":["gpt-5*","org/*"]},
		{"name":"rest","protocol":"chat","url":"https://c.example"}]}`)
	require.Nil(t, err)
	for model, want := range map[string][]string{
		"gpt-4":       {"one g", "rest gpt-4"},
		"gpt-5":       {"one g", "two gpt-5", "rest gpt-5"},
		"exact":       {"one e", "rest exact"},
		"other":       {"rest other"},
		"org/gpt-5":   {"two org/gpt-5", "rest org/gpt-5"},
		"one/exact":   {"one e"},
		"one/other":   {"one other"},
		"two/":        {"two "},
		"rest/a/b":    {"rest a/b"},
		"/gpt-5":      {"rest /gpt-5"},
		"One/exact":   {"rest One/exact"},
		"nobody/else": {"rest nobody/else"},
	} {
		var got []string
		for _, c := range e.Choose(model) {
			require.Same(t, e, c.Endpoint)
			got = append(got, c.Name+" "+c.Model)
		}
		require.Equal(t, want, got, model)
	}
	e, err = Parse("anna",
		`{"version":1,"upstreams":[{"name":"one","protocol":"chat","url":"https://a.example",`+
			`"models":["gpt-*"]}]}`)
	require.Nil(t, err)
	require.Empty(t, e.Choose("claude"))
	e, failed := Load(settings("MODELS", `{"a":"b"}`))
	require.Nil(t, failed)
	require.Equal(t, "other", e.Choose("other")[0].Model)
	require.Equal(t, "b", e.Choose("a")[0].Model)
	require.Equal(t, "/b", e.Choose("/b")[0].Model)
}

func TestPublic(t *testing.T) {
	for url, ok := range map[string]bool{
		"https://api.openai.com/v1":        true,
		"https://a-b.example:8443/x":       true,
		"https://API.example":              true,
		"https://xn--bcher-kva.example":    true,
		"https://a.example.":               true,
		"http://api.openai.com":            false,
		"https://127.0.0.1/v1":             false,
		"https://127.1":                    false,
		"https://2130706433":               false,
		"https://0x7f.0x1":                 false,
		"https://a.0x7f000001":             false,
		"https://[::1]/":                   false,
		"https://localhost":                false,
		"https://localhost.":               false,
		"https://api.localhost:443":        false,
		"https://intranet":                 false,
		"https://printer.local":            false,
		"https://printer.LOCAL.":           false,
		"https://metadata.google.internal": false,
		"https://a.example%2elocal":        false,
		"https://a.example\\@b.local":      false,
		"https://.example":                 false,
		"https://.a.example":               false,
		"https://a..example":               false,
		"https://example..":                false,
		"https://１２７.０.０.１":                false,
		"https://a。local":                  false,
	} {
		e := &Endpoint{Upstreams: []Upstream{{URL: "https://good.example"}, {URL: url}}}
		err := e.Public()
		require.Equal(t, ok, err == nil, url)
		if err != nil {
			require.Equal(t, "upstreams[1].url", err.Setting)
		}
	}
}

func TestKeys(t *testing.T) {
	random := strings.Repeat("aZ0", 15)[:randomLength]
	for name, want := range map[string]string{"anna": "el_anna_", "anna-2": "el_anna_2_",
		"-a--b-": "el__a__b__"} {
		key := NewKey(name, random)
		require.Equal(t, want+random, key)
		// a double click selects the whole key
		require.NotContains(t, key, "-")
		// the second and third are old forms of keys
		for _, key := range []string{key, "el_" + name + "_" + random,
			"el_" + name + "_" + random[:40] + "-_-"} {
			of, ok := NameOf(key)
			require.True(t, ok, key)
			require.Equal(t, name, of)
		}
	}
	key := NewKey("anna-2", random)
	for _, key := range []string{"", "el_", "el_anna", "sk-ant-" + key, key[:len(key)-1] + "!",
		NewKey("", random), NewKey("Anna", random), "el_" + random, "el" + key[3:],
		NewKey(strings.Repeat("a", 41), random)} {
		_, ok := NameOf(key)
		require.False(t, ok, key)
	}
	other := strings.ToUpper(hash)
	e := &Endpoint{Keys: []Key{{Hash: hash, Expires: 100}, {Hash: other}}}
	for _, c := range []struct {
		hash string
		now  int64
		want KeyState
	}{{hash, 99, GoodKey}, {hash, 100, ExpiredKey}, {other, 100, GoodKey}, {hash[:42], 0, UnknownKey},
		{"", 0, UnknownKey}} {
		require.Equal(t, c.want, CheckKey(e, c.hash, c.now))
		require.Equal(t, UnknownKey, CheckKey(nil, c.hash, c.now))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(record("", ""))
	f.Add(`{"":{}}`)
	f.Add(`{"version":1,"keys":[{"hash":"` + hash +
		`"}],"upstreams":[{"name":"a","protocol":"responses","url":"https://a.example","models":["*"],` +
		`"options":{"effort":["low"]}}],"options":{"tool_map":{"a":{"name":"b"}}}}`)
	f.Fuzz(func(t *testing.T, record string) {
		e, err := Parse("anna", record)
		if err != nil {
			require.NotEmpty(t, err.Setting)
			require.NotEmpty(t, err.Problem)
			return
		}
		e.Public()
		for _, c := range e.Choose("model") {
			c.Target(c.Model)
		}
	})
}

func TestAllows(t *testing.T) {
	parse := func(limits string) *Endpoint {
		e, err := Parse("anna", record(`"version"`, `"limits":`+limits+`,"version"`))
		require.Nil(t, err)
		return e
	}
	e := parse(`{"models":["claude-*","gpt-5.5"]}`)
	for model, allowed := range map[string]bool{
		"claude-opus": true, "gpt-5.5": true, "a/gpt-5.5": true, "gpt-5.5-pro": false, "a/gpt-4": false,
		"":          false,
		"b/gpt-5.5": false, "claude-b/gpt-4": true, // no upstream has this name
	} {
		require.Equal(t, allowed, e.Allows(model), model)
	}
	e.Upstreams[0].Name = "claude-a"
	require.False(t, e.Allows("claude-a/gpt-4"), "an upstream's name is no model's")
	require.False(t, e.Counts(), "that takes no state")
	e.Upstreams[0].Models = Models{{"gpt-4", ""}, {"gpt-5.5", ""}}
	require.Equal(t, []string{"gpt-5.5"}, e.Names())

	none := parse(`{}`)
	require.True(t, none.Allows("anything"))
	require.False(t, none.Counts())
	require.True(t, parse(`{"tokens_per_day":1}`).Counts())
	require.False(t, (*Endpoint)(nil).Counts())
}
