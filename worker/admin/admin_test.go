package admin

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator/chat"
	"edgelingua/worker/endpoint"
)

const (
	sealed = "v1.keyid000.nonce00000000000.the-ciphertext-and-its-tag-"
	now    = 1790000000
	hash   = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
)

// sealer imitates the bridge's: the sealed text has the right form, and does not contain the
// secret.
var sealer = Sealer{seal, func(_, sealed string) (string, bool, bool, error) { return "", true, false, nil }}

func seal(context, secret string) (string, error) {
	parts := strings.Split(context, "/")
	if len(parts) != 4 || parts[0] != "endpoint" || !strings.Contains(parts[3], ".") {
		return "", errors.New("context " + context)
	}
	return sealed + parts[2] + "x" + strconv.Itoa(len(secret)), nil
}

// keyOf returns the sealed key of an upstream, or "".
func keyOf(u *upstreamSecrets) string {
	if !u.sealed() {
		return ""
	}
	return u.keys[0].sealed
}

const upstreams = `[
	{"name":"openai","protocol":"responses","url":"https://api.openai.com/v1","key":"sk-plain-openai","headers":{"X-Title":"mine"},"options":{"effort":"none","headers":{"x-more":"other"}}},
	{"name":"claude","protocol":"anthropic","url":"https://api.anthropic.com","key":"sk-plain-claude","models":["claude-*"]},
	{"name":"local","protocol":"chat","url":"https://llm.example/v1"}]`

// made returns a newly created record.
func made(t testing.TB) *Record {
	r, first, forward, err := Create(`{"name":"anna","upstreams":` + upstreams +
		`,"options":{"strict":"off","tool_map":{"Bash":{"name":"shell"}}},"key":{"label":"laptop"}}`)
	require.Nil(t, err)
	require.False(t, forward)
	require.Equal(t, Wanted{Label: "laptop"}, first)
	require.Nil(t, r.AddKey(hash, first, now))
	r = reloaded(t, r)
	record, _, err := r.encode(false)
	require.Nil(t, err)
	require.NotContains(t, record, "sk-plain")
	return r
}

// stored returns the record after storing and reading it.
func reloaded(t testing.TB, r *Record) *Record {
	record, err := r.Finish(now, false, sealer)
	require.Nil(t, err)
	again, err := Load(r.Name, record)
	require.Nil(t, err)
	require.Equal(t, string(r.AppendView(nil, "")), string(again.AppendView(nil, "")))
	return again
}

func decode(t testing.TB, text []byte) (v map[string]any) {
	require.NoError(t, json.Unmarshal(text, &v), string(text))
	return v
}

func TestCreate(t *testing.T) {
	r := made(t)
	require.Equal(t, "openai "+sealed+"openaix15", r.upstreams[0].name+" "+keyOf(&r.upstreams[0]))
	require.Empty(t, keyOf(&r.upstreams[2]))
	require.JSONEq(t, `{
		"name":"anna","created":1790000000,"updated":1790000000,"rev":1,
		"upstreams":[
			{"name":"openai","protocol":"responses","url":"https://api.openai.com/v1","headers":{"X-Title":"mine"},"options":{"effort":"none","headers":{"x-more":"other"}}},
			{"name":"claude","protocol":"anthropic","url":"https://api.anthropic.com","models":["claude-*"]},
			{"name":"local","protocol":"chat","url":"https://llm.example/v1"}],
		"options":{"strict":"off","tool_map":{"Bash":{"name":"shell"}}},"usage":true,
		"sealed_keys":["openai","claude"],
		"keys":[{"id":"01234567","label":"laptop","created":1790000000}]}`, string(r.AppendView(nil, "")))
	require.JSONEq(t, `{
		"key":"el_new","name":"anna","created":1790000000,"updated":1790000000,
		"upstreams":[
			{"name":"openai","protocol":"responses","url":"https://api.openai.com/v1","headers":["X-Title"],"options":{"effort":"none","headers":["x-more"]}},
			{"name":"claude","protocol":"anthropic","url":"https://api.anthropic.com","models":["claude-*"]},
			{"name":"local","protocol":"chat","url":"https://llm.example/v1"}],
		"options":{"strict":"off","tool_map":{"Bash":{"name":"shell"}}},"usage":true,
		"own_key":{"id":"01234567","label":"laptop","created":1790000000}}`, string(r.AppendOwn(nil, hash, "el_new")))
}

