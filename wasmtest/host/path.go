package host

import (
	"net/http"
	"strings"
)

// LogPath returns the path of a request for a log: without the key that may stand in it, behind /k/.
func LogPath(r *http.Request) string {
	path := r.URL.EscapedPath()
	if rest, ok := strings.CutPrefix(path, "/k/"); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return "/k/KEY/" + rest
	}
	return path
}
