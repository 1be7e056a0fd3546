package serve_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

// leaks collects all output of the worker in a mix of requests.
type leaks struct {
	*deployment
	t       *testing.T
	secrets map[string]string // by description
	outputs [][2]string       // place and text of each output
}

// Headers for the endpoint's upstreams and for the deployment's own upstream.
var (
	upstreamHeaders = map[string]string{"x-team": "header-of-an-upstream-0123",
		"x-meta":  `{"of":"an upstream"}`,
		"x-proxy": "Token credential-of-a-proxy-0123"}
	ownHeaders = map[string]string{"proxy-authorization": "Basic header-of-the-deployment",
		"cookie": "session=cookie-of-the-deployment"}
)

// send sends a request and records the answer. made describes the key in the answer: from then on
// the key is a secret.
func (d *leaks) send(method, path, key string, body any, made string) (*answer, string) {
	d.t.Helper()
	text := ""
	if body != nil {
		text = encoded(body)
	}
	return d.sendText(method, path, key, text, made)
}

func (d *leaks) sendText(method, path, key, body, made string) (*answer, string) {
	d.t.Helper()
	header := none
	if key != "" {
		header = bearer(key)
	}
	a := d.ask(method, path, body, header)
	shown, text := "", a.text()
	if made != "" {
		shown = a.get("key").Str
		require.NotEmpty(d.t, shown, text)
		d.secrets[made] = shown
		text = strings.ReplaceAll(text, shown, "")
	}
	d.outputs = append(d.outputs, [2]string{"the answer to " + method + " " + path, headText(a) + text})
	return a, shown
}