// TestCreateCounts: a new endpoint counts usage unless the request says otherwise. A record without
// the member, such as one of an earlier version, counts none, also after a change and after its view
// was written back.
func TestCreateCounts(t *testing.T) {
	const up = `"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example"}]`
	for said, want := range map[string]bool{``: true, `"usage":null,`: true, `"usage":true,`: true,
		`"usage":false,`: false, `"auth":"forward",`: true, `"limits":{"models":["m"]},`: true} {
		r, _, _, err := Create(`{"name":"a",` + said + up + `}`)
		require.Nil(t, err)
		record, err := r.Finish(now, false, sealer)
		require.Nil(t, err)
		require.Equal(t, want, gjson.Get(record, "usage").Bool(), said)
		require.True(t, gjson.Get(record, "usage").Exists(), said)
		_, counts := r.Counts()
		require.Equal(t, want, counts, said)
		r = reloaded(t, r)
		for _, view := range [][]byte{r.AppendView(nil, ""), r.AppendOwn(nil, hash, "")} {
			require.Equal(t, want, decode(t, view)["usage"], said)
		}
	}
	old, err := Load("a", `{"version":1,"rev":1,`+up+`,"keys":[]}`)
	require.Nil(t, err)
	for _, view := range [][]byte{old.AppendView(nil, ""), old.AppendOwn(nil, hash, "")} {
		require.Equal(t, false, decode(t, view)["usage"])
	}
	for _, patch := range []string{`{"batch":7}`, `{"usage":false}`} {
		require.Nil(t, old.Patch(patch))
		_, err = old.Finish(now, false, sealer)
		require.Nil(t, err)
		before, after := old.Counts()
		require.False(t, before || after, patch)
	}
}

func TestCreateForward(t *testing.T) {
	r, _, forward, err := Create(`{"name":"a","auth":"forward","upstreams":[{"name":"a","protocol":"chat",` +
		`"url":"https://a.example"}]}`)
	require.Nil(t, err)
	require.True(t, forward)
	require.Empty(t, reloaded(t, r).Keys)
}

func TestRefused(t *testing.T) {
	const up = `"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example"}]`
	for _, c := range []struct{ body, path, message string }{
		{`{`, "", "The body is not JSON: not JSON at offset 1."},
		{`[]`, "", "The body must be a JSON object."},
		{``, "name", "name is missing."},
		{`{"name":"A"}`, "name", "name must be a name: 1 to 40 of a-z, 0-9 and -."},
		{`{"name":"a","name":"b"}`, "name", "name is there twice."},
		{`{"name":"a","rev":1}`, "rev", "rev is no field. The fields are name, key, auth,"},
		{`{"name":"a"}`, "upstreams", "upstreams must be a list of one upstream at least."},
		{`{"name":"a","upstreams":null}`, "upstreams", "upstreams must be a list of one upstream at least."},
		{`{"name":"a","upstreams":{"a":1}}`, "upstreams", "upstreams must be a list."},
		{`{"name":"a","upstreams":[1]}`, "upstreams[0]", "must be an object."},
		{`{"name":"a","upstreams":[{"name":"a","key":7}]}`, "upstreams[0].key",
			"upstreams[0].key must be the upstream's key"},
		{`{"name":"a","upstreams":[{"name":"a","key":"a b"}]}`, "upstreams[0].key", "visible characters"},
		{`{"name":"a","upstreams":[{"name":"a","key":""}]}`, "upstreams[0].key", "visible characters"},
		{`{"name":"a","upstreams":[{"name":"a","key":"` + strings.Repeat("k", maxSecret+1) + `"}]}`,
			"upstreams[0].key", "1 to 2048"},
		{`{"name":"a","upstreams":[{"name":"a","key":"k","key":"l"}]}`, "upstreams[0].key",
			"is there twice."},
		{`{"name":"a","upstreams":[{"name":"a","models":{"m":"b","m":"c"}}]}`, "upstreams[0].models.m",
			"is there twice."},
		{`{"name":"a","upstreams":[{"name":"a","options":{"effort":"none","\u0065ffort":["low"]}}]}`,
			"upstreams[0].options.effort", "is there twice."},
		{`{"name":"a","upstreams":[{"name":"a","options":{"headers":{"x":"1","x":"2"}}}]}`,
			"upstreams[0].options.headers.x", "is there twice."},
		{`{"name":"a","upstreams":[` + strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9) + `]}`,
			"upstreams[0].a.a.a.a.a.a.a.a", "is nested too deep."},
		{`{"name":"a","upstreams":[{"name":"a","protocol":"chat","url":"http://a.example"}]}`,
			"upstreams[0].url", "must begin with https://, unless the variable ALLOW_HTTP_UPSTREAM is true."},
		{`{"name":"a","upstreams":[{"name":"a","protocol":"chat","url":"https://10.0.0.1"}]}`,
			"upstreams[0].url", "must have a public host name"},
		{`{"name":"a","upstreams":[{"name":"a","protocol":"chat","url":"https://a.example",` +
			`"headers":{"X-Goog-Api-Key":"k"}}]}`, "upstreams[0].headers", "must be free of x-goog-api-key"},
		{`{"name":"a","upstreams":[{"name":"a","protocol":"chat","url":"https://a.example",` +
			`"options":{"headers":{"cookie":"k"}}}]}`, "upstreams[0].options.headers",
			"must be free of cookie"},
		{`{"name":"a","auth":"none",` + up + `}`, "auth", "auth must be one of"},
		{`{"name":"a","options":{"lossy":"x"},` + up + `}`, "options.lossy", "options.lossy must be one of"},
		{`{"name":"a","options":{"lossy":"report","lossy":"refuse"},` + up + `}`, "options.lossy",
			"is there twice."},
		{`{"name":"a","auth":"forward","key":{},` + up + `}`, "key", "key must be left out"},
		{`{"name":"a","key":{"grace":1},` + up + `}`, "key.grace",
			"key.grace is no field. The fields are label, expires, limits."},
		{`{"name":"a","key":1,` + up + `}`, "key", "key must be an object."},
		{`{"name":"a","key":{"label":1},` + up + `}`, "key.label", "must be a text of at most 100 bytes."},
		{`{"name":"a","key":{"expires":"soon"},` + up + `}`, "key.expires",
			"must be a whole number of seconds."},
		{`{"name":"a","key":{"expires":0},` + up + `}`, "key.expires", "must be a time to come"},
		{`{"name":"a","key":{"expires":1},` + up + `}`, "key.expires", "key.expires must be a time to come"},
		{`{"name":"a","options":` + strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9) + `,` + up +
			`}`, "options.a.a.a.a.a.a.a", "is nested too deep."},
	} {
		r, first, _, err := Create(c.body)
		if err == nil {
			if err = r.AddKey(hash, first, now); err != nil {
				err = err.In("key")
			}
		}
		if err == nil {
			_, err = r.Finish(now, false, sealer)
		}
		require.NotNil(t, err, c.body)
		require.Equal(t, http.StatusBadRequest, err.Status, c.body)
		require.Equal(t, c.path, err.Path, c.body)
		require.Contains(t, err.Message, c.message)
		require.NotEmpty(t, decode(t, err.Append(nil))["error"])
	}
	many := []byte{'{'}
	for i := range maxMembers + 1 {
		many = append(appendName(many, strconv.Itoa(i)), '1')
	}
	_, err := membersOf(mustBody(t, string(append(many, '}'))), "")
	require.Contains(t, err.Message, "more than 1024 members")
}

