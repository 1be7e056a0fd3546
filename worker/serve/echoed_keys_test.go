package serve_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// upKey is the key of upstreams, and upTeam the value of one of the headers.
const (
	upKey  = "sk-Live/0123+456789&abcdef="
	upTeam = "team-ABC-0123456789-xyz"
)

// units spells each character of a text.
func units(format string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for _, c := range text {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
}

func replacing(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

// spellings are the ways to repeat a key inside a JSON string.
var spellings = []struct {
	name  string
	spell func(string) string
}{
	{"as it is", func(text string) string { return text }},
	{"one letter escaped", func(text string) string { return strings.Replace(text, "e", `\u0065`, 1) }},
	{`with \/`, replacing("/", `\/`)},
	{`with \u002B, as .NET writes it`, replacing("+", `\u002B`, "&", `\u0026`)},
	{"all escaped", units(`\u%04x`)},
	{"all escaped, in capitals", units(`\u%04X`)},
	{`with \\/, JSON in JSON`, replacing("/", `\\/`)},
	{"escapes in JSON in JSON", units(`\\u%04x`)},
	{"JSON in JSON in JSON", units(`\\\\u%04x`)},
	{"in a URL", url.QueryEscape},
	{"all of it in a URL", units("%%%02x")},
	{"in HTML", replacing("&", "&amp;", "+", "&#43;", "/", "&#x2F;")},
	{"all of it in HTML", units("&#%d;")},
	{"in a URL, escaped", func(text string) string {
		return strings.ReplaceAll(url.QueryEscape(text), "%",
			`\u0025`)
	}},
}

var escape = regexp.MustCompile(`(?i)\\u([0-9a-f]{4})|\\(.)`)

// unescaped undoes the escapes of one JSON string.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(found string) string {
		if n, err := strconv.ParseUint(found[2:], 16, 32); err == nil && len(found) == 6 {
			return string(rune(n))
		}
		return found[1:]
	})
}

// clean requires that a text contains neither upKey nor upTeam, in any spelling, nor a long piece
// of either.
func clean(t *testing.T, text, what string) {
	t.Helper()
	all, last := text, text
	for range 4 {
		last = unescaped(last)
		all += "\n" + last
	}
	all += "\n" + html.UnescapeString(last) + "\n" +
		regexp.MustCompile(`(?i)%([0-9a-f]{2})`).ReplaceAllStringFunc(last, func(found string) string {
			n, _ := strconv.ParseUint(found[1:], 16, 8)
			return string(rune(n))
		})
	for _, secret := range []string{upKey, upTeam} {
		for _, part := range []string{secret, secret[:18], secret[len(secret)-18:]} {
			require.False(t, strings.Contains(all, part), "%s: %s", what, text)
		}
	}
}

// headText returns the headers of an answer as text.
func headText(a *answer) string {
	var b strings.Builder
	a.Header().Write(&b)
	return b.String()
}

// echoes is a deployment whose upstream gets upKey and upTeam. The endpoint anna passes; bert also
// counts.
type echoes struct {
	*deployment
	t    *testing.T
	keys map[string]string
}

func newEchoes(t *testing.T) *echoes {
	d := &echoes{deploy(t, nil), t, map[string]string{}}
	ups := everyProtocol("up.test", object{"key": upKey, "headers": object{"x-team": upTeam}})
	d.keys["anna"] = d.tenant("anna", object{"upstreams": ups}).get("key").Str
	d.keys["bert"] = d.tenant("bert", object{"upstreams": ups, "usage": true}).get("key").Str
	return d
}

// converse sends a request to an upstream, and requires an answer without a secret in head and
// body.
func (d *echoes) converse(endpoint, client, of, what string, more object) *answer {
	d.t.Helper()
	body := object{"model": of + "/m"}
	for name, value := range more {
		body[name] = value
	}
	a := d.ask("POST", "/k/"+d.keys[endpoint]+paths[client], smallestOf(client, body), none)
	require.Contains(d.t, []string{"Bearer " + upKey, upKey}, d.last().Header.Get("Authorization")+
		d.last().Header.Get("X-Api-Key"))
	require.Equal(d.t, upTeam, d.last().Header.Get("X-Team"))
	clean(d.t, headText(a), "the head of "+what+", "+client+" of "+of)
	clean(d.t, a.text(), what+", "+client+" of "+of)
	return a
}

// failingWith is an upstream whose error repeats its key.
func failingWith(spell func(string) string) upstream {
	return says(401, `{"error":{"type":"invalid_request_error","message":"Wrong key `+spell(upKey)+` of `+
		spell(upTeam)+`."}}`)
}

