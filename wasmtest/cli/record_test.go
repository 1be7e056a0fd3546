package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/demo"
)

// planted are secrets of each kind that a recording must not have: from the settings, from an
// exchange, and keys of others, recognized by their form.
var planted = map[string]string{
	"CLIENT_KEY":    `clients/own "key"+1`,
	"UPSTREAM_KEY":  "upstreams/own+key=2",
	"SEAL_KEY":      base64.StdEncoding.EncodeToString([]byte("32 bytes of a master key, ?>?>?>")),
	"session":       "session-cookie/of+3",
	"query":         "key/in+the query",
	"anthropic":     "sk-ant-api03-planted0123456789-AA",
	"groq":          "gsk_planted0123456789planted",
	"google":        "AIzaPlanted-0123456789-planted-0123456789",
	"github":        "ghp_planted0123456789planted0123456789",
	"slack":         "xoxb-1234567890-planted0123456789",
	"aws":           "AKIAPLANTED234567XYZ",
	"jwt":           "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.cGxhbnRlZA",
	"pem":           "-----BEGIN PRIVATE KEY-----\nMIIplanted/0123456789+\n-----END PRIVATE KEY-----",
	"endpoint":      "el_anna_planted0123456789planted0123456789planted01",
	"other session": "wrongly-sent-key-4",
}

// traces are the texts that a leaked secret would leave in a file: all spellings of the secret, and
// its parts without escapes.
func traces(secret string) []string {
	quoted, _ := json.Marshal(secret)
	in := string(quoted[1 : len(quoted)-1])
	twice, _ := json.Marshal(in)
	list := []string{secret, in, string(twice[1 : len(twice)-1]), strings.ReplaceAll(in, "/", `\/`),
		units(secret), url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret))}
	if key, err := base64.StdEncoding.DecodeString(secret); err == nil && len(key) == 32 {
		list = append(list, base64.RawURLEncoding.EncodeToString(key))
	}
	if _, rest, ok := strings.Cut(secret, "planted"); ok {
		return append(list, "planted"+rest[:min(len(rest), 4)])
	}
	return list
}

// units spells a text as escapes of JSON only.
func units(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// spelled returns a text for a JSON string with each secret in each spelling. The order is fixed:
// an error message ends in the middle of a secret.
func spelled() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(planted)) {
		secret := planted[name]
		quoted, _ := json.Marshal(secret)
		in := string(quoted[1 : len(quoted)-1])
		twice, _ := json.Marshal(in)
		for _, spelling := range []string{in, string(twice[1 : len(twice)-1]), strings.ReplaceAll(in, "/",
			`\/`), units(secret), url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret))} {
			fmt.Fprintf(&b, " %s ,", spelling)
		}
	}
	return b.String()
}

// leaky is an upstream that repeats every secret in headers, bodies, errors and streams, also in
// pieces.
func leaky(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Request-Id", "req-"+planted["groq"])
		w.Header().Set("Set-Cookie", "session="+planted["session"])
		w.Header().Set("X-Ratelimit-Echo", planted["UPSTREAM_KEY"])
		switch {
		case strings.Contains(string(body), `"fail"`):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect key: %s","type":"invalid_request_error",`+
				`"param":null,"code":null}}`, spelled())
		case strings.Contains(string(body), `"stream":true`):
			w.Header().Set("Content-Type", "text/event-stream")
			piece := func(text string) {
				fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",`+
					`"choices":[{"index":0,"delta":{"role":"assistant","content":"%s"},`+
					`"finish_reason":null}]}`+"\n\n", text)
			}
			piece(spelled())
			for _, name := range slices.Sorted(maps.Keys(planted)) {
				for i, c := range planted[name] { // one letter per event and chunk
					quoted, _ := json.Marshal(string(c))
					piece(string(quoted[1 : len(quoted)-1]))
					if i%8 == 0 {
						http.NewResponseController(w).Flush()
					}
				}
				piece(", ")
			}
			if strings.Contains(string(body), `"cut"`) {
				http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			io.WriteString(w,
				`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",`+
					`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":"m",`+
				`"choices":[{"index":0,"message":{"role":"assistant","content":"%s"},`+
				`"finish_reason":"stop"}]}`, spelled())
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// recordings returns the text of each file in a folder and checks the folder's permissions.
func recordings(t *testing.T, dir string) (texts []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, os.FileMode(0o600), info.Mode())
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	return texts
}