// TestCredentialHeaders: the name of a header decides whether it may be stored unsealed.
func TestCredentialHeaders(t *testing.T) {
	for name, credential := range map[string]bool{
		"proxy-authorization": true, "cookie": true, "set-cookie": true, "x-goog-api-key": true,
		"cf-access-client-secret": true, "api-key": true,
		"x-auth-token": true, "ocp-apim-subscription-key": true, "X-Api-Token": true,
		"cf-aig-authorization": true, "helicone-auth": true,
		"x-password": true, "apikey": true, "x-amz-security-token": true, "x-credentials": true,
		"x-jwt":   true,
		"x-title": false, "http-referer": false, "anthropic-beta": false, "anthropic-version": false,
		"openai-organization": false, "openai-project": false,
		"user-agent": false, "cf-access-client-id": false, "x-tokens-per-minute": false, "x-author": false,
	} {
		for path, where := range map[string]string{
			"upstreams[0].headers":         `"headers":{"` + name + `":"v"}`,
			"upstreams[0].options.headers": `"headers":{"x":"y"},"options":{"headers":{"` + name + `":"v"}}`,
		} {
			r, _, _, err := Create(`{"name":"a","upstreams":[{"name":"a","protocol":"chat",` +
				`"url":"https://a.example",` + where + `}]}`)
			require.Nil(t, err, name)
			_, err = r.Finish(now, false, sealer)
			require.Equal(t, credential, err != nil, name)
			if credential {
				require.Equal(t, path, err.Path)
				require.Contains(t, err.Message, "must be free of "+strings.ToLower(name)+
					": headers are stored as they are")
			}
		}
	}
}

func TestPatch(t *testing.T) {
	r := made(t)
	for _, c := range []struct{ patch, settings string }{
		{`{"disabled":true}`, `"disabled":true`},
		{`{"disabled":null,"head_wait":5}`, `"head_wait":5`},
		{`{"options":{"strict":null,"lossy":"refuse","tool_map":{"Read":{"name":"cat"}}}}`,
			`"options":{"tool_map":{"Bash":{"name":"shell"},"Read":{"name":"cat"}},"lossy":"refuse"}`},
		{`{"options":{"tool_map":null}}`, `"options":{"lossy":"refuse"}`},
		{`{"options":null}`, ``},
		{``, ``},
	} {
		require.Nil(t, r.Patch(c.patch))
		rev := r.Rev
		r = reloaded(t, r)
		require.Equal(t, rev+1, r.Rev)
		require.Contains(t, r.settings, c.settings)
		require.Equal(t, []string{sealed + "openaix15", sealed + "claudex15", ""},
			[]string{keyOf(&r.upstreams[0]), keyOf(&r.upstreams[1]), keyOf(&r.upstreams[2])})
	}
	require.NotContains(t, r.settings, "options\":{\"lossy")
	for _, body := range []string{`{"name":"b"}`, `{"rev":9}`, `{"keys":[]}`, `{"created":1}`,
		`{"version":1}`, `{"":1}`} {
		err := made(t).Patch(body)
		require.NotNil(t, err, body)
		require.Contains(t, err.Message, "is no field that can be changed.")
	}
}

