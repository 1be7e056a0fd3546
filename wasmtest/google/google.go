// Package google gets Google's access tokens for service accounts ("Using OAuth 2.0 for Server to
// Server Applications", developers.google.com/identity/protocols/oauth2/service-account), as
// worker/workerd/google.mjs does.
package google

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	address   = "https://oauth2.googleapis.com/token"
	scope     = "https://www.googleapis.com/auth/cloud-platform"
	grant     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	patience  = 10 * time.Second
	left      = time.Minute // minimum remaining life of a cached token
	maxAnswer = 64 << 10    // bytes
	maxToken  = 4 << 10
)

// Token is an access token with its expiry.
type Token struct {
	Text    string
	Expires time.Time
}

// account is a service account's key. Its token_uri is ignored: the token always comes from
// Google's address.
type account struct {
	Type  string `json:"type"`
	Email string `json:"client_email"`
	Key   string `json:"private_key"`
}

// Get requests a token for a service account's key (JSON) through a transport. Errors are written
// for the owner of the key, and contain no part of the key.
func Get(ctx context.Context, transport http.RoundTripper, key string, now time.Time) (Token, error) {
	var a account
	if json.Unmarshal([]byte(key), &a) != nil || a.Type != "service_account" || a.Email == "" || a.Key == "" {
		return Token{},
			errors.New("the key is no service account's. Set the JSON that Google Cloud's console makes: " +
				"IAM, Service accounts, Keys.")
	}
	assertion, err := a.assertion(now)
	if err != nil {
		return Token{},
			errors.New("the private key of the service account is none. Set the whole JSON that Google " +
				"Cloud's console has made.")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address,
		strings.NewReader(url.Values{"grant_type": {grant}, "assertion": {assertion}}.Encode()))
	if err != nil {
		return Token{}, err
	}
	r.Header.Set("content-type", "application/x-www-form-urlencoded")
	response, err := transport.RoundTrip(r)
	if err != nil {
		return Token{}, errUnreached
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return Token{}, errUnreached
	}
	return read(response.StatusCode, body, now)
}

var errUnreached = errors.New("Google's server of tokens can't be reached. Try again.")

var (
	words  = regexp.MustCompile(`^[a-z_]{1,40}$`)
	tokens = regexp.MustCompile(`^[\x21-\x7e]+$`)
)

// read reads the answer of Google's token server.
func read(status int, body []byte, now time.Time) (Token, error) {
	var said struct {
		Token   string  `json:"access_token"`
		Seconds float64 `json:"expires_in"`
		Error   string  `json:"error"`
	}
	json.Unmarshal(body, &said)
	if status == http.StatusOK && len(said.Token) <= maxToken && tokens.MatchString(said.Token) &&
		said.Seconds > 0 {
		return Token{said.Token, now.Add(time.Duration(min(said.Seconds, 3600)) * time.Second)}, nil
	}
	code := ""
	if words.MatchString(said.Error) {
		code = ", " + said.Error
	}
	if status >= 500 || status == http.StatusTooManyRequests {
		return Token{}, fmt.Errorf("Google gives no token now (%d%s). Try again.", status, code)
	}
	return Token{},
		fmt.Errorf("Google does not take the service account's key (%d%s). It was deleted or disabled, or "+
			"the clock of this machine is wrong: "+
			"make a new key, and set that.", status, code)
}

// assertion returns the signed JWT for a token request.
func (a *account) assertion(now time.Time) (string, error) {
	block, _ := pem.Decode([]byte(a.Key))
	if block == nil {
		return "", errors.New("no PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", err
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return "", errors.New("no RSA key")
	}
	unsigned := ""
	for _, part := range []map[string]any{
		{"alg": "RS256", "typ": "JWT"},
		{"iss": a.Email, "scope": scope, "aud": address, "iat": now.Unix(), "exp": now.Unix() + 3600},
	} {
		text, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		unsigned += base64.RawURLEncoding.EncodeToString(text) + "."
	}
	unsigned = strings.TrimSuffix(unsigned, ".")
	sum := sha256.Sum256([]byte(unsigned))
	signature, err := rsa.SignPKCS1v15(rand.Reader, private, crypto.SHA256, sum[:])
	return unsigned + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

// Kept caches the token of the most recently used key. It is safe for concurrent use.
type Kept struct {
	mu    sync.Mutex
	id    [sha256.Size]byte // the digest of the whole key
	token Token
}

// Get returns the cached token of a key, or requests a new one with the function Get.
func (k *Kept) Get(ctx context.Context, transport http.RoundTripper, key string, now time.Time) (Token,
	error) {
	id := sha256.Sum256([]byte(key))
	k.mu.Lock()
	kept, is := k.token, k.id
	k.mu.Unlock()
	if is == id && kept.Expires.After(now.Add(left)) {
		return kept, nil
	}
	t, err := Get(ctx, transport, key, now)
	if err == nil {
		k.mu.Lock()
		k.id, k.token = id, t
		k.mu.Unlock()
	}
	return t, err
}

// WithoutPrivateKey returns a secret in the form for the program: a service account's key without
// its private key, any other secret unchanged.
func WithoutPrivateKey(key string) string {
	var a map[string]any
	if !strings.HasPrefix(strings.TrimSpace(key), "{") || json.Unmarshal([]byte(key), &a) != nil ||
		a["private_key"] == nil {
		return key
	}
	a["private_key"] = "-"
	text, err := json.Marshal(a)
	if err != nil {
		return ""
	}
	return string(text)
}