func TestRecordWithoutSecrets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	args := []string{"--demo", "--record", dir, "--var", "UPSTREAM_URL=" + leaky(t), "--var",
		"UPSTREAM_OPTIONS={\"effort\":\"none\"}"}
	for _, name := range []string{"CLIENT_KEY", "UPSTREAM_KEY", "SEAL_KEY"} {
		args = append(args, "--secret", name+"="+planted[name])
	}
	s := startServer(t, args...)
	query := "?beta=true&key=" + url.QueryEscape(planted["query"]) + "&x=" + planted["aws"]
	head := http.Header{
		"Authorization": {"Bearer " + planted["CLIENT_KEY"]}, "Cookie": {"a=" + planted["session"]},
		"X-Other-Auth": {planted["other session"]},
		"User-Agent":   {"test/1 " + planted["slack"]}, "Anthropic-Beta": {planted["UPSTREAM_KEY"]},
	}
	ask := func(path, body string) (int, string) {
		r, err := http.NewRequest("POST", s.url+path+query, strings.NewReader(body))
		require.NoError(t, err)
		r.Header = head
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}
	requests := 0
	for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses"} {
		for _, model := range []string{"m", "fail"} {
			for _, stream := range []bool{true, false} {
				status, text := ask(path,
					fmt.Sprintf(`{"model":%q,"max_tokens":9,"stream":%t,"messages":[{"role":"user",`+
						`"content":"%s"}],"input":"%s"}`, model, stream, spelled(), spelled()))
				if model == "m" {
					assert.Equal(t, 200, status)
				}
				assert.Contains(t, text, "planted", "the client gets what the upstream says")
				requests++
			}
		}
	}
	ask("/v1/messages",
		fmt.Sprintf(`{"model":"m","max_tokens":9,"stream":true,"metadata":{"user_id":"cut"},`+
			`"messages":[{"role":"user","content":"\"cut\" %s"}]}`, spelled()))
	ask("/v1/messages", spelled())
	ask("/v1/messages/count_tokens", fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]}`,
		spelled()))
	requests += 3

	socket, _, err := websocket.Dial(t.Context(), strings.Replace(s.url, "http", "ws", 1)+"/v1/responses"+
		query, &websocket.DialOptions{HTTPHeader: head})
	require.NoError(t, err)
	defer socket.CloseNow()
	socket.SetReadLimit(1 << 20)
	require.NoError(t, socket.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil,
		`{"type":"response.create","model":"m","input":"%s"}`, spelled())))
	for said := []byte{}; !strings.Contains(string(said), `"type":"response.completed"`); {
		_, said, err = socket.Read(t.Context())
		require.NoError(t, err)
		require.NotContains(t, string(said), `"type":"error"`)
	}
	requests++
	require.NoError(t, socket.Close(websocket.StatusNormalClosure, ""))
	log := s.stop(t)
	assert.Contains(t, log, "RECORDING: conversations are kept in the clear in "+dir+
		", up to 1000 files or 256 MB; keys are masked.")

	texts := recordings(t, dir)
	assert.Len(t, texts, requests)
	all := strings.Join(texts, "\n")
	for name, secret := range planted {
		for _, trace := range traces(secret) {
			if i := strings.Index(all, trace); i >= 0 {
				t.Errorf("%s is there as %s: %s", name, trace, all[max(0, i-100):min(len(all), i+100)])
			}
		}
	}
	deltas := "" // the pieces of all texts, joined
	for _, piece := range regexp.MustCompile(`"(?:content|text|delta)":("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(all, -1) {
		var text string
		require.NoError(t, json.Unmarshal([]byte(piece[1]), &text))
		deltas += text
	}
	for name, secret := range planted {
		assert.False(t, strings.Contains(deltas, secret), "%s stands letter by letter in deltas", name)
	}
	assert.Contains(t, all, "POST /v1/messages?beta=true&key=[key]&x=[key]\n")
	assert.Contains(t, all, "user-agent: test/1 [key]\n")
	assert.Contains(t, all, "The request is a frame of a WebSocket")
	assert.NotContains(t, all, "x-other-auth")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
}

