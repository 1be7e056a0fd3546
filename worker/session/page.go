package session

import (
	"net/http"
	"net/url"
	"strings"
)

// OwnHeader is the header in which the page names its origin and, behind a space, a secret that the
// page has made for its origin in this browser. No page of another site can send the header, since
// it would need the permission of CORS, which nobody gets here. The secret is there because
// browsers send a cookie to every port of a host: a server on another port gets the cookie, but not
// the secret.
const OwnHeader = "x-edgelingua-page"

// Foreign reports whether a request comes from a page of another origin than at, or from none:
// browsers say so in sec-fetch-site and origin.
func Foreign(at *url.URL, h http.Header) bool {
	if site := h.Get("sec-fetch-site"); site != "" && site != "same-origin" {
		return true
	}
	origin := h.Get("origin")
	return origin != "" && !own(at, origin)
}

// own reports whether an origin is that of at. A request that came by https to a proxy in front may
// have come from there by http.
func own(at *url.URL, origin string) bool {
	return origin == "https://"+at.Host || at.Scheme == "http" && origin == "http://"+at.Host
}

// Origin returns the origin of the page from which a request comes that is not Foreign, "" where
// nothing proves that the page sent it: the page has to name its origin, and with a method that
// changes something the browser has to name the same one.
func Origin(method string, at *url.URL, h http.Header) string {
	origin, _, _ := strings.Cut(h.Get(OwnHeader), " ")
	if !own(at, origin) || method != http.MethodGet && method != http.MethodHead &&
		h.Get("origin") != origin {
		return ""
	}
	return origin
}

// Private reports whether nobody on the way can read what a page of an origin sends: it has https,
// or is of this machine.
func Private(origin string) bool {
	host, plain := strings.CutPrefix(origin, "http://")
	if !plain {
		return true
	}
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return host == "localhost" || host == "127.0.0.1" || host == "[::1]"
}