// TestUpstreamKeys replaces the list of upstreams, and checks which keys stay, which are deleted,
// and which have to be sent again.
func TestUpstreamKeys(t *testing.T) {
	const openai, claude = sealed + "openaix15", sealed + "claudex15"
	for _, c := range []struct{ name, upstreams, want string }{
		{"as the view has them",
			`[{"name":"openai","protocol":"responses","url":"https://api.openai.com/v1"},{"name":"claude",` +
				`"protocol":"anthropic","url":"https://api.anthropic.com"}]`, openai + " " + claude},
		{"the other way round",
			`[{"name":"claude","protocol":"anthropic","url":"https://api.anthropic.com"},{"name":"openai",` +
				`"protocol":"responses","url":"https://api.openai.com/v1"}]`, claude + " " + openai},
		{"another path", `[{"name":"openai","protocol":"chat","url":"https://api.openai.com/v2/"}]`, openai},
		{"a new name", `[{"name":"other","protocol":"chat","url":"https://api.openai.com/v1"}]`, ""},
		{"no key any more",
			`[{"name":"openai","protocol":"chat","url":"https://api.openai.com/v1","key":null}]`, ""},
		{"elsewhere without",
			`[{"name":"openai","protocol":"chat","url":"https://evil.example/v1","key":null}]`, ""},
		{"elsewhere with a new one",
			`[{"name":"openai","protocol":"chat","url":"https://evil.example/v1","key":"sk-plain-new"}]`,
			sealed + "openaix12"},
		{"one that had none", `[{"name":"local","protocol":"chat","url":"https://elsewhere.example/v1"}]`,
			""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := made(t)
			require.Nil(t, r.Patch(`{"upstreams":`+c.upstreams+`}`))
			r = reloaded(t, r)
			var got []string
			for _, u := range r.upstreams {
				got = append(got, keyOf(&u))
			}
			require.Equal(t, c.want, strings.Join(got, " "))
		})
	}
	for _, url := range []string{"https://evil.example/v1", "https://api.openai.com:8443/v1",
		"http://api.openai.com/v1", "https://api.openai.com.evil.example",
		"https://api.openai.com@evil.example", "https://API.openai.com", ""} {
		err := made(t).Patch(`{"upstreams":[{"name":"openai","protocol":"chat","url":"` + url + `"}]}`)
		require.NotNil(t, err, url)
		require.Equal(t, "upstreams[0].key", err.Path)
		require.Contains(t, err.Message, "must be sent again")
	}
}

func TestFinish(t *testing.T) {
	r := made(t)
	require.Nil(t, r.Patch(`{"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example",`+
		`"key":"sk-plain"}]}`))
	_, err := r.Finish(now, false, Sealer{Seal: func(string, string) (string, error) {
		return "",
			errors.New("The secret SEAL_KEY is missing.")
	}})
	require.Equal(t, &Error{Status: 500, Message: "The secret SEAL_KEY is missing."}, err)
	require.Nil(t, r.Patch(`{"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example",`+
		`"key":"sk-plain"}]}`))
	_, err = r.Finish(now, false, Sealer{Seal: func(_, secret string) (string, error) { return secret, nil }})
	require.Equal(t, &Error{Status: 500,
		Message: "The key of the upstream a is not sealed, so nothing was stored."}, err)

	seals := 0
	r = made(t)
	require.Nil(t, r.Patch(`{"upstreams":[{"name":"a","protocol":"chat","url":"http://127.0.0.1:1",`+
		`"key":"sk-plain"}]}`))
	_, err = r.Finish(now, false, Sealer{Seal: func(string, string) (string, error) {
		seals++
		return "",
			nil
	}})
	require.Equal(t, "upstreams[0].url", err.Path)
	require.Zero(t, seals)
	_, err = r.Finish(now+5, true, sealer)
	require.Nil(t, err)
	require.Equal(t, []int64{2, now, now + 5}, []int64{r.Rev, r.Created, r.Updated})

	stale := Sealer{seal, func(context, _ string) (string, bool, bool, error) {
		return "opened", strings.Contains(context, "/openai/"), true, nil
	}}
	r = made(t)
	_, err = r.Finish(now, false, stale)
	require.Nil(t, err)
	require.Equal(t, []string{sealed + "openaix6", sealed + "claudex15"}, []string{keyOf(&r.upstreams[0]),
		keyOf(&r.upstreams[1])})

	_, err = Load("anna", `{"version":2}`)
	require.Equal(t, 500, err.Status)
	require.Contains(t, err.Message, "The record of anna can't be read: ")
}