// said returns an answer without its times: replay sets new ones.
func said(answer string) string {
	return regexp.MustCompile(`"(?:created|completed)_at":\d+|\s+$`).ReplaceAllString(answer, "")
}

// TestReplayOfARecording records the demo's answers to each client, plain and streamed, and replays
// them.
func TestReplayOfARecording(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	s := startServer(t, "--demo", "--record", dir)
	var answers []string
	for _, path := range []string{"/v1/messages", "/v1/responses"} {
		for _, stream := range []bool{true, false} {
			_, answer := post(t, s.url+path, "demo",
				fmt.Sprintf(`{"model":"demo","max_tokens":200,"stream":%t,"messages":[{"role":"user",`+
					`"content":"Hi"}],"input":"Hi"}`, stream))
			answers = append(answers, answer)
		}
	}
	status, _ := post(t, s.url+"/v1/messages", "demo",
		`{"model":"demo-error-429","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`)
	require.Equal(t, 429, status)
	status, _ = post(t, s.url+"/v1/messages", "a-wrong-key", toolCall)
	require.Equal(t, 401, status)
	s.stop(t)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 5, "one for each answer, and none for the request with a wrong key")
	for i, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		var stdout, stderr strings.Builder
		require.Equal(t, 0, run([]string{"replay", file}, nil, nil, &stdout, &stderr), stderr.String())
		if i < len(answers) {
			assert.Equal(t, said(answers[i]), said(stdout.String()))
		} else {
			assert.Contains(t, stderr.String(), "status: 429")
		}
	}
	text := recordings(t, dir)
	assert.Contains(t, text[0], "-- received.1.times --\n# milliseconds")
	assert.Contains(t, text[0], "-- answered.body --\nevent: message_start\n")
	assert.Contains(t, text[4], "-- upstream.chat.head --\n429\n")
	assert.Contains(t, text[4], "retry-after: 7\n")
}

// TestRecordOneEndpoint has two endpoints and ADMIN_KEY: only the named one is recorded, and
// without a name the server does not start.
func TestRecordOneEndpoint(t *testing.T) {
	upstream := httptest.NewServer(demo.New("the-upstreams-own-key"))
	defer upstream.Close()
	dir := filepath.Join(t.TempDir(), "r")
	args := []string{"--demo", "--record", dir, "--secret", "ADMIN_KEY=operators-own-key-0123456789",
		"--secret", "SEAL_KEY=" + planted["SEAL_KEY"], "--var", "ALLOW_HTTP_UPSTREAM=true"}
	var stderr strings.Builder
	assert.Equal(t, exitUsage, run(append([]string{"serve", "--addr", "127.0.0.1:0", "--wasm", module},
		args...), nil, nil, io.Discard, &stderr))
	assert.Contains(t, stderr.String(), "--record is refused where ADMIN_KEY is set")
	assert.NoDirExists(t, dir)

	s := startServer(t, append(args, "--record-endpoint", "anna")...)
	keys := map[string]string{}
	for _, name := range []string{"anna", "bert"} {
		r, err := http.NewRequest("POST", s.url+"/admin/api/endpoints",
			strings.NewReader(fmt.Sprintf(`{"name":%q,"upstreams":[{"name":"u","protocol":"chat","url":%q,`+
				`"key":"the-upstreams-own-key"}]}`, name, upstream.URL+"/v1")))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer operators-own-key-0123456789")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		var made struct{ Key string }
		require.NoError(t, json.NewDecoder(response.Body).Decode(&made))
		response.Body.Close()
		require.NotEmpty(t, made.Key)
		keys[name] = made.Key
	}
	ask := func(path, key, words string) int {
		status, _ := post(t, s.url+path, key,
			`{"model":"demo","max_tokens":200,"messages":[{"role":"user","content":"words of `+words+
				`, the-upstreams-own-key"}]}`)
		return status
	}
	assert.Equal(t, 200, ask("/u/anna/v1/messages", keys["anna"], "anna"))
	assert.Equal(t, 200, ask("/k/"+keys["anna"]+"/v1/messages", "", "anna"))
	assert.Equal(t, 200, ask("/u/bert/v1/messages", keys["bert"], "bert"))
	assert.Equal(t, 200, ask("/k/"+keys["bert"]+"/v1/messages", "", "bert"))
	assert.Equal(t, 200, ask("/v1/messages", "demo", "the deployment"))
	assert.Equal(t, 401, ask("/u/anna/v1/messages", keys["bert"], "bert"))
	assert.Contains(t, s.stop(t), "RECORDING: the conversations of the endpoint anna are kept")
	texts := recordings(t, dir)
	assert.Len(t, texts, 2)
	all := strings.Join(texts, "\n")
	assert.Contains(t, all, "POST /k/KEY/v1/messages\n")
	assert.Contains(t, all, "words of anna, [key]")
	for _, secret := range []string{"bert", "the deployment", keys["anna"], "the-upstreams-own-key",
		"operators-own-key", planted["SEAL_KEY"]} {
		assert.NotContains(t, all, secret)
	}
}