func TestKeysInHeaders(t *testing.T) {
	t.Parallel()
	d := newEchoes(t)
	evil := http.Header{}
	for name, value := range map[string]string{
		"Retry-After": upKey, "Retry-After-Ms": "1 " + upKey, "X-Should-Retry": upTeam,
		"X-Request-Id":               "req_" + upTeam,
		"X-Ratelimit-Limit-Requests": upKey, "X-Ratelimit-Reset-Tokens": "6m0s;" + upTeam,
		"X-Ratelimit-" + upTeam:              "1",
		"Anthropic-Ratelimit-Unified-Status": upTeam, "Anthropic-Ratelimit-" + strings.ToUpper(upTeam) +
			"-X": "allowed",
		"Openai-Processing-Ms": strings.Repeat("1", 200), "Openai-Version": upTeam, "Openai-Model": upTeam,
		"X-Codex-Plan-Type": upTeam, "X-Codex-Turn-State": "state " + upKey + " " + upTeam,
		"X-Codex-" + upTeam: "1", "Cache-Control": "private, x=" + upTeam,
	} {
		evil.Set(name, value)
	}
	for _, client := range clientProtocols {
		for _, of := range clientProtocols {
			for _, status := range []int{200, 429} {
				for _, stream := range []bool{false, true} {
					header := evil.Clone()
					header.Set("Content-Type", "application/json")
					text := `{"error":{"message":"no"}}`
					if status == 200 {
						text = plainOf[of]
						if of == client {
							header.Set("Content-Encoding", upTeam)
						}
					}
					d.upstreams["up.test"] = func(*sent) *reply {
						return &reply{status: status, raw: header,
							chunks: []string{text}}
					}
					a := d.converse("anna", client, of, strconv.Itoa(status), object{"stream": stream})
					for name := range evil {
						if name != "X-Request-Id" && (name != "Cache-Control" ||
							a.Header().Get(name) != "no-cache") {
							require.Empty(t, a.Header()[name], "%d: %s", status, name)
						}
					}
				}
			}
		}
	}
}

// TestHonestHeaders: an honest header of an upstream passes, up to a limit.
func TestHonestHeaders(t *testing.T) {
	t.Parallel()
	d := newEchoes(t)
	honest := map[string]string{
		"retry-after": "1.5", "x-ratelimit-limit": "100, 100;w=60", "x-ratelimit-reset-requests": "6m0.5s",
		"x-ratelimit-over-limit":                     "no",
		"anthropic-ratelimit-tokens-reset":           "2026-11-22T10:00:00Z",
		"anthropic-ratelimit-unified-status":         "allowed_warning",
		"anthropic-ratelimit-unified-5h-utilization": "0.05", "openai-model": "org/some-model:free@2026.1",
		"x-codex-primary-used-percent": "37.5",
		"x-codex-credits-has-credits":  "True", "x-codex-active-limit": "codex_other",
		"x-codex-turn-state":    strings.Repeat("gAAA+/=", 400),
		"x-codex-promo-message": "Buy more, or wait.",
	}
	d.upstreams["up.test"] = func(*sent) *reply {
		return &reply{status: 200, header: honest,
			chunks: []string{plainOf["chat"]}}
	}
	for _, client := range clientProtocols {
		a := d.converse("anna", client, "chat", "honest", nil)
		for name, value := range honest {
			require.Equal(t, value, a.Header().Get(name), name)
		}
	}
	many := map[string]string{}
	for i := range 500 {
		many["x-ratelimit-n"+strconv.Itoa(i)] = "1"
	}
	d.upstreams["up.test"] = func(*sent) *reply {
		return &reply{status: 200, header: many,
			chunks: []string{plainOf["chat"]}}
	}
	n := 0
	for name := range d.converse("anna", "chat", "chat", "many", nil).Header() {
		if strings.HasPrefix(name, "X-Ratelimit-") {
			n++
		}
	}
	require.Equal(t, 64, n)
}

