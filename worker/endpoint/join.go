package endpoint

import "strings"

// Join returns the URL of a path behind a base URL. One of Google's may end in the version of its
// API, which is then that of the path.
func Join(base, path string) string {
	if rest, ok := strings.CutPrefix(path, "/v1beta/"); ok && (strings.HasSuffix(base, "/v1") ||
		strings.HasSuffix(base, "/v1beta")) {
		return base + "/" + rest
	}
	return base + path
}