func TestMatch(t *testing.T) {
	r := made(t)
	for header, ok := range map[string]bool{"": true, "*": true, "1": true, `"1"`: true, "2": false,
		`"0"`: false, "x": false} {
		err := r.Match(header)
		require.Equal(t, ok, err == nil, header)
		if err != nil {
			require.Equal(t, http.StatusPreconditionFailed, err.Status)
		}
	}
}

func hashOf(i int) string { return strings.Repeat(string(rune('a'+i)), 43) }

func TestReadWanted(t *testing.T) {
	for body, want := range map[string]Wanted{
		``: {},
		`{"label":null,"expires":null,"grace":null}`:         {},
		`{"label":"x","expires":1800000000,"grace":2592000}`: {Label: "x", Expires: 1800000000, Grace: 2592000},
		`{"limits":{"usd_per_day":1}}`:                       {Limits: `{"usd_per_day":1}`, limited: true},
	} {
		w, err := ReadWanted(body, RotateFields)
		require.Nil(t, err)
		require.Equal(t, want, w)
	}
	for body, path := range map[string]string{`{"grace":2592001}`: "grace", `{"grace":-1}`: "grace",
		`{"grace":1.5}`: "grace", `{"":1}`: `""`, `{"x":1}`: "x", `[]`: "", `{"limits":1}`: "limits",
		`{"limits":{"requests_per_minute":0}}`: "limits.requests_per_minute",
		`{"limits":{"concurrent_streams":1}}`:  "limits.concurrent_streams",
		`{"limits":{"over_budget":"next"}}`:    "limits.over_budget", `{"limits":{"models":[]}}`: "limits.models",
		`{"limits":{"usd_per_day":1,"usd_per_day":2}}`: "limits.usd_per_day"} {
		_, err := ReadWanted(body, RotateFields)
		require.NotNil(t, err)
		require.Equal(t, path, err.Path)
	}
	_, err := ReadWanted(`{"grace":1}`, KeyFields)
	require.Equal(t, "grace is no field. The fields are label, expires, limits.", err.Message)
}

func TestKeys(t *testing.T) {
	r := made(t)
	require.Nil(t, r.AddKey(hashOf(1), Wanted{Label: "b", Expires: now + 100}, now))
	r.Expire("", now+50)
	require.Equal(t, []int64{now + 50, now + 50}, []int64{r.Keys[0].Expires, r.Keys[1].Expires})
	r.Expire("", now+70)
	require.Equal(t, int64(now+50), r.Keys[0].Expires, "nothing lives longer by it")
	r.Expire(hashOf(1), now)
	require.Equal(t, []int64{now + 50, now}, []int64{r.Keys[0].Expires, r.Keys[1].Expires})
	require.Equal(t, http.StatusNotFound, r.Revoke("zzzzzzzz").Status)
	require.Equal(t, http.StatusNotFound, r.Revoke("").Status)
	require.Equal(t, http.StatusNotFound, r.Revoke("0123").Status)
	require.Equal(t, http.StatusNotFound, r.Revoke("01234xyz").Status)
	require.Nil(t, r.Revoke("01234567"))
	require.Equal(t, "b", r.Keys[0].Label)
	require.Len(t, reloaded(t, r).Keys, 1)
	require.Equal(t, "expires", r.AddKey(hash, Wanted{Expires: now}, now).Path)

	r = made(t)
	for i := range endpoint.MaxKeys - 1 {
		require.Nil(t, r.AddKey(hashOf(i), Wanted{}, now))
	}
	err := r.AddKey(hashOf(20), Wanted{}, now)
	require.Equal(t, http.StatusConflict, err.Status)
	r.Expire(hashOf(3), now)
	require.Nil(t, r.AddKey(hashOf(20), Wanted{}, now))
	require.Len(t, r.Keys, endpoint.MaxKeys)
	require.Equal(t, endpoint.Key{}, r.Key(hashOf(3)))
	reloaded(t, r)
}