// credentialsOf returns all credentials and headers of a request to an upstream, for the upstream
// to repeat.
func credentialsOf(r *sent) string {
	all := []string{r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")}
	for _, headers := range []map[string]string{ownHeaders, upstreamHeaders} {
		for name := range headers {
			all = append(all, r.Header.Get(name))
		}
	}
	return strings.Join(all, ", ")
}

// repeating is an upstream whose error repeats its request.
func repeating(status int) upstream {
	return func(r *sent) *reply {
		return says(status, encoded(object{"error": object{"type": "invalid_request_error",
			"message": "No: " + credentialsOf(r) + " for " + r.URL.Path}}))(r)
	}
}

// TestLeaks: no answer, report, store or request to an upstream contains a secret. There are two
// exceptions: an upstream's key in a header of its own requests, and a new key in the answer to its
// creation. An upstream may repeat anything from its request.
func TestLeaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		previous := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("p", 32)))
		seal := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("s", 32)))
		ownKey := "upstream-key-of-the-deployment"
		d := &leaks{deployment: deploy(t, map[string]string{"SEAL_KEY": seal, "SEAL_KEY_PREVIOUS": previous,
			"UPSTREAM_KEY": ownKey, "UPSTREAM_URL": "https://own.test/v1",
			"UPSTREAM_OPTIONS": encoded(object{"headers": ownHeaders})}), t: t, secrets: map[string]string{}}
		for _, secret := range []string{adminKey, clientKey, seal, previous, ownKey,
			"credential-of-a-proxy-0123"} {
			d.secrets[secret] = secret
		}
		keys := map[string]string{"a": "upstream-key-of-a-0123456789", "b": "upstream-key-of-b-0123456789",
			"c": "upstream-key-of-c-0123456789"}
		for _, values := range []map[string]string{keys, upstreamHeaders, ownHeaders} {
			for _, value := range values {
				d.secrets[value] = value
			}
		}
		wrong := "a-wrong-key-that-somebody-sent"
		d.secrets[wrong] = wrong
		gone := func(*sent) *reply { return &reply{err: errReset} }
		d.upstreams["gone.test"] = gone

		one := endpoints + "/anna"
		a := upstreamObject("chat", "a.test", object{"name": "a", "key": keys["a"],
			"headers": upstreamHeaders,
			"models":  list{"a-*", "both"}})
		ups := list{a,
			upstreamObject("anthropic", "b.test", object{"name": "b", "key": keys["b"],
				"headers": upstreamHeaders, "models": list{"b-*", "both"}}),
			upstreamObject("responses", "c.test", object{"name": "c", "key": keys["c"],
				"options": object{"headers": upstreamHeaders}, "models": list{"c-*"}})}
		_, key := d.send("POST", endpoints, adminKey, object{"name": "anna", "upstreams": ups}, "a key")
		d.send("GET", one, adminKey, nil, "")
		d.send("GET", endpoints, adminKey, nil, "")
		d.send("PATCH", one, adminKey, object{"options": object{"strict": "off"}}, "")
		d.send("PATCH", one, adminKey,
			object{"upstreams": list{merged(a, object{"url": "https://gone.test/v1"})}}, "")
		d.sendText("POST", "/u/anna/v1/messages", key, smallestOf("anthropic", object{"model": "a-x"}), "")
		d.send("PATCH", one, adminKey, object{"upstreams": ups}, "")
		d.send("PATCH", one, adminKey, object{"upstreams": list{object{"name": "a", "protocol": "chat",
			"url": "no url", "key": keys["a"]}}}, "")
		d.send("POST", one, wrong, object{}, "")
		d.send("POST", one+"/keys", adminKey, object{"label": "phone"}, "another key")
		d.send("GET", "/u/anna/api", key, nil, "")
		_, rotated := d.send("POST", "/u/anna/api/rotate", key, object{}, "the owner's key")
		got, _ := d.send("GET", "/u/anna/api", key, nil, "")
		require.Equal(t, 401, got.Code)
		_, key = d.send("POST", one+"/rotate", adminKey, object{"grace": 0}, "the last key")
		got, _ = d.send("GET", "/u/anna/api", rotated, nil, "")
		require.Equal(t, 401, got.Code)

		every := append([]string{"gemini"}, clientProtocols...)
		for name, protocol := range map[string]string{"a": "chat", "b": "anthropic", "c": "responses"} {
			for _, up := range []upstream{speaks(protocol), repeating(401), repeating(400), repeating(503),
				gone} {
				d.upstreams[name+".test"] = up
				d.send("POST", one+"/test", adminKey, object{"upstream": name}, "")
				model := object{"model": name + "-x"}
				for _, client := range every {
					for _, stream := range []bool{false, true} {
						path, body := pathOf(client, name+"-x", stream), smallestOf(client, merged(model,
							object{"stream": stream}))
						d.sendText("POST", "/u/anna"+path, key, body, "")
						d.sendText("POST", "/k/"+key+path, "", body, "")
					}
					d.sendText("POST", "/u/anna"+pathOf(client, name+"-x", false), wrong, smallestOf(client,
						model), "")
				}
				d.sendText("POST", "/k/"+key+"/v1/messages/count_tokens", "", smallestOf("anthropic", model),
					"")
				d.send("GET", "/u/anna/v1/models/"+name+"-x", key, nil, "")
			}
		}
		d.send("GET", "/k/"+key+"/v1/models?key="+key, "", nil, "")
		d.send("GET", "/k/"+key+"/nothing", "", nil, "")
		d.send("PUT", "/k/"+key+"/v1/messages", "", nil, "")
		d.upstreams["a.test"] = repeating(503) // fallback
		d.upstreams["b.test"] = d.plays("anthropic", &vendors.Turn{Text: "Hi", Usage: vendors.Usage{Input: 1,
			Output: 1}})
		got, _ = d.sendText("POST", "/u/anna/v1/messages", key, smallestOf("anthropic",
			object{"model": "both"}), "")
		require.Equal(t, 200, got.Code, got.text())
		d.upstreams["b.test"] = repeating(503)
		got, _ = d.sendText("POST", "/u/anna/v1/messages", key, smallestOf("anthropic",
			object{"model": "both"}), "")
		require.Equal(t, 529, got.Code, got.text())
		d.upstreams["a.test"] = func(r *sent) *reply {
			return streams(append(append([]string{}, streamOf["chat"][:2]...),
				"data: "+encoded(object{"error": object{"message": "No: " + credentialsOf(r)}})+"\n\n")...)(r)
		}
		d.sendText("POST", "/u/anna/v1/messages", key, smallestOf("anthropic", object{"model": "a-x",
			"stream": true}), "")
		for _, up := range []upstream{speaks("chat"), repeating(401)} {
			d.upstreams["own.test"] = up
			for _, client := range every {
				d.sendText("POST", pathOf(client, "m", false), clientKey, smallestOf(client, nil), "")
				d.sendText("POST", pathOf(client, "m", false), wrong, smallestOf(client, nil), "")
			}
		}

		counts := map[string]int{}
		for _, asked := range d.asked {
			host := asked.URL.Host
			counts[host]++
			header := asked.Header.Clone()
			field, want, told := "Authorization", "Bearer "+keys[host[:1]], upstreamHeaders
			switch host {
			case "own.test":
				want, told = "Bearer "+ownKey, ownHeaders
			case "b.test":
				field, want = "X-Api-Key", keys["b"]
			case "gone.test":
				want = "Bearer " + keys["a"]
			}
			require.Equal(t, want, header.Get(field), host)
			header.Del(field)
			for name, value := range told {
				require.Equal(t, value, header.Get(name), host)
				header.Del(name)
			}
			d.outputs = append(d.outputs, [2]string{"a request to " + host,
				asked.Method + " " + asked.URL.String() + " " + encoded(http.Header(header)) + " " +
					asked.body})
		}
		for _, host := range []string{"own.test", "a.test", "b.test", "c.test"} {
			require.Greater(t, counts[host], 2, host)
		}
		require.Equal(t, []string{"endpoint:anna"}, d.names())
		d.outputs = append(d.outputs, [2]string{"the store", d.dump()}, [2]string{"the reports", d.reports()})
		require.Contains(t, d.dump(), `"key":"v1.`)

		// The store has headers in plain text, and the Admin API shows them.
		shows := regexp.MustCompile(`^the store$|/admin/api/endpoints(/anna(/keys|/rotate)?)?$`)
		for what, secret := range d.secrets {
			_, isHeader := map[string]bool{"credential-of-a-proxy-0123": true,
				upstreamHeaders["x-team"]: true,
				upstreamHeaders["x-meta"]: true, upstreamHeaders["x-proxy"]: true}[secret]
			for _, form := range []string{secret, url.QueryEscape(secret),
				base64.StdEncoding.EncodeToString([]byte(secret)), strings.Trim(encoded(secret), `"`)} {
				for _, said := range d.outputs {
					if !isHeader || !shows.MatchString(said[0]) {
						require.False(t, strings.Contains(said[1], form), "%s has %s: %s", said[0], what,
							said[1])
					}
				}
			}
		}
	})
}