// TestRecordForwardedKey has clients whose keys go to the upstream and have no known form.
func TestRecordForwardedKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "r")
	s := startServer(t, "--demo", "--record", dir, "--var", "AUTH=forward", "--var", "UPSTREAM_URL="+leaky(t))
	const key = "a key/of+no form"
	body, _ := json.Marshal(map[string]any{"model": "m", "messages": []any{map[string]string{"role": "user",
		"content": "my key is " + key + "; fail"}}})
	for _, path := range []string{"/v1/messages", "/v1/chat/completions"} {
		status, _ := post(t, s.url+path, key, string(body))
		assert.Less(t, status, 500)
	}
	s.stop(t)
	texts := recordings(t, dir)
	assert.Len(t, texts, 2)
	for _, trace := range traces(key) {
		assert.NotContains(t, strings.Join(texts, ""), trace)
	}
	assert.Contains(t, texts[0], "my key is [key]; fail")
}

func TestRecordRefusals(t *testing.T) {
	wide := filepath.Join(t.TempDir(), "wide")
	require.NoError(t, os.Mkdir(wide, 0o700))
	require.NoError(t, os.Chmod(wide, 0o750))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	own := filepath.Join(t.TempDir(), "own")
	require.NoError(t, os.Mkdir(own, 0o700))
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(own, link))
	theirs := filepath.Join(t.TempDir(), "theirs")
	require.NoError(t, os.Mkdir(theirs, 0o700))
	if os.Getuid() == 0 { // only root can give a folder away
		require.NoError(t, os.Chown(theirs, 12345, -1))
	} else {
		theirs = wide
	}
	for _, test := range []struct{ dir, want string }{
		{theirs, " new "}, {wide, "run chmod 700 on it"}, {file, "is no folder, or a link to one"},
		{link, "is no folder, or a link to one"},
		{filepath.Join(own, "no", "parent"), "name one whose parent is there"},
	} {
		if runtime.GOOS == "windows" && (test.dir == wide || test.dir == theirs) {
			continue
		}
		var stderr strings.Builder
		assert.Equal(t, exitUsage, run([]string{"serve", "--demo", "--addr", "127.0.0.1:0", "--wasm", module,
			"--record", test.dir}, nil, nil, io.Discard, &stderr))
		assert.Contains(t, stderr.String(), test.want)
	}
	var stderr strings.Builder
	assert.Equal(t, exitUsage, run([]string{"serve", "--record-endpoint", "anna"}, nil, nil, io.Discard,
		&stderr))
}