// TestTryKeys: for "Try it" the page makes keys that expire after 15 minutes. Expired "Try it" keys
// are removed; other expired keys stay while there is room.
func TestTryKeys(t *testing.T) {
	r := made(t)
	for i := range 5 {
		require.Nil(t, r.AddKey(hashOf(i), Wanted{Label: tryLabel, Expires: now + 10}, now))
	}
	require.Nil(t, r.AddKey(hashOf(6), Wanted{Label: "b", Expires: now + 10}, now))
	require.Len(t, r.Keys, 7)
	require.Nil(t, r.AddKey(hashOf(7), Wanted{Label: tryLabel, Expires: now + 900}, now+10))
	var labels []string
	for _, k := range r.Keys[1:] {
		labels = append(labels, k.Label)
	}
	require.Equal(t, []string{"b", tryLabel}, labels)
	for i := range endpoint.MaxKeys {
		require.Nil(t, r.AddKey(hashOf(8), Wanted{Label: tryLabel, Expires: now + int64(i+1)*900 + 1},
			now+int64(i)*900+1))
		r.Expire(hashOf(8), now+int64(i+1)*900)
	}
	reloaded(t, r)
}

// TestDeployment: a client with CLIENT_KEY sees the effective settings, without secrets.
func TestDeployment(t *testing.T) {
	for _, c := range []struct {
		vars      map[string]string
		stateless string
		want      string
	}{
		{map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "https://a.example/v1"}, "",
			`{"setup":"upstream: chat https://a.example/v1 (no key), clients need a key",` +
				`"upstreams":[{"protocol":"chat","url":"https://a.example/v1"}]}`},
		{map[string]string{"UPSTREAM_PROTOCOL": "chat",
			"UPSTREAM_URL": "https://a.example/secret-of-the-upstream/client-secret-key",
			"UPSTREAM_KEY": "secret-of-the-upstream", "MODELS": `{"*":"x"}`,
			"UPSTREAM_OPTIONS": `{"headers":{"x-title":"a-header-that-is-a-secret"}}`,
			"OPTIONS":          `{"store":"on"}`, "UPSTREAM_ULR": "x"}, "There is no binding.",
			`{"setup":"upstream: chat https://a.example/[key]/[key] (key set), models named by MODELS, ` +
				`clients need a key; UPSTREAM_ULR is no setting: did you mean UPSTREAM_URL?",` +
				`"stateless":"There is no binding.",` +
				`"upstreams":[{"protocol":"chat","url":"https://a.example/[key]/[key]","models":{"*":"x"},` +
				`"options":{"headers":["x-title"]}}],"options":{"store":"on"}}`},
		{map[string]string{"UPSTREAM_PROTOCOL": "chat"}, "",
			`{"setup":"","problem":"This deployment is not set up: UPSTREAM_URL is not set. Set it to the ` +
				`upstream's base URL, as https://api.openai.com/v1."}`},
		{map[string]string{"ADMIN_KEY": "the-operator-s-own-key"}, "",
			`{"setup":"upstream: only those of personal endpoints, page at /admin",` +
				`"problem":"This deployment is not set up: UPSTREAM_PROTOCOL is not set. Set it to ` +
				`anthropic, chat, responses, gemini or interactions."}`},
	} {
		c.vars["CLIENT_KEY"] = "client-secret-key"
		get := func(name string) (string, bool) { value, ok := c.vars[name]; return value, ok }
		names := []string{}
		for name := range c.vars {
			names = append(names, name)
		}
		require.JSONEq(t, c.want, string(AppendDeployment(nil, get, names, c.stateless)))
	}
}

// TestMetadata checks the longest metadata: KV accepts 1,024 bytes.
func TestMetadata(t *testing.T) {
	list := make([]string, 16)
	for i := range list {
		list[i] = `{"name":"` + strings.Repeat("n", 38) + strconv.Itoa(10+i) +
			`","protocol":"anthropic","url":"https://a.example"}`
	}
	r, _, _, err := Create(`{"name":"a","auth":"forward","disabled":false,"upstreams":[` + strings.Join(list,
		",") + `]}`)
	require.Nil(t, err)
	for i := range endpoint.MaxKeys {
		require.Nil(t, r.AddKey(hashOf(i), Wanted{}, now))
	}
	_, err = r.Finish(now*1000, false, sealer)
	require.Nil(t, err)
	metadata := appendMetadata(nil, r.finished)
	require.LessOrEqual(t, len(metadata), 1024)
	require.Len(t, decode(t, metadata)["upstreams"], 16)
}

func TestAppendList(t *testing.T) {
	page := `{"keys":[{"name":"endpoint:a","metadata":{"auth":"key","upstreams":{"x":"chat"}}},` +
		`{"name":"endpoint:b","expiration":5}],"cursor":"next"}`
	require.JSONEq(t,
		`{"endpoints":[{"name":"a","auth":"key","upstreams":{"x":"chat"}},{"name":"b"}],"cursor":"next"}`,
		string(AppendList(nil, page, "endpoint:")))
	require.JSONEq(t, `{"endpoints":[],"cursor":""}`, string(AppendList(nil, `{"keys":[],"cursor":""}`,
		"endpoint:")))
}

