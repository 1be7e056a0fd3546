package google

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// server is Google's token server.
type server struct {
	asked []*http.Request
	say   func() (*http.Response, error)
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r)
	return s.say()
}

func says(status int, body string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func keyOf(t *testing.T, id string) string {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	text, err := json.Marshal(map[string]string{"type": "service_account",
		"client_email": id + "@p.iam.gserviceaccount.com", "token_uri": "https://evil.example/",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))})
	require.NoError(t, err)
	return string(text)
}

func TestKept(t *testing.T) {
	one, other := keyOf(t, "one"), keyOf(t, "other")
	s := &server{say: says(200, `{"access_token":"ya29.a","expires_in":3599}`)}
	var kept Kept
	now := time.Unix(1_800_000_000, 0)
	get := func(key string, at time.Time) Token {
		token, err := kept.Get(context.Background(), s, key, at)
		require.NoError(t, err)
		return token
	}
	require.Equal(t, Token{"ya29.a", now.Add(3599 * time.Second)}, get(one, now))
	get(one, now.Add(3500*time.Second))
	require.Len(t, s.asked, 1)
	require.Equal(t, address, s.asked[0].URL.String())
	get(one, now.Add(3540*time.Second))
	require.Len(t, s.asked, 2, "it ends within a minute")
	s.say = says(200, `{"access_token":"ya29.b","expires_in":3599}`)
	require.Equal(t, "ya29.b", get(other, now).Text, "another key has another token")
	s.say = says(400, `{"error":"invalid_grant"}`)
	_, err := kept.Get(context.Background(), s, one, now)
	require.ErrorContains(t, err, "400, invalid_grant")
	require.Equal(t, "ya29.b", get(other, now).Text, "what failed replaces nothing")
}

func TestNoToken(t *testing.T) {
	key := keyOf(t, "one")
	for want, say := range map[string]func() (*http.Response, error){
		"(503)": says(503, "down"), "(429)": says(429, ""), "(200)": says(200, `{"expires_in":3599}`),
		"(302)":            says(302, ""),
		"can't be reached": func() (*http.Response, error) { return nil, errors.New("secret words") },
	} {
		_, err := Get(context.Background(), &server{say: say}, key, time.Now())
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret words")
	}
	_, err := Get(context.Background(), &server{say: says(200, `{"access_token":"`+strings.Repeat("a",
		maxToken+1)+`","expires_in":9}`)}, key, time.Now())
	require.Error(t, err)
	for _, key := range []string{"", "{", "null", "[]", `{"type":"authorized_user"}`,
		`{"type":"service_account","client_email":"a"}`,
		`{"type":"service_account","client_email":"a","private_key":"b"}`} {
		s := &server{}
		_, err := Get(context.Background(), s, key, time.Now())
		require.Error(t, err)
		require.Empty(t, s.asked)
	}
}

func TestWithoutPrivateKey(t *testing.T) {
	require.JSONEq(t, `{"type":"service_account","client_email":"e","private_key":"-"}`,
		WithoutPrivateKey(` {"type":"service_account","client_email":"e","private_key":"secret"}`))
	for _, key := range []string{"", "sk-key", "{", `{"a":1}`} {
		require.Equal(t, key, WithoutPrivateKey(key))
	}
}