// TestKeysInErrors: upstreams repeat their key in an error, in each spelling.
func TestKeysInErrors(t *testing.T) {
	t.Parallel()
	for n, spelling := range spellings {
		t.Run(spelling.name, func(t *testing.T) {
			t.Parallel()
			d := newEchoes(t)
			d.upstreams["up.test"] = failingWith(spelling.spell)
			for i, client := range clientProtocols {
				for j, of := range clientProtocols {
					a := d.converse("anna", client, of, "an error", object{"stream": (i+j+n)%2 == 0})
					require.Equal(t, 401, a.Code)
					require.Equal(t, "Wrong key [key] of [key].", a.get("error.message").Str)
				}
				models := d.ask("GET", "/k/"+d.keys["anna"]+"/v1/models/"+client+"/m", "", none,
					"Anthropic-Version: 2023-06-01")
				clean(t, models.text(), "models of "+client)
				require.Contains(t, models.text(), "[key]")
				test := d.admin("POST", "/endpoints/anna/test", encoded(object{"upstream": client}))
				clean(t, test.text(), "the test of "+client)
				require.Contains(t, test.get("problem").Str, "[key]")
			}
			count := d.ask("POST", "/k/"+d.keys["anna"]+"/v1/messages/count_tokens", smallestOf("anthropic",
				object{"model": "anthropic/m"}), none)
			clean(t, count.text(), "a count")
			words := "Wrong key " + spelling.spell(upKey) + " or " + spelling.spell(upTeam)
			for kind, text := range map[string]string{"text/html": "<html>" + words + "</html>",
				"text/plain": words} {
				d.upstreams["up.test"] = func(*sent) *reply {
					return &reply{status: 500, header: map[string]string{"Content-Type": kind},
						chunks: []string{text}}
				}
				for _, client := range clientProtocols {
					d.converse("anna", client, "chat", kind, nil)
				}
			}
		})
	}
}

// TestKeysThatAreCut: errors are cut in the middle of the key.
func TestKeysThatAreCut(t *testing.T) {
	t.Parallel()
	d := newEchoes(t)
	for _, spelling := range spellings {
		for room := 2040; room > 1950; room -= 29 {
			d.upstreams["up.test"] = says(500, `{"error":{"message":"`+strings.Repeat("x", room)+
				spelling.spell(upKey)+`"}}`)
			d.converse("anna", "anthropic", "chat", "cut after "+strconv.Itoa(room), nil)
		}
	}
}

// TestKeysOfAPool: an upstream's error shows another key of the pool than the one that was sent.
func TestKeysOfAPool(t *testing.T) {
	t.Parallel()
	const first, other, last = "sk-sent-0123456789abcdef", upKey, "sk-third-0123456789abcdef"
	d := deploy(t, nil)
	ups := everyProtocol("up.test", object{"keys": list{first, other, last}})
	key := d.tenant("anna", object{"upstreams": ups}).get("key").Str
	failure := "Key [" + other + "] is used up. Use " + last + " or " + first + "."
	hidden := func(what string, a *answer) {
		all := headText(a) + a.text()
		for _, secret := range []string{first, other, last} {
			require.NotContains(t, all, secret, what)
		}
		require.Contains(t, a.text(), "[key]", what)
	}
	for _, client := range clientProtocols {
		for _, of := range clientProtocols {
			for _, stream := range []bool{false, true} {
				what := client + " of " + of
				body := smallestOf(client, object{"model": of + "/m", "stream": stream})
				d.upstreams["up.test"] = func(*sent) *reply {
					return &reply{status: 401, header: map[string]string{"x-request-id": "req_" + last},
						chunks: []string{`{"error":{"message":"` + failure + `"}}`}}
				}
				hidden(what, d.ask("POST", "/k/"+key+paths[client], body, none))
				if stream {
					d.upstreams["up.test"] = streams(append(append([]string{}, streamOf[of][:3]...),
						streamedFailures[of](failure)...)...)
					hidden(what+", in a stream", d.ask("POST", "/k/"+key+paths[client], body, none))
				}
			}
		}
		d.upstreams["up.test"] = says(401, `{"error":{"message":"`+failure+`"}}`)
		test := d.admin("POST", "/endpoints/anna/test", encoded(object{"upstream": client}))
		hidden("the test of "+client, test)
		draft := d.admin("POST", "/test", encoded(object{"upstream": client, "draft": object{"upstreams": ups}}))
		hidden("the test of a draft", draft)
	}
}

// TestErrorsWithoutKeys: an error without a secret passes byte for byte.
func TestErrorsWithoutKeys(t *testing.T) {
	t.Parallel()
	d := newEchoes(t)
	text := ` { "error" : {"a":"\u0065\/\u00e9 %41 &amp; sk-Live\/0123", "b" : 1.0e2 } }` + "\n"
	d.upstreams["up.test"] = says(400, text)
	for _, client := range clientProtocols {
		require.Equal(t, text, d.converse("anna", client, client, "an error", nil).text())
	}
}

// streamedFailures are the events of a failing stream, by protocol.
var streamedFailures = map[string]func(text string) []string{
	"anthropic": func(text string) []string {
		return []string{"event: error\ndata: " +
			"{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"" + text + "\"}}\n\n"}
	},
	"chat": func(text string) []string {
		return []string{"data: {\"error\":{\"message\":\"" + text + "\",\"type\":\"server_error\"}}\n\n",
			"data: [DONE]\n\n"}
	},
	"responses": func(text string) []string {
		return []string{"event: error\ndata: {\"message\":\"" + text +
			"\",\"type\":\"error\",\"code\":null}\n\n",
			"event: response.failed\ndata: " +
				"{\"type\":\"response.failed\",\"response\":{\"id\":\"resp_1\",\"status\":\"failed\",\"output\":[],\"error\":{\"code\":\"server_error\",\"message\":\"" + text + "\"}}}\n\n"}
	},
}

