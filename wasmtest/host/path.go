package host

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// endpointKey matches a key of a personal endpoint, or most of such a key.
var endpointKey = regexp.MustCompile(`el_[a-z0-9_-]{1,40}_[\w-]{40,}`)

// LogPath returns the path of a request for a log. Keys in the path are replaced: after /k/ or, by
// mistake, anywhere else, and with any escaping.
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