// TestKeysOfClients: a client's settings are mixed up, and it sends a key as the model and as the
// id of its request. Neither report, from which log and span are made, nor usage nor request log
// shows the key. The upstream gets the model unchanged.
func TestKeysOfClients(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-0123456789abcdefghijABCDEFGHIJ"
	answers := map[string]func(of string) upstream{
		"an answer": func(of string) upstream { return says(200, plainOf[of]) },
		"an error": func(string) upstream {
			return says(404, encoded(object{"error": object{"message": "The model " + key + " does not exist: '" +
				key + "'"}}))
		},
	}
	for _, limits := range []object{nil, {"models": list{"gpt-*"}}, {"usd_per_day": 1}} {
		for what, answer := range answers {
			for _, client := range clientProtocols {
				d := deploy(t, nil)
				d.upstreams["up.test"] = answer(client)
				e := d.tenant("anna", object{"upstreams": everyProtocol("up.test", nil), "usage": true,
					"request_log": object{"ttl": 3600}, "limits": limits}).get("key").Str
				for _, model := range []string{key, client + "/" + key} {
					a := d.ask("POST", "/u/anna"+paths[client], smallestOf(client, object{"model": model}),
						bearer(e), "X-Request-Id: "+key)
					require.NotContains(t, headText(a), key)
					if limits == nil {
						require.Equal(t, key, gjson.Get(d.last().body, "model").Str, "the upstream's model")
					}
					report := string(d.outcomes[len(d.outcomes)-1].Report)
					require.NotContains(t, report, key[:16], what)
					require.Contains(t, report, "[key]", what)
				}
				for _, table := range d.tables("endpoint:anna") {
					if table == "endpoint_record" {
						continue
					}
					for _, row := range d.rows("endpoint:anna", "SELECT * FROM "+table) {
						require.NotContains(t, encoded(row), key[:16], "%s in %s", what, table)
					}
				}
				shown := d.admin("GET", "/endpoints/anna/usage", "").text()
				require.NotContains(t, shown, key[:16])
				if limits == nil {
					require.Contains(t, shown, "[key]", "the requests count")
				}
			}
		}
	}
}
