package session

import (
	"net/http"
	"net/url"
	"strings"
)

// OwnHeader is the header in which the page names its origin, followed by a space and a secret. The
// page has made the secret for its origin in this browser. A page of another site can't send the
// header: the browser would need permission by CORS, and the worker never gives permission. The
// secret is needed because browsers send a cookie to every port of a host: a server on another port
// gets the cookie, but not the secret.
const OwnHeader = "x-edgelingua-page"

// Foreign reports whether a browser says, in sec-fetch-site or origin, that a request does not come
// from a page of at's origin. A request without these headers is not foreign.
func Foreign(at *url.URL, h http.Header) bool {
	if site := h.Get("sec-fetch-site"); site != "" && site != "same-origin" {
		return true
	}
	origin := h.Get("origin")
	return origin != "" && !own(at, origin)
}

// own reports whether an origin is the origin of the URL at. A proxy may receive a request over
// https and forward it over http, so the https origin counts too.
func own(at *url.URL, origin string) bool {
	return origin == "https://"+at.Host || at.Scheme == "http" && origin == "http://"+at.Host
}

// Origin returns the origin of the page that sent a request. The request must not be Foreign.
// Origin returns "" without proof that the page sent the request: the page has to name its origin
// in OwnHeader and, if the method changes something, the browser has to name the same origin in the
// header origin.
func Origin(method string, at *url.URL, h http.Header) string {
	origin, _, _ := strings.Cut(h.Get(OwnHeader), " ")
	if !own(at, origin) || method != http.MethodGet && method != http.MethodHead &&
		h.Get("origin") != origin {
		return ""
	}
	return origin
}

// Private reports whether the requests of a page can't be read in transit: its origin has https or
// is on the same machine.
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
