package endpoint

import (
	"strconv"
	"strings"
)

// Public says whether all upstreams are addressed as the public internet is: by https, and by a name. The record of a personal
// endpoint is not its operator's, who would not want it to reach the machines around the worker.
func (e *Endpoint) Public() *Error {
	for i := range e.Upstreams {
		path := "upstreams[" + strconv.Itoa(i) + "].url"
		url := e.Upstreams[i].URL
		if !strings.HasPrefix(url, "https://") {
			return &Error{path, "must begin with https://."}
		}
		if !isPublicName(hostOf(url)) {
			return &Error{path, "must have a public host name, as api.openai.com: no address, no name of a local network."}
		}
	}
	return nil
}

// isPublicName reports whether a host, which may have a port, is a name that public DNS can hold. What ends in a number is an
// address, in whichever of their forms (WHATWG URL, host parsing).
func isPublicName(host string) bool {
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

// SameOrigin reports whether two URLs lead to the same host, on the same port and by the same scheme, and spell it alike: a
// sealed key is bound to the host as it is written.
func SameOrigin(a, b string) bool {
	scheme, _, _ := strings.Cut(a, "://")
	other, _, _ := strings.Cut(b, "://")
	return scheme == other && hostOf(a) == hostOf(b)
}
