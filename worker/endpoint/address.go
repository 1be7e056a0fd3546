package endpoint

import (
	"strconv"
	"strings"
)

// unlessAllowed is the end of Public's errors. It names the variable that lifts the rule.
const unlessAllowed = ", unless the variable ALLOW_HTTP_UPSTREAM is true."

// Public returns an error unless all upstreams, and a SearXNG, have an https URL with a name in
// public DNS. Cloudflare's own models are allowed too. The creator of a personal endpoint may not
// be the operator of the worker, and must not reach machines in the worker's network.
func (e *Endpoint) Public() *Error {
	for i := range e.Upstreams {
		if e.Upstreams[i].URL == CloudflareAI {
			continue
		}
		if err := public("upstreams["+strconv.Itoa(i)+"].url", e.Upstreams[i].URL); err != nil {
			return err
		}
	}
	return e.publicSearch("options")
}

// public returns an error unless url has https and a name in public DNS. path is the path of the
// setting.
func public(path, url string) *Error {
	if !strings.HasPrefix(url, "https://") {
		return &Error{path, "must begin with https://" + unlessAllowed}
	}
	if !PublicName(hostOf(url)) {
		return &Error{path,
			"must have a public host name, as api.openai.com: no address, no name of a local network" +
				unlessAllowed}
	}
	return nil
}

// PublicName reports whether a host, with or without a port, may be a name in public DNS. If the
// last label begins with a digit, the host is refused: a number as last label makes the host an
// IPv4 address, in any of its forms (WHATWG URL, 3.5, "ends in a number").
func PublicName(host string) bool {
	if strings.HasPrefix(host, "[") {
		return false
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	host = strings.TrimSuffix(host, ".")
	at := strings.LastIndexByte(host, '.')
	if at <= 0 || host[0] == '.' || strings.Contains(host, "..") {
		return false
	}
	switch last := host[at+1:]; last {
	case "local", "localhost", "internal", "":
		return false
	default:
		if last[0] >= '0' && last[0] <= '9' {
			return false
		}
	}
	for i := 0; i < len(host); i++ {
		if c := host[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_') {
			return false
		}
	}
	return true
}

// OneOrigin returns an error if clients' own keys would be sent to unrelated servers: with
// "auth":"forward" all upstreams must have the same origin.
func (e *Endpoint) OneOrigin() *Error {
	for i := range e.Upstreams {
		if !e.entitles(&e.Upstreams[i]) {
			return &Error{"upstreams[" + strconv.Itoa(i) + "].url",
				"must have the scheme, host and port of upstreams[0].url, in the same spelling: " +
					"with \"auth\":\"forward\" a client's own key goes to all upstreams, and must " +
					"not go to two servers."}
		}
	}
	return nil
}

// entitles reports whether an upstream may receive the key that the endpoint sends.
func (e *Endpoint) entitles(u *Upstream) bool {
	return !e.Forward || SameOrigin(u.URL, e.Upstreams[0].URL)
}

// Present replaces the upstreams' keys by the key that a client has presented. bearer: the key came
// as a bearer token. An upstream that may not receive the client's key gets no key.
func (e *Endpoint) Present(key string, bearer bool) {
	for i := range e.Upstreams {
		u := &e.Upstreams[i]
		u.Key, u.Keys, u.Bearer = "", nil, false
		if e.entitles(u) {
			u.Key, u.Bearer = key, bearer
		}
	}
}

// SameOrigin reports whether two URLs have the same scheme, host and port. The spelling must be the
// same too, because a sealed key is bound to the spelling of the host.
func SameOrigin(a, b string) bool {
	scheme, _, _ := strings.Cut(a, "://")
	other, _, _ := strings.Cut(b, "://")
	return scheme == other && hostOf(a) == hostOf(b)
}
