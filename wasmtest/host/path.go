package host

import (
	"net/http"
	"strings"
)

// LogPath returns the path of a request for a log: without the key that may stand in it, behind /k/, however that is escaped.
func LogPath(r *http.Request) string {
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(r.URL.Path, "/k/") {
		return path
	}
	rest, _ := strings.CutPrefix(path, "/k/")
	if rest == path {
		rest = ""
	}
	_, rest, _ = strings.Cut(rest, "/")
	return "/k/KEY/" + rest
}
