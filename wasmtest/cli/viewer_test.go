package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fetch returns the answer to a GET with headers, given as names and values.
func fetch(t *testing.T, url string, headers ...string) (status int, head http.Header, body string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	r.Host = r.Header.Get("Host")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, response.Header, string(text)
}

// written returns the names of n recordings, once all are written.
func written(t *testing.T, url string, n int, headers ...string) (names []string) {
	t.Helper()
	for {
		status, _, body := fetch(t, url, headers...)
		require.Equal(t, 200, status, body)
		var list struct {
			Total      int
			Recordings []struct{ Name string }
		}
		require.NoError(t, json.Unmarshal([]byte(body), &list))
		if list.Total != n {
			continue
		}
		names = names[:0]
		for _, one := range list.Recordings {
			// a file is in the list before all of it is written
			if _, _, body = fetch(t, url+"/"+one.Name, headers...); strings.Contains(body, `"status":`) {
				names = append(names, one.Name)
			}
		}
		if len(names) == n {
			return names
		}
	}
}

// TestViewer: the program checks CLIENT_KEY, and refuses pages of other sites.
func TestViewer(t *testing.T) {
	s := startServer(t, "--demo", "--record", filepath.Join(t.TempDir(), "r"))
	status, answer := post(t, s.url+"/v1/messages", "demo",
		`{"model":"demo","max_tokens":200,"stream":true,"top_k":5,`+
			`"messages":[{"role":"user","content":"Hi"}]}`)
	require.Equal(t, 200, status)
	list := s.url + "/api/recordings"
	names := written(t, list, 1, "X-Api-Key", "demo")
	one := list + "/" + names[0]
	_, _, body := fetch(t, one, "X-Api-Key", "demo", "Sec-Fetch-Site", "same-origin")
	var x struct {
		Model string
		Lost  []string
		Sides []struct {
			Protocol        string
			Request, Answer struct{ Body string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &x))
	assert.Equal(t, "demo", x.Model)
	assert.Equal(t, []string{"top_k"}, x.Lost)
	require.Len(t, x.Sides, 2)
	assert.Equal(t, answer, x.Sides[0].Answer.Body)
	assert.Equal(t, "chat", x.Sides[1].Protocol)
	assert.NotContains(t, x.Sides[1].Request.Body, "top_k")
	assert.Contains(t, x.Sides[1].Answer.Body, "data: [DONE]")
	for _, url := range []string{list, one, s.url + "/api"} {
		for want, headers := range map[int][]string{
			401: {"X-Api-Key", "wrong"},
			403: {"X-Api-Key", "demo", "Origin", "https://evil.example"},
		} {
			status, head, body := fetch(t, url, headers...)
			assert.Equal(t, want, status)
			assert.NotContains(t, body, "top_k")
			assert.NotContains(t, head, "X-Edgelingua-Recorded")
		}
	}
	status, head, _ := fetch(t, s.url+"/api", "X-Api-Key", "demo")
	assert.Equal(t, []any{200, []string{""}}, []any{status, head["X-Edgelingua-Recorded"]})
	status, head, _ = fetch(t, one, "X-Api-Key", "demo", "Host", "evil.example")
	assert.Equal(t, 404, status)
	assert.Equal(t, "sandbox; default-src 'none'", head.Get("Content-Security-Policy"))
	assert.Equal(t, "nosniff", head.Get("X-Content-Type-Options"))
	s.stop(t)
}

// TestViewerWithOperator: recordings of a personal endpoint need ADMIN_KEY or the operator's session.
func TestViewerWithOperator(t *testing.T) {
	const operator, page = "operators-own-key-0123456789", "X-Edgelingua-Page"
	s := startServer(t, "--demo", "--record", filepath.Join(t.TempDir(), "r"), "--record-endpoint", "anna",
		"--secret", "ADMIN_KEY="+operator, "--secret", "SEAL_KEY="+planted["SEAL_KEY"],
		"--var", "ALLOW_HTTP_UPSTREAM=true")
	r, err := http.NewRequest("POST", s.url+"/admin/api/endpoints", strings.NewReader(`{"name":"anna",`+
		`"upstreams":[{"name":"u","protocol":"chat","url":"http://127.0.0.1:1/v1",`+
		`"key":"the-upstreams-own-key"}]}`))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", operator)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	var made struct{ Key string }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&made))
	response.Body.Close()
	status, _ := post(t, s.url+"/u/anna/v1/messages", made.Key, toolCall)
	require.Equal(t, 502, status)

	settings := s.url + "/admin/api/endpoints/anna"
	names := written(t, settings+"/recordings", 1, "X-Api-Key", operator)
	_, _, body := fetch(t, settings+"/recordings/"+names[0], "X-Api-Key", operator)
	assert.Contains(t, body, "has failed")
	assert.NotContains(t, body, made.Key)
	_, head, _ := fetch(t, settings, "X-Api-Key", operator)
	assert.Equal(t, "anna", head.Get("X-Edgelingua-Recorded"))

	r, err = http.NewRequest("POST", s.url+"/admin/api/session", nil)
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", operator)
	r.Header.Set("Origin", s.url)
	r.Header.Set(page, s.url+" secret")
	response, err = http.DefaultClient.Do(r)
	require.NoError(t, err)
	response.Body.Close()
	require.Len(t, response.Cookies(), 1)
	cookie := response.Cookies()[0].Name + "=" + response.Cookies()[0].Value
	for _, test := range []struct {
		headers []string
		status  int
	}{
		{[]string{"Cookie", cookie, page, s.url + " secret"}, 200},
		{[]string{"Cookie", cookie, page, s.url + " other"}, 401},
		{[]string{"Cookie", cookie}, 401},
		{[]string{"X-Api-Key", made.Key}, 401},
		{[]string{"X-Api-Key", "demo"}, 401},
		{[]string{"X-Api-Key", operator, "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		for _, path := range []string{"/recordings", "/recordings/" + names[0]} {
			status, _, body := fetch(t, settings+path, test.headers...)
			assert.Equal(t, test.status, status, body)
		}
	}
	for _, key := range []string{"demo", operator} {
		status, _, _ := fetch(t, s.url+"/api/recordings", "X-Api-Key", key)
		assert.Equal(t, 404, status, "the deployment's own endpoint is not recorded")
		status, _, _ = fetch(t, s.url+"/admin/api/endpoints/bert/recordings", "X-Api-Key", key)
		assert.NotEqual(t, 200, status)
	}
	s.stop(t)
}

// TestNoViewer: without --record, and with keys that only the upstream checks, nothing is there.
func TestNoViewer(t *testing.T) {
	for status, args := range map[int][]string{404: nil,
		403: {"--record", filepath.Join(t.TempDir(), "r"), "--var", "AUTH=forward"}} {
		s := startServer(t, append([]string{"--demo"}, args...)...)
		_, head, _ := fetch(t, s.url+"/api", "X-Api-Key", "demo")
		assert.NotContains(t, head, "X-Edgelingua-Recorded")
		got, _, _ := fetch(t, s.url+"/api/recordings", "X-Api-Key", "demo")
		assert.Equal(t, status, got)
		s.stop(t)
	}
}
