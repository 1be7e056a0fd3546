package host

import (
	"net/http"
	"net/url"
	"strings"

	"edgelingua/worker/keyforms"
)

// maxLogged is the limit of a path in a log, in bytes. The program refuses longer paths.
const maxLogged = 1024

// LogPath returns the path of a request for a log. Keys in the path are replaced: after /k/ or, by
// mistake, anywhere else, and with any escaping. Google's paths contain the model, where some
// clients write a key.
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
	if err != nil {
		plain = path
	}
	plain = plain[:min(len(plain), maxLogged)]
	masked := keyforms.Mask(plain, "KEY")
	if masked == plain {
		return path[:min(len(path), maxLogged)]
	}
	return (&url.URL{Path: masked}).EscapedPath()
}