func TestTrial(t *testing.T) {
	e, failed := endpoint.Parse("a", `{"version":1,"upstreams":`+upstreams+`}`)
	require.Nil(t, failed)
	for body, want := range map[string]string{
		`{"upstream":"claude","model":"m"}`: "claude",
		`{"upstream":"nobody"}`:             "upstream must be the name of one of the endpoint's upstreams.",
		``:                                  "upstream must be the name of one of the endpoint's upstreams.",
		`{"upstream":1}`:                    "upstream must be a name.",
		`{"model":".."}`:                    "model must be a name.",
		`{"draft":[]}`:                      "draft must be an object, with the settings of an endpoint.",
		`{"url":"https://x"}`:               "url is no field. The fields are upstream, model, draft.",
	} {
		trial, err := ReadTest(body, TestFields)
		var u *endpoint.Upstream
		if err == nil {
			u, _, err = trial.Choose(e)
		}
		if err != nil {
			require.Equal(t, want, err.Message)
			continue
		}
		require.Equal(t, want, u.Name)
		require.Equal(t, "m", trial.Model)
	}
	e.Upstreams = e.Upstreams[:1]
	u, i, err := (&Trial{}).Choose(e)
	require.Nil(t, err)
	require.Equal(t, "openai", u.Name)
	require.Zero(t, i)
	_, err = ReadTest(`{"model":"m"}`, ModelsFields)
	require.Equal(t, "model is no field. The fields are upstream, draft.", err.Message)
	require.JSONEq(t, `{"upstream":"a","ok":true,"status":200,"milliseconds":3}`,
		string((&Trial{Upstream: "a", Status: 200, Milliseconds: 3}).Append(nil)))
	require.JSONEq(t, `{"upstream":"a","ok":false,"status":401,"milliseconds":0,"problem":"no"}`,
		string((&Trial{Upstream: "a", Status: 401, Problem: "no"}).Append(nil)))
	require.Empty(t, NoModels(`{"data":[]}`))
	require.NotEmpty(t, NoModels(`<html>`))
	require.Len(t, Excerpt(strings.Repeat("x", 2000)), 1000)
	require.NotEmpty(t, Excerpt(""))
}

func TestTrialList(t *testing.T) {
	entry := func(id string) string { return `{"id":"` + id + `"}` }
	long := strings.Repeat("x", maxModelName)
	trial := Trial{Upstream: "a", Status: 200}
	trial.List(chat.API.Models, `{"data":[`+strings.Join([]string{entry("b"), entry(`a\u0022\n`), entry(""),
		entry(long), entry(long + "x"), `{}`, `3`}, ",")+`]}`)
	require.JSONEq(t, `{"upstream":"a","ok":true,"status":200,"milliseconds":0,"models":["b","a\"\n","`+long+
		`"]}`, string(trial.Append(nil)))
	trial.List(chat.API.Models, `{"data":[`+strings.Repeat(entry("m")+",", 2*maxModels)+entry("m")+`]}`)
	require.Equal(t, maxModels, strings.Count(string(trial.Models), `"m"`))
	trial.List(chat.API.Models, `{"data":[]}`)
	require.Equal(t, `[]`, string(trial.Models))
	for _, body := range []string{`{}`, `{"data":{}}`, `{"data":[`, `"m"`, ``} {
		trial := Trial{}
		trial.List(chat.API.Models, body)
		require.Equal(t, "The answer is no list of models.", trial.Problem, body)
		require.Nil(t, trial.Models)
	}
}