// TestKeysInStreams: upstreams repeat their key in the error of a stream.
func TestKeysInStreams(t *testing.T) {
	t.Parallel()
	for _, of := range clientProtocols {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newEchoes(t)
				for _, spelling := range spellings {
					said := "Wrong key " + spelling.spell(upKey) + " of " + spelling.spell(upTeam)
					events := append(append([]string{}, streamOf[of][:3]...),
						streamedFailures[of](said)...)
					whole := strings.Join(events, "")
					middle := strings.Index(whole, "Wrong key") + 20
					for how, cut := range map[string][]string{
						"one by one": events, "at once": {whole},
						"in the middle of the key":  {whole[:middle], whole[middle:]},
						"without its last line end": {strings.TrimRight(whole, "\n")},
						"byte by byte":              strings.Split(whole, ""),
					} {
						if how != "one by one" && spelling.name != "all escaped" {
							continue
						}
						d.upstreams["up.test"] = streams(cut...)
						for _, client := range clientProtocols {
							more := object{"stream": true}
							if client == "chat" {
								more["stream_options"] = object{"include_usage": true}
							}
							a := d.converse("bert", client, of, "a stream "+how+", "+spelling.name, more)
							require.Contains(t, a.text(), "Wrong key [key] of [key]", spelling.name)
							if client == of {
								require.Equal(t, strings.ReplaceAll(strings.Join(cut, ""), said,
									"Wrong key [key] of [key]"), a.text())
							}
						}
					}
				}
			})
		})
	}
}

// TestKeysInLosses: upstreams answer with members named like the value of a header.
func TestKeysInLosses(t *testing.T) {
	t.Parallel()
	d := newEchoes(t)
	for _, of := range clientProtocols {
		d.upstreams["up.test"] = says(200, edited(plainOf[of], func(o object) {
			o[upTeam], o[strings.Repeat("a", 40)+upTeam] = object{"a": 1}, object{"a": 1}
		}))
		for _, client := range clientProtocols {
			a := d.ask("POST", "/k/"+d.keys["anna"]+paths[client], smallestOf(client,
				object{"model": of + "/m"}), none)
			require.Equal(t, 200, a.Code)
			clean(t, headText(a), client+" of "+of)
		}
	}
}

// TestKeysInLateErrors: an upstream fails after the client got the head of its stream.
func TestKeysInLateErrors(t *testing.T) {
	t.Parallel()
	for _, of := range clientProtocols {
		synctest.Test(t, func(t *testing.T) {
			d := deploy(t, nil)
			up := d.stage("up.test")
			key := d.tenant("anna", object{"upstreams": everyProtocol("up.test", object{"key": upKey,
				"headers": object{"x-team": upTeam}}), "head_wait": 1}).get("key").Str
			client := "chat"
			if of == "chat" {
				client = "anthropic"
			}
			c := d.enter("POST", "/k/"+key+paths[client], smallestOf(client, object{"model": of + "/m",
				"stream": true}), false)
			v := up.next()
			sleep(t, 2)
			require.Equal(t, 200, c.soFar.Code)
			require.True(t, c.soFar.Flushed)
			v.answer(failingWith(units(`\u%04x`))(v.sent))
			a := c.whole()
			require.Contains(t, a.text(), "Wrong key [key]")
			clean(t, a.text(), of)
		})
	}
}

// TestKeysThatNoHeaderCarries: the deployment's UPSTREAM_KEY has a character that is not allowed in
// headers.
func TestKeysThatNoHeaderCarries(t *testing.T) {
	t.Parallel()
	odd := "sk-odd-0123456789\x01abcdef"
	d := deploy(t, map[string]string{"UPSTREAM_KEY": odd})
	line, wrong, err := d.host.Describe()
	require.NoError(t, err)
	require.True(t, wrong)
	texts := []string{line}
	for _, client := range clientProtocols {
		a := d.ask("POST", paths[client], smallestOf(client, nil))
		require.Equal(t, 500, a.Code)
		texts = append(texts, a.text())
	}
	for _, text := range texts {
		require.Contains(t, text, "UPSTREAM_KEY holds what no header can carry")
		require.NotContains(t, text, odd[:17])
	}
	require.Empty(t, d.asked)
}
