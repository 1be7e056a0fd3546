package mask

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/translator/passing"
)

// configured is a secret without a known form, with characters that are escaped in JSON, URLs and
// HTML.
const configured = `Tr0ub4dor&3/"key"\é`

// spellings returns a secret as it may be spelled in a JSON string, in a URL, in HTML and in
// base64.
func spellings(secret string) map[string]string {
	quoted := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b[1 : len(b)-1])
	}
	var units strings.Builder
	for _, r := range secret {
		fmt.Fprintf(&units, `\u%04X`, r)
	}
	return map[string]string{
		"JSON": quoted(secret), "JSON in JSON": quoted(quoted(secret)),
		"four layers":     quoted(quoted(quoted(quoted(secret)))),
		"escaped slashes": strings.ReplaceAll(quoted(secret), "/", `\/`), "\\u of all": units.String(),
		"percent":          strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		"percent in JSON":  quoted(url.PathEscape(secret)),
		"base64":           base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64url":        base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64 of a file": base64.StdEncoding.EncodeToString([]byte("# settings\nKEY=" + secret + "\n")),
		"HTML":             strings.NewReplacer("&", "&amp;", `"`, "&#34;", `\`, `\\`).Replace(secret),
	}
}

var samples = []string{
	configured, "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ_-AA", "sk-proj-0123456789abcdefghij",
	"sk-0123456789abcdef", "sk-or-v1-0123456789abcdef01",
	"gsk_0123456789abcdefghijABCD", "xai-0123456789abcdefghijABCD",
	"AIzaSyA-0123456789abcdefghijklmnopqrstu", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
	"AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghijABCDEFGHIJ012345",
	"github_pat_0123456789abcdefghijAB_0123456789", "glpat-0123456789abcdefghij",
	"xoxb-123456789012-abcdefghijkl", "xapp-1-A0123456789-abcdef",
	"npm_0123456789abcdefghijABCDEFGHIJ012345", "sk_live_0123456789abcdefghij",
	"SG.0123456789abcdefghij.0123456789abcdefghij", "nvapi-0123456789abcdefghijABCD",
	"pplx-0123456789abcdefghijABCD", "r8_0123456789abcdefghijABCDEFGHIJ0123",
	"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"el_anna_0123456789abcdefghijABCDEFGHIJ0123456789_-x",
	"el_my_own_team_0123456789abcdefghijABCDEFGHIJ0123456789",
	"el__a_0123456789abcdefghijABCDEFGHIJ0123456789",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "ya29.a0AfH6SMBx0123456789",
	"csk-0123456789abcdefghij0123456789ab",
	"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: " +
		"4,ENCRYPTED\n\nMIIEowIBAAKCAQEA0123456789+/\nabcdefghij==\n-----END RSA PRIVATE KEY-----",
}

// masker returns a Masker of secrets.
func masker(t testing.TB, secrets ...string) *Masker {
	m, err := New(secrets)
	require.NoError(t, err)
	return m
}

func TestSpellings(t *testing.T) {
	for _, secret := range samples {
		for how, spelled := range spellings(secret) {
			body := fmt.Sprintf(`{"content":"a %s b","other":"stays"}`, spelled)
			if how == "HTML" {
				body = "<p>a " + spelled + " b</p> stays"
			}
			masked := masker(t, configured).Text(body)
			assert.NotContains(t, masked, spelled, "%s: %s", how, secret)
			assert.Contains(t, masked, "a [key] b", "%s: %s", how, masked)
			assert.Contains(t, masked, "stays", how)
			assert.Equal(t, how != "HTML", json.Valid([]byte(masked)), masked)
		}
	}
}

func TestWhatStays(t *testing.T) {
	for _, text := range []string{
		`{"a":"a task-0123456789abcdefghij, a risk-free-and-long-sentence, basic characterization, bearer ` +
			`characteristics"}`,
		`{"image":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWj` +
			`R9awAAAABJRU5ErkJggg=="}`,
		`{"url":"https://user.example:8080/a@b","model":"demo"}`,
		`{"id":"call_0123456789abcdefghij","x":"AKIA","y":"eyJ",` +
			`"z":"el_header_container sk-learn-something"}`, "", `"`, `\`, `{"a":"\`,
		`{"properties":{"headers":{"type":"object","description":"d"},"password":{"type":"string"}},` +
			`"token":"Hello"}`,
	} {
		assert.Equal(t, text, masker(t, configured, "demo").Text(text))
	}
	forms, known := masker(t), masker(t, configured)
	assert.Equal(t, "see https://[key]host/", forms.Text("see https://anna:pa55@host/"))
	assert.Equal(t, "Bearer [key], Basic [key]", forms.Text("Bearer abcdefghijklmnop1, Basic YW5uYTpwYTU1"))
	assert.Equal(t,
		`{"mcp_servers":[{"url":"u","authorization_token":"[key]"}],"tools":[{"type":"mcp",`+
			`"headers":{"X-Team":"[key]","X-B": "[key]"}}]}`,
		forms.Text(`{"mcp_servers":[{"url":"u","authorization_token":"of \"any\" form"}],`+
			`"tools":[{"type":"mcp",`+
			`"headers":{"X-Team":"blue","X-B": "a\"b"}}]}`))
	assert.Equal(t, `{"arguments":"{\"password\":\"[key]\"}"}`,
		forms.Text(`{"arguments":"{\"password\":\"hunter22\"}"}`))
	assert.Equal(t, `{"error":"the end is cut: [key]"}`,
		known.Text(`{"error":"the end is cut: `+configured[:9]+
			`"}`))
	assert.Equal(t, `{"error":"Incorrect key: [key]"}`,
		forms.Text(`{"error":"Incorrect key: el_anna_planted0123456789plant"}`))
	assert.Equal(t, "the end is cut: [key]", known.Text("the end is cut: "+configured[:9]))
	assert.Equal(t, `{"a":"[key]","b":"c"}`,
		forms.Text(`{"a":"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123456789+/\nabcd","b":"c"}`),
		"a block that is cut")
	assert.Equal(t, "[key]!", masker(t, "abcdefgh1234", "efgh12345678").Text("abcdefgh12345678!"),
		"two that overlap")
}

// TestStream spreads a secret over events in pieces of every size, beside another text, as parallel
// calls of tools come.
func TestStream(t *testing.T) {
	for _, secret := range samples {
		quoted, err := json.Marshal(secret)
		require.NoError(t, err)
		for _, size := range []int{1, 3, 7, len(secret)} {
			var stream, want strings.Builder
			write := func(b *strings.Builder, text string) {
				data, err := json.Marshal(map[string]any{"delta": map[string]string{"text": text},
					"index": 0})
				require.NoError(t, err)
				fmt.Fprintf(b, "event: delta\ndata: %s\n\ndata: "+
					"{\"delta\":{\"text\":\"other\"},\"index\":1}\n\n", data)
			}
			for i, rest := 0, secret; rest != ""; i++ {
				n := min(size, len(rest))
				for n < len(rest) && rest[n]&0xc0 == 0x80 { // not inside of a character
					n++
				}
				write(&stream, rest[:n])
				if i == 0 {
					write(&want, "[key]")
				} else {
					write(&want, "")
				}
				rest = rest[n:]
			}
			fmt.Fprintf(&stream, "data: {\"done\":%s}\n\ndata: [DONE]\n\n", quoted)
			want.WriteString("data: {\"done\":\"[key]\"}\n\ndata: [DONE]\n\n")
			assert.Equal(t, want.String(), masker(t, configured).Stream(stream.String()),
				"%q in pieces of %d", secret, size)
		}
	}
}

// FuzzStream looks for texts on which the reader of events fails.
func FuzzStream(f *testing.F) {
	f.Add("data: {\"a\":[1,\"b\\\"\",{\"index\":2}]}\n\ndata: {\"a\"\ndata:[\n")
	f.Fuzz(func(t *testing.T, s string) {
		masker(t, configured).Stream(s)
		assert.NotContains(t, masker(t).Stream(s+" sk-0123456789abcdef"), "sk-0123456789abcdef")
	})
}

// TestLinear counts the bytes read by the patterns of the forms, in texts with a near match of a
// form or a secret at every place: at most four times the bytes of the text for each reading of the
// text.
func TestLinear(t *testing.T) {
	read, plain := 0, submatch
	defer func() { submatch = plain }()
	submatch = func(r *regexp.Regexp, text string) []int {
		rest := strings.NewReader(text)
		match := r.FindReaderSubmatchIndex(rest)
		read += len(text) - rest.Len()
		return match
	}
	texts := map[string]string{
		"a token without its second part": "-eyJ", "tokens of one byte": "eyJ.", "PEM": "-----BEGIN A-----",
		"PEM without an end": "-----BEGIN ", "a URL": "://a:", "a user": "://aaaa:bbbb", "Slack": "-xoxb-1",
		"AWS": `aws_secret_access_key"""`, "headers": `"headers":{"a":"b",`, "nested headers": `"headers":{`,
		"members": `"password":"`, "escapes": `\\\"`, "quotes": `"`, "percent": "%25", "references": "&amp;",
		"half a secret": strings.Repeat("a", 40) + "c", "base64": "YWFhYWFhYWFh",
		"an endpoint's key": "-el_a_",
		"white space":       `"password":          `, "Basic": "Basic aaaaaaaaa",
		"a bearer": "Bearer aaaaaaaaaaaaaaaaa ",
	}
	for i := range forms {
		texts["the lead "+forms[i].lead] = forms[i].lead
		texts["after a hyphen "+forms[i].lead] = "-" + forms[i].lead
	}
	secrets := []string{configured}
	for i := range 100 { // each secret nearly matches at every place of a text of one letter
		secrets = append(secrets, strings.Repeat("a", 300+i)+"b")
	}
	m := masker(t, secrets...)
	for name, part := range texts {
		text := strings.Repeat(part, 64<<10/len(part))
		for how, body := range map[string]string{"": text, " in JSON": `{"a":"` + strings.ReplaceAll(text,
			`"`, `\"`) + `"}`} {
			readings := 0
			passing.Readings(body, func(string, func(int) int) { readings++ })
			read = 0
			m.Text(body)
			assert.LessOrEqual(t, read, 4*len(body)*(readings+1), name+how)
		}
	}
	read = 0
	events := strings.Repeat("data: {\"delta\":\"-eyJ\",\"index\":0}\n\n", 5_000)
	m.Stream(events)
	assert.LessOrEqual(t, read, 4*len(events))
}

// TestManySecrets: all secrets are found, up to 64 KB of them.
func TestManySecrets(t *testing.T) {
	var secrets []string
	for i := range 5000 {
		secrets = append(secrets, fmt.Sprintf("secret-%05d", i))
	}
	m := masker(t, secrets...)
	assert.Equal(t, "[key] secret-0500 [key]secret-", m.Text("secret-00000 secret-0500 secret-04999secret-"))
	assert.Equal(t, "a [key]", m.Text("a secret-0"), "the end of a text is the beginning of a secret")
	_, err := New([]string{strings.Repeat("a", mostSecrets+1)})
	assert.EqualError(t, err, "its secrets have more than 64 KB")
}