func TestDraft(t *testing.T) {
	r, err := Draft(`{"upstreams":` + upstreams + `,"key":{"label":"x"}}`)
	require.Nil(t, err)
	require.Equal(t, "draft", r.Name)
	_, e, err := r.encode(false)
	require.Nil(t, err)
	require.Equal(t, "draft", e.Name) // an endpoint with a name may only have public upstreams: upstream.Call
	for body, path := range map[string]string{
		`{"name":"A","upstreams":` + upstreams + `}`: "name", `{"name":"a","rev":3}`: "rev",
		`{"upstreams":[1]}`: "upstreams[0]",
	} {
		_, err := Draft(body)
		require.Equal(t, path, err.Path, body)
	}
	r, err = Draft(`{"upstreams":[{"name":"a","protocol":"chat","url":"https://127.0.0.1"}]}`)
	require.Nil(t, err)
	_, _, err = r.encode(false)
	require.Equal(t, "upstreams[0].url", err.Path)
	require.Contains(t, err.Message, "ALLOW_HTTP_UPSTREAM")
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		method, path string
		want         Call
		ok           bool
	}{
		{"GET", "/admin/api/endpoints", Call{Operation: List}, true},
		{"PUT", "/admin/api/endpoints", Call{Allow: "GET, POST"}, false},
		{"DELETE", "/admin/api/endpoints/anna", Call{Operation: Delete, Name: "anna"}, true},
		{"POST", "/admin/api/endpoints/anna", Call{Allow: "GET, PATCH, DELETE"}, false},
		{"DELETE", "/admin/api/endpoints/anna/keys/abc", Call{Operation: RevokeKey, Name: "anna", ID: "abc"},
			true},
		{"POST", "/u/anna/api/rotate", Call{Operation: OwnerRotate, Name: "anna"}, true},
		{"GET", "/api", Call{Operation: DeploymentRead}, true},
		{"GET", "/api/usage", Call{Operation: DeploymentUsage}, true},
		{"POST", "/api", Call{Allow: "GET"}, false},
		{"GET", "/admin/api/endpoints/anna/keys/abc/x", Call{}, false},
		{"GET", "/admin/api/", Call{}, false},
		{"GET", "/u/anna/v1/models", Call{}, false},
	} {
		call, ok := Find(c.method, c.path)
		require.Equal(t, c.ok, ok, c.path)
		require.Equal(t, c.want, call, c.path)
	}
	for path, want := range map[string]bool{
		"/admin/api": true, "/admin/api/x": true, "/admin/apis": false, "/admin": false, "/u/a/api": true,
		"/u/a/api/rotate": true, "/u/a/api/hello": false,
		"/u/a/v1/models/org/api": false, "/k/el_a_x/api": false, "/api": true, "/api/usage": true,
		"/api/usage/": false, "/api/hello": false, "/v1/messages": false,
	} {
		require.Equal(t, want, Serves(path), path)
	}
}

func mustBody(t testing.TB, body string) gjson.Result {
	v, err := bodyOf(body)
	require.Nil(t, err)
	return v
}

// FuzzPatch applies any patch to a valid record. If the patch is accepted, the record can be stored
// and read again, and no view shows a secret.
func FuzzPatch(f *testing.F) {
	f.Add(`{"upstreams":[{"name":"openai","protocol":"chat","url":"https://api.openai.com/v1",` +
		`"key":"sk-plain-new"}]}`)
	f.Add(`{"options":{"tool_map":{"a":{"name":"b"}}},"disabled":true}`)
	f.Add(`{"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example","models":{"a":"b"},` +
		`"options":{"headers":{"a":"b"}}}],"auth":"forward"}`)
	f.Fuzz(func(t *testing.T, body string) {
		r := made(t)
		err := r.Patch(body)
		if err == nil {
			_, err = r.Finish(now, false, sealer)
		}
		if err != nil {
			require.NotEmpty(t, err.Message)
			require.Equal(t, http.StatusBadRequest, err.Status, err.Message)
			return
		}
		reloaded(t, r)
		decode(t, r.AppendView(nil, ""))
		if !strings.Contains(body, "v1.keyid") {
			require.NotContains(t, string(r.AppendOwn(nil, hash, ""))+string(r.AppendView(nil, "")),
				"v1.keyid")
		}
	})
}

// FuzzCreate does the same with a whole record.
func FuzzCreate(f *testing.F) {
	f.Add(`{"name":"anna","upstreams":` + upstreams + `,"key":{"label":"x","expires":1800000000}}`)
	f.Fuzz(func(t *testing.T, body string) {
		r, w, _, err := Create(body)
		if err == nil {
			err = r.AddKey(hash, w, now)
		}
		if err == nil {
			_, err = r.Finish(now, false, sealer)
		}
		if err != nil {
			require.Equal(t, http.StatusBadRequest, err.Status, err.Message)
			return
		}
		reloaded(t, r)
		decode(t, r.AppendOwn(nil, hash, ""))
	})
}

// FuzzMerge compares the merge with a merge of decoded JSON.
func FuzzMerge(f *testing.F) {
	f.Add(`{"a":{"b":1,"c":[1]},"d":2}`, `{"a":{"b":null,"e":{"f":null}},"d":{"x":1}}`)
	f.Fuzz(func(t *testing.T, target, patch string) {
		to, err := bodyOf(target)
		if err != nil {
			return
		}
		by, err := bodyOf(patch)
		if err != nil {
			return
		}
		if _, err := appendMerged(nil, to, to, "", 0); err != nil {
			return // target has a duplicate member, as no record has
		}
		merged, err := appendMerged(nil, to, by, "", 0)
		if err != nil {
			return
		}
		var a, b, got any
		require.NoError(t, json.Unmarshal([]byte(to.Raw), &a))
		require.NoError(t, json.Unmarshal([]byte(by.Raw), &b))
		require.NoError(t, json.Unmarshal(merged, &got), string(merged))
		require.Equal(t, oracle(a, b), got)
	})
}

// oracle is RFC 7396, section 2.
func oracle(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	for name, v := range p {
		if v == nil {
			delete(t, name)
		} else {
			t[name] = oracle(t[name], v)
		}
	}
	return t
}
