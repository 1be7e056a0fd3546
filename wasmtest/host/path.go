package host

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// endpointKey finds a key of a personal endpoint, or most of one.
var endpointKey = regexp.MustCompile(`el_[a-z0-9_-]{1,40}_[\w-]{40,}`)

// LogPath returns the path of a request for a log. A key in it, behind /k/ or by mistake anywhere
// else, and however it is escaped, is left out.
func LogPath(r *http.Request) string {
	path := r.URL.EscapedPath()
	if strings.HasPrefix(r.URL.Path, "/k/") {
		rest, _ := strings.CutPrefix(path, "/k/")
		if rest == path {
			rest = ""
		}
		_, rest, _ = strings.Cut(rest, "/")
		path = "/k/KEY/" + rest
	}
	plain, err := url.PathUnescape(path)
	if err != nil || !endpointKey.MatchString(plain) {
		return path
	}
	return (&url.URL{Path: endpointKey.ReplaceAllString(plain, "KEY")}).EscapedPath()
}
